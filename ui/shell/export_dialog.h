// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the compiled model into a folder and shows the proof: each output's error beside its tolerance.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>

#include "ui/shell/ui_context.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/themed_label.h"

namespace fettle::ui {

class ExportDialog : public QDialog {
    Q_OBJECT
public:
    explicit ExportDialog(const UiContext& context, QWidget* parent = nullptr);

private:
    QWidget* makeForm();
    QWidget* makeButtons();
    QTableWidget* makeTable(int columns, const QString& name);
    void begin();
    void showReport(const compile::ExportReport& report);
    void showContents(const compile::ExportReport* report);
    void refresh();
    QString defaultFolder() const;

    UiContext context_;
    QComboBox* threads_;
    QLineEdit* folder_;
    QTableWidget* contents_;
    QCheckBox* verify_;
    QFrame* proof_;
    ThemedLabel *verdict_, *proofNote_;
    QTableWidget* outputs_;
    ThemedLabel* goodToKnow_;
    Banner* banner_;
    QPushButton *show_, *copy_, *export_;
    bool running_ = false, done_ = false;
};

}  // namespace fettle::ui
