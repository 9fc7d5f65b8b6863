// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/dock.h"

#include <QHBoxLayout>

#include "ui/shell/icons.h"

namespace fettle::ui {

Dock::Dock(Theme* theme, const QString& objectName, const QString& title, QWidget* body, QWidget* parent)
    : QDockWidget(title, parent), theme_(theme) {
    setObjectName(objectName);
    bar_ = new QWidget;
    bar_->setObjectName("dockTitle");
    bar_->setAttribute(Qt::WA_StyledBackground);
    bar_->setFixedHeight(theme->px(28));
    auto* row = new QHBoxLayout(bar_);
    row->setContentsMargins(10, 0, 6, 0);
    row->setSpacing(8);
    row->addWidget(new ThemedLabel(theme, FontRole::DenseStrong, Ink::Text1, title));
    count_ = new ThemedLabel(theme, FontRole::Dense, Ink::Text3);
    row->addWidget(count_, 1);
    float_ = new QToolButton;
    close_ = new QToolButton;
    for (QToolButton* button : {float_, close_}) {
        button->setProperty("flat", true);
        button->setIconSize({12, 12});
        row->addWidget(button);
    }
    float_->setAccessibleName(tr("Float %1").arg(title));
    float_->setToolTip(float_->accessibleName());
    close_->setAccessibleName(tr("Close %1").arg(title));
    close_->setToolTip(close_->accessibleName());
    connect(float_, &QToolButton::clicked, this, [this] { setFloating(!isFloating()); });
    connect(close_, &QToolButton::clicked, this, &QWidget::close);
    setTitleBarWidget(bar_);
    setWidget(body);
    connect(theme_, &Theme::changed, this, &Dock::applyTheme);
    applyTheme();
}

void Dock::setCount(const QString& count) {
    if (count_->text() != count) count_->setText(count);
}

void Dock::applyTheme() {
    const Tokens& t = theme_->tokens();
    bar_->setStyleSheet(
        QString("#dockTitle { background: %1; border: 1px solid %2; }").arg(t.sunken.name(), t.border.name()));
    float_->setIcon(themedIcon("window-restore", t.text3));
    close_->setIcon(themedIcon("window-close", t.text3));
}

}  // namespace fettle::ui
