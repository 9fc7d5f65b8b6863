// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/code_page.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/support/format.h"
#include "ui/pages/diff.h"
#include "ui/shell/icons.h"

namespace fettle::ui {

namespace {

constexpr qint64 kDefault = -1;  // item data: the default schedule
constexpr size_t kListed = 12;   // best trials in the combo boxes

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

QWidget* titled(Theme* theme, ThemedLabel* title, ThemedLabel* note, QWidget* body) {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QWidget;
    bar->setProperty("sunken", true);
    bar->setAttribute(Qt::WA_StyledBackground);
    bar->setFixedHeight(theme->px(28));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(10, 0, 10, 0);
    row->addWidget(title);
    row->addStretch(1);
    row->addWidget(note);
    column->addWidget(bar);
    column->addWidget(body, 1);
    return part;
}

}  // namespace

CodePage::CodePage(const UiContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    setProperty("surface", true);
    setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeToolbar());
    column->addWidget(makeColumns(), 1);
    edited_.setSingleShot(true);
    edited_.setInterval(250);
    rebuild_.setSingleShot(true);
    rebuild_.setInterval(300);
    connect(schedule_, &QsciScintilla::textChanged, &edited_, qOverload<>(&QTimer::start));
    connect(&edited_, &QTimer::timeout, this, [this] {
        compare();
        updateTry();
        rebuild_.start();
    });
    connect(&rebuild_, &QTimer::timeout, this, &CodePage::requestArtefacts);
    connect(trial_, &QComboBox::activated, this, [this] {
        const qint64 id = trial_->currentData().toLongLong();
        if (id > 0 && task_ >= 0) context_.selection->selectTrial(task_, id);
        load();
    });
    connect(against_, &QComboBox::activated, this, &CodePage::compare);
    connect(context.selection, &SelectionContext::operatorChanged, this, [this] { resetSession(); });
    connect(context.selection, &SelectionContext::trialChanged, this, [this] { resetSession(); });
    connect(context.theme, &Theme::changed, this, &CodePage::compare);
    connect(try_, &QPushButton::clicked, this,
            [this] { context_.session->tryTrace(task_, scheduleLines(schedule_->text()).join('\n') + '\n'); });
}

QWidget* CodePage::makeToolbar() {
    Theme* theme = context_.theme;
    auto* bar = new QWidget;
    bar->setFixedHeight(theme->px(40));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(8);
    trial_ = new QComboBox;
    against_ = new QComboBox;
    trial_->setAccessibleName(tr("Schedule to show"));
    against_->setAccessibleName(tr("Compare with"));
    for (QComboBox* box : {trial_, against_}) {
        box->setProperty("dense", true);
        box->setFont(theme->font(FontRole::Dense));
        box->setMinimumWidth(theme->px(box == trial_ ? 162 : 116));
    }
    row->addWidget(new ThemedLabel(theme, FontRole::Dense, Ink::Text3, tr("Trial")));
    row->addWidget(trial_);
    row->addWidget(new ThemedLabel(theme, FontRole::Dense, Ink::Text3, tr("Against")));
    row->addWidget(against_);
    kinds_ = new QButtonGroup(this);
    auto* segments = new QHBoxLayout;
    segments->setSpacing(0);
    const struct {
        const char* id;
        QString name;
    } kinds[] = {{"llvm", tr("LLVM IR")}, {"asm", tr("Assembly")}, {"mca", tr("LLVM-MCA")}};
    for (int i = 0; i < 3; ++i) {
        auto* button = new QPushButton(kinds[i].name);
        button->setCheckable(true);
        button->setFont(theme->font(FontRole::Dense));
        button->setProperty("segment", true);
        button->setProperty("artefact", kinds[i].id);
        button->setChecked(i == 1);
        kinds_->addButton(button, i);
        segments->addWidget(button);
    }
    connect(kinds_, &QButtonGroup::idClicked, this, &CodePage::requestArtefacts);
    row->addLayout(segments);
    row->addStretch(1);
    try_ = new QPushButton(tr("Try this schedule"));
    try_->setProperty("primary", true);
    try_->setProperty("dense", true);
    try_->setToolTip(tr("Measure the edited schedule as a manual trial"));
    auto paint = [this] { try_->setIcon(themedIcon("media-playback-start", context_.theme->tokens().onAccent)); };
    connect(theme, &Theme::changed, this, paint);
    paint();
    row->addWidget(try_);
    return bar;
}

QWidget* CodePage::makeColumns() {
    Theme* theme = context_.theme;
    schedule_ = new CodeView(CodeLanguage::Schedule, theme, tr("Schedule"));
    loops_ = new CodeView(CodeLanguage::Loops, theme, tr("Loop nest"));
    built_ = new CodeView(CodeLanguage::Assembly, theme, tr("Generated code"));
    loops_->setReadOnly(true);
    built_->setReadOnly(true);
    difference_ = new ThemedLabel(theme, FontRole::Dense, Ink::Text3);
    difference_->setTextFormat(Qt::RichText);
    builtTitle_ = new ThemedLabel(theme, FontRole::DenseStrong, Ink::Text1, tr("Assembly"));
    builtNote_ = new ThemedLabel(theme, FontRole::Caption, Ink::Text3);
    auto label = [&](const QString& words) { return new ThemedLabel(theme, FontRole::DenseStrong, Ink::Text1, words); };
    auto* left = new QSplitter(Qt::Vertical);
    left->addWidget(titled(theme, label(tr("Schedule")), difference_, schedule_));
    left->addWidget(titled(theme, label(tr("Loop nest")),
                           new ThemedLabel(theme, FontRole::Caption, Ink::Text3, tr("what runs, in order")), loops_));
    auto* both = new QSplitter(Qt::Horizontal);
    both->addWidget(left);
    both->addWidget(titled(theme, builtTitle_, builtNote_, built_));
    for (QSplitter* splitter : {left, both}) {
        splitter->setChildrenCollapsible(false);
        splitter->setHandleWidth(4);
    }
    left->setSizes({260, 320});
    both->setSizes({400, 400});
    return both;
}

std::string CodePage::artefact() const {
    return kinds_->checkedButton()->property("artefact").toString().toStdString();
}

void CodePage::resetSession() {
    task_ = context_.selection->task();
    bestShown_ = -1;
    fillTrials();
    load();
}

void CodePage::refresh(unsigned changes) {
    const TaskState* task = context_.data().task(task_);
    if (changes & ChangedTasks && task_ != context_.selection->task()) return resetSession();
    if (!task || !(changes & (ChangedBest | ChangedTrials))) return;
    if (task->bestTrial == bestShown_) return updateTry();
    const bool wasBest = trial_->currentIndex() <= 0;
    const bool edited = schedule_->isModified();
    fillTrials();
    if (wasBest && !edited) load();
}

void CodePage::fillTrials() {
    const SessionData& data = context_.data();
    const TaskState* task = data.task(task_);
    const qint64 wantedTrial = context_.selection->trial(),
                 wantedAgainst = against_->currentData().isValid() ? against_->currentData().toLongLong() : kDefault;
    std::vector<const store::TrialRow*> rows;
    if (task) {
        for (size_t i : task->trialIndices)
            if (isOk(data.trials[i])) rows.push_back(&data.trials[i]);
        std::stable_sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->minNs < b->minNs; });
        if (rows.size() > kListed) rows.resize(kListed);
        const store::TrialRow* wanted = wantedTrial > 0 ? data.trial(wantedTrial) : nullptr;
        if (wanted && std::find(rows.begin(), rows.end(), wanted) == rows.end()) rows.push_back(wanted);
        bestShown_ = task->bestTrial;
    }
    for (QComboBox* box : {trial_, against_}) {
        box->clear();
        for (size_t i = 0; i < rows.size(); ++i)
            box->addItem(QString::number(rows[i]->id) + (i == 0 ? tr(", best") : QString()) +
                             (isOk(*rows[i]) ? "  " + text(formatMs(double(rows[i]->minNs))) + " ms" : QString()),
                         qint64(rows[i]->id));
        box->addItem(tr("default"), kDefault);
    }
    trial_->setCurrentIndex(std::max(0, trial_->findData(wantedTrial)));
    against_->setCurrentIndex(std::max(0, against_->findData(wantedAgainst)));
}

QString CodePage::traceOf(const QComboBox* box) const {
    const TaskState* task = context_.data().task(task_);
    if (!task) return {};
    const store::TrialRow* row = context_.data().trial(box->currentData().toLongLong());
    return text(row ? row->trace : task->row.defaultTrace);
}

QString CodePage::heading() const {
    const TaskState* task = context_.data().task(task_);
    if (!task) return {};
    return "# " + text(task->row.name) + (task->row.detail.empty() ? QString() : ", " + text(task->row.detail)) + '\n';
}

void CodePage::load() {
    const TaskState* task = context_.data().task(task_);
    schedule_->setReadOnly(!task);
    schedule_->setContent(task ? heading() + traceOf(trial_) : QString());
    edited_.stop();
    compare();
    updateTry();
    rebuild_.start();
}

void CodePage::compare() {
    const TaskState* task = context_.data().task(task_);
    if (!task) {
        schedule_->clearDifferences();
        difference_->clear();
        return;
    }
    const auto [added, removed] = schedule_->markDifferences(traceOf(against_));
    const Tokens& t = context_.theme->tokens();
    QString words = added + removed == 0
                        ? tr("same as %1").arg(against_->currentText().section(' ', 0, 0).remove(','))
                        : QString("<span style='color:%1'>+%2</span> <span style='color:%3'>\u2212%4</span>")
                              .arg(t.better.name())
                              .arg(added)
                              .arg(t.worse.name())
                              .arg(removed);
    const store::TrialRow* row = context_.data().trial(trial_->currentData().toLongLong());
    const store::TrialRow* other = context_.data().trial(against_->currentData().toLongLong());
    const int64_t before = other && isOk(*other) ? other->minNs : task->defaultNs;
    if (row && isOk(*row) && before > 0 && added + removed > 0 && !schedule_->isModified()) {
        const double ratio = double(before) / double(row->minNs);
        words += QStringLiteral(" \u00b7 ") + (ratio >= 1 ? tr("%1 faster").arg(text(formatRatio(ratio)))
                                                          : tr("%1 slower").arg(text(formatRatio(1 / ratio))));
    }
    difference_->setText(words);
}

void CodePage::updateTry() {
    const TaskState* task = context_.data().task(task_);
    bool known = !task;
    if (task) {
        const QStringList now = scheduleLines(schedule_->text());
        known = now == scheduleLines(text(task->row.defaultTrace)) && task->defaultNs > 0;
        if (!known && schedule_->isModified())
            for (size_t i : task->trialIndices)
                if (!known) known = scheduleLines(text(context_.data().trials[i].trace)) == now;
        if (!schedule_->isModified()) known = true;
    }
    try_->setEnabled(!known && !context_.session->busy());
}

void CodePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (task_ != context_.selection->task()) resetSession();
    rebuild_.start();
}

void CodePage::requestArtefacts() {
    builtTitle_->setText(kinds_->checkedButton()->text());
    if (!isVisible() || !context_.data().task(task_)) {
        loops_->setContent({});
        built_->setContent({});
        return;
    }
    const QString trace = scheduleLines(schedule_->text()).join('\n') + '\n';
    const QString kind = text(artefact());
    const QString key = QString::number(task_) + '\n' + trace;
    if (key == shownTrace_ && kind == shownKind_) return;
    ++generation_;
    if (key != shownTrace_) request("loops", loops_);
    shownTrace_ = key;
    shownKind_ = kind;
    builtNote_->setText(tr("building\u2026"));
    request(artefact(), built_);
}

void CodePage::request(const std::string& what, CodeView* view) {
    ++pending_;
    const std::string trace = scheduleLines(schedule_->text()).join('\n').toStdString() + '\n';
    context_.session->show(task_, trace, what, this,
                           [this, what, view, generation = generation_](Result<std::string> result) {
                               --pending_;
                               if (generation == generation_ || view == loops_) showArtefact(what, view, result);
                           });
}

void CodePage::showArtefact(const std::string& what, CodeView* view, const Result<std::string>& result) {
    if (view == built_) {
        builtNote_->clear();
        const CodeLanguage language = what == "llvm" ? CodeLanguage::Llvm : CodeLanguage::Assembly;
        built_->setLanguage(language);
    }
    view->markBlock(-1, -1);
    if (!result) {
        QString words = "# " + text(result.error().message());
        view->setContent(words.replace('\n', "\n# "));
        return;
    }
    const QString content = text(*result);
    view->setContent(content);
    if (what != "asm") return;
    const HotBlock hot = findHotBlock(content);
    view->markBlock(hot.first, hot.last);
    if (hot.first >= 0)
        builtNote_->setText(
            tr("hot block %1 \u00b7 %2 instructions, %3 FMAs").arg(hot.label).arg(hot.instructions).arg(hot.fmas));
}

}  // namespace fettle::ui
