// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/graph/kind.h"

namespace fettle::graph {

namespace {
struct KindRow {
    char letter;
    const char* name;
};
constexpr KindRow kKinds[] = {{'C', "convolution"}, {'M', "matmul"}, {'A', "normalisation"}, {'P', "pool"},
                              {'E', "elementwise"}, {'L', "layout"}, {'O', "other"}};
}  // namespace

char kindLetter(OpKind kind) {
    return kKinds[static_cast<int>(kind)].letter;
}

const char* kindName(OpKind kind) {
    return kKinds[static_cast<int>(kind)].name;
}

}  // namespace fettle::graph
