// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/budget_map.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/support/format.h"
#include "ui/charts/scale.h"
#include "ui/widgets/words.h"

namespace fettle::ui {

namespace {
constexpr int kNames = 76, kScale = 56, kAxis = 18, kRow = 13, kMinColumn = 6;
QString text(const std::string& s) {
    return QString::fromStdString(s);
}
}  // namespace

BudgetGrid budgetGrid(const SessionData& data, int chosenTask, int rows, int columns) {
    BudgetGrid grid;
    grid.rounds = data.rounds;
    if (rows < 1 || columns < 1 || data.rounds < 1) return grid;
    std::vector<int> order;
    for (size_t t = 0; t < data.tasks.size(); ++t)
        if (data.tasks[t].trials > 0) order.push_back(int(t));
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return data.tasks[a].trials > data.tasks[b].trials; });
    if (int(order.size()) > rows) {
        const bool chosenIsLost = std::find(order.begin(), order.begin() + rows, chosenTask) == order.begin() + rows &&
                                  std::find(order.begin(), order.end(), chosenTask) != order.end();
        order.resize(rows);
        if (chosenIsLost) order.back() = chosenTask;
    }
    grid.tasks = order;
    grid.roundsPerColumn = (data.rounds + columns - 1) / columns;
    const int used = (data.rounds + grid.roundsPerColumn - 1) / grid.roundsPerColumn;
    grid.cells.assign(order.size(), std::vector<BudgetCell>(used));
    for (size_t r = 0; r < order.size(); ++r) {
        const TaskState& task = data.tasks[order[r]];
        int64_t best = task.defaultNs;
        int firstRound = -1;
        for (size_t i : task.trialIndices) {
            const store::TrialRow& row = data.trials[i];
            const int column = std::clamp(row.round / grid.roundsPerColumn, 0, used - 1);
            BudgetCell& cell = grid.cells[r][column];
            ++cell.trials;
            if (firstRound < 0) firstRound = row.round;
            if (!isOk(row)) continue;
            if (best > 0 && row.minNs < best) cell.gainNs += double(best - row.minNs) * task.row.weight;
            if (best == 0 || row.minNs < best) best = row.minNs;
        }
        for (const BudgetCell& cell : grid.cells[r]) grid.most = std::max(grid.most, cell.gainNs);
    }
    return grid;
}

BudgetMap::BudgetMap(const SessionData& data, SelectionContext* selection, Theme* theme, QWidget* parent)
    : QWidget(parent), data_(data), selection_(selection), theme_(theme) {
    setAccessibleName(tr("Where the trial budget went: operators by rounds"));
    connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
    connect(selection_, &SelectionContext::operatorChanged, this, &BudgetMap::refresh);
}

QRect BudgetMap::area() const {
    return rect().adjusted(kNames, 4, -kScale, -kAxis);
}

int BudgetMap::rowAt(int y) const {
    const int row = (y - area().top()) / kRow;
    return y >= area().top() && row < int(grid_.tasks.size()) ? row : -1;
}

void BudgetMap::refresh() {
    grid_ = budgetGrid(data_, selection_->task(), std::max(1, area().height() / kRow),
                       std::max(1, area().width() / kMinColumn));
    update();
}

void BudgetMap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& t = theme_->tokens();
    const QRect box = area();
    painter.setFont(theme_->font(FontRole::Caption));
    if (grid_.tasks.empty()) {
        painter.setPen(t.text3);
        painter.drawText(rect().adjusted(12, 8, -12, -8), Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
                         tr("Rounds appear here while tuning."));
        return;
    }
    const int columns = int(grid_.cells.front().size());
    const double width = std::min(12.0, double(box.width()) / columns);
    for (size_t r = 0; r < grid_.tasks.size(); ++r) {
        const int y = box.top() + int(r) * kRow;
        const bool chosen = grid_.tasks[r] == selection_->task();
        const QFont font = theme_->font(chosen ? FontRole::CaptionStrong : FontRole::Caption);
        painter.setFont(font);
        painter.setPen(chosen ? t.text1 : t.text2);
        painter.drawText(QRect(4, y, kNames - 8, kRow), Qt::AlignRight | Qt::AlignVCenter,
                         QFontMetrics(font).elidedText(text(data_.tasks[grid_.tasks[r]].row.name).section(" + ", 0, 0),
                                                       Qt::ElideRight, kNames - 10));
        for (int c = 0; c < columns; ++c) {
            const int left = box.left() + int(c * width), right = box.left() + int((c + 1) * width);
            const QRect cell(left, y, std::max(2, right - left - 1), kRow - 1);
            const BudgetCell& value = grid_.cells[r][c];
            if (value.trials == 0) {
                painter.fillRect(cell, t.sunken);
            } else if (value.gainNs <= 0) {
                painter.fillRect(cell, t.sunken);
                painter.setPen(t.borderStrong);
                painter.drawRect(cell.adjusted(0, 0, -1, -1));
            } else {  // square root: a few large first gains must not hide the later ones
                painter.fillRect(cell, cividis(std::sqrt(value.gainNs / grid_.most)));
            }
        }
    }
    const int bottom = box.top() + kRow * int(grid_.tasks.size()) + 2;
    painter.setFont(theme_->font(FontRole::Caption));
    painter.setPen(t.text3);
    const double perRound = width / grid_.roundsPerColumn;
    for (double tick : linearTicks({0, double(grid_.rounds)}, 4)) {
        if (tick != std::floor(tick)) continue;
        painter.drawText(QRect(box.left() + int(tick * perRound) - 20, bottom, 40, 14), Qt::AlignHCenter,
                         tickText(tick));
    }
    painter.drawText(QRect(width > 0 ? box.right() + 4 : 0, bottom, kScale - 6, 14), Qt::AlignLeft, tr("round"));
    if (grid_.most <= 0) return;
    const QRect scale(box.right() + 12, box.top(), 10, kRow * int(grid_.tasks.size()) - 1);
    for (int y = 0; y < scale.height(); ++y)
        painter.fillRect(QRect(scale.left(), scale.bottom() - y, scale.width(), 1),
                         cividis(y / double(scale.height())));
    painter.drawText(QRect(scale.right() + 4, scale.top() - 2, 30, 14), Qt::AlignLeft,
                     text(formatDouble(grid_.most * 1e-6, grid_.most < 1e5 ? 3 : 2)));
    painter.drawText(QRect(scale.right() + 4, scale.bottom() - 11, 30, 14), Qt::AlignLeft, "0");
}

void BudgetMap::mousePressEvent(QMouseEvent* event) {
    const int row = rowAt(int(event->position().y()));
    if (row >= 0) selection_->selectTask(grid_.tasks[row]);
}

bool BudgetMap::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const int row = rowAt(help->pos().y());
    const QRect box = area();
    if (row < 0 || help->pos().x() < box.left()) return true;
    const int columns = int(grid_.cells.front().size());
    const int column = int((help->pos().x() - box.left()) / std::min(12.0, double(box.width()) / columns));
    if (column >= columns) return true;
    const BudgetCell& cell = grid_.cells[row][column];
    QToolTip::showText(help->globalPos(),
                       counted(tr("%1, round %2: %n trial(s), %3 ms gained", nullptr, cell.trials), cell.trials)
                           .arg(text(data_.tasks[grid_.tasks[row]].row.name))
                           .arg(column * grid_.roundsPerColumn)
                           .arg(text(formatMs(cell.gainNs))),
                       this);
    return true;
}

}  // namespace fettle::ui
