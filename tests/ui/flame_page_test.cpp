// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/flame_page.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QPushButton>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "core/support/format.h"
#include "tests/ui/sample_profile.h"
#include "ui/flame/flame_controls.h"
#include "ui/flame/flame_tip.h"
#include "ui/flame/flame_view.h"
#include "ui/flame/span_filter.h"
#include "ui/flame/span_model.h"

namespace fettle::ui {
namespace {

class FlamePageTest : public testing::Test {
protected:
    FlamePageTest() : theme_(*qApp), page_(&theme_, &selection_) {
        page_.resize(790, 600);
        profile_ = std::make_shared<compile::Profile>(mobileProfile());
        auto slow = mobileProfile();
        slow.label = "default schedules";
        for (auto& span : slow.spans) {
            const double factor = span.kind == graph::OpKind::Layout ? 0.9 : 2.4;
            span.startNs *= 2.4, span.durationNs *= factor, span.minNs *= factor, span.maxNs *= factor;
        }
        default_ = std::make_shared<compile::Profile>(slow);
        page_.setProfiles({default_, profile_}, nullptr);
        page_.show();
        QApplication::processEvents();
    }
    ~FlamePageTest() override { theme_.setChoice(ThemeChoice::Light); }

    FlameView* view() { return page_.runView(); }
    // Waits for the end of a zoom.
    void settle() {
        ASSERT_TRUE(QTest::qWaitFor([&] { return view()->shownRange() == view()->range(); }, 2000));
    }
    int nodeNamed(const FlameTree& tree, const std::string& part) {
        for (size_t i = 0; i < tree.nodes.size(); ++i)
            if (tree.nodes[i].name.find(part) != std::string::npos) return int(i);
        return -1;
    }
    QPointF centreOf(FlameView* view, int node) {
        const FlameNode& n = view->tree().nodes[node];
        const FlameLayout layout(view->tree(), view->range(), view->width());
        return {layout.xOf((double(n.startNs) + double(n.endNs())) / 2),
                flameRowTop(n.depth, view->tree().depth(), view->style(), theme_) + 10};
    }
    void click(FlameView* view, int node) {
        QTest::mouseClick(view, Qt::LeftButton, {}, centreOf(view, node).toPoint());
    }

    Theme theme_;
    SelectionContext selection_;
    std::shared_ptr<const compile::Profile> profile_, default_;
    FlamePage page_;
};

TEST_F(FlamePageTest, ClickingASpanChoosesTheOperatorEverywhere) {
    QSignalSpy chosen(&selection_, &SelectionContext::operatorChanged);
    const int node = nodeNamed(view()->tree(), "Gemm");
    ASSERT_GT(node, 0);
    click(view(), node);
    EXPECT_EQ(chosen.count(), 1);
    EXPECT_EQ(selection_.group(), view()->tree().nodes[node].group);
    auto* table = page_.findChild<QTableView*>();
    EXPECT_EQ(table->currentIndex().data(SpanModel::NodeRole).toInt(), node);
    // and back: choosing elsewhere selects the row here
    selection_.selectOperator(0, 0);
    EXPECT_EQ(table->selectionModel()->selectedRows().value(0).siblingAtColumn(0).data().toString().toStdString(),
              view()->tree().nodes[nodeNamed(view()->tree(), "Conv_0")].name);
}

TEST_F(FlamePageTest, ZoomInAndBackByKeysAndMouse) {
    const FlameRange all = view()->range();
    const int node = nodeNamed(view()->tree(), "features.3");
    QTest::mouseDClick(view(), Qt::LeftButton, {}, centreOf(view(), node).toPoint());
    settle();
    EXPECT_EQ(view()->zoomNode(), node);
    view()->setFocus();
    QTest::keyClick(view(), Qt::Key_W);
    QTest::keyClick(view(), Qt::Key_D);
    settle();
    EXPECT_LT(view()->range().length(), view()->tree().nodes[node].durationNs);
    for (int i = 0; i < 3; ++i) QTest::keyClick(view(), Qt::Key_Backspace);
    settle();
    EXPECT_EQ(view()->range(), all);
    QTest::keyClick(view(), Qt::Key_A);  // there is nothing to the left of everything
    EXPECT_EQ(view()->range(), all);
    QTest::keyClick(view(), Qt::Key_Up);
    QTest::keyClick(view(), Qt::Key_Escape);
    settle();
    EXPECT_EQ(view()->range(), all);
}

TEST_F(FlamePageTest, SearchTellsTheExactTotal) {
    page_.setSearch("Gemm");
    auto* field = page_.findChild<FlameSearchField*>();
    const FlameNode& gemm = view()->tree().nodes[nodeNamed(view()->tree(), "Gemm")];
    const double share = double(gemm.durationNs) / double(view()->tree().totalNs());
    const QString expected = QString::fromStdString(formatMs(double(gemm.durationNs))) + " ms";
    EXPECT_TRUE(field->accessibleDescription().contains(expected)) << field->accessibleDescription().toStdString();
    EXPECT_TRUE(field->accessibleDescription().endsWith(percentText(share)));
    EXPECT_EQ(page_.findChild<QTableView*>()->model()->rowCount(), 1);
    page_.setSearch("/(/");
    EXPECT_EQ(field->accessibleDescription(), "not an expression");
    page_.setSearch("convolution");
    EXPECT_EQ(page_.findChild<QTableView*>()->model()->rowCount(), 53);
    QTest::keyClick(field, Qt::Key_Escape);
    EXPECT_EQ(field->text(), "");
}

TEST_F(FlamePageTest, ANewProfileKeepsThePlace) {
    const int node = nodeNamed(view()->tree(), "features.7");
    view()->zoomToNode(node);
    auto newer = std::make_shared<compile::Profile>(mobileProfile(9));
    page_.setProfiles({default_, profile_, newer}, nullptr);
    EXPECT_EQ(view()->tree().nodes[view()->zoomNode()].name, "features.7");
    EXPECT_NE(view()->tree().totalNs(), runTree(*profile_, FlameOrder::Time).totalNs());
}

TEST_F(FlamePageTest, BeforeAndAfterShareTheZoom) {
    page_.setBeforeAfter(true);
    EXPECT_EQ(page_.lowerView()->tree().totalNs(), runTree(*default_, FlameOrder::Time).totalNs());
    view()->zoomToNode(nodeNamed(view()->tree(), "features.3"));
    EXPECT_EQ(page_.lowerView()->tree().nodes[page_.lowerView()->zoomNode()].name, "features.3");
    page_.setBeforeAfter(false);
    EXPECT_NE(page_.lowerView()->tree().nodes[1].name, "features");
}

TEST_F(FlamePageTest, WithoutAProfileOneButtonAsksForIt) {
    SelectionContext selection;
    FlamePage page(&theme_, &selection);
    QSignalSpy asked(&page, &FlamePage::profileRequested);
    page.show();
    QPushButton* visible = nullptr;
    for (QPushButton* button : page.findChildren<QPushButton*>())
        if (button->isVisible()) visible = button;
    ASSERT_TRUE(visible);
    QTest::mouseClick(visible, Qt::LeftButton);
    EXPECT_EQ(asked.count(), 1);
    EXPECT_FALSE(page.exportTo("nowhere.svg", FlameFormat::Svg));
}

TEST_F(FlamePageTest, ExportsEveryFormat) {
    QTemporaryDir folder;
    for (const FlameFormatRow& row : kFlameFormats) {
        const QString file = folder.filePath(QString::fromUtf8("fl\u00e4me.") + row.suffix);
        auto status = page_.exportTo(file, row.format);
        ASSERT_TRUE(status) << status.error().message();
        QFile read(file);
        ASSERT_TRUE(read.open(QIODevice::ReadOnly));
        const QByteArray bytes = read.readAll();
        switch (row.format) {
            case FlameFormat::Svg:
                EXPECT_TRUE(QSvgRenderer(bytes).isValid() && bytes.contains("features.3"));
                break;
            case FlameFormat::Png:
                EXPECT_EQ(QImage::fromData(bytes).width(), 2800);
                break;
            case FlameFormat::Pdf:
                EXPECT_TRUE(bytes.startsWith("%PDF"));
                break;
            case FlameFormat::ChromeTrace:
                EXPECT_TRUE(bytes.contains("\"ph\": \"X\""));
                break;
            case FlameFormat::Folded:
                EXPECT_TRUE(bytes.contains("mobilenetv2;features;features.3;"));
                break;
        }
    }
    auto status = page_.exportTo(folder.filePath("missing/flame.png"), FlameFormat::Png);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message().find("missing/flame.png"), std::string::npos);
}

TEST_F(FlamePageTest, IsReadableInBothThemes) {
    QDir().mkpath(FETTLE_BUILD_DIR "/pictures");
    for (bool dark : {false, true}) {
        theme_.setChoice(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        page_.setBeforeAfter(dark);
        page_.setSearch(dark ? "Clip" : "");
        view()->zoomToNode(dark ? nodeNamed(view()->tree(), "features.3") : 0);
        settle();
        selection_.selectOperator(nodeNamed(view()->tree(), "Conv") >= 0 ? 10 : 0, 10);
        QApplication::processEvents();
        const QImage image = page_.grab().toImage();
        EXPECT_TRUE(image.save(QString(FETTLE_BUILD_DIR "/pictures/flame-") + (dark ? "dark.png" : "light.png")));
        EXPECT_EQ(image.pixelColor(2, 2), theme_.tokens().surface);
    }
}

TEST(FlameTipText, HasSharesRunsAndSpread) {
    FlameTree tree = runTree(mobileProfile(), FlameOrder::Time);
    int op = -1;
    for (size_t i = 0; i < tree.nodes.size() && op < 0; ++i)
        if (tree.nodes[i].role == SpanRole::Operator) op = int(i);
    FlameTipText tip = tipText(tree, op, double(tree.totalNs()), 1);
    QStringList labels;
    for (auto& [label, value] : tip.rows) labels << label;
    EXPECT_EQ(labels.join(","), "Total,% of all,Self,% of parent,Runs,Spread");
    EXPECT_EQ(tip.rows[4].second, "200");
    EXPECT_EQ(tip.rows[5].second, QString::fromUtf8("\u00b1 1.1 %"));
    EXPECT_TRUE(tipText(tree, op, double(tree.totalNs()) / 2, 3).note.contains("3 spans"));
    EXPECT_EQ(percentText(0.123), "12.3 %");
    EXPECT_EQ(percentText(0.0042), "0.42 %");
}

}  // namespace
}  // namespace fettle::ui
