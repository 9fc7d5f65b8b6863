// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compile/profile_export.h"

#include <gtest/gtest.h>

namespace fettle::compile {
namespace {

Span span(std::string name, int parent, int group, double start, double duration, double self) {
    Span s;
    s.name = std::move(name);
    s.parent = parent;
    s.group = s.task = group;
    s.kind = group >= 0 ? graph::OpKind::Convolution : graph::OpKind::Other;
    s.startNs = start, s.durationNs = duration, s.selfNs = self;
    s.minNs = duration, s.maxNs = duration;
    return s;
}

Profile small() {
    Profile profile;
    profile.label = "best <schedules>";
    profile.runs = 10;
    profile.totalNs = 1500;
    profile.spans = {span("net", -1, -1, 0, 1500, 500), span("Conv;1 & \"Clip\"", 0, 0, 250.5, 1000, 0),
                     span("compute", 1, 0, 250.5, 1000, 1000)};
    profile.spans[1].flops = 2e6;
    profile.spans[1].path = "features/0";
    return profile;
}

TEST(ProfileExport, FoldedStacksHoldSelfTimes) {
    EXPECT_EQ(foldedStacks(small()), "net 500\nnet;Conv,1 & \"Clip\";compute 1000\n");
    EXPECT_EQ(foldedStacks({}), "");
}

TEST(ProfileExport, ChromeTraceHasOneCompleteEventASpan) {
    std::string text = chromeTrace(small());
    EXPECT_NE(text.find("\"displayTimeUnit\": \"ns\""), std::string::npos);
    EXPECT_NE(text.find("\"name\": \"Conv;1 & \\\"Clip\\\"\""), std::string::npos) << text;
    EXPECT_NE(text.find("\"ts\": 0.251"), std::string::npos) << text;
    EXPECT_NE(text.find("\"dur\": 1.5"), std::string::npos);
    size_t events = 0;
    for (size_t at = 0; (at = text.find("\"ph\": \"X\"", at)) != std::string::npos; ++at) ++events;
    EXPECT_EQ(events, 3u);
    Profile broken = small();
    broken.spans[0].name = "bad \xff utf-8";
    EXPECT_NE(chromeTrace(broken).find("bad \xef\xbf\xbd utf-8"), std::string::npos);
}

TEST(ProfileExport, SvgEscapesAndPlaces) {
    std::string svg = profileSvg(small(), 316);
    EXPECT_NE(svg.find("best &lt;schedules&gt;, 1.50 us, median of 10 runs"), std::string::npos) << svg;
    EXPECT_NE(svg.find("<title>Conv;1 &amp; &quot;Clip&quot;: 0.001 ms, self 0.000 ms (features/0)</title>"),
              std::string::npos)
        << svg;
    // 1500 ns over 300 px: the operator starts at 8 + 50.1 and is 200 wide, less the gap.
    EXPECT_NE(svg.find("<rect x=\"58.10\" y=\"56\" width=\"199.00\" height=\"23\" fill=\"#0072B2\"/>"),
              std::string::npos)
        << svg;
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_NE(profileSvg({}, 100).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace fettle::compile
