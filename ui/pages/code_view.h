// SPDX-License-Identifier: GPL-3.0-or-later
// A code editor or viewer in the window's looks, with line marks for differences and for the hot block.
#pragma once

#include <Qsci/qsciscintilla.h>

#include "ui/pages/code_lexer.h"

namespace fettle::ui {

class CodeView : public QsciScintilla {
    Q_OBJECT
public:
    CodeView(CodeLanguage language, Theme* theme, const QString& accessibleName, QWidget* parent = nullptr);

    void setContent(const QString& text);  // keeps the scroll position when the text is the same
    void setLanguage(CodeLanguage language);
    // Marks the lines of this schedule that `before` does not have, and shows the removed ones between them.
    // Returns {added, removed}.
    std::pair<int, int> markDifferences(const QString& before);
    void clearDifferences();
    void markBlock(int firstLine, int lastLine);  // lines from 0; -1: none
    QSize sizeHint() const override { return {300, 200}; }

private:
    enum Marker { AddedLine = 1, AddedSign = 2, HotLine = 3, HotBar = 4 };
    void applyTheme();

    Theme* theme_;
    CodeLexer* lexer_;
};

// The innermost loop with most vector arithmetic in an assembly listing: its first and last line, and what is in it.
struct HotBlock {
    int first = -1, last = -1, instructions = 0, fmas = 0;
    QString label;
};
HotBlock findHotBlock(const QString& assembly);

}  // namespace fettle::ui
