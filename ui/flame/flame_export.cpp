// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flame/flame_export.h"

#include <QBuffer>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include "core/compile/profile_export.h"

namespace fettle::ui {

namespace {

constexpr int kMargin = 12, kHeading = 28;

QSize sizeOf(const FlameTree& tree, const FlameStyle& style, const Theme& theme, const FlamePicture& picture) {
    return {picture.width, flameHeight(tree.depth(), style, theme) + theme.px(kHeading) + 2 * kMargin};
}

void paint(QPainter& painter, const FlameTree& tree, const FlameStyle& style, const Theme& theme,
           const FlamePicture& picture) {
    const QSize size = sizeOf(tree, style, theme, picture);
    const Tokens& tokens = theme.tokens();
    painter.fillRect(QRect({}, size), tokens.surface);
    const QRect heading(kMargin, kMargin, size.width() - 2 * kMargin, theme.px(kHeading) - 8);
    painter.setFont(theme.font(FontRole::DenseStrong));
    painter.setPen(tokens.text1);
    painter.drawText(heading, Qt::AlignLeft | Qt::AlignVCenter, picture.title);
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(tokens.text3);
    painter.drawText(heading, Qt::AlignRight | Qt::AlignVCenter, picture.caption);
    const FlameLayout layout(tree, picture.range, size.width() - 2 * kMargin);
    ElisionCache elisions;
    paintFlame(painter, QPointF(kMargin, kMargin + theme.px(kHeading)), tree, layout, style, theme, elisions);
}

tl::unexpected<Error> cannotWrite(const QString& file, const QString& why) {
    return fail(ErrorCode::Failed, "cannot write the flame chart", file.toStdString(), why.toStdString(),
                "Choose another folder or a smaller picture.");
}

Result<QByteArray> picturePng(const QSize& size, const FlamePicture& picture, const QString& file,
                              const std::function<void(QPainter&)>& paintAll) {
    QImage image(size * picture.ratio, QImage::Format_RGB32);
    if (image.isNull())
        return cannotWrite(file,
                           QString("a picture of %1 x %2 does not fit in memory").arg(size.width()).arg(size.height()));
    image.setDevicePixelRatio(picture.ratio);
    QPainter painter(&image);
    paintAll(painter);
    painter.end();
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG")) return cannotWrite(file, "the PNG encoder failed");
    return buffer.data();
}

QByteArray pictureSvg(const QSize& size, const FlamePicture& picture, const std::function<void(QPainter&)>& paintAll) {
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect({}, size));
    generator.setResolution(96);
    generator.setTitle(picture.title);
    QPainter painter(&generator);
    paintAll(painter);
    painter.end();
    // Where our own cut of Inter is not installed, plain Inter or any other sans serif will do.
    return QByteArray(buffer.data())
        .replace("font-family=\"Fettle Inter\"", "font-family=\"Fettle Inter, Inter, sans-serif\"");
}

QByteArray picturePdf(const QSize& size, const FlamePicture& picture, const std::function<void(QPainter&)>& paintAll) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(96);
    writer.setTitle(picture.title);
    writer.setPageMargins(QMarginsF());
    writer.setPageSize(QPageSize(QSizeF(size) * 72.0 / 96.0, QPageSize::Point, {}, QPageSize::ExactMatch));
    QPainter painter(&writer);
    paintAll(painter);
    painter.end();
    return buffer.data();
}

}  // namespace

Status exportFlame(const QString& file, FlameFormat format, const compile::Profile& profile, const FlameTree& tree,
                   const FlameStyle& style, const Theme& theme, const FlamePicture& picture) {
    const QSize size = sizeOf(tree, style, theme, picture);
    auto paintAll = [&](QPainter& painter) { paint(painter, tree, style, theme, picture); };
    QByteArray bytes;
    switch (format) {
        case FlameFormat::Svg:
            bytes = pictureSvg(size, picture, paintAll);
            break;
        case FlameFormat::Pdf:
            bytes = picturePdf(size, picture, paintAll);
            break;
        case FlameFormat::ChromeTrace:
            bytes = QByteArray::fromStdString(compile::chromeTrace(profile));
            break;
        case FlameFormat::Folded:
            bytes = QByteArray::fromStdString(compile::foldedStacks(profile));
            break;
        case FlameFormat::Png: {
            FETTLE_TRY(bytes, picturePng(size, picture, file, paintAll));
            break;
        }
    }
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit())
        return cannotWrite(file, out.errorString());
    return {};
}

}  // namespace fettle::ui
