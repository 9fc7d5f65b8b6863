// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/start_page.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "core/support/format.h"
#include "ui/shell/icons.h"
#include "ui/shell/sample_model.h"
#include "ui/widgets/words.h"

namespace fettle::ui {

namespace {

QString ago(const QDateTime& when) {
    if (!when.isValid()) return {};
    const qint64 minutes = when.secsTo(QDateTime::currentDateTime()) / 60;
    const qint64 days = when.date().daysTo(QDate::currentDate());
    if (minutes < 1) return StartPage::tr("just now");
    if (minutes < 60 && days == 0) return StartPage::tr("%n min ago", nullptr, int(minutes));
    if (days == 0) return StartPage::tr("%n h ago", nullptr, int(minutes / 60));
    if (days == 1) return StartPage::tr("yesterday");
    if (days < 7) return QLocale::c().dayName(when.date().dayOfWeek());
    return when.date().toString(Qt::ISODate);
}

}  // namespace

DropTarget::DropTarget(Theme* theme, QWidget* parent) : QFrame(parent), theme_(theme) {
    auto* column = new QVBoxLayout(this);
    column->setSpacing(4);
    column->addStretch(1);
    icon_ = new QLabel;
    icon_->setAlignment(Qt::AlignCenter);
    column->addWidget(icon_);
    column->addSpacing(6);
    column->addWidget(new ThemedLabel(theme, FontRole::Headline, Ink::Text1, tr("Drop an ONNX model here")), 0,
                      Qt::AlignCenter);
    column->addWidget(new ThemedLabel(theme, FontRole::Dense, Ink::Text3, tr("or a .fettle session")), 0,
                      Qt::AlignCenter);
    column->addSpacing(8);
    button_ = new QPushButton(tr("Open\u2026"));
    button_->setProperty("primary", true);
    column->addWidget(button_, 0, Qt::AlignCenter);
    column->addStretch(1);
    connect(button_, &QPushButton::clicked, this, &DropTarget::openChosen);
    connect(theme_, &Theme::changed, this, &DropTarget::applyTheme);
    applyTheme();
}

void DropTarget::applyTheme() {
    icon_->setPixmap(themedIcon("document-open-32", theme_->tokens().text3).pixmap(QSize(32, 32), devicePixelRatioF()));
    button_->setIcon(themedIcon("document-open", theme_->tokens().onAccent));
    update();
}

void DropTarget::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(theme_->tokens().borderStrong, 2);
    pen.setDashPattern({3, 2});
    painter.setPen(pen);
    painter.setBrush(theme_->tokens().sunken);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
}

StartPage::StartPage(Theme* theme, Settings* settings, QWidget* parent)
    : QWidget(parent), theme_(theme), settings_(settings) {
    setProperty("surface", true);
    setAttribute(Qt::WA_StyledBackground);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    outer->addWidget(scroll);
    auto* page = new QWidget;
    page->setProperty("surface", true);
    auto* across = new QHBoxLayout(page);
    auto* middle = new QWidget;
    middle->setMaximumWidth(theme->px(960));
    across->addStretch(1);
    across->addWidget(middle, 20);
    across->addStretch(1);
    scroll->setWidget(page);
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 56, 0, 24);
    column->setSpacing(8);
    column->addWidget(new ThemedLabel(theme, FontRole::Tile, Ink::Text1, tr("Fettle")));
    column->addWidget(new ThemedLabel(theme, FontRole::Normal, Ink::Text2,
                                      tr("Open a model, see what is slow, tune it for this machine.")));
    column->addSpacing(12);
    auto* cards = new QHBoxLayout;
    cards->setSpacing(16);
    auto* drop = new DropTarget(theme);
    drop->setFixedHeight(theme->px(196));
    connect(drop, &DropTarget::openChosen, this, &StartPage::openChosen);
    cards->addWidget(drop, 2);
    if (QWidget* sample = makeSample()) cards->addWidget(sample, 1);
    column->addLayout(cards);
    column->addSpacing(20);
    auto* heading = new QHBoxLayout;
    heading->addWidget(new ThemedLabel(theme, FontRole::NormalStrong, Ink::Text1, tr("Recent sessions")), 1);
    filter_ = new QLineEdit;
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setAccessibleName(tr("Filter recent sessions"));
    filter_->setProperty("dense", true);
    filter_->setMaximumWidth(theme->px(160));
    filter_->addAction(themedIcon("edit-find", theme->tokens().text3), QLineEdit::LeadingPosition);
    connect(filter_, &QLineEdit::textChanged, this, &StartPage::fillTable);
    heading->addWidget(filter_);
    column->addLayout(heading);
    table_ = new QTableWidget(0, 7);
    table_->setAccessibleName(tr("Recent sessions"));
    table_->setHorizontalHeaderLabels(
        {tr("Model"), tr("Target"), tr("Progress"), tr("Latency"), tr("Speed-up"), tr("Last used"), QString()});
    table_->verticalHeader()->hide();
    table_->setShowGrid(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setProperty("panel", true);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->horizontalHeader()->setFixedHeight(theme->px(26));
    table_->horizontalHeader()->setFont(theme->font(FontRole::Caption));
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    const int widths[] = {0, 160, 140, 150, 80, 100, 96};
    for (int i = 1; i < 7; ++i) table_->setColumnWidth(i, theme->px(widths[i]));
    table_->verticalHeader()->setDefaultSectionSize(theme->px(36));
    table_->setFont(theme->font(FontRole::Dense));
    connect(table_, &QTableWidget::cellActivated, this,
            [this](int row) { emit fileChosen(table_->item(row, 0)->data(Qt::UserRole).toString(), false); });
    column->addWidget(table_, 20);
    note_ = new ThemedLabel(theme, FontRole::Dense, Ink::Text3,
                            tr("Sessions are saved after every trial; closing the window loses nothing."));
    column->addWidget(note_);
    column->addStretch(1);
    refresh();
}

QWidget* StartPage::makeSample() {
    const QString file = sampleModelFile();
    if (file.isEmpty()) return nullptr;
    auto* card = new QFrame;
    card->setProperty("panel", true);
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addWidget(new ThemedLabel(theme_, FontRole::NormalStrong, Ink::Text1, tr("Sample model")));
    auto* words = new ThemedLabel(
        theme_, FontRole::Dense, Ink::Text2,
        tr("A small convolutional network that reads handwritten digits. Tuning 32 trials takes seconds."));
    words->setWordWrap(true);
    column->addWidget(words);
    auto* grid = new QGridLayout;
    grid->setVerticalSpacing(4);
    grid->setHorizontalSpacing(24);
    grid->addWidget(new ThemedLabel(theme_, FontRole::Dense, Ink::Text3, tr("File")), 0, 0);
    grid->addWidget(new ThemedLabel(theme_, FontRole::Dense, Ink::Text1, "digits_mobilenet"), 0, 1);
    grid->addWidget(new ThemedLabel(theme_, FontRole::Dense, Ink::Text3, tr("Size")), 1, 0);
    grid->addWidget(new ThemedLabel(theme_, FontRole::Dense, Ink::Text1,
                                    QString::fromStdString(formatBytes(double(QFileInfo(file).size())))),
                    1, 1);
    grid->setColumnStretch(1, 1);
    column->addLayout(grid);
    column->addStretch(1);
    auto* button = new QPushButton(tr("Open sample"));
    connect(button, &QPushButton::clicked, this, &StartPage::sampleChosen);
    column->addWidget(button, 0, Qt::AlignLeft);
    return card;
}

void StartPage::refresh() {
    recent_ = settings_->recent();
    fillTable();
}

void StartPage::fillTable() {
    table_->setRowCount(0);
    for (const RecentSession& s : recent_) {
        if (!filter_->text().isEmpty() && !s.model.contains(filter_->text(), Qt::CaseInsensitive) &&
            !s.target.contains(filter_->text(), Qt::CaseInsensitive))
            continue;
        const int row = table_->rowCount();
        table_->insertRow(row);
        const bool exists = QFileInfo::exists(s.file);
        const bool unfinished = exists && s.trials > 0 && !s.finished;
        QString latency = s.baselineNs > 0
                              ? QString::fromStdString(formatMs(s.baselineNs, 2)) + QStringLiteral(" \u2192 ") +
                                    QString::fromStdString(formatMs(s.bestNs, 2)) + " ms"
                              : QStringLiteral("\u2013");
        QString progress = !exists         ? tr("file is gone")
                           : s.trials == 0 ? tr("not tuned")
                           : unfinished && s.budget > s.trials
                               ? tr("%1 of %2 trials").arg(s.trials).arg(s.budget)
                               : counted(tr("%n trial(s)", nullptr, s.trials), s.trials);
        const QString speedUp = s.baselineNs > 0 && s.bestNs > 0
                                    ? QString::fromStdString(formatRatio(s.baselineNs / s.bestNs))
                                    : QStringLiteral("\u2013");
        const QString cells[] = {s.model, s.target, progress, latency, speedUp, ago(s.lastUsed)};
        for (int column = 0; column < 6; ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            item->setForeground(column == 0 || column == 3 || column == 4 ? theme_->tokens().text1
                                                                          : theme_->tokens().text2);
            if (column == 0) {
                item->setData(Qt::UserRole, s.file);
                item->setToolTip(s.file);
                item->setFont(theme_->font(FontRole::DenseStrong));
            }
            if (column == 4) item->setFont(theme_->font(FontRole::DenseStrong));
            table_->setItem(row, column, item);
        }
        auto* cell = new QWidget;
        auto* layout = new QHBoxLayout(cell);
        layout->setContentsMargins(8, 0, 8, 0);
        auto* button = new QPushButton(!exists ? tr("Remove") : unfinished ? tr("Resume") : tr("Open"));
        button->setProperty("dense", true);
        button->setFont(theme_->font(FontRole::Dense));
        button->setAccessibleName(button->text() + ' ' + s.model);
        layout->addStretch(1);
        layout->addWidget(button);
        table_->setCellWidget(row, 6, cell);
        connect(button, &QPushButton::clicked, this, [this, file = s.file, exists, unfinished] {
            if (exists) return void(emit fileChosen(file, unfinished));
            settings_->forget(file);
            QMetaObject::invokeMethod(this, &StartPage::refresh, Qt::QueuedConnection);
        });
    }
    table_->setVisible(table_->rowCount() > 0);
    note_->setText(recent_.isEmpty() ? tr("Sessions that you open appear here. They are saved after every trial; "
                                          "closing the window loses nothing.")
                                     : tr("Sessions are saved after every trial; closing the window loses nothing."));
}

}  // namespace fettle::ui
