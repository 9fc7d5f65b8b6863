// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/code_view.h"

#include <Qsci/qscistyle.h>

#include <QHash>
#include <QRegularExpression>

#include "ui/pages/diff.h"

namespace fettle::ui {

namespace {
constexpr int kRemovedStyle = 60;  // free: our lexers use 0 to 3
}

CodeView::CodeView(CodeLanguage language, Theme* theme, const QString& accessibleName, QWidget* parent)
    : QsciScintilla(parent), theme_(theme), lexer_(new CodeLexer(language, theme, this)) {
    setAccessibleName(accessibleName);
    setUtf8(true);
    setWrapMode(WrapNone);
    setTabWidth(4);
    setIndentationsUseTabs(false);
    setFrameShape(QFrame::NoFrame);
    setCaretLineVisible(false);
    setFolding(NoFoldStyle);
    setMarginLineNumbers(0, true);
    setMarginType(1, SymbolMargin);
    setMarginType(2, SymbolMargin);
    setAnnotationDisplay(AnnotationStandard);
    setScrollWidth(100);
    setScrollWidthTracking(true);
    SendScintilla(SCI_SETEXTRAASCENT, 1);
    SendScintilla(SCI_SETEXTRADESCENT, 1);
    setLexer(lexer_);
    connect(theme_, &Theme::changed, this, &CodeView::applyTheme);
    applyTheme();
}

void CodeView::setLanguage(CodeLanguage language) {
    delete lexer_;
    lexer_ = new CodeLexer(language, theme_, this);
    setLexer(lexer_);
    applyTheme();
}

void CodeView::applyTheme() {
    const Tokens& t = theme_->tokens();
    lexer_->applyTheme();
    setLexer(lexer_);
    setPaper(t.surface);
    setColor(t.text1);
    setCaretForegroundColor(t.accent);
    setSelectionBackgroundColor(t.selection);
    setSelectionForegroundColor(t.text1);
    setMarginsBackgroundColor(t.surface);
    setMarginsForegroundColor(t.text3);
    setMarginsFont(pointFont(*theme_));
    setMarginWidth(0, "00000");
    setMarginWidth(1, theme_->px(16));
    setMarginWidth(2, 4);
    setMarginMarkerMask(1, 1 << AddedSign);
    setMarginMarkerMask(2, 1 << HotBar);
    markerDefine(Background, AddedLine);
    markerDefine('+', AddedSign);
    markerDefine(Background, HotLine);
    markerDefine(FullRectangle, HotBar);
    setMarkerBackgroundColor(t.betterFill, AddedLine);
    setMarkerForegroundColor(t.better, AddedSign);
    setMarkerBackgroundColor(t.surface, AddedSign);
    setMarkerBackgroundColor(t.raised, HotLine);
    setMarkerBackgroundColor(t.accent, HotBar);
    setMarkerForegroundColor(t.accent, HotBar);
}

void CodeView::setContent(const QString& content) {
    if (content == text()) return;
    setText(content);
    setModified(false);
    const int digits = QString::number(std::max(lines(), 99)).size();
    setMarginWidth(0, QString(digits + 1, '0'));
}

void CodeView::clearDifferences() {
    markerDeleteAll(AddedLine);
    markerDeleteAll(AddedSign);
    clearAnnotations();
}

std::pair<int, int> CodeView::markDifferences(const QString& before) {
    clearDifferences();
    // Only lines that do something are compared; remember where each is in the editor.
    QStringList after;
    std::vector<int> where;
    for (int line = 0; line < lines(); ++line) {
        const QString clean = text(line).simplified();
        if (clean.isEmpty() || clean.startsWith('#')) continue;
        after << clean;
        where.push_back(line);
    }
    QsciStyle removedStyle(kRemovedStyle, "removed", theme_->tokens().worse, theme_->tokens().worseFill,
                           pointFont(*theme_), true);
    int added = 0, removed = 0;
    size_t at = 0;
    QHash<int, QString> notes;  // below which line
    for (const DiffLine& line : diffLines(scheduleLines(before), after)) {
        if (line.kind == DiffLine::Removed) {
            ++removed;
            // An annotation stands below a line; removed first lines stand below the comment at the top.
            const int below = at > 0 ? where[at - 1] : where.empty() ? 0 : std::max(0, where.front() - 1);
            QString& note = notes[below];
            note += (note.isEmpty() ? "" : "\n") + QStringLiteral("\u2212 ") + line.text;
            continue;
        }
        if (line.kind == DiffLine::Added) {
            ++added;
            markerAdd(where[at], AddedLine);
            markerAdd(where[at], AddedSign);
        }
        ++at;
    }
    for (auto it = notes.begin(); it != notes.end(); ++it) annotate(it.key(), it.value(), removedStyle);
    return {added, removed};
}

void CodeView::markBlock(int firstLine, int lastLine) {
    markerDeleteAll(HotLine);
    markerDeleteAll(HotBar);
    if (firstLine < 0) return;
    for (int line = firstLine; line <= lastLine; ++line) {
        markerAdd(line, HotLine);
        markerAdd(line, HotBar);
    }
    ensureLineVisible(firstLine);
    SendScintilla(SCI_SETFIRSTVISIBLELINE, std::max(0, firstLine - 4));
}

HotBlock findHotBlock(const QString& assembly) {
    static const QRegularExpression labelLine("^\\s*([.\\w$]+):");
    static const QRegularExpression jump(
        "^\\s*(?:j\\w+|b\\.?\\w*|bnez|bne|blt|bltu|bgeu|cbnz)\\s+.*?([.\\w$]+)\\s*(?:[#;@].*)?$");
    static const QRegularExpression fma(
        "^\\s*(?:vfn?m(?:add|sub)\\w*|fmla|fmls|fn?madd\\w*|vfmacc\\w*|vdp\\w*|sdot|udot)\\b");
    const QStringList lines = assembly.split('\n');
    QHash<QString, int> labels;
    HotBlock best;
    for (int i = 0; i < lines.size(); ++i) {
        if (const auto match = labelLine.match(lines[i]); match.hasMatch()) {
            labels[match.captured(1)] = i;
            continue;
        }
        const auto match = jump.match(lines[i]);
        if (!match.hasMatch() || !labels.contains(match.captured(1))) continue;  // not backward
        HotBlock block{labels[match.captured(1)], i, 0, 0, match.captured(1)};
        for (int k = block.first + 1; k <= i; ++k) {
            const QString line = lines[k].trimmed();
            if (line.isEmpty() || line.startsWith('.') || line.startsWith('#') || line.contains(labelLine)) continue;
            ++block.instructions;
            block.fmas += fma.match(line).hasMatch();
        }
        // Denser wins: an outer loop holds the same arithmetic and more around it.
        auto density = [](const HotBlock& b) { return b.instructions ? double(b.fmas) / b.instructions : 0.0; };
        const bool better =
            block.fmas > best.fmas ? density(block) > 0.5 * density(best) : density(block) > 2 * density(best);
        if (best.first < 0 || better) best = block;
    }
    return best;
}

}  // namespace fettle::ui
