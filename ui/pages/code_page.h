// SPDX-License-Identifier: GPL-3.0-or-later
// The selected operator's code: an editable schedule with its difference to another, the loop nest it makes, and the
// LLVM IR, assembly and LLVM-MCA view, which are built off the GUI thread.
#pragma once

#include <QComboBox>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>

#include "ui/pages/code_view.h"
#include "ui/shell/ui_context.h"
#include "ui/widgets/themed_label.h"

class QButtonGroup;

namespace fettle::ui {

class CodePage : public QWidget {
    Q_OBJECT
public:
    explicit CodePage(const UiContext& context, QWidget* parent = nullptr);
    void refresh(unsigned changes);
    void resetSession();
    bool settled() const { return pending_ == 0 && !rebuild_.isActive(); }  // nothing is being built

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeToolbar();
    QWidget* makeColumns();
    void fillTrials();
    void load();  // the schedule of the chosen trial into the editor
    void compare();
    void requestArtefacts();
    void request(const std::string& what, CodeView* view);
    void showArtefact(const std::string& what, CodeView* view, const Result<std::string>& result);
    void updateTry();
    QString traceOf(const QComboBox* box) const;
    std::string artefact() const;  // "llvm", "asm" or "mca"
    QString heading() const;

    UiContext context_;
    QComboBox* trial_;
    QComboBox* against_;
    QButtonGroup* kinds_;
    QPushButton* try_;
    CodeView* schedule_;
    CodeView* loops_;
    CodeView* built_;
    ThemedLabel* difference_;
    ThemedLabel* builtTitle_;
    ThemedLabel* builtNote_;
    QTimer edited_, rebuild_;
    int task_ = -1, pending_ = 0;
    QString shownTrace_, shownKind_;
    quint64 generation_ = 0;
    int64_t bestShown_ = -1;
};

}  // namespace fettle::ui
