// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/table_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>

namespace fettle::ui {

TableView::TableView(Theme* theme, const QString& accessibleName, int rowHeight, int monospaceColumn, QWidget* parent)
    : QTableView(parent),
      theme_(theme),
      delegate_(new TableDelegate(theme, monospaceColumn, this)),
      rowHeight_(rowHeight) {
    setAccessibleName(accessibleName);
    setItemDelegate(delegate_);
    setShowGrid(false);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setWordWrap(false);
    setMouseTracking(true);
    setTabKeyNavigation(false);
    setCornerButtonEnabled(false);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSortIndicatorShown(true);
    horizontalHeader()->setMinimumSectionSize(36);
    connect(theme_, &Theme::changed, this, &TableView::applyTheme);
    applyTheme();
}

void TableView::applyTheme() {
    verticalHeader()->setDefaultSectionSize(theme_->px(rowHeight_));
    verticalHeader()->setMinimumSectionSize(theme_->px(rowHeight_));
    horizontalHeader()->setFixedHeight(theme_->px(24));
    horizontalHeader()->setFont(theme_->font(FontRole::Caption));
    viewport()->update();
}

void TableView::setWidths(const std::vector<int>& widths) {
    for (size_t i = 0; i < widths.size(); ++i) {
        if (widths[i] > 0)
            horizontalHeader()->resizeSection(int(i), theme_->px(widths[i]));
        else
            horizontalHeader()->setSectionResizeMode(int(i), QHeaderView::Stretch);
    }
}

void TableView::setEmptyText(const QString& text) {
    emptyText_ = text;
    viewport()->update();
}

void TableView::copySelection() {
    QString text;
    for (const QModelIndex& row : selectionModel()->selectedRows()) {
        QStringList cells;
        for (int column = 0; column < model()->columnCount(); ++column)
            if (!isColumnHidden(column)) cells << row.siblingAtColumn(column).data().toString();
        text += cells.join('\t') + '\n';
    }
    if (!text.isEmpty()) QApplication::clipboard()->setText(text);
}

void TableView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) return copySelection();
    QTableView::keyPressEvent(event);
}

void TableView::paintEvent(QPaintEvent* event) {
    QTableView::paintEvent(event);
    if (emptyText_.isEmpty() || !model() || model()->rowCount() > 0) return;
    QPainter painter(viewport());
    painter.setFont(theme_->font(FontRole::Dense));
    painter.setPen(theme_->tokens().text3);
    painter.drawText(viewport()->rect().adjusted(16, 16, -16, -16), Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
                     emptyText_);
}

}  // namespace fettle::ui
