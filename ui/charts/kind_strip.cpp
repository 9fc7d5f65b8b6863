// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/kind_strip.h"

#include <QHelpEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/support/format.h"
#include "ui/widgets/kind_chip.h"
#include "ui/widgets/words.h"

namespace fettle::ui {

namespace {

QString nameOf(const TaskState& task) {
    if (task.kind != graph::OpKind::Convolution) return kindText(task.kind).section(',', 0, 0);
    const QString detail = QString::fromStdString(task.row.detail);
    if (detail.contains("depthwise", Qt::CaseInsensitive)) return KindStrip::tr("Depthwise");
    static const QRegularExpression window(QStringLiteral("(\\d+)\\s*[x\u00d7]\\s*(\\d+)"));
    const auto match = window.match(detail);
    return match.hasMatch() ? kindText(task.kind) + ' ' + match.captured(1) + QChar(0xD7) + match.captured(2)
                            : kindText(task.kind);
}

QString percent(double share) {
    return QString::fromStdString(formatDouble(100 * share, 1)) + " %";
}

}  // namespace

std::vector<KindShare> kindShares(const SessionData& data) {
    std::vector<KindShare> shares;
    const double total = data.modelNs();
    if (!(total > 0)) return shares;
    for (const TaskState& task : data.tasks) {
        if (task.nowNs() <= 0) continue;
        const QString name = nameOf(task);
        auto it = std::find_if(shares.begin(), shares.end(), [&](const KindShare& s) { return s.name == name; });
        if (it == shares.end()) it = shares.insert(shares.end(), {task.kind, name, 0, {}});
        for (int i = 0; i < task.row.weight; ++i) it->operators.push_back(double(task.nowNs()) / total);
        it->share += double(task.nowNs()) * task.row.weight / total;
    }
    for (KindShare& s : shares) std::sort(s.operators.rbegin(), s.operators.rend());
    std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
    return shares;
}

std::vector<int> stripWidths(const std::vector<double>& shares, int width) {
    std::vector<int> widths(shares.size());
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    if (shares.empty() || !(sum > 0)) return widths;
    std::vector<std::pair<double, size_t>> remainders;
    int used = 0;
    for (size_t i = 0; i < shares.size(); ++i) {
        const double exact = shares[i] / sum * width;
        widths[i] = int(exact);
        used += widths[i];
        remainders.emplace_back(exact - widths[i], i);
    }
    std::stable_sort(remainders.begin(), remainders.end(), [](auto& a, auto& b) { return a.first > b.first; });
    for (int i = 0; i < width - used; ++i) ++widths[remainders[size_t(i) % remainders.size()].second];
    return widths;
}

KindStrip::KindStrip(const SessionData& data, SelectionContext* selection, Theme* theme, QWidget* parent)
    : QWidget(parent), data_(data), selection_(selection), theme_(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Share of time by kind of operator"));
    connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void KindStrip::refresh() {
    shares_ = kindShares(data_);
    QStringList words;
    for (const KindShare& s : shares_) words << s.name + ' ' + percent(s.share);
    setAccessibleDescription(words.join(", "));
    update();
}

int KindStrip::indexAt(int x) const {
    std::vector<double> values;
    for (const KindShare& s : shares_) values.push_back(s.share);
    int left = 0, index = 0;
    for (int w : stripWidths(values, width())) {
        if (x < left + w) return index;
        left += w;
        ++index;
    }
    return -1;
}

void KindStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (shares_.empty()) {
        painter.fillRect(rect(), theme_->tokens().track);
        return;
    }
    std::vector<double> values;
    for (const KindShare& s : shares_) values.push_back(s.share);
    const auto widths = stripWidths(values, width());
    int left = 0;
    for (size_t i = 0; i < shares_.size(); ++i) {
        const KindShare& s = shares_[i];
        const QRect box(left, 0, std::max(1, widths[i] - 1), height());  // 1 px of surface between
        left += widths[i];
        if (widths[i] <= 0) continue;
        painter.fillRect(box, kindColour(s.kind));
        const QColor label = labelOn(kindColour(s.kind));
        QColor tick = label;
        tick.setAlpha(150);
        double at = box.left();
        for (double share : s.operators) {  // where one operator ends
            at += share * width();
            if (at < box.right() - 2 && share * width() > 2) painter.fillRect(QRectF(at, box.bottom() - 5, 1, 6), tick);
        }
        painter.setPen(label);
        painter.setFont(theme_->font(FontRole::DenseStrong));
        const int textWidth = painter.fontMetrics().horizontalAdvance(s.name);
        if (textWidth + 16 < box.width()) {
            painter.drawText(box.adjusted(8, 0, -4, -2), Qt::AlignVCenter, s.name);
            painter.setFont(theme_->font(FontRole::Dense));
            if (textWidth + 70 < box.width())
                painter.drawText(box.adjusted(4, 0, -6, -2), Qt::AlignVCenter | Qt::AlignRight, percent(s.share));
        } else if (box.width() > 14) {
            painter.setFont(theme_->font(FontRole::KindLetter));
            painter.drawText(box, Qt::AlignCenter, QString(QChar(graph::kindLetter(s.kind))));
        }
    }
}

void KindStrip::mousePressEvent(QMouseEvent* event) {
    const int index = indexAt(int(event->position().x()));
    if (index < 0) return;
    const QString kind = QString::fromLatin1(graph::kindName(shares_[index].kind));
    selection_->setFilter(selection_->filter() == kind ? QString() : kind);
}

bool KindStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int index = indexAt(help->pos().x());
        if (index >= 0)
            QToolTip::showText(help->globalPos(),
                               counted(tr("%1: %2, %n operator(s)", nullptr, int(shares_[index].operators.size())),
                                       int(shares_[index].operators.size()))
                                   .arg(shares_[index].name, percent(shares_[index].share)),
                               this);
        return true;
    }
    return QWidget::event(event);
}

KindLegend::KindLegend(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void KindLegend::setShares(std::vector<KindShare> shares) {
    shares_ = std::move(shares);
    update();
}

void KindLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(theme_->font(FontRole::Caption));
    int right = width();
    const int chip = theme_->px(14);
    for (size_t i = shares_.size(); i > 0; --i) {  // from the right edge, the smallest last
        const QString label = shares_[i - 1].name + ' ' + percent(shares_[i - 1].share);
        const int textWidth = painter.fontMetrics().horizontalAdvance(label);
        if (right - textWidth - chip - 6 < 0) break;
        painter.setPen(theme_->tokens().text2);
        painter.drawText(QRect(right - textWidth, 0, textWidth + 2, height()), Qt::AlignVCenter, label);
        paintKindChip(painter, QRectF(right - textWidth - chip - 6, (height() - chip) / 2.0, chip, chip),
                      shares_[i - 1].kind, *theme_);
        painter.setFont(theme_->font(FontRole::Caption));
        right -= textWidth + chip + 20;
    }
}

}  // namespace fettle::ui
