// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/space/stage_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace fettle::space {

Decision sizes(std::string name, std::vector<int64_t> choices, int64_t usual) {
    std::sort(choices.begin(), choices.end());
    choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
    Decision decision{std::move(name), std::move(choices), 0};
    for (size_t k = 0; k < decision.choices.size(); ++k)
        if (std::abs(decision.choices[k] - usual) <
            std::abs(decision.choices[static_cast<size_t>(decision.usual)] - usual))
            decision.usual = static_cast<int>(k);
    return decision;
}

std::vector<int64_t> tileChoices(int64_t extent, int64_t most) {
    constexpr int64_t kDense = 14;  // every size up to here, then only those that leave no tail
    std::vector<int64_t> choices;
    for (int64_t size = 1; size <= std::min(extent, most); ++size)
        if (size <= kDense || extent % size == 0) choices.push_back(size);
    if (choices.empty()) choices.push_back(1);
    return choices;
}

std::vector<int64_t> doublings(int64_t limit) {
    std::vector<int64_t> choices;
    for (int64_t size = 1; size < limit; size *= 2) choices.push_back(size);
    choices.push_back(std::max<int64_t>(limit, 1));
    return choices;
}

int64_t bestRows(int64_t extent, int64_t most, int64_t enough) {
    int64_t best = 1;
    double bestShare = -1;
    for (int64_t rows = 1; rows <= std::min(extent, most); ++rows) {
        const int64_t tiles = (extent + rows - 1) / rows;
        const double used = static_cast<double>(extent) / static_cast<double>(tiles * rows);
        const double share = used * std::min(1.0, static_cast<double>(rows) / static_cast<double>(enough));
        if (share > bestShare + 1e-9) {
            bestShare = share;
            best = rows;
        }
    }
    return best;
}

std::vector<int> byStride(const StageShape& shape, std::vector<int> axes) {
    std::stable_sort(axes.begin(), axes.end(), [&](int a, int b) {
        return std::abs(shape.axes[static_cast<size_t>(a)].outStep) >
               std::abs(shape.axes[static_cast<size_t>(b)].outStep);
    });
    return axes;
}

namespace {

struct ReduceItem {
    int axis;
    int64_t inner, extent;
    bool unroll = false;
};  // inner: steps of the loops below it

std::vector<ReduceItem> reduceItems(const StageShape& shape, bool blocksInnermost, int except) {
    std::vector<ReduceItem> items, blocks;
    for (const AxisShape& axis : shape.axes) {
        if (!axis.reduce || axis.axis == except) continue;
        if (axis.block > 1 && axis.extent > axis.block) {
            items.push_back({axis.axis, axis.block, (axis.extent + axis.block - 1) / axis.block});
            (blocksInnermost ? blocks : items).push_back({axis.axis, 1, axis.block});
        } else {
            items.push_back({axis.axis, 1, axis.extent});
        }
    }
    items.insert(items.end(), blocks.begin(), blocks.end());
    return items;
}

int64_t largestDivisor(int64_t extent, int64_t most) {
    for (int64_t size = std::min(extent, most); size > 1; --size)
        if (extent % size == 0) return size;
    return 1;
}

// Marks the innermost items until `budget` steps are unrolled, splitting the last one if need be.
void unrollInnermost(std::vector<ReduceItem>& items, int64_t budget) {
    for (size_t k = items.size(); k-- > 0 && budget > 1;) {
        if (items[k].extent <= budget) {
            items[k].unroll = true;
            budget /= std::max<int64_t>(items[k].extent, 1);
            continue;
        }
        const int64_t part = largestDivisor(items[k].extent, budget);
        if (part > 1) {
            const ReduceItem whole = items[k];
            items[k] = {whole.axis, whole.inner * part, whole.extent / part, false};
            items.insert(items.begin() + static_cast<std::ptrdiff_t>(k) + 1, {whole.axis, whole.inner, part, true});
        }
        break;
    }
}

}  // namespace

ReduceLoops reduceLoops(const StageShape& shape, NestBuilder& nest, int64_t unroll, bool blocksInnermost, int except) {
    std::vector<ReduceItem> items = reduceItems(shape, blocksInnermost, except);
    unrollInnermost(items, unroll);
    ReduceLoops loops;
    std::vector<std::vector<std::optional<BuiltLoop>>> levels(shape.axes.size());
    std::vector<std::vector<int64_t>> cuts(shape.axes.size());
    for (const ReduceItem& item : items)
        if (item.inner > 1) cuts[static_cast<size_t>(item.axis)].push_back(item.inner);
    for (const ReduceItem& item : items) {
        const auto axis = static_cast<size_t>(item.axis);
        if (levels[axis].empty()) {
            std::sort(cuts[axis].rbegin(), cuts[axis].rend());
            levels[axis] = nest.tile(item.axis, cuts[axis]);
        }
        const auto at = std::find(cuts[axis].begin(), cuts[axis].end(), item.inner) - cuts[axis].begin();
        const std::optional<BuiltLoop>& level = levels[axis][static_cast<size_t>(at)];
        if (level) (item.unroll ? loops.unrolled : loops.serial).push_back(*level);
    }
    return loops;
}

std::vector<int64_t> unrollChoices(const StageShape& shape, bool blocksInnermost, int except, int64_t most) {
    std::set<int64_t> choices{1};
    int64_t product = 1;
    const std::vector<ReduceItem> items = reduceItems(shape, blocksInnermost, except);
    for (size_t k = items.size(); k-- > 0;) {
        for (int64_t part = 2; part < items[k].extent && product * part <= most; part *= 2)
            if (items[k].extent % part == 0) choices.insert(product * part);
        product *= std::max<int64_t>(items[k].extent, 1);
        if (product > most) break;
        choices.insert(product);
    }
    return {choices.begin(), choices.end()};
}

}  // namespace fettle::space
