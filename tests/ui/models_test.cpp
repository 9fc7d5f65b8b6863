// SPDX-License-Identifier: GPL-3.0-or-later
// Every model and proxy under QAbstractItemModelTester while 10,000 trials stream in; and what they say.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "tests/ui/synthetic_session.h"
#include "ui/models/log_model.h"
#include "ui/models/problem_model.h"
#include "ui/models/trial_model.h"

namespace fettle::ui {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

SessionData openData(test::SyntheticTrials& source) {
    SessionData data;
    auto outline = std::make_shared<session::Outline>();
    outline->tasks = source.tasks();
    setOutline(data, outline);
    return data;
}

TEST(Models, KeepTheRulesWhileTenThousandTrialsStreamIn) {
    test::SyntheticTrials source({.tasks = 34});
    SessionData data = openData(source);
    OperatorModel operators(data);
    OperatorFilter operatorFilter;
    operatorFilter.setSourceModel(&operators);
    TrialModel trials(data);
    TrialFilter trialFilter;
    trialFilter.setSourceModel(&trials);
    ProblemModel problems(data);
    LogModel log;
    std::vector<std::unique_ptr<QAbstractItemModelTester>> testers;
    for (QAbstractItemModel* model : std::initializer_list<QAbstractItemModel*>{&operators, &operatorFilter, &trials,
                                                                                &trialFilter, &problems, &log})
        testers.push_back(std::make_unique<QAbstractItemModelTester>(model, Mode::Fatal));
    QSignalSpy resets(&trials, &QAbstractItemModel::modelReset), inserts(&trials, &QAbstractItemModel::rowsInserted);

    constexpr int kBatches = 100, kBatch = 100;
    for (int batch = 0; batch < kBatches; ++batch) {
        std::vector<store::TrialRow> rows;
        for (int i = 0; i < kBatch; ++i) rows.push_back(source.next());
        const unsigned changes = apply(data, session::TrialsMeasured{std::move(rows)});
        EXPECT_TRUE(changes & ChangedTrials);
        trials.appendNew();
        operators.refresh(changes);
        problems.refresh();
        log.add(QString("batch %1").arg(batch));
        if (batch == 10) trialFilter.setHideFailures(true);
        if (batch == 20) trialFilter.setOnlyTask(3);
        if (batch == 30) operatorFilter.setFilterText("/^Conv_/");
        if (batch == 40) trialFilter.sort(TrialModel::Measured, Qt::AscendingOrder);
        if (batch == 60) trialFilter.setOnlyTask(-1);
        if (batch == 70) operatorFilter.sort(OperatorModel::Best, Qt::DescendingOrder);
    }
    EXPECT_EQ(trials.rowCount(), kBatches * kBatch);
    EXPECT_EQ(resets.count(), 0) << "a live model never resets";
    EXPECT_EQ(inserts.count(), kBatches) << "one insertion per batch";
    EXPECT_EQ(trialFilter.rowCount(), kBatches * kBatch - data.failed());
    EXPECT_EQ(problems.rowCount(), 4) << "one row per cause, however many trials failed of it";
    int failed = 0;
    for (int row = 0; row < problems.rowCount(); ++row)
        failed += problems.index(row, ProblemModel::Trials).data().toInt();
    EXPECT_EQ(failed, data.failed());
}

TEST(Models, SortTrialsByMeasuredTimeWithFailuresLast) {
    test::SyntheticTrials source({.tasks = 4});
    SessionData data = openData(source);
    for (int i = 0; i < 400; ++i) appendTrials(data, {source.next()});
    TrialModel trials(data);
    TrialFilter filter;
    filter.setSourceModel(&trials);
    filter.sort(TrialModel::Measured, Qt::AscendingOrder);
    double last = 0;
    for (int row = 0; row < filter.rowCount(); ++row) {
        const double now = filter.index(row, TrialModel::Measured).data(SortRole).toDouble();
        EXPECT_GE(now, last);
        last = now;
    }
    EXPECT_EQ(filter.index(filter.rowCount() - 1, TrialModel::Measured).data().toString(), QStringLiteral("\u2013"));
}

TEST(Models, FilterOperatorsByTextRegexAndKind) {
    test::SyntheticTrials source({.tasks = 34});
    SessionData data = openData(source);
    OperatorModel operators(data);
    OperatorFilter filter;
    filter.setSourceModel(&operators);
    EXPECT_EQ(filter.rowCount(), 34);
    EXPECT_TRUE(filter.setFilterText("matmul"));
    const int matmuls = filter.rowCount();
    EXPECT_GT(matmuls, 0);
    EXPECT_LT(matmuls, 34);
    EXPECT_TRUE(filter.setFilterText("/gemm_\\d+/"));
    EXPECT_EQ(filter.rowCount(), matmuls);
    EXPECT_FALSE(filter.setFilterText("/gemm_(/")) << "a bad expression is refused";
    EXPECT_EQ(filter.rowCount(), matmuls) << "and leaves the filter as it was";
    EXPECT_TRUE(filter.setFilterText(""));
    filter.setHiddenKinds(1u << int(graph::OpKind::Convolution));
    EXPECT_LT(filter.rowCount(), 34);
}

TEST(SessionData, AddsUpTheModelFromWeightsAndBestTimes) {
    SessionData data;
    auto outline = std::make_shared<session::Outline>();
    outline->tasks = {{0, "a", "convolution", "", 2, 1e6, 1e6, 1, ""}, {1, "b", "pool", "", 1, 1e6, 1e6, 2, ""}};
    setOutline(data, outline);
    auto trial = [](int64_t id, int task, const char* origin, int64_t ns) {
        store::TrialRow row;
        row.id = id;
        row.task = task;
        row.origin = origin;
        row.samplesNs = {ns, ns};
        row.minNs = row.medianNs = ns;
        return row;
    };
    appendTrials(data, {trial(1, 0, "default", 100), trial(2, 1, "default", 50), trial(3, 0, "evolved", 60)});
    EXPECT_EQ(data.baselineNs(), 250);
    EXPECT_EQ(data.modelNs(), 170);
    EXPECT_EQ(data.tasks[0].bestTrial, 3);
    EXPECT_DOUBLE_EQ(data.shareOf(1), 50.0 / 170.0);
    ASSERT_GE(data.modelLatency.size(), 2u);
    EXPECT_EQ(data.modelLatency.front().second, 250) << "the line starts at the baseline";
    EXPECT_EQ(data.modelLatency.back().second, 170);
    EXPECT_EQ(data.slowestOperator(), 0);
    EXPECT_EQ(appendTrials(data, {trial(3, 0, "evolved", 10)}), 0u)
        << "a trial that is known already is not added twice";
    EXPECT_EQ(data.trials.size(), 3u);
}

TEST(TrialModel, SummarisesASchedule) {
    EXPECT_EQ(scheduleSummary("split conv.oc 32 -> oc0 oc1\nsplit conv.ow 14 -> ow0 ow1\nreorder conv oc0 ow0 ow1 oc1\n"
                              "microkernel conv ow1 oc1\nparallel conv oc0\n"),
              QStringLiteral("oc 32, ow 14 \u00b7 microkernel ow1 oc1 \u00b7 parallel oc0"));
}

}  // namespace
}  // namespace fettle::ui
