// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/status_line.h"

#include <QHBoxLayout>
#include <cmath>

#include "core/support/format.h"
#include "ui/shell/icons.h"
#include "ui/widgets/words.h"

namespace fettle::ui {

namespace {
QString text(const std::string& s) {
    return QString::fromStdString(s);
}
}  // namespace

StatusLine::StatusLine(const UiContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    setFixedHeight(context.theme->px(24));
    setAccessibleName(tr("Status"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 0, 8, 0);
    row->setSpacing(0);
    dot_ = new QFrame;
    dot_->setFixedSize(8, 8);
    row->addWidget(dot_);
    row->addSpacing(8);
    state_ = new ThemedLabel(context.theme, FontRole::Dense, Ink::Text1);
    row->addWidget(state_);
    operator_ = part(tr("Operator"));
    trials_ = part(tr("Trials"));
    bar_ = new QProgressBar;
    bar_->setTextVisible(false);
    bar_->setRange(0, 1000);
    bar_->setFixedSize(context.theme->px(96), 6);
    bar_->setAccessibleName(tr("Progress"));
    trials_.widget->layout()->addWidget(bar_);
    best_ = part(tr("Best"));
    eta_ = part(tr("ETA"));
    noise_ = part(tr("Noise"));
    failed_ = part({});
    row->addStretch(1);
    follow_ = new QToolButton;
    follow_->setCheckable(true);
    follow_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    follow_->setFont(context.theme->font(FontRole::Dense));
    follow_->setStyleSheet("QToolButton { min-height: 18px; padding: 0 6px; }");
    row->addWidget(follow_);
    connect(follow_, &QToolButton::clicked, this, &StatusLine::followingChosen);
    connect(context.theme, &Theme::changed, this, &StatusLine::applyTheme);
    setFollowing(true);
    applyTheme();
    refresh();
}

StatusLine::Part StatusLine::part(const QString& name) {
    Part p;
    p.widget = new QWidget;
    auto* row = new QHBoxLayout(p.widget);
    row->setContentsMargins(10, 0, 0, 0);
    row->setSpacing(6);
    auto* rule = new QFrame;
    rule->setObjectName("statusRule");
    rule->setFixedSize(1, context_.theme->px(14));
    row->addWidget(rule);
    row->addSpacing(2);
    p.name = new ThemedLabel(context_.theme, FontRole::Dense, Ink::Text3, name);
    p.value = new ThemedLabel(context_.theme, FontRole::Dense, Ink::Text1);
    p.name->setVisible(!name.isEmpty());
    row->addWidget(p.name);
    row->addWidget(p.value);
    p.widget->hide();
    layout()->addWidget(p.widget);
    return p;
}

void StatusLine::set(Part& part, const QString& value) {
    part.widget->setVisible(!value.isEmpty());
    if (part.value->text() != value) part.value->setText(value);
}

void StatusLine::applyTheme() {
    const Tokens& t = context_.theme->tokens();
    const bool live = context_.session->busy();
    dot_->setStyleSheet(QString("background: %1; border-radius: 4px;").arg((live ? t.accent : t.noise).name()));
    setStyleSheet(QString("#statusRule { background: %1; }").arg(t.borderStrong.name()));
    follow_->setIcon(themedIcon("office-chart-line", t.text2));
}

QString StatusLine::stateText() const {
    if (context_.session->opening()) return tr("Opening\u2026");
    if (!context_.session->isOpen()) return tr("No model");
    switch (context_.data().state) {
        case session::State::Empty:
            return tr("No model");
        case session::State::Opened:
            return tr("Ready");
        case session::State::Profiling:
            return tr("Profiling");
        case session::State::Tuning:
            return tr("Tuning");
        case session::State::Pausing:
            return tr("Pausing");
        case session::State::Paused:
            return tr("Paused");
        case session::State::Stopping:
            return tr("Stopping");
        case session::State::Exporting:
            return tr("Exporting");
        case session::State::Finished:
            return tr("Done");
        case session::State::Failed:
            return tr("Failed");
    }
    return {};
}

void StatusLine::setFollowing(bool on) {
    follow_->setChecked(on);
    follow_->setText(on ? tr("Following") : tr("Follow"));
}

void StatusLine::refresh() {
    const SessionData& data = context_.data();
    if (const QString now = stateText(); now != state_->text()) {
        state_->setText(now);
        applyTheme();
    }
    follow_->setVisible(context_.session->isOpen());
    const session::Progress& p = data.progress;
    const bool live = context_.session->tuning();
    QString where;
    if (const TaskState* task = live ? data.task(data.taskNow) : nullptr)
        where = QString("%1/%2  ").arg(data.taskNow + 1).arg(data.tasks.size()) +
                text(task->row.name).section(" + ", 0, 0) +
                (task->output.empty() ? QString() : " [" + text(task->output) + "]");
    set(operator_, where);
    const bool byTrials = live && p.trialBudget > 0, byTime = live && p.trialBudget == 0 && p.secondsBudget > 0;
    const QString count = QString::number(data.trials.size());
    set(trials_, data.trials.empty() && !live ? QString()
                 : byTrials                   ? QString("%1/%2").arg(p.trials).arg(p.trialBudget)
                                              : count);
    bar_->setVisible(byTrials || byTime);
    const double share = byTrials ? double(p.trials) / p.trialBudget : byTime ? p.seconds / p.secondsBudget : 0;
    bar_->setValue(int(std::lround(1000 * std::min(1.0, share))));
    set(best_, data.modelNs() > 0 ? text(formatMs(data.modelNs(), 2)) + " ms" : QString());
    set(eta_, live && p.etaSeconds > 0 ? text(formatDuration(p.etaSeconds)) : QString());
    const double noise = data.noise();
    set(noise_, noise > 0 ? text(formatDouble(100 * noise, 1)) + " %" : QString());
    set(failed_,
        data.failed() > 0 ? counted(tr("%n failed trial(s)", nullptr, data.failed()), data.failed()) : QString());
}

}  // namespace fettle::ui
