// SPDX-License-Identifier: GPL-3.0-or-later
// Profiles for tests, made by hand or from a seed.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "core/compile/model.h"
#include "core/support/random.h"

namespace fettle::ui {

class ProfileBuilder {
public:
    explicit ProfileBuilder(const std::string& model) { add(model, -1, -1, -1, graph::OpKind::Other, 0, 0); }

    int section(const std::string& name, int parent) {
        std::string above = parent > 0 ? profile_.spans[parent].path + "/" : "";
        int index = add(name, parent, -1, -1, graph::OpKind::Other, 0, 0);
        profile_.spans[index].path = above + name;
        return index;
    }
    int op(const std::string& name, int parent, graph::OpKind kind, int task, double start, double duration) {
        int index = add(name, parent, groups_++, task, kind, start, duration);
        profile_.spans[index].path = profile_.spans[parent].path;
        return index;
    }
    int stage(const std::string& name, int parent, graph::OpKind kind, double start, double duration) {
        return add(name, parent, profile_.spans[parent].group, profile_.spans[parent].task, kind, start, duration);
    }

    // Sections last as long as what is in them.
    compile::Profile finish(double total, int runs = 10) {
        auto& spans = profile_.spans;
        spans[0].durationNs = total;
        for (size_t i = spans.size(); i-- > 1;)
            if (int parent = spans[i].parent; parent > 0 && spans[parent].group < 0) {
                auto& above = spans[parent];
                above.startNs = above.durationNs == 0 ? spans[i].startNs : std::min(above.startNs, spans[i].startNs);
                above.durationNs += spans[i].durationNs;
            }
        for (auto& span : spans) {
            span.selfNs += span.durationNs;
            if (span.parent >= 0) spans[span.parent].selfNs -= span.durationNs;
            span.minNs = span.durationNs * 0.99;
            span.maxNs = span.durationNs * 1.012;
        }
        profile_.runs = runs;
        profile_.totalNs = profile_.minNs = total;
        profile_.spread = 0.012;
        profile_.label = "best schedules";
        return profile_;
    }

private:
    int add(const std::string& name, int parent, int group, int task, graph::OpKind kind, double start,
            double duration) {
        compile::Span span;
        span.name = name;
        span.parent = parent;
        span.group = group;
        span.task = task;
        span.kind = kind;
        span.startNs = start;
        span.durationNs = duration;
        profile_.spans.push_back(span);
        return static_cast<int>(profile_.spans.size()) - 1;
    }

    compile::Profile profile_;
    int groups_ = 0;
};

// About `spans` spans in sections of random sizes; durations over four orders of magnitude.
inline compile::Profile randomProfile(uint64_t seed, int spans) {
    Rng rng(seed);
    ProfileBuilder b("model");
    double at = 0;
    for (int made = 1; made < spans;) {
        int parent = 0;
        for (int64_t deep = rng.below(3); deep > 0; --deep, ++made)
            parent = b.section("s" + std::to_string(made), parent);
        for (int64_t ops = 1 + rng.below(12); ops > 0 && made < spans; --ops) {
            double duration = std::pow(10.0, rng.uniform(1, 5));
            auto kind = static_cast<graph::OpKind>(rng.below(7));
            int op = b.op("op" + std::to_string(made++), parent, kind, static_cast<int>(rng.below(30)), at, duration);
            double used = 0;
            for (int64_t stages = rng.below(4); stages > 0; --stages, ++made) {
                double length = (duration - used) * rng.uniform();
                b.stage("stage" + std::to_string(stages), op, kind, at + used, length);
                used += length;
            }
            at += duration;
        }
    }
    return b.finish(at * 1.01);
}

// Shaped like a MobileNetV2: sections features > features.N > fused operators > stages. Times are made up.
inline compile::Profile mobileProfile(uint64_t seed = 3) {
    Rng rng(seed);
    ProfileBuilder b("mobilenetv2");
    double at = 0;
    int node = 0, task = 0;
    auto op = [&](int parent, graph::OpKind kind, double us, const std::string& tail) {
        std::string name = (kind == graph::OpKind::Matmul ? "Gemm_"
                            : kind == graph::OpKind::Pool ? "GlobalAveragePool_"
                                                          : "Conv_");
        name += std::to_string(node++);
        if (!tail.empty()) name += " + " + tail + "_" + std::to_string(node++);
        double duration = us * 1000 * rng.uniform(0.8, 1.2);
        int index = b.op(name, parent, kind, task++ % 34, at, duration);
        double pad = duration * rng.uniform(0, 0.08), compute = duration * 0.86;
        if (kind == graph::OpKind::Convolution) b.stage("pad", index, graph::OpKind::Layout, at, pad);
        b.stage("compute", index, kind, at + pad, compute);
        if (!tail.empty())
            b.stage(tail == "Clip" ? "clip" : "add", index, graph::OpKind::Elementwise, at + pad + compute,
                    duration * 0.04);
        at += duration;
    };
    int features = b.section("features", 0);
    for (int block = 0; block < 19; ++block) {
        int parent = b.section("features." + std::to_string(block), features);
        op(parent, graph::OpKind::Convolution, block < 8 ? 160 : 110, "Clip");
        if (block > 0 && block < 18) {
            op(parent, graph::OpKind::Convolution, 60 + 90.0 / (1 + block), "Clip");
            op(parent, graph::OpKind::Convolution, 90, block % 3 ? "Add" : "");
        }
    }
    op(0, graph::OpKind::Pool, 12, "");
    int classifier = b.section("classifier", 0);
    op(classifier, graph::OpKind::Matmul, 228, "");
    return b.finish(at * 1.004, 200);
}

}  // namespace fettle::ui
