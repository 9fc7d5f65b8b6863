// SPDX-License-Identifier: GPL-3.0-or-later
// fettle: the window.
#include <QApplication>
#include <QMainWindow>

#include "ui/shell/theme.h"

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    fettle::ui::Theme theme(application);
    QMainWindow window;
    window.show();
    return QApplication::exec();
}
