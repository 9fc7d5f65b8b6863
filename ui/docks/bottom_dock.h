// SPDX-License-Identifier: GPL-3.0-or-later
// Trials, Problems and Log, in tabs that are the dock's own title.
#pragma once

#include <QCheckBox>
#include <QDockWidget>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>

#include "ui/models/log_model.h"
#include "ui/models/problem_model.h"
#include "ui/models/trial_model.h"
#include "ui/shell/ui_context.h"
#include "ui/widgets/table_view.h"

namespace fettle::ui {

class BottomDock : public QDockWidget {
    Q_OBJECT
public:
    enum Tab { Trials, Problems, Log };

    explicit BottomDock(const UiContext& context, QWidget* parent = nullptr);
    void refresh(unsigned changes);
    void resetSession();
    void addWarning(const Error& error);
    void addLog(const QString& line);
    void showTab(Tab tab);
    TrialModel* trialModel() { return trials_; }

private:
    QWidget* makeTitle();
    void makeTables();
    void updateTabs();
    void updateOnly();
    void chooseTrial(const QModelIndex& index);
    void sortTrials();

    UiContext context_;
    TrialModel* trials_;
    TrialFilter* trialFilter_;
    ProblemModel* problems_;
    LogModel* log_;
    TableView* trialTable_;
    TableView* problemTable_;
    TableView* logTable_;
    QTabBar* tabs_;
    QStackedWidget* stack_;
    QCheckBox* only_;
    QCheckBox* hide_;
    QTimer resort_;
};

}  // namespace fettle::ui
