// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flame/flame_layout.h"

#include <algorithm>
#include <cmath>

namespace fettle::ui {

namespace {

// Collects neighbours that are too narrow to be seen alone.
class Run {
public:
    explicit Run(std::vector<FlameBox>& row) : row_(row) {}

    void add(int node, int64_t durationNs, double left, double right) {
        if (box_.node >= 0 && (left > box_.right + 0.5 || box_.width() >= FlameLayout::kMergeBelow)) flush();
        if (box_.node < 0) {
            box_ = {node, 1, left, right};
            longest_ = durationNs;
            return;
        }
        box_.right = right;
        ++box_.spans;
        if (durationNs > longest_) {
            longest_ = durationNs;
            box_.node = node;
        }
    }
    void flush() {
        if (box_.node >= 0 && box_.width() > 0) row_.push_back(box_);
        box_ = {};
    }

private:
    std::vector<FlameBox>& row_;
    FlameBox box_;
    int64_t longest_ = 0;
};

}  // namespace

FlameLayout::FlameLayout(const FlameTree& tree, FlameRange range, double width) : range_(range), width_(width) {
    if (tree.empty() || !(range.length() > 0) || !(width > 0)) return;
    scale_ = width / range.length();
    rows_.resize(tree.depth());
    for (int depth = 0; depth < tree.depth(); ++depth) {
        auto first = tree.nodes.begin() + tree.levels[depth], last = tree.nodes.begin() + tree.levels[depth + 1];
        // The first node that ends after the left edge; ends are sorted because siblings do not overlap.
        auto node =
            std::partition_point(first, last, [&](const FlameNode& n) { return double(n.endNs()) <= range.low; });
        Run run(rows_[depth]);
        for (; node != last && double(node->startNs) < range.high; ++node) {
            const double left = std::max(0.0, xOf(double(node->startNs)));
            const double right = std::min(width, xOf(double(node->endNs())));
            const int index = static_cast<int>(node - tree.nodes.begin());
            if (right - left < kMergeBelow) {
                run.add(index, node->durationNs, left, right);
                continue;
            }
            run.flush();
            rows_[depth].push_back({index, 1, left, right});
        }
        run.flush();
    }
}

const FlameBox* FlameLayout::hit(int depth, double x) const {
    if (depth < 0 || depth >= this->depth()) return nullptr;
    const auto& row = rows_[depth];
    auto after = std::ranges::upper_bound(row, x, {}, &FlameBox::left);
    if (after == row.begin()) return nullptr;
    const FlameBox& box = *std::prev(after);
    return x < box.right ? &box : nullptr;
}

int coveringNode(const FlameTree& tree, FlameRange range) {
    if (tree.empty()) return 0;
    const double slack = range.length() * 1e-6;
    int at = 0;
    while (true) {
        const FlameNode& node = tree.nodes[at];
        auto first = tree.nodes.begin() + node.firstChild, last = first + node.childCount;
        auto child = std::partition_point(first, last,
                                          [&](const FlameNode& n) { return double(n.endNs()) < range.high - slack; });
        if (child == last || double(child->startNs) > range.low + slack) return at;
        at = static_cast<int>(child - tree.nodes.begin());
    }
}

FlameRange insideTree(const FlameTree& tree, FlameRange range) {
    const double total = static_cast<double>(tree.totalNs()),
                 length = std::clamp(range.length(), std::min(100.0, total), total);
    const double middle = (range.low + range.high) / 2, low = std::clamp(middle - length / 2, 0.0, total - length);
    return {low, low + length};
}

std::vector<double> axisMarks(FlameRange range, double width, double pixelsBetween) {
    std::vector<double> marks;
    if (!(range.length() > 0) || !(width > 0)) return marks;
    const double wanted = range.length() * pixelsBetween / width;
    const double power = std::pow(10.0, std::floor(std::log10(wanted)));
    double step = power * 10;
    for (double factor : {1.0, 2.0, 5.0})
        if (factor * power >= wanted * (1 - 1e-9)) {
            step = factor * power;
            break;
        }
    for (double index = std::ceil(range.low / step - 1e-9); index * step <= range.high; ++index)
        marks.push_back(index * step);
    return marks;
}

}  // namespace fettle::ui
