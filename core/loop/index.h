// SPDX-License-Identifier: GPL-3.0-or-later
// Integer index expressions over the axes of a stage. Quasi-affine: sums, products with constants, floor division
// and modulo by constants; plus values loaded from an integer tensor (Gather).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fettle::loop {

struct ScalarNode;

// Immutable, cheap to copy. Constructors simplify constants at once ( x*1, x+0, (16*x+y)/16 needs ranges: simplify() ).
class Index {
public:
    enum class Kind : uint8_t { Constant, Axis, Add, Mul, FloorDiv, Mod, Loaded };

    Index(int64_t constant = 0);    // NOLINT: an integer is an index
    static Index axis(int number);  // the number of an axis of the stage (or of a loop, in the emitter)
    static Index loaded(std::shared_ptr<const ScalarNode> value);  // a data-dependent index: an integer load

    Kind kind() const;
    int64_t constant() const;  // Constant: its value; Mul, FloorDiv, Mod: the right operand
    int axisNumber() const;
    Index left() const;   // Add, Mul, FloorDiv, Mod
    Index right() const;  // Add
    const std::shared_ptr<const ScalarNode>& loadedValue() const;

    struct Node;
    const Node* node() const { return node_.get(); }

private:
    explicit Index(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
    friend Index operator+(const Index&, const Index&);
    friend Index operator*(const Index&, int64_t);
    friend Index floorDiv(const Index&, int64_t);
    friend Index mod(const Index&, int64_t);
    std::shared_ptr<const Node> node_;
};

Index operator+(const Index& a, const Index& b);
Index operator-(const Index& a, const Index& b);
Index operator*(const Index& a, int64_t factor);
Index floorDiv(const Index& a, int64_t divisor);  // divisor > 0, rounds toward minus infinity
Index mod(const Index& a, int64_t divisor);       // divisor > 0, result in [0, divisor)

struct Range {
    int64_t low, high;
};  // inclusive

// Rewrites under the ranges of the axes: (16*a+b)/16 -> a and (16*a+b)%16 -> b when b is in [0,16), and so on.
Index simplify(const Index& index, std::span<const Range> axisRanges);
Range rangeOf(const Index& index, std::span<const Range> axisRanges);     // Loaded: the full int64 range / 4
Index substitute(const Index& index, std::span<const Index> axisValues);  // axis k becomes axisValues[k]
Index substituteAffinePart(const Index& index,
                           std::span<const Index> axisValues);              // leaves what is inside Loaded alone
int64_t evaluate(const Index& index, std::span<const int64_t> axisValues);  // no Loaded inside
bool equal(const Index& a, const Index& b);

// index == constant + sum(coefficient[k] * axis k), when it is affine.
struct Affine {
    int64_t constant = 0;
    std::vector<int64_t> coefficients;
    bool valid = false;
};
Affine affine(const Index& index, int axes);

std::string print(const Index& index, std::span<const std::string> axisNames);

}  // namespace fettle::loop
