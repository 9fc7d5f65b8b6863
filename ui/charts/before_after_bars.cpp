// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/before_after_bars.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "core/support/format.h"
#include "ui/widgets/kind_chip.h"

namespace fettle::ui {

namespace {
constexpr int kNames = 118, kSpeedUps = 56, kAxis = 28;
QString text(const std::string& s) {
    return QString::fromStdString(s);
}
}  // namespace

std::vector<int> slowestOperators(const SessionData& data, size_t most) {
    std::vector<int> rows;
    for (size_t i = 0; i < data.operators.size(); ++i) {
        const TaskState* task = data.task(data.operators[i].task);
        if (task && task->nowNs() > 0) rows.push_back(int(i));
    }
    auto time = [&](int i) { return data.task(data.operators[i].task)->nowNs(); };
    std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) { return time(a) > time(b); });
    if (rows.size() > most) rows.resize(most);
    return rows;
}

BeforeAfterBars::BeforeAfterBars(const SessionData& data, SelectionContext* selection, Theme* theme, QWidget* parent)
    : QWidget(parent), data_(data), selection_(selection), theme_(theme) {
    setAccessibleName(tr("Ten slowest operators, default and best schedule"));
    setFocusPolicy(Qt::StrongFocus);
    connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
    connect(selection_, &SelectionContext::operatorChanged, this, qOverload<>(&QWidget::update));
}

void BeforeAfterBars::refresh() {
    rows_ = slowestOperators(data_, 10);
    QString description;
    for (int i : rows_) {
        const TaskState* task = data_.task(data_.operators[i].task);
        description += text(data_.operators[i].name) + ": " + text(formatLatency(double(task->defaultNs))) + ", " +
                       text(formatLatency(double(task->nowNs()))) + "; ";
    }
    setAccessibleDescription(description);
    update();
}

int BeforeAfterBars::rowHeight() const {
    return std::clamp((height() - kAxis - 8) / 10, 26, theme_->px(36));
}
QRect BeforeAfterBars::bars() const {
    return rect().adjusted(10 + kNames, 8, -10 - kSpeedUps, -kAxis);
}

int BeforeAfterBars::rowAt(const QPoint& at) const {
    const int row = (at.y() - bars().top()) / rowHeight();
    return at.y() >= bars().top() && row < int(rows_.size()) ? row : -1;
}

void BeforeAfterBars::paintRow(QPainter& painter, int row, const QRect& area, double longest) const {
    const Tokens& t = theme_->tokens();
    const OperatorEntry& entry = data_.operators[rows_[row]];
    const TaskState& task = *data_.task(entry.task);
    const QRect band(0, area.top(), width(), area.height());
    const bool selected =
        entry.task == selection_->task() && (selection_->group() < 0 || entry.group == selection_->group());
    if (selected) painter.fillRect(band.adjusted(1, 0, -1, 0), t.selection);
    const int chip = theme_->px(16), middle = area.center().y();
    paintKindChip(painter, QRectF(10, middle - chip / 2.0, chip, chip), task.kind, *theme_);
    const QRect name(10 + chip + 6, middle - 15, kNames - chip - 10, 16);
    const QFont nameFont = theme_->font(selected ? FontRole::DenseStrong : FontRole::Dense);
    painter.setFont(nameFont);
    painter.setPen(t.text1);
    painter.drawText(
        name, Qt::AlignVCenter,
        QFontMetrics(nameFont).elidedText(text(entry.name).section(" + ", 0, 0), Qt::ElideRight, name.width()));
    const QFont caption = theme_->font(FontRole::Caption);
    painter.setFont(caption);
    painter.setPen(t.text3);
    const QString shape = task.output.empty() ? text(task.row.detail) : text(task.output).section(QChar(0xD7), 1);
    painter.drawText(name.translated(0, 14), Qt::AlignVCenter,
                     QFontMetrics(caption).elidedText(shape, Qt::ElideRight, name.width()));

    const double scale = longest > 0 ? (bars().width() - 44) / longest : 0;
    auto bar = [&](int64_t ns, int y, int h, const QColor& colour, FontRole font, const QColor& ink) {
        const int length = std::max(1, int(double(ns) * scale));
        painter.fillRect(QRect(bars().left(), y, length, h), colour);
        painter.setFont(theme_->font(font));
        painter.setPen(ink);
        painter.drawText(QRect(bars().left() + length + 6, y + h / 2 - 8, 60, 16), Qt::AlignVCenter,
                         text(formatMs(double(ns))));
    };
    if (task.defaultNs > 0) bar(task.defaultNs, middle - 11, 8, t.before, FontRole::Dense, t.text3);
    if (task.bestNs > 0) bar(task.bestNs, middle, 10, kindColour(task.kind), FontRole::DenseStrong, t.text1);
    if (task.speedUp() > 0) {
        painter.setFont(theme_->font(FontRole::Dense));
        painter.setPen(t.text1);
        painter.drawText(QRect(width() - kSpeedUps - 10, middle - 8, kSpeedUps, 16), Qt::AlignRight | Qt::AlignVCenter,
                         text(formatRatio(task.speedUp())));
    }
}

void BeforeAfterBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& t = theme_->tokens();
    double longest = 0;
    for (int i : rows_) {
        const TaskState* task = data_.task(data_.operators[i].task);
        longest = std::max({longest, double(task->defaultNs), double(task->nowNs())});
    }
    const QRect area = bars();
    if (rows_.empty()) {
        painter.setFont(theme_->font(FontRole::Dense));
        painter.setPen(t.text3);
        painter.drawText(rect().adjusted(16, 24, -16, -16), Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
                         tr("No operator has been measured yet. Press Tune."));
        return;
    }
    const double scale = (area.width() - 44) / longest;
    const int bottom = area.top() + rowHeight() * int(rows_.size()) + 4;
    painter.setFont(theme_->font(FontRole::Caption));
    for (int row = 0; row < int(rows_.size()); ++row) {  // selection below the grid
        const OperatorEntry& e = data_.operators[rows_[row]];
        if (e.task == selection_->task() && (selection_->group() < 0 || e.group == selection_->group()))
            painter.fillRect(QRect(1, area.top() + row * rowHeight(), width() - 2, rowHeight()), t.selection);
    }
    for (double tick : linearTicks({0, longest * 1e-6}, 4)) {
        const int x = area.left() + int(tick * 1e6 * scale);
        painter.fillRect(QRect(x, area.top(), 1, bottom - area.top()), tick == 0 ? t.borderStrong : t.grid);
        painter.setPen(t.text3);
        painter.drawText(QRect(x - 30, bottom + 2, 60, 16), Qt::AlignHCenter | Qt::AlignTop,
                         tick == 0 ? tr("0 ms") : tickText(tick));
    }
    for (int row = 0; row < int(rows_.size()); ++row)
        paintRow(painter, row, QRect(0, area.top() + row * rowHeight(), width(), rowHeight()), longest);
    if (hasFocus()) {
        painter.setPen(t.accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void BeforeAfterBars::select(int row) {
    if (row < 0 || row >= int(rows_.size())) return;
    const OperatorEntry& entry = data_.operators[rows_[row]];
    selection_->selectOperator(entry.group, entry.task);
}

void BeforeAfterBars::mousePressEvent(QMouseEvent* event) {
    select(rowAt(event->position().toPoint()));
}

void BeforeAfterBars::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Up && event->key() != Qt::Key_Down) return QWidget::keyPressEvent(event);
    int row = -1;
    for (size_t i = 0; i < rows_.size(); ++i) {
        const OperatorEntry& e = data_.operators[rows_[i]];
        if (e.task == selection_->task() && (selection_->group() < 0 || e.group == selection_->group())) row = int(i);
    }
    select(row < 0 ? 0 : row + (event->key() == Qt::Key_Up ? -1 : 1));
}

bool BeforeAfterBars::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int row = rowAt(help->pos());
        if (row >= 0) {
            const OperatorEntry& e = data_.operators[rows_[row]];
            QToolTip::showText(help->globalPos(), text(e.path.empty() ? e.name : e.name + "\n" + e.path), this);
            return true;
        }
    }
    return QWidget::event(event);
}

}  // namespace fettle::ui
