// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/measure_bars.h"

#include <QPainter>
#include <algorithm>

#include "core/support/format.h"

namespace fettle::ui {

MeasureBars::MeasureBars(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Default and best time of the operator"));
    connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void MeasureBars::setTask(const TaskState* task) {
    defaultNs_ = task ? task->defaultNs : 0;
    bestNs_ = task ? task->bestNs : 0;
    defaultSpread_ = task ? task->defaultSpread : 0;
    bestSpread_ = task ? task->bestSpread : 0;
    kind_ = task ? task->kind : graph::OpKind::Other;
    update();
}

void MeasureBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& t = theme_->tokens();
    const int names = theme_->px(60), values = theme_->px(120), row = theme_->px(20);
    const double longest = double(std::max(defaultNs_, bestNs_)) * (1 + std::max(defaultSpread_, bestSpread_));
    const int room = width() - names - values;
    const struct {
        QString name;
        int64_t ns;
        double spread;
        QColor colour;
        bool strong;
    } rows[] = {{tr("Default"), defaultNs_, defaultSpread_, t.before, false},
                {tr("Best"), bestNs_, bestSpread_, kindColour(kind_), true}};
    int y = 0;
    for (const auto& r : rows) {
        painter.setFont(theme_->font(FontRole::Dense));
        painter.setPen(t.text2);
        painter.drawText(QRect(0, y, names, row), Qt::AlignVCenter, r.name);
        if (r.ns > 0 && longest > 0) {
            const double scale = room / longest;
            const int length = std::max(1, int(double(r.ns) * scale)), middle = y + row / 2;
            painter.fillRect(QRect(names, middle - 5, length, 10), r.colour);
            const int whisker = int(double(r.ns) * r.spread * scale);
            if (whisker > 0) {  // the spread of the samples, around the minimum that is shown
                painter.fillRect(QRect(names + length - whisker, middle, 2 * whisker, 1), t.text1);
                painter.fillRect(QRect(names + length - whisker, middle - 3, 1, 6), t.text1);
                painter.fillRect(QRect(names + length + whisker, middle - 3, 1, 6), t.text1);
            }
        }
        painter.setFont(theme_->font(r.strong ? FontRole::DenseStrong : FontRole::Dense));
        painter.setPen(t.text1);
        QString value = QStringLiteral("\u2013");
        if (r.ns > 0) {
            value = QString::fromStdString(formatMs(double(r.ns)));
            if (r.spread > 0)
                value += QStringLiteral(" \u00b1 ") + QString::fromStdString(formatMs(double(r.ns) * r.spread));
            value += " ms";
        }
        painter.drawText(QRect(width() - values, y, values, row), Qt::AlignRight | Qt::AlignVCenter, value);
        y += row + 2;
    }
}

}  // namespace fettle::ui
