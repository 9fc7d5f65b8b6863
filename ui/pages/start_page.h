// SPDX-License-Identifier: GPL-3.0-or-later
// Where a person begins: a drop target, the sample model, the sessions of before.
#pragma once

#include <QFrame>
#include <QTableWidget>

#include "ui/shell/settings.h"
#include "ui/widgets/themed_label.h"

class QLineEdit;
class QPushButton;

namespace fettle::ui {

// The dashed area that takes files; painted by itself.
class DropTarget : public QFrame {
    Q_OBJECT
public:
    explicit DropTarget(Theme* theme, QWidget* parent = nullptr);

signals:
    void openChosen();

protected:
    void paintEvent(QPaintEvent*) override;

private:
    void applyTheme();
    Theme* theme_;
    QLabel* icon_;
    QPushButton* button_;
};

class StartPage : public QWidget {
    Q_OBJECT
public:
    StartPage(Theme* theme, Settings* settings, QWidget* parent = nullptr);
    void refresh();  // reads the recent sessions again

signals:
    void openChosen();
    void fileChosen(const QString& file, bool resume);
    void sampleChosen();

private:
    QWidget* makeSample();
    void fillTable();

    Theme* theme_;
    Settings* settings_;
    QTableWidget* table_;
    QLineEdit* filter_;
    ThemedLabel* note_;
    QList<RecentSession> recent_;
};

}  // namespace fettle::ui
