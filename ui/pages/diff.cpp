// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/diff.h"

#include <algorithm>

namespace fettle::ui {

std::vector<DiffLine> diffLines(const QStringList& before, const QStringList& after) {
    const auto n = before.size(), m = after.size();
    auto same = [&](qsizetype i, qsizetype j) { return before[i].simplified() == after[j].simplified(); };
    // common[i][j]: length of the longest common subsequence of before[i..] and after[j..]
    std::vector<std::vector<int>> common(n + 1, std::vector<int>(m + 1, 0));
    for (auto i = n - 1; i >= 0; --i)
        for (auto j = m - 1; j >= 0; --j)
            common[i][j] = same(i, j) ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    std::vector<DiffLine> lines;
    qsizetype i = 0, j = 0;
    while (i < n || j < m) {
        if (i < n && j < m && same(i, j)) {
            lines.push_back({DiffLine::Same, after[j]});
            ++i, ++j;
        } else if (i < n && (j == m || common[i + 1][j] >= common[i][j + 1])) {
            lines.push_back({DiffLine::Removed, before[i++]});
        } else {
            lines.push_back({DiffLine::Added, after[j++]});
        }
    }
    return lines;
}

QStringList scheduleLines(const QString& text) {
    QStringList lines;
    for (const QString& line : text.split('\n')) {
        const QString clean = line.simplified();
        if (!clean.isEmpty() && !clean.startsWith('#')) lines << clean;
    }
    return lines;
}

}  // namespace fettle::ui
