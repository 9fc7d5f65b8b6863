// SPDX-License-Identifier: GPL-3.0-or-later
// Turns "tile this axis so, order the loops so" into primitives. Splits that would do nothing are left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/schedule/trace.h"
#include "core/space/stage_shape.h"

namespace fettle::space {

struct BuiltLoop {
    std::string name;
    int64_t extent = 1;
    int axis = 0;
    int64_t step = 1;
};

class NestBuilder {
public:
    explicit NestBuilder(const StageShape& shape) : shape_(shape) {}

    // Splits an axis at cumulative sizes, largest first: {64,16} gives up to three levels. Level k is absent when it
    // would run once. `lanes`: the last size is a vector and always becomes a loop of exactly that extent.
    std::vector<std::optional<BuiltLoop>> tile(int axis, const std::vector<int64_t>& sizes, bool lanes = false);
    // Appends loops, outermost first.
    void serial(const std::optional<BuiltLoop>& loop);
    void unrolled(const std::optional<BuiltLoop>& loop);
    void vectorized(const std::optional<BuiltLoop>& loop);

    // Splits, reorder, annotations; appended to `trace`. Every axis must have been tiled and placed.
    void emit(schedule::Trace& trace) const;
    // The serial space loops before the first reduce loop or annotated loop, outermost first.
    std::vector<BuiltLoop> outerSpaceLoops() const;

private:
    enum class Kind { Serial, Unrolled, Vectorized };
    struct Placed {
        BuiltLoop loop;
        Kind kind;
    };
    const StageShape& shape_;
    std::vector<schedule::Split> splits_;
    std::vector<Placed> placed_;
};

}  // namespace fettle::space
