// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/small_dialogs.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>

#include "ui/shell/actions.h"
#include "ui/widgets/themed_label.h"

namespace fettle::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("Dialogs", text);
}

// A column with a sentence, a form, and OK / Cancel.
struct Asking {
    QDialog dialog;
    QFormLayout* form;

    Asking(Theme* theme, const QString& title, const QString& sentence, QWidget* parent) : dialog(parent) {
        dialog.setWindowTitle(title);
        auto* column = new QVBoxLayout(&dialog);
        column->setContentsMargins(20, 16, 20, 16);
        column->setSpacing(12);
        auto* words = new ThemedLabel(theme, FontRole::Normal, Ink::Text2, sentence);
        words->setWordWrap(true);
        column->addWidget(words);
        form = new QFormLayout;
        form->setHorizontalSpacing(16);
        form->setVerticalSpacing(8);
        column->addLayout(form);
        column->addStretch(1);
        auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
        column->addWidget(buttons);
        QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
        QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
        dialog.setMinimumWidth(theme->px(400));
    }
};

}  // namespace

std::optional<std::map<std::string, int64_t>> askDimensions(Theme* theme, const std::map<std::string, int64_t>& now,
                                                            QWidget* parent) {
    Asking asking(theme, tr("Dimensions"),
                  tr("This model leaves some dimensions open. Kernels are tuned and exported for these values."),
                  parent);
    std::map<std::string, QSpinBox*> boxes;
    for (const auto& [name, value] : now) {
        auto* box = new QSpinBox;
        box->setRange(1, 1 << 20);
        box->setValue(int(std::min<int64_t>(value, 1 << 20)));
        box->setAccessibleName(QString::fromStdString(name));
        asking.form->addRow(QString::fromStdString(name), box);
        boxes[name] = box;
    }
    if (asking.dialog.exec() != QDialog::Accepted) return {};
    std::map<std::string, int64_t> values;
    for (const auto& [name, box] : boxes) values[name] = box->value();
    return values;
}

std::optional<session::TuneOptions> askTuneOptions(Theme* theme, const session::TuneOptions& now, int cores,
                                                   bool threadsFixed, QWidget* parent) {
    Asking asking(theme, tr("Tune options"),
                  tr("Tuning ends when the trials or the minutes are used up, whichever comes first."), parent);
    auto* trials = new QSpinBox;
    trials->setRange(0, 1000000);
    trials->setSpecialValueText(tr("no limit"));
    trials->setValue(now.trials);
    auto* minutes = new QDoubleSpinBox;
    minutes->setRange(0, 10000);
    minutes->setDecimals(1);
    minutes->setSpecialValueText(tr("no limit"));
    minutes->setValue(now.minutes);
    auto* threads = new QSpinBox;
    threads->setRange(1, std::max(1, cores));
    threads->setValue(now.threads);
    threads->setEnabled(!threadsFixed);
    threads->setToolTip(threadsFixed ? tr("The trials of this session ran with this many threads.") : QString());
    auto* seed = new QSpinBox;
    seed->setRange(0, 1 << 30);
    seed->setValue(int(now.seed));
    auto* operators = new QLineEdit;
    operators->setPlaceholderText(tr("all, or names like Conv_1*, Gemm_99"));
    QStringList globs;
    for (const std::string& glob : now.operators) globs << QString::fromStdString(glob);
    operators->setText(globs.join(", "));
    asking.form->addRow(tr("Trials"), trials);
    asking.form->addRow(tr("Minutes"), minutes);
    asking.form->addRow(tr("Threads"), threads);
    asking.form->addRow(tr("Seed"), seed);
    asking.form->addRow(tr("Operators"), operators);
    if (asking.dialog.exec() != QDialog::Accepted) return {};
    session::TuneOptions options = now;
    options.trials = trials->value();
    options.minutes = minutes->value();
    if (options.trials == 0 && options.minutes == 0) options.trials = 256;
    options.threads = threads->value();
    options.seed = uint64_t(seed->value());
    options.operators.clear();
    for (const QString& glob : operators->text().split(',', Qt::SkipEmptyParts))
        options.operators.push_back(glob.trimmed().toStdString());
    return options;
}

void showShortcuts(Theme* theme, QWidget* parent) {
    Asking asking(theme, tr("Keyboard shortcuts"), tr("Everything can be reached with the keyboard."), parent);
    for (const Shortcut& row : shortcutList())
        asking.form->addRow(new ThemedLabel(theme, FontRole::Code, Ink::Text1, row.keys),
                            new ThemedLabel(theme, FontRole::Normal, Ink::Text2, row.what));
    asking.dialog.exec();
}

}  // namespace fettle::ui
