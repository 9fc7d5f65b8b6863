// SPDX-License-Identifier: GPL-3.0-or-later
// Private to codegen/: transcendental functions as straight-line IR on float or <n x float>, no libm.
// Errors in units in the last place over the whole range, measured by tests/codegen: exp 1, log 1, tanh 4, erf 1,
// sigmoid 2; sin and cos 2 of one for |x| < 100. Infinities, NaN and denormal results as in IEEE 754.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace fettle::codegen {

struct MathBuilder {
    llvm::IRBuilder<>& builder;
    bool fma;         // fused multiply-add instructions exist
    bool roundInstr;  // floor and the like are instructions

    using V = llvm::Value*;
    V exp(V x);
    V log(V x);
    V tanh(V x);
    V erf(V x);
    V sigmoid(V x);
    V sin(V x) { return sinCos(x, false); }
    V cos(V x) { return sinCos(x, true); }
    V pow(V base, V exponent);

    V remainder(V a, V b);  // fmod; exact while the quotient is below 2^24

    V floor(V x);
    V ceil(V x);
    V roundEven(V x);
    V multiplyAdd(V a, V b, V c);

private:
    V number(V like, double value);
    V bits(V like, int64_t value);  // integers of the same width
    V asBits(V x);
    V asFloat(V x, V like);
    V polynomial(V x, std::initializer_list<double> highestFirst);
    V negate(V x);
    V abs(V x);
    V copySign(V magnitude, V sign);
    V choose(V condition, V a, V b) { return builder.CreateSelect(condition, a, b); }
    V sinCos(V x, bool cosine);
    V nearest(V x, V& shifted);        // round to an integer through the mantissa, |x| < 2^22
    V powerOfTwo(V exponent, V like);  // 2^n from integers n in [-126, 127]
};

}  // namespace fettle::codegen
