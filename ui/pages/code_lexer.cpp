// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/code_lexer.h"

#include <Qsci/qsciscintilla.h>

#include <QGuiApplication>
#include <QScreen>

#include <cctype>

namespace fettle::ui {

namespace {

QSet<QByteArray> keywordsOf(CodeLanguage language) {
    switch (language) {
        case CodeLanguage::Loops:
            return {"for",    "in",    "if",    "else",   "parallel", "vectorized", "unrolled",
                    "serial", "min",   "max",   "select", "load",     "store",      "alloc",
                    "attach", "stage", "input", "output", "constant", "temp"};
        case CodeLanguage::Llvm:
            return {"define",
                    "declare",
                    "ret",
                    "br",
                    "label",
                    "load",
                    "store",
                    "getelementptr",
                    "inbounds",
                    "phi",
                    "call",
                    "fmul",
                    "fadd",
                    "fsub",
                    "fdiv",
                    "icmp",
                    "fcmp",
                    "select",
                    "add",
                    "sub",
                    "mul",
                    "nsw",
                    "nuw",
                    "align",
                    "shufflevector",
                    "insertelement",
                    "extractelement",
                    "tail",
                    "fast",
                    "contract",
                    "alloca",
                    "bitcast",
                    "void",
                    "ptr",
                    "float",
                    "double",
                    "i1",
                    "i8",
                    "i16",
                    "i32",
                    "i64",
                    "x",
                    "target",
                    "attributes",
                    "global",
                    "private",
                    "constant",
                    "zeroinitializer",
                    "poison",
                    "true",
                    "false",
                    "null",
                    "to",
                    "zext",
                    "sext",
                    "trunc",
                    "noalias"};
        default:
            return {};
    }
}

bool wordChar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
}

}  // namespace

QFont pointFont(const Theme& theme) {
    QFont font = theme.font(FontRole::Code);
    const QScreen* screen = QGuiApplication::primaryScreen();
    font.setPointSizeF(font.pixelSize() * 72.0 / (screen ? screen->logicalDotsPerInchY() : 96.0));
    return font;
}

CodeLexer::CodeLexer(CodeLanguage language, Theme* theme, QObject* parent)
    : QsciLexerCustom(parent),
      kind_(language),
      theme_(theme),
      keywords_(keywordsOf(language)),
      firstWordIsKeyword_(language == CodeLanguage::Schedule || language == CodeLanguage::Assembly),
      comment_(language == CodeLanguage::Llvm ? ';' : '#') {
    applyTheme();
}

QString CodeLexer::description(int style) const {
    switch (style) {
        case Plain:
            return tr("Text");
        case Keyword:
            return tr("Keyword");
        case Number:
            return tr("Number");
        case Comment:
            return tr("Comment");
        default:
            return {};
    }
}

void CodeLexer::applyTheme() {
    const Tokens& t = theme_->tokens();
    const QFont font = pointFont(*theme_);
    setDefaultFont(font);
    setDefaultPaper(t.surface);
    setDefaultColor(t.text1);
    for (int style = Plain; style <= Comment; ++style) {
        setFont(font, style);
        setPaper(t.surface, style);
    }
    setColor(t.text1, Plain);
    setColor(t.codeKeyword, Keyword);
    setColor(t.codeNumber, Number);
    setColor(t.codeComment, Comment);
}

void CodeLexer::styleText(int start, int end) {
    if (!editor() || end <= start) return;
    QByteArray bytes(end - start + 1, '\0');
    editor()->SendScintilla(QsciScintilla::SCI_GETTEXTRANGE, start, end, bytes.data());
    startStyling(start);
    bool lineStart = true;
    for (int i = 0; i < end - start;) {
        const char c = bytes[i];
        int length = 1;
        Style style = Plain;
        auto run = [&](auto accept) {
            while (i + length < end - start && accept(bytes[i + length])) ++length;
        };
        if (c == '\n') {
            lineStart = true;
            setStyling(1, Plain);
            ++i;
            continue;
        }
        if (c == comment_) {
            style = Comment;
            run([](char d) { return d != '\n'; });
        } else if (std::isdigit(static_cast<unsigned char>(c))) {
            style = Number;
            run([](char d) { return std::isalnum(static_cast<unsigned char>(d)) || d == '.'; });
        } else if (wordChar(c)) {
            run(wordChar);
            const QByteArray word = bytes.mid(i, length);
            const bool directive = word.startsWith('.');
            if ((firstWordIsKeyword_ && lineStart && !directive) || keywords_.contains(word)) style = Keyword;
        } else {
            run([&](char d) {
                return d != '\n' && d != comment_ && !wordChar(d) && !std::isspace(static_cast<unsigned char>(d));
            });
        }
        if (!std::isspace(static_cast<unsigned char>(c))) lineStart = false;
        setStyling(length, style);
        i += length;
    }
}

}  // namespace fettle::ui
