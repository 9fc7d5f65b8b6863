// SPDX-License-Identifier: GPL-3.0-or-later
// Colours for the four languages of the Code page: schedules, loop nests, LLVM IR, assembly.
#pragma once

#include <Qsci/qscilexercustom.h>

#include <QSet>

#include "ui/shell/theme.h"

namespace fettle::ui {

QFont pointFont(const Theme& theme);  // Scintilla takes sizes in points only

enum class CodeLanguage { Schedule, Loops, Llvm, Assembly };

class CodeLexer : public QsciLexerCustom {
    Q_OBJECT
public:
    enum Style { Plain, Keyword, Number, Comment };

    CodeLexer(CodeLanguage language, Theme* theme, QObject* parent = nullptr);

    const char* language() const override { return "Fettle"; }
    QString description(int style) const override;
    void styleText(int start, int end) override;
    void applyTheme();

private:
    CodeLanguage kind_;
    Theme* theme_;
    QSet<QByteArray> keywords_;
    bool firstWordIsKeyword_;
    char comment_;
};

}  // namespace fettle::ui
