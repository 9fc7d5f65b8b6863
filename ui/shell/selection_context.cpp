// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/selection_context.h"

namespace fettle::ui {

void SelectionContext::setOperator(int group, int task) {
    if (group == group_ && task == task_) return;
    const bool newTask = task != task_;
    group_ = group;
    task_ = task;
    emit operatorChanged();
    if (newTask && trial_ != 0) {
        trial_ = 0;
        emit trialChanged();
    }
}

void SelectionContext::selectOperator(int group, int task) {
    byUser_ = task >= 0;
    setOperator(group, task);
}

void SelectionContext::suggestOperator(int group, int task) {
    if (!byUser_) setOperator(group, task);
}

void SelectionContext::selectTrial(int task, int64_t trial) {
    if (task != task_) selectOperator(-1, task);
    if (trial == trial_) return;
    trial_ = trial;
    emit trialChanged();
}

void SelectionContext::setFilter(const QString& filter) {
    if (filter == filter_) return;
    filter_ = filter;
    emit filterChanged();
}

void SelectionContext::clear() {
    byUser_ = false;
    setFilter({});
    if (trial_ != 0) {
        trial_ = 0;
        emit trialChanged();
    }
}

}  // namespace fettle::ui
