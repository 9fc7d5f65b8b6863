// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/tool_row.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>

#include "core/support/format.h"

namespace fettle::ui {

namespace {

QString budgetText(const Budget& b) {
    if (b.minutes > 0) return ToolRow::tr("%1 minutes").arg(QString::number(b.minutes, 'g', 4));
    return ToolRow::tr("%1 trials").arg(b.trials);
}

QString targetText(const target::Target& target) {
    // "host - znver4, AVX-512, 2 cores" -> "host . znver4, AVX-512"
    QString text = QString::fromStdString(target::describe(target)).section(", ", 0, 1);
    return text.replace(" - ", QStringLiteral(" \u00b7 "));
}

}  // namespace

ToolRow::ToolRow(Theme* theme, const Actions& actions, QWidget* parent)
    : QToolBar(tr("Toolbar"), parent), theme_(theme) {
    setObjectName("toolRow");
    setMovable(false);
    setFloatable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setIconSize({16, 16});
    const struct {
        QAction* action;
        QString text;
        bool rule;
    } buttons[] = {{actions.open, tr("Open"), false},
                   {actions.profile, tr("Profile"), true},
                   {actions.tune, tr("Tune"), false},
                   {actions.pause, tr("Pause"), false},
                   {actions.stop, tr("Stop"), true}};
    for (const auto& b : buttons) {
        b.action->setIconText(b.text);
        addAction(b.action);
        if (b.rule) addSeparator();
    }
    target_ = combo(tr("Target"), tr("Target machine"), 248);
    target_->addItem(targetText(target::detectHost()), "host");
    for (const target::Target& preset : target::presets())
        target_->addItem(QString::fromStdString(preset.name), QString::fromStdString(preset.name));
    budget_ = combo(tr("Budget"), tr("Trial budget"), 156);
    for (int trials : {32, 256, 512, 1024, 2048}) budget_->addItem(tr("%1 trials").arg(trials), trials);
    for (int minutes : {5, 15, 60}) budget_->addItem(tr("%1 minutes").arg(minutes), -minutes);
    budget_->addItem(tr("Options\u2026"), 0);
    setBudget({});
    addSeparator();
    actions.exportModel->setIconText(tr("Export .so"));
    addAction(actions.exportModel);
    auto* gap = new QWidget;
    gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addWidget(gap);
    before_ = new ThemedLabel(theme, FontRole::Headline, Ink::Text3);
    arrow_ = new ThemedLabel(theme, FontRole::Headline, Ink::Text3, QStringLiteral("  \u2192  "));
    now_ = new ThemedLabel(theme, FontRole::Headline, Ink::Text1);
    ratio_ = new ThemedLabel(theme, FontRole::Headline, Ink::Accent);
    for (ThemedLabel* label : {before_, arrow_, now_, ratio_}) addWidget(label);
    before_->setAccessibleName(tr("Latency before, now, and speed-up"));
    ratio_->setContentsMargins(10, 0, 6, 0);
    setHeadline(0, 0);
    connect(target_, &QComboBox::activated, this, [this] { emit targetChosen(target()); });
    connect(budget_, &QComboBox::activated, this, [this] {
        if (budget_->currentData().toInt() != 0) {
            custom_ = budget();
            emit budgetChosen();
            return;
        }
        setBudget(custom_);
        emit optionsChosen();
    });
}

QComboBox* ToolRow::combo(const QString& prefix, const QString& accessibleName, int width) {
    auto* box = new QComboBox;
    box->setAccessibleName(accessibleName);
    box->setToolTip(accessibleName);
    auto* holder = new QWidget;
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(theme_->px(6), 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(new ThemedLabel(theme_, FontRole::Normal, Ink::Text3, prefix));
    row->addWidget(box);
    box->setMinimumWidth(theme_->px(90));
    box->setMaximumWidth(theme_->px(width));
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    addWidget(holder);
    return box;
}

QString ToolRow::target() const {
    return target_->currentData().toString();
}

void ToolRow::setTarget(const QString& target) {
    int index = target_->findData(target);
    if (index < 0) {
        target_->addItem(target, target);
        index = target_->count() - 1;
    }
    target_->setCurrentIndex(index);
}

Budget ToolRow::budget() const {
    const int value = budget_->currentData().toInt();
    if (value > 0) return {value, 0};
    if (value < 0) return {0, double(-value)};
    return custom_;
}

void ToolRow::setBudget(const Budget& budget) {
    custom_ = budget;
    const int key =
        budget.minutes > 0 ? (budget.minutes == int(budget.minutes) ? -int(budget.minutes) : 0) : budget.trials;
    int index = key != 0 ? budget_->findData(key) : -1;
    if (index < 0 && key != 0) {
        index = budget_->count() - 1;  // before Options
        budget_->insertItem(index, budgetText(budget), key);
    }
    budget_->setCurrentIndex(std::max(0, index));
}

void ToolRow::setHeadline(double baselineNs, double nowNs) {
    const bool known = baselineNs > 0 && nowNs > 0;
    auto text = [](const std::string& s) { return QString::fromStdString(s); };
    before_->setText(known ? text(formatMs(baselineNs, 2)) + " ms" : QString());
    arrow_->setText(known ? QStringLiteral("  \u2192  ") : QString());
    now_->setText(known ? text(formatMs(nowNs, 2)) + " ms" : QString());
    ratio_->setText(known ? text(formatRatio(baselineNs / nowNs)) : QString());
}

}  // namespace fettle::ui
