// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/operators_dock.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QVBoxLayout>

#include "ui/shell/icons.h"
#include "ui/widgets/kind_chip.h"
#include "ui/widgets/words.h"

namespace fettle::ui {

OperatorsPanel::OperatorsPanel(const UiContext& context, QWidget* parent) : QFrame(parent), context_(context) {
    setProperty("dockBody", true);
    model_ = new OperatorModel(context.data(), this);
    filter_ = new OperatorFilter(this);
    filter_->setSourceModel(model_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 6, 8, 6);
    row->setSpacing(6);
    field_ = new QLineEdit;
    field_->setPlaceholderText(tr("Filter by name, /regex/ or kind"));
    field_->setAccessibleName(tr("Filter operators"));
    field_->setClearButtonEnabled(true);
    field_->setProperty("dense", true);
    field_->setFont(context.theme->font(FontRole::Dense));
    fieldIcon_ = field_->addAction(QIcon(), QLineEdit::LeadingPosition);
    kinds_ = new QToolButton;
    kinds_->setProperty("framed", true);
    kinds_->setPopupMode(QToolButton::InstantPopup);
    kinds_->setAccessibleName(tr("Kinds to show"));
    kinds_->setToolTip(kinds_->accessibleName());
    kinds_->setFixedSize(context.theme->px(26), context.theme->px(24));
    kinds_->setMenu(kindMenu());
    row->addWidget(field_, 1);
    row->addWidget(kinds_);
    column->addLayout(row);
    table_ = new TableView(context.theme, tr("Operators"), 24);
    table_->setModel(filter_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(OperatorModel::Share, Qt::DescendingOrder);
    table_->setWidths({102, 72, 54, 64, 86, 60, 72, 82, 100});
    table_->tableDelegate()->setStrongWhenSelected(true);
    table_->setEmptyText(tr("Open a model to see its operators."));
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    column->addWidget(table_, 1);
    resort_.setSingleShot(true);
    resort_.setInterval(500);
    connect(&resort_, &QTimer::timeout, this, [this] {
        filter_->sort(filter_->sortColumn(), filter_->sortOrder());
        showSelection();
    });
    connect(field_, &QLineEdit::textChanged, this,
            [this](const QString& text) { context_.selection->setFilter(text); });
    connect(context.selection, &SelectionContext::filterChanged, this, &OperatorsPanel::applyFilter);
    connect(context.selection, &SelectionContext::operatorChanged, this, &OperatorsPanel::showSelection);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) { chooseRow(now); });
    connect(table_, &QWidget::customContextMenuRequested, this, &OperatorsPanel::contextMenu);
    connect(context.theme, &Theme::changed, this, &OperatorsPanel::applyTheme);
    applyTheme();
}

void OperatorsPanel::applyTheme() {
    fieldIcon_->setIcon(themedIcon("edit-find", context_.theme->tokens().text3));
    kinds_->setIcon(
        themedIcon("view-filter", hiddenKinds_ ? context_.theme->tokens().accent : context_.theme->tokens().text1));
}

QMenu* OperatorsPanel::kindMenu() {
    auto* menu = new QMenu(this);
    for (int k = 0; k <= int(graph::OpKind::Other); ++k) {
        QAction* action = menu->addAction(kindText(graph::OpKind(k)));
        action->setCheckable(true);
        action->setChecked(true);
        connect(action, &QAction::toggled, this, [this, k](bool on) {
            hiddenKinds_ = on ? hiddenKinds_ & ~(1u << k) : hiddenKinds_ | (1u << k);
            filter_->setHiddenKinds(hiddenKinds_);
            applyTheme();
        });
    }
    return menu;
}

void OperatorsPanel::focusFilter() {
    field_->setFocus();
    field_->selectAll();
}

void OperatorsPanel::applyFilter() {
    const QString& text = context_.selection->filter();
    if (field_->text() != text) field_->setText(text);
    const bool valid = filter_->setFilterText(text);
    field_->setStyleSheet(
        valid ? QString() : QString("QLineEdit { border-color: %1; }").arg(context_.theme->tokens().worse.name()));
    field_->setToolTip(valid ? QString() : tr("Not a valid regular expression."));
    table_->setEmptyText(model_->rowCount() == 0 ? tr("Open a model to see its operators.")
                                                 : tr("No operator matches the filter."));
}

void OperatorsPanel::refresh(unsigned changes) {
    model_->refresh(changes);
    if (changes & ChangedTasks) {
        filter_->sort(filter_->sortColumn(), filter_->sortOrder());
        showSelection();
    } else if ((changes & ChangedBest) && !resort_.isActive()) {
        resort_.start();
    }
}

QString OperatorsPanel::countText() const {
    if (model_->rowCount() == 0) return {};
    return QString("%1 \u00b7 ").arg(model_->rowCount()) +
           counted(tr("%n task(s)", nullptr, int(context_.data().tasks.size())), int(context_.data().tasks.size()));
}

void OperatorsPanel::showSelection() {
    const int row = model_->rowOf(context_.selection->group(), context_.selection->task());
    const QModelIndex index = filter_->mapFromSource(model_->index(row, 0));
    selecting_ = true;
    if (index.isValid())
        table_->setCurrentIndex(index);
    else
        table_->clearSelection();
    selecting_ = false;
}

void OperatorsPanel::chooseRow(const QModelIndex& index) {
    if (selecting_ || !index.isValid()) return;
    context_.selection->selectOperator(index.data(GroupRole).toInt(), index.data(TaskRole).toInt());
}

void OperatorsPanel::contextMenu(const QPoint& at) {
    const QModelIndex index = table_->indexAt(at);
    if (!index.isValid()) return;
    QMenu menu;
    menu.addAction(tr("Copy name"), this, [index] {
        QApplication::clipboard()->setText(
            index.siblingAtColumn(OperatorModel::Name).data(Qt::ToolTipRole).toString().section('\n', 0, 0));
    });
    menu.addAction(tr("Copy row"), table_, &TableView::copySelection);
    menu.exec(table_->viewport()->mapToGlobal(at));
}

}  // namespace fettle::ui
