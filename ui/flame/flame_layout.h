// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes for a flame chart: computed once for a tree, a range of values and a width, painted many times. No Qt in here.
#pragma once

#include <vector>

#include "ui/flame/flame_tree.h"

namespace fettle::ui {

struct FlameRange {
    double low = 0, high = 0;  // nanoseconds, as nodes are placed

    double length() const { return high - low; }
    bool operator==(const FlameRange&) const = default;
};

struct FlameBox {
    int node = -1;               // the longest, when it stands for several
    int spans = 1;               // neighbours under 3 px are drawn as one box
    double left = 0, right = 0;  // pixels; clipped to [0, width]

    double width() const { return right - left; }
};

class FlameLayout {
public:
    static constexpr double kMergeBelow = 3;  // pixels

    FlameLayout() = default;
    FlameLayout(const FlameTree& tree, FlameRange range, double width);

    int depth() const { return static_cast<int>(rows_.size()); }
    const std::vector<FlameBox>& row(int depth) const { return rows_[depth]; }  // left to right, without overlap
    const FlameBox* hit(int depth, double x) const;                             // null: nothing there
    double xOf(double ns) const { return (ns - range_.low) * scale_; }
    double nsOf(double x) const { return scale_ > 0 ? range_.low + x / scale_ : range_.low; }
    const FlameRange& range() const { return range_; }
    double width() const { return width_; }

private:
    std::vector<std::vector<FlameBox>> rows_;
    FlameRange range_;
    double scale_ = 0, width_ = 0;
};

// The deepest node that covers the whole range; 0 when none does.
int coveringNode(const FlameTree& tree, FlameRange range);
// The range shifted and, when it is too long or too short (under 100 ns), resized, so that it lies inside the tree.
FlameRange insideTree(const FlameTree& tree, FlameRange range);

// Positions for the marks of a time axis: four to ten multiples of 1, 2 or 5 times a power of ten.
std::vector<double> axisMarks(FlameRange range, double width, double pixelsBetween);

}  // namespace fettle::ui
