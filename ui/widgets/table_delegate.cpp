// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table_delegate.h"

#include <QPainter>
#include <algorithm>

#include "ui/widgets/kind_chip.h"

namespace fettle::ui {

TableDelegate::TableDelegate(Theme* theme, int monospaceColumn, QObject* parent)
    : QStyledItemDelegate(parent), theme_(theme), monospaceColumn_(monospaceColumn) {}

QSize TableDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {60, theme_->px(24)};
}

void TableDelegate::paintSpark(QPainter* painter, const QRectF& rect, const QVector<double>& points) const {
    if (points.size() < 2) return;
    const auto [low, high] = std::minmax_element(points.begin(), points.end());
    if (*high <= *low) return;
    QPolygonF line;
    for (int i = 0; i < points.size(); ++i) {
        const QPointF at(rect.left() + rect.width() * i / double(points.size() - 1),
                         rect.bottom() - rect.height() * (points[i] - *low) / (*high - *low));
        if (i > 0) line << QPointF(at.x(), line.last().y());
        line << at;
    }
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->setPen(QPen(theme_->tokens().accent, 1));
    painter->drawPolyline(line);
}

void TableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Tokens& t = theme_->tokens();
    const bool selected = option.state & QStyle::State_Selected;
    painter->save();
    if (selected)
        painter->fillRect(option.rect, t.selection);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(option.rect, t.raised);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), t.grid);

    QRect area = option.rect.adjusted(8, 0, -8, -1);
    if (const QVariant kind = index.data(KindRole); kind.isValid() && index.data(ShareRole).isNull() &&
                                                    int(index.data(Qt::TextAlignmentRole).toInt() & Qt::AlignLeft)) {
        const int size = theme_->px(16);
        paintKindChip(*painter, QRectF(area.left(), area.center().y() - size / 2 + 1, size, size),
                      graph::OpKind(kind.toInt()), *theme_);
        area.setLeft(area.left() + size + 6);
    }
    if (const QVariant failed = index.data(HatchRole); failed.isValid()) {
        const QRectF mark(area.left() + 0.5, area.center().y() - 4.5, 9, 9);
        if (failed.toBool()) {
            paintHatchMark(*painter, mark, t);
        } else {
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(QPen(t.text2, 1.2));
            painter->drawEllipse(mark.adjusted(1, 1, -1, -1));
        }
        area.setLeft(area.left() + 16);
    }
    if (const QVariant share = index.data(ShareRole); share.isValid()) {
        const int numbers = theme_->px(44);
        const QRect bar(area.left() - 2, area.center().y() - 3, std::max(8, area.width() - numbers), 8);
        painter->fillRect(bar, t.track);
        const double part = std::clamp(share.toDouble(), 0.0, 1.0);
        painter->fillRect(QRect(bar.topLeft(), QSize(int(bar.width() * part), bar.height())),
                          kindColour(graph::OpKind(index.data(KindRole).toInt())));
    }
    if (const QVariant spark = index.data(SparkRole); spark.isValid())
        paintSpark(painter, QRectF(area).adjusted(0, 4, 0, -4), spark.value<QVector<double>>());

    const QString text = index.data(Qt::DisplayRole).toString();
    if (!text.isEmpty()) {
        const auto emphasis = Emphasis(index.data(EmphasisRole).toInt());
        const bool strong = emphasis == Emphasis::Strong || (selected && strongWhenSelected_ && index.column() == 0);
        const QFont font = theme_->font(index.column() == monospaceColumn_ ? FontRole::CodeSmall
                                        : strong                           ? FontRole::DenseStrong
                                                                           : FontRole::Dense);
        painter->setFont(font);
        painter->setPen(emphasis == Emphasis::Faint ? t.text3 : t.text1);
        const int alignment = index.data(Qt::TextAlignmentRole).toInt() | Qt::AlignVCenter;
        painter->drawText(area, alignment | Qt::TextSingleLine,
                          QFontMetrics(font).elidedText(text, Qt::ElideRight, area.width()));
    }
    if (option.state & QStyle::State_HasFocus && !selected) {
        painter->setPen(t.accent);
        painter->drawRect(option.rect.adjusted(0, 0, -1, -2));
    }
    painter->restore();
}

}  // namespace fettle::ui
