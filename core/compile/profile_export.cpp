// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compile/profile_export.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/support/format.h"

namespace fettle::compile {
namespace {

using Json = nlohmann::ordered_json;

double us(double ns) {
    return std::isfinite(ns) ? std::round(ns) / 1000 : 0;
}

std::string xml(const std::string& text) {
    std::string escaped;
    for (char c : text) {
        if (c == '&')
            escaped += "&amp;";
        else if (c == '<')
            escaped += "&lt;";
        else if (c == '>')
            escaped += "&gt;";
        else if (c == '"')
            escaped += "&quot;";
        else if (static_cast<unsigned char>(c) < 0x20)
            escaped += ' ';  // not allowed in XML 1.0
        else
            escaped += c;
    }
    return escaped;
}

// As much of a UTF-8 text as fits in `characters`, with an ellipsis when it was cut; empty under three.
std::string cut(const std::string& text, int characters) {
    auto isStart = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    if (std::ranges::count_if(text, isStart) <= characters) return text;
    if (characters < 3) return "";
    std::string kept;
    int count = 0;
    for (char c : text) {
        if (isStart(c) && ++count == characters) break;
        kept += c;
    }
    return kept + "\u2026";
}

std::vector<int> depthsOf(const Profile& profile) {
    std::vector<int> depths(profile.spans.size(), 0);
    for (size_t i = 0; i < depths.size(); ++i)
        if (int parent = profile.spans[i].parent; parent >= 0) depths[i] = depths[parent] + 1;
    return depths;
}

struct Paint {
    const char *fill, *ink;
};
// Okabe and Ito's colours in the order of OpKind; greys above the operators, as in the window.
constexpr Paint kKindPaint[] = {{"#0072B2", "#fff"}, {"#D55E00", "#000"}, {"#CC79A7", "#000"}, {"#009E73", "#000"},
                                {"#E69F00", "#000"}, {"#56B4E9", "#000"}, {"#8A8F98", "#000"}};
constexpr Paint kGroupPaint[] = {{"#C3C8D0", "#000"}, {"#D1D5DC", "#000"}, {"#DFE2E7", "#000"}};

Paint paintOf(const Span& span, int depth) {
    if (span.group < 0 && span.task < 0) return kGroupPaint[std::min(depth, 2)];
    return kKindPaint[std::min<size_t>(static_cast<size_t>(span.kind), std::size(kKindPaint) - 1)];
}

}  // namespace

std::string chromeTrace(const Profile& profile) {
    Json events = Json::array();
    events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"args", {{"name", profile.label}}}});
    for (const Span& span : profile.spans) {
        Json args = {
            {"path", span.path}, {"selfUs", us(span.selfNs)}, {"minUs", us(span.minNs)}, {"maxUs", us(span.maxNs)}};
        if (span.flops > 0) args["flops"] = span.flops;
        if (span.bytes > 0) args["bytes"] = span.bytes;
        events.push_back({{"name", span.name},
                          {"cat", graph::kindName(span.kind)},
                          {"ph", "X"},
                          {"ts", us(span.startNs)},
                          {"dur", us(span.durationNs)},
                          {"pid", 1},
                          {"tid", 1},
                          {"args", args}});
    }
    Json trace = {{"displayTimeUnit", "ns"},
                  {"otherData", {{"runs", profile.runs}, {"threads", profile.threads}}},
                  {"traceEvents", events}};
    return trace.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string foldedStacks(const Profile& profile) {
    std::string text;
    std::vector<std::string> stacks;
    for (const Span& span : profile.spans) {
        std::string name = span.name;
        std::ranges::replace_if(
            name, [](char c) { return c == ';' || c == '\n' || c == '\r'; }, ',');
        stacks.push_back(span.parent < 0 ? name : stacks[span.parent] + ";" + name);
        auto self = std::llround(span.selfNs);
        if (self > 0) text += stacks.back() + " " + std::to_string(self) + "\n";
    }
    return text;
}

std::string profileSvg(const Profile& profile, int width) {
    constexpr int kRow = 24, kMargin = 8;
    std::vector<int> depths = depthsOf(profile);
    int rows = depths.empty() ? 0 : *std::ranges::max_element(depths) + 1;
    double begin = INFINITY, end = -INFINITY;
    for (const Span& span : profile.spans) {
        begin = std::min(begin, span.startNs);
        end = std::max(end, span.startNs + span.durationNs);
    }
    double scale = end > begin ? (width - 2 * kMargin) / (end - begin) : 0;
    std::string size =
        "width=\"" + std::to_string(width) + "\" height=\"" + std::to_string(rows * kRow + 2 * kMargin + kRow) + "\"";
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
                      " font-family=\"Inter, sans-serif\" font-size=\"11\">\n<rect " + size +
                      " fill=\"#fff\"/>\n<text x=\"" + std::to_string(kMargin) + "\" y=\"" +
                      std::to_string(kMargin + 14) + "\" font-weight=\"600\">" + xml(profile.label) + ", " +
                      formatLatency(profile.totalNs) + ", median of " + std::to_string(profile.runs) + " runs</text>\n";
    for (size_t i = 0; i < profile.spans.size(); ++i) {
        const Span& span = profile.spans[i];
        double x = kMargin + (span.startNs - begin) * scale, w = span.durationNs * scale;
        int y = kMargin + kRow + depths[i] * kRow;
        auto [fill, ink] = paintOf(span, depths[i]);
        svg += "<g><title>" + xml(span.name) + ": " + formatMs(span.durationNs) + " ms, self " + formatMs(span.selfNs) +
               " ms" + (span.path.empty() ? "" : " (" + xml(span.path) + ")") + "</title><rect x=\"" +
               formatDouble(x, 2) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
               formatDouble(std::max(w - 1, 0.1), 2) + "\" height=\"" + std::to_string(kRow - 1) + "\" fill=\"" + fill +
               "\"/>";
        if (std::string label = cut(span.name, static_cast<int>((w - 10) / 6.2)); w > 24 && !label.empty())
            svg += "<text x=\"" + formatDouble(x + 5, 2) + "\" y=\"" + std::to_string(y + 16) + "\" fill=\"" + ink +
                   "\">" + xml(label) + "</text>";
        svg += "</g>\n";
    }
    return svg + "</svg>\n";
}

}  // namespace fettle::compile
