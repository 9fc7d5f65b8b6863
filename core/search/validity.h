// SPDX-License-Identifier: GPL-3.0-or-later
// What failed trials teach: for every sketch and every choice of every decision, how many trials were valid.
#pragma once

#include <map>
#include <tuple>

#include "core/space/design_space.h"

namespace fettle::search {

class Validity {
public:
    void add(const space::Point& point, bool valid);
    // In (0,1]: 1 where nothing has failed; the worst of the point's sketch and choices.
    double estimate(const space::Point& point) const;

private:
    struct Count {
        int valid = 0, failed = 0;
    };
    static double share(const Count& count);
    std::map<std::tuple<int, int, int>, Count> counts_;  // sketch, decision (-1: the sketch), choice
    bool anyFailed_ = false;
};

}  // namespace fettle::search
