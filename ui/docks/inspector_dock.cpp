// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/inspector_dock.h"

#include <QApplication>
#include <QClipboard>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "core/support/format.h"
#include "ui/shell/icons.h"
#include "ui/widgets/words.h"

namespace fettle::ui {

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

QFrame* rule(Theme* theme) {
    auto* line = new QFrame;
    line->setFixedHeight(1);
    auto paint = [line, theme] { line->setStyleSheet("background: " + theme->tokens().grid.name()); };
    QObject::connect(theme, &Theme::changed, line, paint);
    paint();
    return line;
}

}  // namespace

InspectorPanel::InspectorPanel(const UiContext& context, QWidget* parent) : QFrame(parent), context_(context) {
    setProperty("dockBody", true);
    Theme* theme = context.theme;
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* empty =
        new ThemedLabel(theme, FontRole::Dense, Ink::Text3, tr("Choose an operator to see why it takes its time."));
    empty->setWordWrap(true);
    empty->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    empty->setContentsMargins(16, 24, 16, 16);
    empty_ = empty;
    outer->addWidget(empty_, 1);

    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* page = new QWidget;
    page->setProperty("surface", true);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(10, 10, 10, 10);
    column->setSpacing(8);
    column->addWidget(makeHeading());
    column->addLayout(makeFigures());
    column->addWidget(rule(theme));
    column->addWidget(new ThemedLabel(theme, FontRole::DenseStrong, Ink::Text1, tr("Why it is slow")));
    why_ = new ThemedLabel(theme, FontRole::Dense, Ink::Text1);
    why_->setWordWrap(true);
    column->addWidget(why_);
    roofline_ = new RooflineChart(context.data(), context.selection, theme, context.frames);
    roofline_->setFixedHeight(theme->px(108));
    column->addWidget(roofline_);
    column->addWidget(rule(theme));
    auto* before = new QHBoxLayout;
    before->addWidget(new ThemedLabel(theme, FontRole::DenseStrong, Ink::Text1, tr("Before and after")));
    runs_ = new ThemedLabel(theme, FontRole::Caption, Ink::Text3);
    before->addWidget(runs_, 0, Qt::AlignRight);
    column->addLayout(before);
    bars_ = new MeasureBars(theme);
    column->addWidget(bars_);
    column->addWidget(rule(theme));
    auto* best = new QHBoxLayout;
    best->setSpacing(4);
    best->addWidget(new ThemedLabel(theme, FontRole::DenseStrong, Ink::Text1, tr("Best schedule")), 1);
    trial_ = new ThemedLabel(theme, FontRole::Caption, Ink::Text3);
    best->addWidget(trial_);
    openCode_ = new QToolButton;
    openCode_->setText(tr("Open in Code"));
    openCode_->setProperty("linkLike", true);
    openCode_->setFont(theme->font(FontRole::CaptionStrong));
    best->addWidget(openCode_);
    column->addLayout(best);
    schedule_ = new QPlainTextEdit;
    schedule_->setReadOnly(true);
    schedule_->setLineWrapMode(QPlainTextEdit::NoWrap);
    schedule_->setAccessibleName(tr("Best schedule"));
    schedule_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(schedule_);
    warning_ = new ThemedLabel(theme, FontRole::Dense, Ink::Text1);
    warning_->setWordWrap(true);
    warning_->setContentsMargins(8, 5, 8, 5);
    warning_->setObjectName("inspectorWarning");
    warning_->hide();
    column->addWidget(warning_);
    column->addStretch(1);
    scroll->setWidget(page);
    body_ = scroll;
    outer->addWidget(body_, 1);

    connect(openCode_, &QToolButton::clicked, this, &InspectorPanel::openInCode);
    connect(context.selection, &SelectionContext::operatorChanged, this, &InspectorPanel::refresh);
    connect(context.session, &SessionController::roofMeasured, this, [this] {
        roofline_->setRoof(context_.session->roof());
        refresh();
    });
    connect(theme, &Theme::changed, this, &InspectorPanel::applyTheme);
    applyTheme();
    refresh();
}

QWidget* InspectorPanel::makeHeading() {
    auto* heading = new QWidget;
    auto* grid = new QGridLayout(heading);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    chip_ = new KindChip(context_.theme, 20);
    name_ = new ThemedLabel(context_.theme, FontRole::Headline, Ink::Text1);
    name_->setElided(true);
    copy_ = new QToolButton;
    copy_->setProperty("flat", true);
    copy_->setToolTip(tr("Copy name"));
    copy_->setAccessibleName(tr("Copy name"));
    detail_ = new ThemedLabel(context_.theme, FontRole::Dense, Ink::Text3);
    detail_->setElided(true);
    grid->addWidget(chip_, 0, 0);
    grid->addWidget(name_, 0, 1);
    grid->addWidget(copy_, 0, 2);
    grid->addWidget(detail_, 1, 0, 1, 3);
    grid->setColumnStretch(1, 1);
    connect(copy_, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(name_->text()); });
    return heading;
}

QLayout* InspectorPanel::makeFigures() {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    const QString names[6] = {tr("Output"),    tr("FLOPs"),    tr("Bytes"),
                              tr("Intensity"), tr("Achieved"), tr("Of roofline")};
    for (int i = 0; i < 6; ++i) {
        const int row = i % 3, column = i / 3 * 3;
        grid->addWidget(new ThemedLabel(context_.theme, FontRole::Dense, Ink::Text3, names[i]), row, column);
        figures_[i] = new ThemedLabel(context_.theme, FontRole::Dense, Ink::Text1);
        figures_[i]->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        figures_[i]->setTextInteractionFlags(Qt::TextSelectableByMouse);
        grid->addWidget(figures_[i], row, column + 1);
    }
    grid->setColumnMinimumWidth(2, 6);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(4, 1);
    return grid;
}

void InspectorPanel::applyTheme() {
    const Tokens& t = context_.theme->tokens();
    copy_->setIcon(themedIcon("edit-copy", t.text3));
    schedule_->setFont(context_.theme->font(FontRole::CodeSmall));
    const QFont code = context_.theme->font(FontRole::CodeSmall);
    schedule_->setStyleSheet(
        QString("QPlainTextEdit { background: %1; border: 1px solid %2; border-radius: 0; padding: 2px 4px; "
                "font-family: '%3'; font-size: %4px; }")
            .arg(t.sunken.name(), t.border.name(), code.family())
            .arg(code.pixelSize()));
    warning_->setStyleSheet(QString("#inspectorWarning { background: %1; border: 1px solid %2; }")
                                .arg(t.warningFill.name(), t.warningEdge.name()));
}

void InspectorPanel::fitCodeBox(const QString& content) {
    const int lines = std::clamp(int(content.count('\n')) + 1, 2, 14);
    schedule_->setFixedHeight(QFontMetrics(schedule_->font()).lineSpacing() * lines + 26);
}

void InspectorPanel::refresh() {
    const TaskState* task = context_.data().task(context_.selection->task());
    empty_->setVisible(!task);
    body_->setVisible(task);
    if (task) showTask(*task);
}

void InspectorPanel::showTask(const TaskState& task) {
    const SessionData& data = context_.data();
    QString name = text(task.row.name), path;
    for (const OperatorEntry& e : data.operators)
        if (e.task == task.row.id && (e.group == context_.selection->group() || path.isNull())) {
            name = text(e.name);
            path = text(e.path);
        }
    chip_->setKind(task.kind);
    name_->setText(name);
    QStringList details;
    if (!task.row.detail.empty()) details << text(task.row.detail);
    if (!path.isEmpty()) details << path;
    if (task.row.weight > 1) details << counted(tr("occurs %n time(s)", nullptr, task.row.weight), task.row.weight);
    detail_->setText(details.join(QStringLiteral(" \u00b7 ")));

    const Roof& roof = context_.session->roof();
    const Diagnosis d = diagnose(roof, task.row.flops, task.row.bytes, task.nowNs());
    const QString dash = QStringLiteral("\u2013");
    figures_[0]->setText(task.output.empty() ? dash : text(task.output));
    figures_[1]->setText(text(formatCount(task.row.flops)));
    figures_[2]->setText(text(formatBytes(task.row.bytes)));
    figures_[3]->setText(text(formatDouble(d.intensity, d.intensity < 10 ? 1 : 0)) + tr(" FLOP/B"));
    figures_[4]->setText(d.achieved > 0 ? text(formatDouble(d.achieved * 1e-9, 1)) + tr(" GFLOP/s") : dash);
    figures_[5]->setText(d.ofRoof > 0 ? text(formatDouble(100 * d.ofRoof, 0)) + " %" : dash);
    const target::Target target = data.outline ? data.outline->target : target::Target{};
    why_->setText(explain(d, roof, task.row.bytes, task.nowNs(), target.l1Bytes, target.l2Bytes, target.l3Bytes));
    roofline_->setVisible(roof.known());
    roofline_->markDirty();
    const store::TrialRow* best = data.trial(task.bestTrial);
    runs_->setText(best ? counted(tr("%n sample(s) of the best", nullptr, int(best->samplesNs.size())),
                                  int(best->samplesNs.size()))
                        : QString());
    bars_->setTask(&task);
    trial_->setText(best ? tr("trial %1").arg(best->id) + QStringLiteral(" \u00b7")
                         : tr("default") + QStringLiteral(" \u00b7"));
    const QString schedule = text(best ? best->trace : task.row.defaultTrace).trimmed();
    if (schedule_->toPlainText() != schedule) {
        schedule_->setPlainText(schedule.isEmpty() ? tr("# plain loops, nothing to schedule") : schedule);
        fitCodeBox(schedule);
    }
    int failures = task.trials - task.ok;
    warning_->setVisible(task.trials >= 8 && failures * 2 > task.trials);
    warning_->setText(tr("%1 of its %2 trials failed; see Problems.").arg(failures).arg(task.trials));
}

}  // namespace fettle::ui
