// SPDX-License-Identifier: GPL-3.0-or-later
#include <unordered_map>

#include "core/ops/family/rule.h"
#include "core/ops/lowering/table.h"

namespace fettle::ops {

const std::vector<OpRow>& registry() {
    static const std::vector<OpRow> rows = [] {
        std::vector<OpRow> all;
        for (auto* family : {convolutionRows, matmulRows, poolRows, normalizationRows, reduceRows, unaryRows,
                             binaryRows, selectRows, reshapeRows, movementRows, gatherRows, resizeRows, generatorRows})
            for (OpRow& row : family()) {
                row.lower = lowerOf(row.domain, row.name);
                all.push_back(std::move(row));
            }
        return all;
    }();
    return rows;
}

const OpRow* findOp(std::string_view domain, std::string_view name, int opset) {
    static const auto byName = [] {
        std::unordered_multimap<std::string_view, const OpRow*> map;
        for (const OpRow& row : registry()) map.emplace(row.name, &row);
        return map;
    }();
    const auto [first, last] = byName.equal_range(name);
    for (auto it = first; it != last; ++it)
        if (it->second->domain == domain && opset >= it->second->sinceVersion && opset <= it->second->untilVersion)
            return it->second;
    return nullptr;
}

}  // namespace fettle::ops
