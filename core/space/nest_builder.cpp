// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/space/nest_builder.h"

#include <algorithm>

namespace fettle::space {

std::vector<std::optional<BuiltLoop>> NestBuilder::tile(int axis, const std::vector<int64_t>& sizes, bool lanes) {
    const AxisShape& shape = shape_.axes[static_cast<size_t>(axis)];
    std::vector<std::optional<BuiltLoop>> levels(sizes.size() + 1);
    int64_t rest = shape.extent;
    int made = 0;
    const auto name = [&](int number) { return shape.name + std::to_string(number); };
    for (size_t k = 0; k < sizes.size(); ++k) {
        const int64_t size = sizes[k];
        const bool vector = lanes && k + 1 == sizes.size();
        if (vector ? size == rest : size >= rest) continue;
        if (size <= 1) {
            levels[k] = BuiltLoop{"", rest, axis, 1};
            rest = 1;
            continue;
        }
        const int64_t trips = (rest + size - 1) / size;
        splits_.push_back({shape_.name, shape.name, size, name(made), shape.name});
        levels[k] = BuiltLoop{name(made++), trips, axis, size};
        rest = size;
    }
    const bool whole = made == 0;  // no split: the axis keeps its name
    const std::string last = whole ? shape.name : name(made);
    bool lastUsed = false;
    for (auto& level : levels)
        if (level && level->name.empty()) {
            level->name = last;
            lastUsed = true;
        }
    if (!lastUsed) levels.back() = BuiltLoop{last, rest, axis, 1};
    if (!whole) splits_.back().inner = last;
    return levels;
}

void NestBuilder::serial(const std::optional<BuiltLoop>& loop) {
    if (loop) placed_.push_back({*loop, Kind::Serial});
}
void NestBuilder::unrolled(const std::optional<BuiltLoop>& loop) {
    if (loop) placed_.push_back({*loop, Kind::Unrolled});
}
void NestBuilder::vectorized(const std::optional<BuiltLoop>& loop) {
    if (loop) placed_.push_back({*loop, Kind::Vectorized});
}

void NestBuilder::emit(schedule::Trace& trace) const {
    for (const schedule::Split& split : splits_) trace.primitives.emplace_back(split);
    std::vector<std::string> order;
    for (const Placed& placed : placed_) order.push_back(placed.loop.name);
    if (order.size() > 1) trace.primitives.emplace_back(schedule::Reorder{shape_.name, order});
    for (const Placed& placed : placed_)
        if (placed.kind == Kind::Unrolled)
            trace.primitives.emplace_back(schedule::Unroll{shape_.name, placed.loop.name});
    for (const Placed& placed : placed_)
        if (placed.kind == Kind::Vectorized)
            trace.primitives.emplace_back(schedule::Vectorize{shape_.name, placed.loop.name});
}

std::vector<BuiltLoop> NestBuilder::outerSpaceLoops() const {
    std::vector<BuiltLoop> outer;
    for (const Placed& placed : placed_) {
        if (placed.kind != Kind::Serial || shape_.axes[static_cast<size_t>(placed.loop.axis)].reduce) break;
        outer.push_back(placed.loop);
    }
    return outer;
}

}  // namespace fettle::space
