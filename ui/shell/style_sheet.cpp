// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/style_sheet.h"

#include <QRegularExpression>
#include <QVector>
#include <cmath>

namespace fettle::ui {

namespace {

// @name is a colour of the tokens; Npx lengths are scaled.
const char* const kSheet = R"(
QMainWindow, QDialog { background: @window; }
QMainWindow::separator { background: @window; width: 4px; height: 4px; }
QMainWindow::separator:hover { background: @border; }
QMenuBar { background: @window; padding: 0 4px; }
QMenuBar::item { padding: 6px 8px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: @raisedOnWindow; }
QMenu { background: @surface; border: 1px solid @borderStrong; padding: 4px 0; }
QMenu::item { padding: 5px 28px 5px 24px; }
QMenu::item:selected { background: @selection; color: @text1; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @border; margin: 4px 0; }
QMenu::indicator { width: 14px; height: 14px; left: 6px; }
QToolTip { background: @surface; color: @text1; border: 1px solid @borderStrong; padding: 4px 6px; }

QToolBar { background: @window; border: 0; padding: 8px 8px; spacing: 4px; }
QToolBar::separator { width: 1px; background: @borderStrong; margin: 4px 8px; }
QToolButton { border: 1px solid transparent; border-radius: 4px; padding: 0 8px; min-height: 26px; color: @text1; }
QToolButton:hover { background: @raisedOnWindow; }
QToolButton:pressed, QToolButton:checked { background: @selection; }
QToolButton:disabled { color: @disabled; }
QToolButton[framed="true"] { background: @surface; border-color: @borderStrong; }
QToolButton[flat="true"] { padding: 0; min-height: 20px; min-width: 20px; }
QToolButton[linkLike="true"] { color: @accent; padding: 0; min-height: 16px; font-weight: 500; }
QToolButton:focus, QPushButton:focus { border-color: @accent; }
QToolButton::menu-indicator { image: none; }

QPushButton { background: @surface; border: 1px solid @borderStrong; border-radius: 4px; padding: 0 10px; min-height: 26px; color: @text1; }
QPushButton:hover { background: @raised; }
QPushButton:pressed { background: @selection; }
QPushButton:disabled { color: @disabled; border-color: @border; }
QPushButton[primary="true"] { background: @accent; border-color: @accent; color: @onAccent; font-weight: 600; }
QPushButton[primary="true"]:hover { background: @accentHover; }
QPushButton[primary="true"]:focus { border-color: @text1; }
QPushButton[primary="true"]:disabled { background: @track; border-color: @track; color: @disabledOnTrack; }
QPushButton[dense="true"] { min-height: 22px; padding: 0 8px; }
QPushButton[segment="true"] { border-radius: 0; min-height: 22px; padding: 0 10px; margin-left: -1px; }
QPushButton[segment="true"]:checked { background: @selection; font-weight: 600; }
QPushButton[segment="first"] { border-top-right-radius: 0; border-bottom-right-radius: 0; min-height: 22px; }
QPushButton[segment="first"]:checked { background: @selection; font-weight: 600; }
QPushButton[follow="true"] { min-height: 22px; padding: 0 8px; }
QPushButton[follow="true"]:checked { background: @selection; border-color: @accent; }

QLineEdit, QSpinBox, QComboBox, QPlainTextEdit { background: @surface; border: 1px solid @borderStrong; border-radius: 4px; color: @text1;
    selection-background-color: @selection; selection-color: @text1; }
QLineEdit, QSpinBox, QComboBox { min-height: 26px; padding: 0 8px; }
QLineEdit[dense="true"], QComboBox[dense="true"] { min-height: 22px; }
QLineEdit:focus, QSpinBox:focus, QComboBox:focus { border-color: @accent; }
QLineEdit:disabled, QSpinBox:disabled, QComboBox:disabled { color: @disabled; border-color: @border; }
QComboBox::drop-down { border: 0; width: 22px; }
QComboBox::down-arrow { image: url(@chevron); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: @surface; border: 1px solid @borderStrong; selection-background-color: @selection; selection-color: @text1; outline: 0; }
QCheckBox { spacing: 6px; color: @text1; }
QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid @borderStrong; border-radius: 3px; background: @surface; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(@check); }
QCheckBox::indicator:focus, QCheckBox:focus { border-color: @accent; }
QCheckBox:disabled { color: @disabled; }

QTabWidget::pane { border: 0; border-top: 1px solid @border; background: @surface; }
QTabBar { background: @window; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; padding: 0 14px; min-height: 31px; border: 0; color: @text2; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { background: @surface; color: @text1; font-weight: 600; border-bottom: 2px solid @accent; }
QTabBar::tab:hover:!selected { color: @text1; background: @raisedOnWindow; }
QTabBar::tab:focus { border-bottom: 2px solid @accent; }

QAbstractScrollArea { background: @surface; border: 0; }
QHeaderView { background: @sunken; border: 0; }
QHeaderView::section { background: @sunken; color: @text3; border: 0; border-right: 1px solid @border; border-bottom: 1px solid @border; padding: 0 5px 0 7px; }
QHeaderView::up-arrow, QHeaderView::down-arrow { width: 0; height: 0; }
QTableView { gridline-color: @grid; selection-background-color: @selection; selection-color: @text1; outline: 0; background: @surface; }
QTableCornerButton::section { background: @sunken; border: 0; }
QScrollBar:vertical { background: @surface; width: 10px; margin: 0; }
QScrollBar:horizontal { background: @surface; height: 10px; margin: 0; }
QScrollBar::handle { background: @borderStrong; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @text3; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: @window; }
QSplitter::handle:horizontal { width: 4px; }
QSplitter::handle:vertical { height: 4px; }

QStatusBar { background: @window; min-height: 24px; max-height: 24px; }
QStatusBar::item { border: 0; }
QProgressBar { background: @track; border: 0; border-radius: 3px; min-height: 6px; max-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QFrame[panel="true"] { background: @surface; border: 1px solid @border; }
QFrame[dockBody="true"] { background: @surface; border: 1px solid @border; border-top: 0; }
QFrame[codeBox="true"] { background: @sunken; border: 1px solid @border; }
QWidget[surface="true"] { background: @surface; }
QWidget[sunken="true"] { background: @sunken; }
)";

}  // namespace

QString styleSheet(const Tokens& t, double scale) {
    const struct {
        const char* name;
        QColor colour;
    } colours[] = {
        {"raisedOnWindow", mix(t.window, t.text3, 0.12)},
        {"disabledOnTrack", t.text3},
        {"disabled", mix(t.window, t.text3, 0.55)},
        {"accentHover", mix(t.accent, t.text1, 0.12)},
        {"borderStrong", t.borderStrong},
        {"border", t.border},
        {"onAccent", t.onAccent},
        {"accent", t.accent},
        {"selection", t.selection},
        {"surface", t.surface},
        {"sunken", t.sunken},
        {"raised", t.raised},
        {"window", t.window},
        {"track", t.track},
        {"grid", t.grid},
        {"text1", t.text1},
        {"text2", t.text2},
        {"text3", t.text3},
    };
    QString sheet = QString::fromLatin1(kSheet);
    for (const auto& row : colours) sheet.replace(QStringLiteral("@") + row.name, row.colour.name());
    sheet.replace("@chevron", t.dark ? ":/icons/chevron-dark.svg" : ":/icons/chevron-light.svg");
    sheet.replace("@check", t.dark ? ":/icons/check-dark.svg" : ":/icons/check-light.svg");
    if (scale == 1) return sheet;
    static const QRegularExpression length("(\\d+)px");
    QString scaled;
    qsizetype from = 0;
    for (auto it = length.globalMatch(sheet); it.hasNext();) {
        const auto match = it.next();
        const int pixels = match.captured(1).toInt();
        scaled += sheet.mid(from, match.capturedStart() - from);
        scaled += QString("%1px").arg(pixels <= 2 ? pixels : static_cast<int>(std::lround(pixels * scale)));
        from = match.capturedEnd();
    }
    return scaled + sheet.mid(from);
}

}  // namespace fettle::ui
