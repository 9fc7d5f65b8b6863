// SPDX-License-Identifier: GPL-3.0-or-later
// The pure parts of charts and pages: scales, ticks, strips, grids, differences, diagnoses, colours.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/ui/synthetic_session.h"
#include "ui/charts/before_after_bars.h"
#include "ui/charts/budget_map.h"
#include "ui/charts/kind_strip.h"
#include "ui/charts/roofline.h"
#include "ui/charts/scale.h"
#include "ui/pages/code_view.h"
#include "ui/pages/diff.h"
#include "ui/shell/tokens.h"

namespace fettle::ui {
namespace {

TEST(Scale, OneOutlierDoesNotRuinTheAxis) {
    std::vector<double> values(100);
    std::iota(values.begin(), values.end(), 1.0);
    values.push_back(1e9);
    values.push_back(std::numeric_limits<double>::quiet_NaN());
    const Span span = quantileSpan(values, 0.02, 0.98, 0.05, false);
    EXPECT_LT(span.high, 120);
    EXPECT_GE(countOutside(values, span), 1);
    EXPECT_LT(countOutside(values, span), 6);
}

TEST(Scale, SpansOfNothingAndOfOneValueAreUsable) {
    for (bool logarithmic : {false, true}) {
        for (const auto& values : {std::vector<double>{}, std::vector<double>{3.0}, std::vector<double>{3.0, 3.0}}) {
            const Span span = quantileSpan(values, 0.02, 0.98, 0.05, logarithmic);
            EXPECT_LT(span.low, span.high);
            EXPECT_TRUE(!logarithmic || span.low > 0);
        }
    }
}

TEST(Scale, TicksAreRoundInsideAndAscending) {
    for (double high : {0.003, 0.7, 1.0, 12.41, 999.0, 20000.0}) {
        const auto ticks = linearTicks({0, high}, 5);
        ASSERT_GE(ticks.size(), 3u) << high;
        ASSERT_LE(ticks.size(), 12u) << high;
        EXPECT_EQ(ticks.front(), 0);
        EXPECT_LE(ticks.back(), high * (1 + 1e-9));
        EXPECT_TRUE(std::is_sorted(ticks.begin(), ticks.end()));
    }
    EXPECT_EQ(logTicks({0.2, 3}, 6), (std::vector<double>{0.2, 0.3, 0.5, 1, 2, 3}));
    EXPECT_EQ(logTicks({0.01, 100}, 6), (std::vector<double>{0.01, 0.1, 1, 10, 100}));
    EXPECT_TRUE(logTicks({-1, 3}, 5).empty());
}

TEST(Scale, HistogramCountsEveryValueOnce) {
    std::vector<double> values;
    for (int i = 1; i <= 1000; ++i) values.push_back(0.001 * i * i);
    for (bool logarithmic : {false, true}) {
        const Histogram h = histogram(values, 30, logarithmic);
        EXPECT_EQ(std::accumulate(h.counts.begin(), h.counts.end(), 0), 1000);
        EXPECT_EQ(h.total, 1000);
        EXPECT_EQ(h.edges.size(), 31u);
        EXPECT_TRUE(std::is_sorted(h.edges.begin(), h.edges.end()));
    }
    EXPECT_EQ(histogram({5, 5, 5}, 10, true).total, 3);
}

TEST(Scale, LabelsAreMovedApartInOrderAndKeptInside) {
    const auto placed = spreadLabels({50, 51, 52, 10}, 20, 0, 100);
    ASSERT_EQ(placed.size(), 4u);
    EXPECT_NEAR(placed[3], 10, 1e-9) << "a label with room stays where it is";
    EXPECT_GE(placed[1] - placed[0], 20 - 1e-9);
    EXPECT_GE(placed[2] - placed[1], 20 - 1e-9);
    for (double y : placed) {
        EXPECT_GE(y, 0);
        EXPECT_LE(y, 100 + 1e-9);
    }
}

TEST(KindStrip, WidthsSumToTheStripExactly) {
    const std::vector<double> shares = {0.714, 0.198, 0.031, 0.045, 0.011, 0.001};
    for (int width : {1, 7, 100, 733, 1440}) {
        const auto widths = stripWidths(shares, width);
        EXPECT_EQ(std::accumulate(widths.begin(), widths.end(), 0), width);
        EXPECT_GE(widths[0], widths[1]);
    }
    EXPECT_EQ(stripWidths({}, 100), std::vector<int>{});
    EXPECT_EQ(stripWidths({0, 0}, 100), (std::vector<int>{0, 0}));
}

SessionData tuned(int trials) {
    test::SyntheticTrials source({.tasks = 34});
    SessionData data;
    auto outline = std::make_shared<session::Outline>();
    outline->tasks = source.tasks();
    setOutline(data, outline);
    for (int i = 0; i < trials; ++i) appendTrials(data, {source.next()});
    return data;
}

TEST(KindStrip, SharesSumToOneAndOperatorsToTheirKind) {
    const SessionData data = tuned(600);
    double sum = 0;
    for (const KindShare& share : kindShares(data)) {
        sum += share.share;
        EXPECT_NEAR(std::accumulate(share.operators.begin(), share.operators.end(), 0.0), share.share, 1e-9);
    }
    EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(BudgetMap, EveryTrialIsInOneCellAndTheChosenRowIsShown) {
    const SessionData data = tuned(2000);
    for (int columns : {20, 400}) {
        const BudgetGrid grid = budgetGrid(data, 5, 40, columns);
        int trials = 0;
        for (const auto& row : grid.cells) {
            EXPECT_LE(int(row.size()), columns);
            for (const BudgetCell& cell : row) trials += cell.trials;
        }
        EXPECT_EQ(trials, 2000);
    }
    const BudgetGrid small = budgetGrid(data, 33, 3, 20);
    EXPECT_EQ(small.tasks.size(), 3u);
    EXPECT_NE(std::find(small.tasks.begin(), small.tasks.end(), 33), small.tasks.end());
}

TEST(BeforeAfterBars, ShowsTheSlowestFirst) {
    const SessionData data = tuned(600);
    const auto rows = slowestOperators(data, 10);
    ASSERT_EQ(rows.size(), 10u);
    for (size_t i = 1; i < rows.size(); ++i)
        EXPECT_GE(data.task(data.operators[rows[i - 1]].task)->nowNs(),
                  data.task(data.operators[rows[i]].task)->nowNs());
}

TEST(Roofline, SaysWhatBindsWithNumbers) {
    const Roof roof{200e9, 30e9};
    const Diagnosis memory = diagnose(roof, 8.13e6, 3.62e6, 162000);
    EXPECT_EQ(memory.limit, Limit::Memory);
    EXPECT_NEAR(memory.ofRoof, 3.62e6 / 30e9 / 162e-6, 1e-9);
    const QString sentence = explain(memory, roof, 3.62e6, 162000, 32 << 10, 1 << 20, 32 << 20);
    EXPECT_TRUE(sentence.contains("Memory-bound")) << sentence.toStdString();
    EXPECT_TRUE(sentence.contains("74 %")) << sentence.toStdString();
    EXPECT_TRUE(sentence.contains("exceed the 1.05 MB L2")) << sentence.toStdString();
    EXPECT_EQ(diagnose(roof, 1e9, 1e6, 6000000).limit, Limit::Compute);
    EXPECT_EQ(diagnose(roof, 1e3, 1e3, 2000).limit, Limit::Latency);
    EXPECT_EQ(diagnose({}, 1e6, 1e6, 1000000).limit, Limit::Unknown);
    EXPECT_FALSE(explain(diagnose(roof, 1e6, 1e6, 0), roof, 1e6, 0, 0, 0, 0).isEmpty());
}

TEST(Diff, FindsAddedAndRemovedLines) {
    const auto lines = diffLines({"a", "b", "c"}, {"a", "x", "c", "d"});
    std::string printed;
    for (const DiffLine& line : lines)
        printed += (line.kind == DiffLine::Same    ? " "
                    : line.kind == DiffLine::Added ? "+"
                                                   : "-") +
                   line.text.toStdString();
    EXPECT_EQ(printed, " a-b+x c+d");
    EXPECT_TRUE(diffLines({}, {}).empty());
    EXPECT_EQ(scheduleLines("# note\n  split  a 4 -> b c \n\n"), QStringList{"split a 4 -> b c"});
}

TEST(CodeView, FindsTheInnermostLoopWithMostArithmetic) {
    const HotBlock hot = findHotBlock(
        ".LBB0_1:\n\tmov eax, 1\n.LBB0_2:\n\tvfmadd231ps zmm0, zmm1, zmm2\n"
        "\tvfmadd231ps zmm3, zmm1, zmm2\n\tadd rax, 64\n\tjne .LBB0_2\n\tinc rcx\n\tjne .LBB0_1\n\tret\n");
    EXPECT_EQ(hot.label, ".LBB0_2");
    EXPECT_EQ(hot.first, 2);
    EXPECT_EQ(hot.last, 6);
    EXPECT_EQ(hot.fmas, 2);
    EXPECT_EQ(hot.instructions, 4);
    EXPECT_EQ(findHotBlock("ret\n").first, -1);
}

TEST(Tokens, EveryTextReachesItsContrast) {
    for (const Tokens* t : {&lightTokens(), &darkTokens()}) {
        for (const QColor& background : {t->window, t->surface, t->sunken, t->selection})
            for (const QColor& text : {t->text1, t->text2, t->text3, t->codeKeyword, t->codeNumber})
                EXPECT_GE(contrast(text, background), 4.5)
                    << text.name().toStdString() << " on " << background.name().toStdString();
        EXPECT_GE(contrast(t->onAccent, t->accent), 4.5);
        EXPECT_GE(contrast(t->better, t->betterFill), 4.5);
        EXPECT_GE(contrast(t->worse, t->worseFill), 4.5);
        EXPECT_GE(contrast(t->text1, t->warningFill), 4.5);
    }
    for (int k = 0; k <= int(graph::OpKind::Other); ++k) {
        const QColor fill = kindColour(graph::OpKind(k));
        EXPECT_GE(contrast(labelOn(fill), fill), 4.5);
    }
    for (double x = 0; x <= 1; x += 0.05) EXPECT_GE(contrast(labelOn(cividis(x)), cividis(x)), 4.5);
}

}  // namespace
}  // namespace fettle::ui
