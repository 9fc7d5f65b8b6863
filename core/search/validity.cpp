// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/validity.h"

#include <algorithm>

namespace fettle::search {

void Validity::add(const space::Point& point, bool valid) {
    anyFailed_ = anyFailed_ || !valid;
    const auto bump = [&](int decision, int choice) {
        Count& count = counts_[{point.sketch, decision, choice}];
        (valid ? count.valid : count.failed) += 1;
    };
    bump(-1, 0);
    for (size_t k = 0; k < point.choice.size(); ++k) bump(static_cast<int>(k), point.choice[k]);
}

double Validity::share(const Count& count) {
    return (count.valid + 1.0) / (count.valid + count.failed + 1.0);
}

double Validity::estimate(const space::Point& point) const {
    if (!anyFailed_) return 1;
    double worst = 1;
    const auto look = [&](int decision, int choice) {
        if (const auto found = counts_.find({point.sketch, decision, choice}); found != counts_.end())
            worst = std::min(worst, share(found->second));
    };
    look(-1, 0);
    for (size_t k = 0; k < point.choice.size(); ++k) look(static_cast<int>(k), point.choice[k]);
    return worst;
}

}  // namespace fettle::search
