// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/banner.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/shell/icons.h"

namespace fettle::ui {

namespace {
QString text(const std::string& s) {
    return QString::fromStdString(s);
}
}  // namespace

Banner::Banner(Theme* theme, QWidget* parent) : QFrame(parent), theme_(theme) {
    setObjectName("banner");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 8, 8, 8);
    row->setSpacing(10);
    icon_ = new QLabel;
    row->addWidget(icon_, 0, Qt::AlignTop);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    what_ = new ThemedLabel(theme, FontRole::DenseStrong, Ink::Text1);
    why_ = new ThemedLabel(theme, FontRole::Dense, Ink::Text1);
    for (ThemedLabel* label : {what_, why_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setTextFormat(Qt::PlainText);
        words->addWidget(label);
    }
    row->addLayout(words, 1);
    action_ = new QPushButton;
    action_->setProperty("dense", true);
    copy_ = new QPushButton(tr("Copy"));
    copy_->setProperty("dense", true);
    copy_->setToolTip(tr("Copy the whole message"));
    close_ = new QToolButton;
    close_->setProperty("flat", true);
    close_->setAccessibleName(tr("Close this message"));
    row->addWidget(action_, 0, Qt::AlignTop);
    row->addWidget(copy_, 0, Qt::AlignTop);
    row->addWidget(close_, 0, Qt::AlignTop);
    connect(copy_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text(error_.message())); });
    connect(close_, &QToolButton::clicked, this, &QWidget::hide);
    connect(action_, &QPushButton::clicked, this, &Banner::actionChosen);
    connect(theme_, &Theme::changed, this, &Banner::applyTheme);
    applyTheme();
    hide();
}

void Banner::applyTheme() {
    const Tokens& t = theme_->tokens();
    setStyleSheet(
        QString("#banner { background: %1; border: 1px solid %2; }").arg(t.warningFill.name(), t.warningEdge.name()));
    icon_->setPixmap(themedIcon("warning", t.warning).pixmap(QSize(16, 16), devicePixelRatioF()));
    close_->setIcon(themedIcon("window-close", t.text2));
}

void Banner::showError(const Error& error) {
    error_ = error;
    what_->setText(text(error.where.empty() ? error.what : error.what + " (" + error.where + ")"));
    QString why = text(error.why);
    if (!error.next.empty()) why += (why.isEmpty() || why.endsWith('.') ? " " : ". ") + text(error.next);
    why_->setText(why.trimmed());
    why_->setVisible(!why.trimmed().isEmpty());
    copy_->show();
    action_->hide();
    setAccessibleName(text(error.message()));
    show();
}

void Banner::showNotice(const QString& what, const QString& why, const QString& action) {
    error_ = {};
    what_->setText(what);
    why_->setText(why);
    why_->setVisible(!why.isEmpty());
    copy_->hide();
    action_->setText(action);
    action_->setVisible(!action.isEmpty());
    setAccessibleName(what + ". " + why);
    show();
}

}  // namespace fettle::ui
