// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loop/index.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/loop/scalar.h"

namespace fettle::loop {

struct Index::Node {
    Kind kind;
    int64_t value = 0;  // Constant: value; Axis: number; Mul, FloorDiv, Mod: right operand
    std::shared_ptr<const Node> left, right;
    std::shared_ptr<const ScalarNode> loaded;
};

namespace {

using NodePtr = std::shared_ptr<const Index::Node>;

int64_t floorDivide(int64_t a, int64_t b) {
    return a / b - ((a % b != 0) && (a < 0));
}
int64_t modulo(int64_t a, int64_t b) {
    return a - floorDivide(a, b) * b;
}

}  // namespace

Index::Index(int64_t constant) : node_(std::make_shared<const Node>(Node{Kind::Constant, constant, {}, {}, {}})) {}

Index Index::axis(int number) {
    return Index(std::make_shared<const Node>(Node{Kind::Axis, number, {}, {}, {}}));
}

Index Index::loaded(std::shared_ptr<const ScalarNode> value) {
    return Index(std::make_shared<const Node>(Node{Kind::Loaded, 0, {}, {}, std::move(value)}));
}

Index::Kind Index::kind() const {
    return node_->kind;
}
int64_t Index::constant() const {
    return node_->value;
}
int Index::axisNumber() const {
    return static_cast<int>(node_->value);
}
Index Index::left() const {
    return Index(node_->left);
}
Index Index::right() const {
    return Index(node_->right);
}
const std::shared_ptr<const ScalarNode>& Index::loadedValue() const {
    return node_->loaded;
}

Index operator+(const Index& a, const Index& b) {
    using Kind = Index::Kind;
    if (a.kind() == Kind::Constant && b.kind() == Kind::Constant) return Index(a.constant() + b.constant());
    if (a.kind() == Kind::Constant && a.constant() == 0) return b;
    if (b.kind() == Kind::Constant && b.constant() == 0) return a;
    if (a.kind() == Kind::Constant) return b + a;  // constants to the right
    if (b.kind() == Kind::Constant && a.kind() == Kind::Add && a.right().kind() == Kind::Constant)
        return a.left() + Index(a.right().constant() + b.constant());
    return Index(std::make_shared<const Index::Node>(Index::Node{Kind::Add, 0, a.node_, b.node_, {}}));
}

Index operator-(const Index& a, const Index& b) {
    return a + b * -1;
}

Index operator*(const Index& a, int64_t factor) {
    using Kind = Index::Kind;
    if (factor == 0) return Index(0);
    if (factor == 1) return a;
    if (a.kind() == Kind::Constant) return Index(a.constant() * factor);
    if (a.kind() == Kind::Mul) return a.left() * (a.constant() * factor);
    if (a.kind() == Kind::Add) return a.left() * factor + a.right() * factor;
    return Index(std::make_shared<const Index::Node>(Index::Node{Kind::Mul, factor, a.node_, {}, {}}));
}

Index floorDiv(const Index& a, int64_t divisor) {
    assert(divisor > 0);
    if (divisor == 1) return a;
    if (a.kind() == Index::Kind::Constant) return Index(floorDivide(a.constant(), divisor));
    if (a.kind() == Index::Kind::FloorDiv) return floorDiv(a.left(), a.constant() * divisor);
    return Index(std::make_shared<const Index::Node>(Index::Node{Index::Kind::FloorDiv, divisor, a.node_, {}, {}}));
}

Index mod(const Index& a, int64_t divisor) {
    assert(divisor > 0);
    if (divisor == 1) return Index(0);
    if (a.kind() == Index::Kind::Constant) return Index(modulo(a.constant(), divisor));
    return Index(std::make_shared<const Index::Node>(Index::Node{Index::Kind::Mod, divisor, a.node_, {}, {}}));
}

Range rangeOf(const Index& index, std::span<const Range> ranges) {
    using Kind = Index::Kind;
    constexpr int64_t kHuge = std::numeric_limits<int64_t>::max() / 4;
    switch (index.kind()) {
        case Kind::Constant:
            return {index.constant(), index.constant()};
        case Kind::Axis:
            return ranges[static_cast<size_t>(index.axisNumber())];
        case Kind::Add: {
            const Range a = rangeOf(index.left(), ranges), b = rangeOf(index.right(), ranges);
            return {a.low + b.low, a.high + b.high};
        }
        case Kind::Mul: {
            const Range a = rangeOf(index.left(), ranges);
            const int64_t f = index.constant();
            return f >= 0 ? Range{a.low * f, a.high * f} : Range{a.high * f, a.low * f};
        }
        case Kind::FloorDiv: {
            const Range a = rangeOf(index.left(), ranges);
            return {floorDivide(a.low, index.constant()), floorDivide(a.high, index.constant())};
        }
        case Kind::Mod: {
            const Range a = rangeOf(index.left(), ranges);
            const int64_t m = index.constant();
            if (floorDivide(a.low, m) == floorDivide(a.high, m)) return {modulo(a.low, m), modulo(a.high, m)};
            return {0, m - 1};
        }
        case Kind::Loaded:
            return {-kHuge, kHuge};
    }
    return {-kHuge, kHuge};
}

namespace {

// index == constant + sum(coefficient * term), terms being anything but Add, Mul and Constant.
struct Sum {
    int64_t constant = 0;
    std::vector<std::pair<Index, int64_t>> terms;
};

void collect(const Index& index, int64_t factor, Sum& sum) {
    using Kind = Index::Kind;
    switch (index.kind()) {
        case Kind::Constant:
            sum.constant += index.constant() * factor;
            return;
        case Kind::Add:
            collect(index.left(), factor, sum);
            collect(index.right(), factor, sum);
            return;
        case Kind::Mul:
            collect(index.left(), factor * index.constant(), sum);
            return;
        default:
            for (auto& [term, coefficient] : sum.terms)
                if (equal(term, index)) {
                    coefficient += factor;
                    return;
                }
            sum.terms.emplace_back(index, factor);
    }
}

// m * floorDiv(x, m) + mod(x, m) is x.
void recombine(Sum& sum) {
    for (size_t i = 0; i < sum.terms.size(); ++i) {
        const Index modTerm = sum.terms[i].first;
        if (modTerm.kind() != Index::Kind::Mod) continue;
        const int64_t m = modTerm.constant(), factor = sum.terms[i].second;
        for (size_t j = 0; j < sum.terms.size(); ++j) {
            const Index divTerm = sum.terms[j].first;
            if (divTerm.kind() != Index::Kind::FloorDiv || divTerm.constant() != m ||
                sum.terms[j].second != factor * m || !equal(divTerm.left(), modTerm.left()))
                continue;
            const Index inner = modTerm.left();
            sum.terms.erase(sum.terms.begin() + static_cast<long>(std::max(i, j)));
            sum.terms.erase(sum.terms.begin() + static_cast<long>(std::min(i, j)));
            collect(inner, factor, sum);
            i = static_cast<size_t>(-1);
            break;
        }
    }
}

Index rebuild(const Sum& sum) {
    Index result(0);
    for (const auto& [term, coefficient] : sum.terms)
        if (coefficient != 0) result = result + term * coefficient;
    return result + Index(sum.constant);
}

// Splits a sum into m * quotient + rest, taking out what m divides.
void splitBy(const Sum& sum, int64_t m, Sum& quotient, Sum& rest) {
    for (const auto& [term, coefficient] : sum.terms)
        if (coefficient % m == 0)
            quotient.terms.emplace_back(term, coefficient / m);
        else
            rest.terms.emplace_back(term, coefficient);
    quotient.constant = floorDivide(sum.constant, m);
    rest.constant = modulo(sum.constant, m);
}

Index simplifyDivMod(const Index& inner, int64_t m, bool wantQuotient, std::span<const Range> ranges) {
    Sum sum, quotient, rest;
    collect(inner, 1, sum);
    recombine(sum);
    splitBy(sum, m, quotient, rest);
    const Index restIndex = rebuild(rest);
    const Range restRange = rangeOf(restIndex, ranges);
    const int64_t low = floorDivide(restRange.low, m);
    if (low == floorDivide(restRange.high, m))  // the rest stays within one block
        return wantQuotient ? rebuild(quotient) + Index(low) : restIndex - Index(low * m);
    if (wantQuotient) return rebuild(quotient) + floorDiv(restIndex, m);
    return mod(restIndex, m);
}

}  // namespace

Index simplify(const Index& index, std::span<const Range> ranges) {
    using Kind = Index::Kind;
    switch (index.kind()) {
        case Kind::Constant:
        case Kind::Loaded:
            return index;
        case Kind::Axis: {
            const Range range = ranges[static_cast<size_t>(index.axisNumber())];
            return range.low == range.high ? Index(range.low) : index;
        }
        case Kind::Add:
        case Kind::Mul: {
            Sum sum, simplified;
            collect(index, 1, sum);
            simplified.constant = sum.constant;
            for (const auto& [term, coefficient] : sum.terms) collect(simplify(term, ranges), coefficient, simplified);
            recombine(simplified);
            return rebuild(simplified);
        }
        case Kind::FloorDiv:
            return simplifyDivMod(simplify(index.left(), ranges), index.constant(), true, ranges);
        case Kind::Mod:
            return simplifyDivMod(simplify(index.left(), ranges), index.constant(), false, ranges);
    }
    return index;
}

namespace {

template <class OnLoaded>
Index substituteWith(const Index& index, std::span<const Index> values, const OnLoaded& onLoaded) {
    using Kind = Index::Kind;
    switch (index.kind()) {
        case Kind::Constant:
            return index;
        case Kind::Axis:
            return values[static_cast<size_t>(index.axisNumber())];
        case Kind::Add:
            return substituteWith(index.left(), values, onLoaded) + substituteWith(index.right(), values, onLoaded);
        case Kind::Mul:
            return substituteWith(index.left(), values, onLoaded) * index.constant();
        case Kind::FloorDiv:
            return floorDiv(substituteWith(index.left(), values, onLoaded), index.constant());
        case Kind::Mod:
            return mod(substituteWith(index.left(), values, onLoaded), index.constant());
        case Kind::Loaded:
            return onLoaded(index);
    }
    return index;
}

}  // namespace

Index substitute(const Index& index, std::span<const Index> values) {
    return substituteWith(index, values, [&](const Index& loaded) {
        return Index::loaded(substituteAxes(loaded.loadedValue(), std::vector<Index>(values.begin(), values.end())));
    });
}

Index substituteAffinePart(const Index& index, std::span<const Index> values) {
    return substituteWith(index, values, [](const Index& loaded) { return loaded; });
}

int64_t evaluate(const Index& index, std::span<const int64_t> values) {
    using Kind = Index::Kind;
    switch (index.kind()) {
        case Kind::Constant:
            return index.constant();
        case Kind::Axis:
            return values[static_cast<size_t>(index.axisNumber())];
        case Kind::Add:
            return evaluate(index.left(), values) + evaluate(index.right(), values);
        case Kind::Mul:
            return evaluate(index.left(), values) * index.constant();
        case Kind::FloorDiv:
            return floorDivide(evaluate(index.left(), values), index.constant());
        case Kind::Mod:
            return modulo(evaluate(index.left(), values), index.constant());
        case Kind::Loaded:
            assert(!"evaluate() has no tensors");
            return 0;
    }
    return 0;
}

bool equal(const Index& a, const Index& b) {
    if (a.node() == b.node()) return true;
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
        case Index::Kind::Constant:
        case Index::Kind::Axis:
            return a.constant() == b.constant();
        case Index::Kind::Add:
            return equal(a.left(), b.left()) && equal(a.right(), b.right());
        case Index::Kind::Mul:
        case Index::Kind::FloorDiv:
        case Index::Kind::Mod:
            return a.constant() == b.constant() && equal(a.left(), b.left());
        case Index::Kind::Loaded:
            return equal(a.loadedValue(), b.loadedValue());
    }
    return false;
}

Affine affine(const Index& index, int axes) {
    Sum sum;
    collect(index, 1, sum);
    Affine result;
    result.constant = sum.constant;
    result.coefficients.assign(static_cast<size_t>(axes), 0);
    for (const auto& [term, coefficient] : sum.terms) {
        if (term.kind() != Index::Kind::Axis || term.axisNumber() >= axes) return {};
        result.coefficients[static_cast<size_t>(term.axisNumber())] += coefficient;
    }
    result.valid = true;
    return result;
}

namespace {

std::string printTerm(const Index& index, std::span<const std::string> names, bool nested) {
    using Kind = Index::Kind;
    const auto wrap = [nested](std::string text) { return nested ? "(" + text + ")" : text; };
    switch (index.kind()) {
        case Kind::Constant:
            return std::to_string(index.constant());
        case Kind::Axis:
            return names[static_cast<size_t>(index.axisNumber())];
        case Kind::Add: {
            const Index right = index.right();
            const std::string left = printTerm(index.left(), names, false);
            if (right.kind() == Kind::Constant && right.constant() < 0)
                return wrap(left + " - " + std::to_string(-right.constant()));
            if (right.kind() == Kind::Mul && right.constant() < 0)
                return wrap(left + " - " + printTerm(right.left() * -right.constant(), names, true));
            return wrap(left + " + " + printTerm(right, names, false));
        }
        case Kind::Mul:
            return printTerm(index.left(), names, true) + "*" + std::to_string(index.constant());
        case Kind::FloorDiv:
            return printTerm(index.left(), names, true) + "/" + std::to_string(index.constant());
        case Kind::Mod:
            return printTerm(index.left(), names, true) + "%" + std::to_string(index.constant());
        case Kind::Loaded:
            return "{" + print(index.loadedValue(), {}, names) + "}";
    }
    return {};
}

}  // namespace

std::string print(const Index& index, std::span<const std::string> names) {
    return printTerm(index, names, false);
}

}  // namespace fettle::loop
