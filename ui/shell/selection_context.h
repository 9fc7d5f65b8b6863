// SPDX-License-Identifier: GPL-3.0-or-later
// What is selected, for every view at once: choose a bar, and table, flame, code and inspector follow.
// An operator is a fused operator of the model (group); a task is what is tuned for it, shared by equal operators.
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>

namespace fettle::ui {

class SelectionContext : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    int task() const { return task_; }        // -1: none
    int group() const { return group_; }      // index into OpenedModel::fused.groups; -1: none in particular
    int64_t trial() const { return trial_; }  // 0: the best of the task
    const QString& filter() const { return filter_; }
    bool chosenByUser() const { return byUser_; }  // false: the window chose the slowest by itself

public slots:
    // A new operator resets the trial to the best one. Choosing the same again does nothing.
    void selectOperator(int group, int task);
    void selectTask(int task) { selectOperator(-1, task); }
    void selectTrial(int task, int64_t trial);
    void setFilter(const QString& filter);  // text, /regex/ or a kind; filters operators and spans
    void clear();
    void suggestOperator(int group, int task);  // as selectOperator, unless the user has chosen

signals:
    void operatorChanged();
    void trialChanged();
    void filterChanged();

private:
    void setOperator(int group, int task);

    int task_ = -1, group_ = -1;
    int64_t trial_ = 0;
    QString filter_;
    bool byUser_ = false;
};

}  // namespace fettle::ui
