// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/export_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QUrl>
#include <QVBoxLayout>

#include "core/support/format.h"
#include "ui/shell/icons.h"
#include "ui/widgets/words.h"

namespace fettle::ui {

namespace {

QString text(const std::string& s) {
    return QString::fromStdString(s);
}

QString scientific(double value) {
    return QString::number(value, 'e', 1).replace("e-0", "e-").replace("e+00", "");
}

}  // namespace

ExportDialog::ExportDialog(const UiContext& context, QWidget* parent) : QDialog(parent), context_(context) {
    const auto outline = context.data().outline;
    setWindowTitle(tr("Export %1").arg(outline ? text(outline->info.modelName) : QString()));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* body = new QWidget;
    body->setProperty("surface", true);
    body->setAttribute(Qt::WA_StyledBackground);
    auto* inside = new QVBoxLayout(body);
    inside->setContentsMargins(20, 16, 20, 16);
    banner_ = new Banner(context.theme);
    inside->addWidget(banner_);
    inside->addWidget(makeForm());
    inside->addStretch(1);
    column->addWidget(body, 1);
    column->addWidget(makeButtons());
    resize(context.theme->px(640), context.theme->px(520));
    connect(context.session, &SessionController::exported, this, &ExportDialog::showReport);
    connect(context.session, &SessionController::failed, this, [this](const Error& error) {
        if (!running_) return;
        running_ = false;
        banner_->showError(error);
        refresh();
    });
    connect(context.session, &SessionController::changed, this, [this] { refresh(); });
    connect(context.session, &SessionController::closed, this, &QDialog::reject);
    showContents(nullptr);
    refresh();
}

QTableWidget* ExportDialog::makeTable(int columns, const QString& name) {
    auto* table = new QTableWidget(0, columns);
    table->setAccessibleName(name);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(context_.theme->px(28));
    table->setShowGrid(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->setFocusPolicy(Qt::NoFocus);
    table->setFont(context_.theme->font(FontRole::Dense));
    table->horizontalHeader()->setFont(context_.theme->font(FontRole::Caption));
    table->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->setStyleSheet("QTableWidget { border: 1px solid " + context_.theme->tokens().border.name() + "; }");
    return table;
}

QWidget* ExportDialog::makeForm() {
    Theme* theme = context_.theme;
    auto* form = new QWidget;
    auto* grid = new QGridLayout(form);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(8);
    grid->setColumnMinimumWidth(0, theme->px(90));
    grid->setColumnStretch(1, 1);
    auto label = [&](int row, const QString& words) {
        auto* l = new ThemedLabel(theme, FontRole::Normal, Ink::Text2, words);
        l->setContentsMargins(0, 5, 0, 0);
        grid->addWidget(l, row, 0, Qt::AlignTop);
    };
    label(0, tr("Target"));
    const auto outline = context_.data().outline;
    QString target =
        outline ? text(target::describe(outline->target)).replace(" - ", QStringLiteral(" \u00b7 ")) : QString();
    auto* targetLabel = new ThemedLabel(theme, FontRole::Normal, Ink::Text1, target);
    targetLabel->setContentsMargins(0, 5, 0, 0);
    grid->addWidget(targetLabel, 0, 1);
    label(1, tr("Threads"));
    auto* threadRow = new QHBoxLayout;
    threads_ = new QComboBox;
    threads_->setAccessibleName(tr("Threads"));
    const int cores = outline ? std::max(1, outline->target.cores) : 1;
    for (int n = 1; n <= cores; n *= 2) threads_->addItem(QString::number(n), n);
    if (threads_->findData(cores) < 0) threads_->addItem(QString::number(cores), cores);
    threadRow->addWidget(threads_);
    threadRow->addWidget(new ThemedLabel(theme, FontRole::Dense, Ink::Text3, tr("of a built-in pool")), 1);
    grid->addLayout(threadRow, 1, 1);
    label(2, tr("Folder"));
    auto* folderRow = new QHBoxLayout;
    folder_ = new QLineEdit(QDir::toNativeSeparators(defaultFolder()));
    folder_->setAccessibleName(tr("Folder"));
    auto* choose = new QPushButton(tr("Choose\u2026"));
    folderRow->addWidget(folder_, 1);
    folderRow->addWidget(choose);
    grid->addLayout(folderRow, 2, 1);
    connect(choose, &QPushButton::clicked, this, [this] {
        const QString chosen = QFileDialog::getExistingDirectory(this, tr("Folder for the exported model"),
                                                                 QFileInfo(folder_->text()).path());
        if (!chosen.isEmpty()) folder_->setText(chosen + '/' + QFileInfo(defaultFolder()).fileName());
    });
    label(3, tr("Contents"));
    contents_ = makeTable(3, tr("Contents"));
    contents_->horizontalHeader()->hide();
    contents_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    contents_->setColumnWidth(0, theme->px(130));
    contents_->setColumnWidth(2, theme->px(80));
    contents_->setFixedHeight(theme->px(28) * 4 + 2);
    grid->addWidget(contents_, 3, 1);
    label(4, tr("Verification"));
    auto* checks = new QVBoxLayout;
    verify_ = new QCheckBox(tr("Run the exported library against the reference"));
    verify_->setChecked(true);
    checks->addWidget(verify_);
    proof_ = new QFrame;
    proof_->setObjectName("proof");
    auto* proofColumn = new QVBoxLayout(proof_);
    proofColumn->setContentsMargins(1, 1, 1, 1);
    proofColumn->setSpacing(0);
    auto* verdictRow = new QHBoxLayout;
    verdictRow->setContentsMargins(10, 6, 10, 6);
    verdict_ = new ThemedLabel(theme, FontRole::NormalStrong, Ink::Text1);
    proofNote_ = new ThemedLabel(theme, FontRole::Dense, Ink::Text2);
    verdictRow->addWidget(verdict_, 1);
    verdictRow->addWidget(proofNote_);
    proofColumn->addLayout(verdictRow);
    outputs_ = makeTable(5, tr("Error of each output"));
    outputs_->setHorizontalHeaderLabels(
        {tr("Output"), tr("Shape"), tr("Max absolute"), tr("Max relative"), tr("Tolerance")});
    outputs_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    proofColumn->addWidget(outputs_);
    proof_->hide();
    checks->addWidget(proof_);
    grid->addLayout(checks, 4, 1);
    label(5, tr("Good to know"));
    goodToKnow_ = new ThemedLabel(theme, FontRole::Dense, Ink::Text2);
    goodToKnow_->setWordWrap(true);
    goodToKnow_->setContentsMargins(0, 6, 0, 0);
    grid->addWidget(goodToKnow_, 5, 1);
    return form;
}

QWidget* ExportDialog::makeButtons() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(20, 12, 20, 12);
    row->setSpacing(8);
    show_ = new QPushButton(themedIcon("document-open", context_.theme->tokens().text1), tr("Show folder"));
    copy_ = new QPushButton(themedIcon("edit-copy", context_.theme->tokens().text1), tr("Copy path"));
    auto* close = new QPushButton(tr("Close"));
    export_ = new QPushButton;
    export_->setProperty("primary", true);
    export_->setIcon(themedIcon("document-export", context_.theme->tokens().onAccent));
    export_->setDefault(true);
    row->addWidget(show_);
    row->addWidget(copy_);
    row->addStretch(1);
    row->addWidget(close);
    row->addWidget(export_);
    connect(show_, &QPushButton::clicked, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder_->text())); });
    connect(copy_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(folder_->text()); });
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    connect(export_, &QPushButton::clicked, this, &ExportDialog::begin);
    return bar;
}

QString ExportDialog::defaultFolder() const {
    const auto outline = context_.data().outline;
    const QString name = outline ? text(outline->info.modelName) : "model";
    const QString target =
        outline ? text(outline->target.isHost() ? outline->target.cpu : outline->target.name) : "host";
    return QDir::homePath() + "/exports/" + QFileInfo(name).completeBaseName() + '-' + target;
}

void ExportDialog::begin() {
    if (!context_.session->isOpen() || context_.session->busy()) return;
    banner_->hide();
    proof_->hide();
    running_ = true;
    QDir().mkpath(QFileInfo(folder_->text()).path());
    context_.session->exportTo(folder_->text(), threads_->currentData().toInt(), verify_->isChecked());
    refresh();
}

void ExportDialog::showContents(const compile::ExportReport* report) {
    const struct {
        const char* file;
        QString what;
    } known[] = {{"model.so", tr("compiled model, needs only threads")},
                 {"model.h", tr("C99 interface")},
                 {"example.c", tr("builds with cc example.c -ldl")},
                 {"model.json", tr("target, shapes, schedules, hashes")}};
    QStringList files;
    if (report)
        for (const std::string& file : report->files) files << QFileInfo(text(file)).fileName();
    else
        for (const auto& row : known) files << row.file;
    contents_->setRowCount(int(files.size()));
    for (int i = 0; i < files.size(); ++i) {
        QString what;
        for (const auto& row : known)
            if (files[i] == row.file) what = row.what;
        const QFileInfo written(folder_->text() + '/' + files[i]);
        const QString size =
            report && written.exists() ? text(formatBytes(double(written.size()))) : QStringLiteral("\u2013");
        const QString cells[] = {files[i], what, size};
        for (int c = 0; c < 3; ++c) {
            auto* item = new QTableWidgetItem(cells[c]);
            if (c == 0) item->setFont(context_.theme->font(FontRole::DenseStrong));
            if (c > 0) item->setForeground(context_.theme->tokens().text3);
            if (c == 2) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            contents_->setItem(i, c, item);
        }
    }
}

void ExportDialog::showReport(const compile::ExportReport& report) {
    running_ = false;
    done_ = true;
    folder_->setText(text(report.folder.string()));
    showContents(&report);
    const compile::Verification& v = report.verification;
    const bool checked = !v.outputs.empty();
    proof_->setVisible(checked);
    const Tokens& t = context_.theme->tokens();
    proof_->setStyleSheet(QString("#proof { background: %1; border: 1px solid %2; }")
                              .arg((v.ok ? t.betterFill : t.worseFill).name(), t.border.name()));
    verdict_->setText(v.ok ? QStringLiteral("\u2713  ") + tr("Verified on seeded inputs") : tr("The result is wrong"));
    verdict_->setInk(v.ok ? Ink::Better : Ink::Worse);
    proofNote_->setText(text(formatBytes(double(report.bytes))));
    outputs_->setRowCount(int(v.outputs.size()));
    for (int i = 0; i < int(v.outputs.size()); ++i) {
        const compile::OutputError& o = v.outputs[i];
        const QString cells[] = {text(o.name), text(graph::shapeText(o.shape)), scientific(o.maxAbsError),
                                 scientific(o.maxRelError), scientific(v.tolerance)};
        for (int c = 0; c < 5; ++c) {
            auto* item = new QTableWidgetItem(cells[c]);
            if (c > 1) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            outputs_->setItem(i, c, item);
        }
    }
    outputs_->setFixedHeight(context_.theme->px(28) * std::min(4, int(v.outputs.size())) + context_.theme->px(28));
    refresh();
}

void ExportDialog::refresh() {
    const SessionData& data = context_.data();
    const bool busy = context_.session->busy();
    if (running_ && !busy && data.state == session::State::Finished) running_ = false;
    export_->setText(running_ ? tr("Exporting\u2026") : done_ ? tr("Export again") : tr("Export"));
    export_->setEnabled(!busy && !running_);
    for (QPushButton* button : {show_, copy_}) button->setEnabled(done_);
    QString words = data.trials.empty()
                        ? tr("Nothing is tuned yet; this exports the default schedules.")
                        : counted(tr("This exports the best of %n trial(s).", nullptr, int(data.trials.size())),
                                  int(data.trials.size()));
    if (busy && !running_) words += ' ' + tr("Stop tuning first to export.");
    goodToKnow_->setText(words);
}

}  // namespace fettle::ui
