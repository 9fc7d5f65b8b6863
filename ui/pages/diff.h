// SPDX-License-Identifier: GPL-3.0-or-later
// Line differences between two schedules: longest common subsequence of their lines. Pure.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace fettle::ui {

struct DiffLine {
    enum Kind { Same, Added, Removed } kind;
    QString text;
};

// From `before` to `after`; spaces at the ends and runs of spaces do not count as a difference.
std::vector<DiffLine> diffLines(const QStringList& before, const QStringList& after);

// Lines that do something: no comments, no blanks, spaces normalised.
QStringList scheduleLines(const QString& text);

}  // namespace fettle::ui
