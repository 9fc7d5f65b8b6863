// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/bottom_dock.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollBar>
#include <QVBoxLayout>

namespace fettle::ui {

BottomDock::BottomDock(const UiContext& context, QWidget* parent)
    : QDockWidget(tr("Trials"), parent), context_(context) {
    setObjectName("bottomDock");
    trials_ = new TrialModel(context.data(), this);
    trialFilter_ = new TrialFilter(this);
    trialFilter_->setSourceModel(trials_);
    problems_ = new ProblemModel(context.data(), this);
    log_ = new LogModel(this);
    makeTables();
    setTitleBarWidget(makeTitle());
    auto* frame = new QFrame;
    frame->setProperty("dockBody", true);
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(1, 0, 1, 1);
    column->addWidget(stack_);
    setWidget(frame);
    resort_.setSingleShot(true);
    resort_.setInterval(500);
    connect(&resort_, &QTimer::timeout, this, &BottomDock::sortTrials);
    connect(context.selection, &SelectionContext::operatorChanged, this, &BottomDock::updateOnly);
    updateOnly();
    updateTabs();
}

void BottomDock::makeTables() {
    trialTable_ = new TableView(context_.theme, tr("Trials"), 22, TrialModel::Schedule);
    trialTable_->setModel(trialFilter_);
    trialTable_->setSortingEnabled(true);
    trialTable_->sortByColumn(TrialModel::Trial, Qt::DescendingOrder);
    trialTable_->setWidths({57, 96, 116, 124, 104, 104, 80, 96, 64, 0});
    trialTable_->setEmptyText(tr("Trials appear here while tuning; each is kept in the session file."));
    problemTable_ = new TableView(context_.theme, tr("Problems"), 24);
    problemTable_->setModel(problems_);
    problemTable_->setWidths({137, 64, 196, 0, 300});
    problemTable_->setEmptyText(tr("No problems."));
    logTable_ = new TableView(context_.theme, tr("Log"), 22, LogModel::Message);
    logTable_->setModel(log_);
    logTable_->setWidths({84, 0});
    stack_ = new QStackedWidget;
    for (TableView* table : {trialTable_, problemTable_, logTable_}) stack_->addWidget(table);
    for (TableView* table : {trialTable_, problemTable_})
        connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                [this](const QModelIndex& now) { chooseTrial(now); });
}

QWidget* BottomDock::makeTitle() {
    auto* title = new QWidget;
    title->setFixedHeight(context_.theme->px(28));
    auto* row = new QHBoxLayout(title);
    row->setContentsMargins(0, 0, 20, 0);
    row->setSpacing(20);
    tabs_ = new QTabBar;
    tabs_->setObjectName("bottomTabs");
    tabs_->setStyleSheet("QTabBar::tab { min-height: 26px; padding: 0 11px; }");
    tabs_->setFont(context_.theme->font(FontRole::Dense));
    for (int i = 0; i < 3; ++i) tabs_->addTab({});
    only_ = new QCheckBox;
    hide_ = new QCheckBox(tr("Hide failures"));
    for (QCheckBox* box : {only_, hide_}) box->setFont(context_.theme->font(FontRole::Dense));
    row->addWidget(tabs_);
    row->addStretch(1);
    row->addWidget(only_);
    row->addWidget(hide_);
    connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
        stack_->setCurrentIndex(index);
        only_->setVisible(index == Trials);
        hide_->setVisible(index == Trials);
    });
    connect(only_, &QCheckBox::toggled, this, &BottomDock::updateOnly);
    connect(hide_, &QCheckBox::toggled, this, [this](bool on) {
        trialFilter_->setHideFailures(on);
        sortTrials();
    });
    return title;
}

void BottomDock::updateTabs() {
    auto name = [](const QString& text, int count) { return count > 0 ? text + QString("  %1").arg(count) : text; };
    tabs_->setTabText(Trials, name(tr("Trials"), trials_->rowCount()));
    tabs_->setTabText(Problems, name(tr("Problems"), problems_->rowCount()));
    tabs_->setTabText(Log, tr("Log"));
}

void BottomDock::updateOnly() {
    const TaskState* task = context_.data().task(context_.selection->task());
    only_->setEnabled(task);
    only_->setText(task ? tr("Only %1").arg(QString::fromStdString(task->row.name).section(" + ", 0, 0))
                        : tr("Only the selected operator"));
    trialFilter_->setOnlyTask(only_->isChecked() && task ? task->row.id : -1);
    if (only_->isChecked()) sortTrials();
}

void BottomDock::sortTrials() {
    const bool atTop = trialTable_->verticalScrollBar()->value() == 0;
    trialFilter_->sort(trialFilter_->sortColumn(), trialFilter_->sortOrder());
    if (atTop) trialTable_->scrollToTop();
}

void BottomDock::refresh(unsigned changes) {
    if (changes & ChangedTrials) {
        trials_->appendNew();
        if (!resort_.isActive()) resort_.start();
    }
    if (changes & ChangedProblems) problems_->refresh();
    if (changes & (ChangedTrials | ChangedProblems)) updateTabs();
}

void BottomDock::resetSession() {
    trials_->reset();
    problems_->reset();
    problems_->refresh();
    sortTrials();
    updateTabs();
    updateOnly();
}

void BottomDock::addWarning(const Error& error) {
    problems_->addWarning(error);
    updateTabs();
}

void BottomDock::addLog(const QString& line) {
    QScrollBar* bar = logTable_->verticalScrollBar();
    const bool atEnd = bar->value() == bar->maximum();
    log_->add(line);
    if (atEnd) logTable_->scrollToBottom();
}

void BottomDock::showTab(Tab tab) {
    tabs_->setCurrentIndex(tab);
}

void BottomDock::chooseTrial(const QModelIndex& index) {
    if (!index.isValid()) return;
    const int task = index.data(TaskRole).toInt();
    const qlonglong trial = index.data(TrialRole).toLongLong();
    if (task >= 0 && trial > 0) context_.selection->selectTrial(task, trial);
}

}  // namespace fettle::ui
