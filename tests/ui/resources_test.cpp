// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QDirIterator>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>

#include "ui/shell/icons.h"

namespace fettle::ui {
namespace {

QFont shipped(const char* file, const char* family) {
    initResources();
    int id = QFontDatabase::addApplicationFont(QString(":/fonts/") + file);
    EXPECT_EQ(QFontDatabase::applicationFontFamilies(id).value(0), family) << file;
    QFont font(family);
    font.setPixelSize(13);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

TEST(Resources, FiguresOfTheTextFontAreTabular) {
    for (auto [file, weight] : {std::pair{"FettleInter-Regular.otf", QFont::Normal},
                                {"FettleInter-Medium.otf", QFont::Medium},
                                {"FettleInter-SemiBold.otf", QFont::DemiBold},
                                {"FettleInter-Bold.otf", QFont::Bold}}) {
        QFont font = shipped(file, "Fettle Inter");
        font.setWeight(weight);
        QFontMetricsF metrics(font);
        const double width = metrics.horizontalAdvance("00000000");
        for (const char* text : {"11111111", "12345678", "71717171", "94949494"})
            EXPECT_NEAR(metrics.horizontalAdvance(text), width, 0.01) << file << " " << text;
        EXPECT_GT(metrics.horizontalAdvance("mmmm"), metrics.horizontalAdvance("iiii"));
    }
}

TEST(Resources, CodeFontHasOneWidthAndNoLigatures) {
    QFont font = shipped("FettleMono-Regular.ttf", "Fettle Mono");
    QFontMetricsF metrics(font);
    EXPECT_NEAR(metrics.horizontalAdvance("->"), metrics.horizontalAdvance("ii"), 0.01);
    // With ligatures, "!=" would not look like "!" followed by "=".
    auto ink = [&](const QString& text, int gap) {
        QImage image(64, 24, QImage::Format_Grayscale8);
        image.fill(0);
        QPainter painter(&image);
        painter.setFont(font);
        painter.setPen(Qt::white);
        const double advance = metrics.horizontalAdvance("x");
        if (gap)
            for (int i = 0; i < text.size(); ++i) painter.drawText(QPointF(4 + i * advance, 18), text.mid(i, 1));
        else
            painter.drawText(QPointF(4, 18), text);
        return image;
    };
    EXPECT_EQ(ink("!=", 0), ink("!=", 1));
}

TEST(Resources, EveryIconTakesTheColourItIsGiven) {
    initResources();
    int icons = 0;
    QDirIterator files(":/icons", {"*.svg"}, QDir::Files);
    while (files.hasNext()) {
        files.next();
        QString name = files.fileInfo().completeBaseName();
        if (name == "fettle" || name.endsWith("-light") || name.endsWith("-dark")) continue;  // in colours of their own
        QIcon icon = themedIcon(name, QColor("#12c456"));
        ASSERT_FALSE(icon.isNull()) << name.toStdString();
        QImage image = icon.pixmap(32, 32).toImage().convertToFormat(QImage::Format_ARGB32);
        int inked = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (qAlpha(image.pixel(x, y)) > 200) {
                    ++inked;
                    EXPECT_LT(qAbs(qGreen(image.pixel(x, y)) - 0xc4), 24) << name.toStdString();
                }
        EXPECT_GT(inked, 4) << name.toStdString() << " is empty";
        ++icons;
    }
    EXPECT_GT(icons, 40);
    EXPECT_TRUE(themedIcon("no-such-icon", Qt::black).isNull());
    EXPECT_FALSE(applicationIcon().isNull());
}

}  // namespace
}  // namespace fettle::ui
