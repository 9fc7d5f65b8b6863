// SPDX-License-Identifier: GPL-3.0-or-later
// The text form of traces, both ways.
#include <charconv>

#include "core/schedule/trace.h"
#include "core/support/hash.h"

namespace fettle::schedule {

namespace {

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += " " + word;
    return text;
}

std::string layoutWords(const graph::Layout& layout) {
    std::string text;
    if (!layout.order.empty()) {
        text += " order=";
        for (size_t i = 0; i < layout.order.size(); ++i) text += (i ? "," : "") + std::to_string(layout.order[i]);
    }
    if (!layout.blocks.empty()) {
        text += " blocks=";
        for (size_t i = 0; i < layout.blocks.size(); ++i)
            text +=
                (i ? "," : "") + std::to_string(layout.blocks[i].axis) + "x" + std::to_string(layout.blocks[i].size);
    }
    return text;
}

struct Print {
    std::string operator()(const Split& p) const {
        return "split " + p.stage + "." + p.loop + " " + std::to_string(p.factor) + " -> " + p.outer + " " + p.inner;
    }
    std::string operator()(const Reorder& p) const { return "reorder " + p.stage + join(p.loops); }
    std::string operator()(const Unroll& p) const { return "unroll " + p.stage + "." + p.loop; }
    std::string operator()(const Vectorize& p) const { return "vectorize " + p.stage + "." + p.loop; }
    std::string operator()(const Parallel& p) const { return "parallel " + p.stage + join(p.loops); }
    std::string operator()(const Microkernel& p) const { return "microkernel " + p.stage + join(p.loops); }
    std::string operator()(const ComputeAt& p) const {
        return "compute-at " + p.producer + " " + p.consumer + " " + p.loop;
    }
    std::string operator()(const Inline& p) const { return "inline " + p.stage; }
    std::string operator()(const CacheRead& p) const {
        return "cache-read " + p.stage + " " + p.tensor + " -> " + p.copy + layoutWords(p.layout);
    }
};

using Words = std::vector<std::string>;

Words wordsOf(std::string_view line) {
    Words words;
    size_t at = 0;
    while (at < line.size()) {
        while (at < line.size() && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) ++at;
        size_t end = at;
        while (end < line.size() && line[end] != ' ' && line[end] != '\t' && line[end] != '\r') ++end;
        if (end > at) words.emplace_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

bool toNumber(std::string_view text, int64_t& value) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    return problem == std::errc() && end == text.data() + text.size();
}

// "conv.oc" -> conv, oc. Stage names may contain dots; the loop is what follows the last one.
bool splitName(const std::string& word, std::string& stage, std::string& loop) {
    const size_t dot = word.rfind('.');
    if (dot == std::string::npos || dot == 0 || dot + 1 == word.size()) return false;
    stage = word.substr(0, dot);
    loop = word.substr(dot + 1);
    return true;
}

using Parsed = tl::expected<Primitive, std::string>;  // the reason on failure
tl::unexpected<std::string> no(std::string why) {
    return tl::unexpected<std::string>(std::move(why));
}

Parsed parseSplit(const Words& w) {
    Split p;
    if (w.size() != 6 || w[3] != "->" || !splitName(w[1], p.stage, p.loop))
        return no("expected 'split STAGE.LOOP FACTOR -> OUTER INNER'");
    if (!toNumber(w[2], p.factor) || p.factor < 1) return no("the factor must be a whole number from 1");
    p.outer = w[4];
    p.inner = w[5];
    return p;
}

template <class T>
Parsed parseList(const Words& w) {
    if (w.size() < 3) return no("expected '" + w[0] + " STAGE LOOP...'");
    return T{w[1], Words(w.begin() + 2, w.end())};
}

template <class T>
Parsed parseLoop(const Words& w) {
    T p;
    if (w.size() != 2 || !splitName(w[1], p.stage, p.loop)) return no("expected '" + w[0] + " STAGE.LOOP'");
    return p;
}

Parsed parseComputeAt(const Words& w) {
    if (w.size() != 4) return no("expected 'compute-at PRODUCER CONSUMER LOOP'");
    return ComputeAt{w[1], w[2], w[3]};
}

Parsed parseInline(const Words& w) {
    if (w.size() != 2) return no("expected 'inline STAGE'");
    return Inline{w[1]};
}

bool parseNumbers(std::string_view text, char separator, std::vector<int64_t>& numbers) {
    while (true) {
        const size_t end = text.find(separator);
        int64_t value = 0;
        if (!toNumber(text.substr(0, end), value)) return false;
        numbers.push_back(value);
        if (end == std::string_view::npos) return true;
        text.remove_prefix(end + 1);
    }
}

Parsed parseCacheRead(const Words& w) {
    if (w.size() < 5 || w[3] != "->")
        return no("expected 'cache-read STAGE TENSOR -> COPY [order=A,B..] [blocks=AXISxSIZE,..]'");
    CacheRead p{w[1], w[2], w[4], {}};
    for (size_t i = 5; i < w.size(); ++i) {
        std::vector<int64_t> numbers;
        if (w[i].starts_with("order=") && parseNumbers(std::string_view(w[i]).substr(6), ',', numbers)) {
            p.layout.order.assign(numbers.begin(), numbers.end());
        } else if (w[i].starts_with("blocks=")) {
            std::string_view rest = std::string_view(w[i]).substr(7);
            while (!rest.empty()) {
                const size_t end = rest.find(',');
                numbers.clear();
                if (!parseNumbers(rest.substr(0, end), 'x', numbers) || numbers.size() != 2 || numbers[1] < 1)
                    return no("blocks are written AXISxSIZE, separated by commas");
                p.layout.blocks.push_back({static_cast<int>(numbers[0]), numbers[1]});
                rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
            }
        } else {
            return no("'" + w[i] + "' is not order= or blocks=");
        }
    }
    return p;
}

struct Row {
    const char* word;
    Parsed (*parse)(const Words&);
};
constexpr Row kPrimitives[] = {
    {"split", parseSplit},
    {"reorder", parseList<Reorder>},
    {"unroll", parseLoop<Unroll>},
    {"vectorize", parseLoop<Vectorize>},
    {"parallel", parseList<Parallel>},
    {"microkernel", parseList<Microkernel>},
    {"compute-at", parseComputeAt},
    {"inline", parseInline},
    {"cache-read", parseCacheRead},
};

}  // namespace

std::string print(const Primitive& primitive) {
    return std::visit(Print{}, primitive);
}

std::string print(const Trace& trace) {
    std::string text;
    for (const Primitive& primitive : trace.primitives) text += print(primitive) + "\n";
    return text;
}

uint64_t hash(const Trace& trace) {
    return hash64(print(trace));
}

Result<Trace> parse(std::string_view text) {
    Trace trace;
    for (int number = 1; !text.empty(); ++number) {
        const size_t end = text.find('\n');
        const Words words = wordsOf(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (words.empty() || words[0][0] == '#') continue;
        const auto error = [&](const std::string& why) {
            return fail(ErrorCode::Failed, "cannot read the schedule", "line " + std::to_string(number), why,
                        "The user guide lists the primitives.");
        };
        const Row* row = nullptr;
        for (const Row& candidate : kPrimitives)
            if (words[0] == candidate.word) row = &candidate;
        if (!row) return error("'" + words[0] + "' is no primitive");
        Parsed parsed = row->parse(words);
        if (!parsed) return error(parsed.error());
        trace.primitives.push_back(std::move(*parsed));
    }
    return trace;
}

}  // namespace fettle::schedule
