// SPDX-License-Identifier: GPL-3.0-or-later
// Polynomials: exp by minimax on [-ln2/2, ln2/2]; log, sin, cos after Cephes (S. Moshier); erf after N. Juffa;
// tanh as the odd 13/6 rational that Eigen uses.
#include "core/codegen/vector_math.h"

#include <llvm/IR/Intrinsics.h>

namespace fettle::codegen {

using V = llvm::Value*;

V MathBuilder::number(V like, double value) {
    return llvm::ConstantFP::get(like->getType(), value);
}

V MathBuilder::bits(V like, int64_t value) {
    llvm::Type* type = like->getType();
    if (type->isFPOrFPVectorTy()) type = type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()));
    return llvm::ConstantInt::getSigned(type, value);
}

V MathBuilder::asBits(V x) {
    return builder.CreateBitCast(x,
                                 x->getType()->getWithNewType(builder.getIntNTy(x->getType()->getScalarSizeInBits())));
}

V MathBuilder::asFloat(V x, V like) {
    return builder.CreateBitCast(x, like->getType());
}

V MathBuilder::multiplyAdd(V a, V b, V c) {
    if (fma) return builder.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
    return builder.CreateFAdd(builder.CreateFMul(a, b), c);
}

V MathBuilder::polynomial(V x, std::initializer_list<double> highestFirst) {
    V result = nullptr;
    for (const double coefficient : highestFirst)
        result = result ? multiplyAdd(result, x, number(x, coefficient)) : number(x, coefficient);
    return result;
}

V MathBuilder::negate(V x) {
    return builder.CreateFNeg(x);
}
V MathBuilder::abs(V x) {
    return builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}
V MathBuilder::copySign(V magnitude, V sign) {
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

V MathBuilder::nearest(V x, V& shifted) {
    const V magic = number(x, 12582912.0);  // 1.5 * 2^23
    shifted = builder.CreateFAdd(x, magic);
    return builder.CreateFSub(shifted, magic);
}

V MathBuilder::powerOfTwo(V exponent, V like) {
    return asFloat(builder.CreateShl(builder.CreateAdd(exponent, bits(like, 127)), bits(like, 23)), like);
}

V MathBuilder::exp(V x) {
    // comparisons are false for NaN, which passes through
    V t = choose(builder.CreateFCmpOLT(x, number(x, -105.0)), number(x, -105.0), x);
    t = choose(builder.CreateFCmpOGT(t, number(x, 90.0)), number(x, 90.0), t);
    V shifted = nullptr;
    const V n = nearest(builder.CreateFMul(t, number(x, 1.4426950408889634)), shifted);
    V r = multiplyAdd(n, number(x, -0.693145751953125), t);
    r = multiplyAdd(n, number(x, -1.428606765330187e-06), r);
    const V p = polynomial(
        r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
    const V y = builder.CreateFAdd(multiplyAdd(p, builder.CreateFMul(r, r), r), number(x, 1.0));
    // 2^n in two factors: n reaches below -126 (denormal results) and above 127 (overflow to infinity)
    const V k = builder.CreateSub(asBits(shifted), bits(x, 0x4b400000));
    const V half = builder.CreateAShr(k, bits(x, 1));
    return builder.CreateFMul(builder.CreateFMul(y, powerOfTwo(half, x)), powerOfTwo(builder.CreateSub(k, half), x));
}

V MathBuilder::log(V x) {
    const V tiny = builder.CreateFCmpOLT(x, number(x, 1.17549435e-38));
    const V scaled = choose(tiny, builder.CreateFMul(x, number(x, 8388608.0)), x);
    // m in [sqrt(1/2), sqrt(2)), x = m * 2^e
    const V shifted = builder.CreateSub(asBits(scaled), bits(x, 0x3f3504f3));
    const V e = builder.CreateAShr(shifted, bits(x, 23));
    const V m = asFloat(builder.CreateSub(asBits(scaled), builder.CreateShl(e, bits(x, 23))), x);
    V exponent = builder.CreateSIToFP(e, x->getType());
    exponent = builder.CreateFSub(exponent, choose(tiny, number(x, 23.0), number(x, 0.0)));
    const V f = builder.CreateFSub(m, number(x, 1.0)), z = builder.CreateFMul(f, f);
    V y = polynomial(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                         -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
    y = builder.CreateFMul(builder.CreateFMul(y, f), z);
    y = multiplyAdd(exponent, number(x, -2.12194440e-4), y);
    y = multiplyAdd(z, number(x, -0.5), y);
    V result = multiplyAdd(exponent, number(x, 0.693359375), builder.CreateFAdd(f, y));
    const V infinity = llvm::ConstantFP::getInfinity(x->getType());
    result = choose(builder.CreateFCmpOLT(x, infinity), result, x);  // +inf and NaN give themselves
    result = choose(builder.CreateFCmpOLT(x, number(x, 0.0)), llvm::ConstantFP::getNaN(x->getType()), result);
    return choose(builder.CreateFCmpOEQ(x, number(x, 0.0)), llvm::ConstantFP::getInfinity(x->getType(), true), result);
}

V MathBuilder::tanh(V x) {
    constexpr double kClamp = 7.90531110763549805;  // 1 - tanh is below half an ulp beyond
    V t = choose(builder.CreateFCmpOLT(x, number(x, -kClamp)), number(x, -kClamp), x);
    t = choose(builder.CreateFCmpOGT(t, number(x, kClamp)), number(x, kClamp), t);
    const V s = builder.CreateFMul(t, t);
    const V p = polynomial(s, {-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
                               1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03});
    const V q = polynomial(s, {1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03});
    const V y = builder.CreateFDiv(builder.CreateFMul(t, p), q);
    return choose(builder.CreateFCmpOLT(abs(x), number(x, 0.0004)), x, y);
}

V MathBuilder::erf(V x) {
    const V t = abs(x), s = builder.CreateFMul(x, x);
    V r = multiplyAdd(number(x, -1.72853470e-5), t, number(x, 3.83197126e-4));
    const V u = multiplyAdd(number(x, -3.88396438e-3), t, number(x, 2.42546219e-2));
    r = multiplyAdd(r, s, u);
    r = multiplyAdd(r, t, number(x, -1.06777877e-1));
    r = multiplyAdd(r, t, number(x, -6.34846687e-1));
    r = multiplyAdd(r, t, number(x, -1.28717512e-1));
    r = multiplyAdd(r, t, negate(t));
    // beyond 4 the polynomial is not to be trusted, and erf is 1
    const V large =
        choose(builder.CreateFCmpOGT(t, number(x, 4.0)), number(x, 1.0), builder.CreateFSub(number(x, 1.0), exp(r)));
    V small =
        polynomial(s, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
    small = multiplyAdd(small, x, x);
    const V result = choose(builder.CreateFCmpOGT(t, number(x, 0.927734375)), copySign(large, x), small);
    return result;
}

V MathBuilder::sigmoid(V x) {
    return builder.CreateFDiv(number(x, 1.0), builder.CreateFAdd(number(x, 1.0), exp(negate(x))));
}

V MathBuilder::sinCos(V x, bool cosine) {
    // x = n * pi/2 + r, pi/2 in three parts
    V shifted = nullptr;
    const V n = nearest(builder.CreateFMul(x, number(x, 0.63661977236758134)), shifted);
    V r = multiplyAdd(n, number(x, -1.5703125), x);
    r = multiplyAdd(n, number(x, -4.837512969970703125e-4), r);
    r = multiplyAdd(n, number(x, -7.549789948768648e-8), r);
    const V z = builder.CreateFMul(r, r);
    V s = polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1});
    s = multiplyAdd(builder.CreateFMul(s, z), r, r);
    V c = polynomial(z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2});
    c = multiplyAdd(builder.CreateFMul(c, z), z, multiplyAdd(z, number(x, -0.5), number(x, 1.0)));
    V quadrant = asBits(shifted);
    if (cosine) quadrant = builder.CreateAdd(quadrant, bits(x, 1));
    const V odd = builder.CreateICmpNE(builder.CreateAnd(quadrant, bits(x, 1)), bits(x, 0));
    const V minus = builder.CreateICmpNE(builder.CreateAnd(quadrant, bits(x, 2)), bits(x, 0));
    const V value = choose(odd, c, s);
    return choose(minus, negate(value), value);
}

V MathBuilder::pow(V base, V exponent) {
    const V magnitude = exp(builder.CreateFMul(exponent, log(abs(base))));
    const V whole = floor(exponent), zero = number(base, 0.0), one = number(base, 1.0);
    const V isWhole = builder.CreateFCmpOEQ(whole, exponent);
    const V half = builder.CreateFMul(exponent, number(base, 0.5));
    const V isOdd = builder.CreateAnd(isWhole, builder.CreateFCmpONE(floor(half), half));
    const V isNegative = builder.CreateICmpSLT(asBits(base), bits(base, 0));
    const V isBelow = builder.CreateFCmpOLT(base, zero);
    V result = choose(builder.CreateAnd(isNegative, isOdd), negate(magnitude), magnitude);
    const V infinite = builder.CreateFCmpOEQ(abs(base), llvm::ConstantFP::getInfinity(base->getType()));
    const V undefined = builder.CreateAnd(isBelow, builder.CreateNot(builder.CreateOr(isWhole, infinite)));
    result = choose(undefined, llvm::ConstantFP::getNaN(base->getType()), result);
    const V unit =
        builder.CreateAnd(builder.CreateFCmpOEQ(abs(base), one),
                          builder.CreateFCmpOEQ(abs(exponent), llvm::ConstantFP::getInfinity(base->getType())));
    result = choose(unit, one, result);
    const V trivial = builder.CreateOr(builder.CreateFCmpOEQ(exponent, zero), builder.CreateFCmpOEQ(base, one));
    return choose(trivial, one, result);
}

V MathBuilder::remainder(V a, V b) {
    const V quotient = builder.CreateFDiv(a, b);
    const V whole = copySign(floor(abs(quotient)), quotient);
    const V rest = multiplyAdd(negate(whole), b, a);
    // the quotient may have been rounded up to a whole number
    const V below = builder.CreateFCmpOLT(builder.CreateFMul(rest, a), number(a, 0.0));
    const V repaired = builder.CreateFAdd(rest, copySign(abs(b), a));
    return choose(below, repaired, rest);
}

V MathBuilder::roundEven(V x) {
    if (roundInstr) return builder.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, x);
    const double top = x->getType()->getScalarSizeInBits() == 64 ? 4503599627370496.0 : 8388608.0;
    const V magic = copySign(number(x, top), x);
    const V rounded = copySign(builder.CreateFSub(builder.CreateFAdd(x, magic), magic), x);
    return choose(builder.CreateFCmpOLT(abs(x), number(x, top)), rounded, x);
}

V MathBuilder::floor(V x) {
    if (roundInstr) return builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
    const V r = roundEven(x);
    return choose(builder.CreateFCmpOGT(r, x), builder.CreateFSub(r, number(x, 1.0)), r);
}

V MathBuilder::ceil(V x) {
    if (roundInstr) return builder.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, x);
    return negate(floor(negate(x)));
}

}  // namespace fettle::codegen
