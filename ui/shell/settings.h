// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers between runs, in one INI file. A file that cannot be read or holds nonsense never prevents
// the start: values are checked one by one, and defaults stand in.
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QList>
#include <QSettings>
#include <QString>

#include "ui/shell/theme.h"

namespace fettle::ui {

// A line of "Recent sessions" on the start page; the figures are those of the last time it was open.
struct RecentSession {
    QString file;  // .fettle or .onnx
    QString model, target;
    int trials = 0, budget = 0;
    double baselineNs = 0, bestNs = 0;
    QDateTime lastUsed;
    bool finished = false;  // its budget was used up
};

class Settings {
public:
    static constexpr int kLayoutVersion = 1;  // other versions of a saved layout are ignored
    static constexpr int kRecentLimit = 20;

    explicit Settings(const QString& file);  // made when first written; see defaultFile()
    static QString defaultFile();

    ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);
    QByteArray geometry() const;
    QByteArray layout() const;
    void setLayout(const QByteArray& geometry, const QByteArray& layout);
    int budgetTrials() const;
    double budgetMinutes() const;
    int threads() const;
    void setBudget(int trials, double minutes, int threads);

    QList<RecentSession> recent() const;
    void remember(const RecentSession& session);  // newest first; one line per file
    void forget(const QString& file);

private:
    void writeRecent(const QList<RecentSession>& sessions);
    QSettings store_;
};

}  // namespace fettle::ui
