// SPDX-License-Identifier: GPL-3.0-or-later
// The operators: filter by name, /regex/ or kind, and the table sorted by time.
#pragma once

#include <QLineEdit>
#include <QTimer>
#include <QToolButton>

#include "ui/models/operator_model.h"
#include "ui/shell/ui_context.h"
#include "ui/widgets/table_view.h"

namespace fettle::ui {

class OperatorsPanel : public QFrame {
    Q_OBJECT
public:
    explicit OperatorsPanel(const UiContext& context, QWidget* parent = nullptr);
    void refresh(unsigned changes);
    void focusFilter();
    QString countText() const;  // "56 . 34 tasks"
    OperatorModel* model() { return model_; }

private:
    void applyTheme();
    void applyFilter();
    void showSelection();
    void chooseRow(const QModelIndex& index);
    QMenu* kindMenu();
    void contextMenu(const QPoint& at);

    UiContext context_;
    OperatorModel* model_;
    OperatorFilter* filter_;
    TableView* table_;
    QLineEdit* field_;
    QAction* fieldIcon_;
    QToolButton* kinds_;
    QTimer resort_;  // while trials stream in: at most twice a second
    unsigned hiddenKinds_ = 0;
    bool selecting_ = false;
};

}  // namespace fettle::ui
