// SPDX-License-Identifier: GPL-3.0-or-later
// A table with the window's looks: 24 px rows and header, fixed column widths, copy with Ctrl+C.
#pragma once

#include <QTableView>
#include <vector>

#include "ui/shell/theme.h"
#include "ui/widgets/table_delegate.h"

namespace fettle::ui {

class TableView : public QTableView {
    Q_OBJECT
public:
    // Widths in design pixels, 0: takes what is left.
    TableView(Theme* theme, const QString& accessibleName, int rowHeight, int monospaceColumn = -1,
              QWidget* parent = nullptr);
    void setWidths(const std::vector<int>& widths);
    TableDelegate* tableDelegate() const { return delegate_; }
    void setEmptyText(const QString& text);  // one sentence, shown while there are no rows
    void copySelection();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void applyTheme();

    Theme* theme_;
    TableDelegate* delegate_;
    QString emptyText_;
    int rowHeight_;
};

}  // namespace fettle::ui
