// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/icons.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <memory>

static void registerResources() {  // Q_INIT_RESOURCE may not be used inside a namespace
    Q_INIT_RESOURCE(fettle);
}

namespace fettle::ui {

namespace {

class SvgEngine : public QIconEngine {
public:
    SvgEngine(std::shared_ptr<QSvgRenderer> renderer) : renderer_(std::move(renderer)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        painter->save();
        if (mode == QIcon::Disabled) painter->setOpacity(painter->opacity() * 0.55);
        renderer_->render(painter, rect);
        painter->restore();
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect({}, size), mode, state);
        return pixmap;
    }
    QIconEngine* clone() const override { return new SvgEngine(*this); }

private:
    std::shared_ptr<QSvgRenderer> renderer_;
};

QIcon iconFrom(const QByteArray& svg) {
    auto renderer = std::make_shared<QSvgRenderer>(svg);
    return renderer->isValid() ? QIcon(new SvgEngine(std::move(renderer))) : QIcon();
}

QByteArray readIcon(const QString& name) {
    initResources();
    QFile file(":/icons/" + name + ".svg");
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

void initResources() {
    registerResources();
}

QIcon themedIcon(const QString& name, const QColor& colour) {
    static const QRegularExpression ink("currentColor|#232629|#fcfcfc");
    QString svg = QString::fromUtf8(readIcon(name));
    return svg.isEmpty() ? QIcon() : iconFrom(svg.replace(ink, colour.name()).toUtf8());
}

QIcon applicationIcon() {
    return iconFrom(readIcon("fettle"));
}

}  // namespace fettle::ui
