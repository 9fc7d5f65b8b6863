// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/importance_bars.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "core/support/format.h"

namespace fettle::ui {

namespace {
constexpr int kRow = 17;
// A feature's line of words starts with its short name.
QString shortName(const std::string& feature) {
    return QString::fromStdString(feature).section(':', 0, 0).trimmed();
}
}  // namespace

ImportanceBars::ImportanceBars(const SessionData& data, Theme* theme, QWidget* parent)
    : QWidget(parent), data_(data), theme_(theme) {
    setAccessibleName(tr("What matters to the cost model"));
    connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

bool ImportanceBars::enough() const {
    return data_.byStatus[int(measure::TrialStatus::Ok)] >= kEnoughTrials && !data_.importance.empty();
}

void ImportanceBars::refresh() {
    QString words;
    if (enough())
        for (const Importance& i : data_.importance)
            words += shortName(i.feature) + ' ' + QString::fromStdString(formatDouble(i.share, 2)) + "; ";
    setAccessibleDescription(words);
    update();
}

QString ImportanceBars::caption() const {
    return enough() ? tr("gain share \u00b7 model v%1").arg(data_.quality.version) : QString();
}

void ImportanceBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& t = theme_->tokens();
    painter.setFont(theme_->font(FontRole::Caption));
    if (!enough()) {
        painter.setPen(t.text3);
        // The session keeps what models predicted, not the models: after opening, the next training fills this.
        const bool few = data_.byStatus[int(measure::TrialStatus::Ok)] < kEnoughTrials;
        painter.drawText(rect().adjusted(12, 8, -12, -8), Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
                         few ? tr("Shown from %1 valid trials on.").arg(kEnoughTrials)
                             : tr("Shown when the cost model has been trained again: press Tune."));
        return;
    }
    const int rows = std::min<int>(int(data_.importance.size()), (height() - 8) / kRow);
    const int names = std::clamp(width() * 2 / 5, 80, 170);
    const double most = data_.importance.front().share;
    const QFontMetrics metrics(painter.font());
    for (int i = 0; i < rows; ++i) {
        const Importance& row = data_.importance[i];
        const int y = 4 + i * kRow;
        painter.setPen(t.text2);
        painter.drawText(QRect(6, y, names - 14, kRow), Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(shortName(row.feature), Qt::ElideMiddle, names - 14));
        const int length = most > 0 ? int((width() - names - 46) * row.share / most) : 0;
        painter.fillRect(QRect(names, y + 3, std::max(1, length), 10), t.accent);
        painter.drawText(QRect(names + length + 6, y, 40, kRow), Qt::AlignVCenter,
                         QString::fromStdString(formatDouble(row.share, 2)));
    }
}

bool ImportanceBars::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const int row = (help->pos().y() - 4) / kRow;
    if (enough() && row >= 0 && row < int(data_.importance.size()))
        QToolTip::showText(help->globalPos(), QString::fromStdString(data_.importance[row].feature), this);
    return true;
}

}  // namespace fettle::ui
