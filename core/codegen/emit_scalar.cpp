// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/emitter.h"
#include "core/codegen/vector_math.h"

namespace fettle::codegen {

using loop::DType;
using loop::ScalarNode;
using loop::ScalarOp;

namespace {

constexpr int kSpread = 900;  // after every ScalarOp, before the tags of the other files

int bitsOf(DType dtype) {
    return dtype == DType::Bool ? 1 : static_cast<int>(graph::dtypeBytes(dtype)) * 8;
}

// Integer division by zero, or of the least number by -1, would trap: the divisor becomes 1 then.
llvm::Value* safeDivisor(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::Value* b, bool plain) {
    llvm::Type* type = b->getType();
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(b); constant && constant->isOneValue()) return b;
    llvm::Value* bad = builder.CreateICmpEQ(b, llvm::Constant::getNullValue(type));
    if (!plain) {
        const llvm::APInt least = llvm::APInt::getSignedMinValue(type->getScalarSizeInBits());
        llvm::Value* overflow = builder.CreateAnd(builder.CreateICmpEQ(a, llvm::ConstantInt::get(type, least)),
                                                  builder.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type)));
        bad = builder.CreateOr(bad, overflow);
    }
    return builder.CreateSelect(bad, llvm::ConstantInt::get(type, 1), b);
}

}  // namespace

llvm::Type* Emitter::computeType(DType dtype) const {
    if (dtype == DType::Float64) return llvm::Type::getDoubleTy(context_);
    if (graph::isFloat(dtype)) return llvm::Type::getFloatTy(context_);
    return llvm::Type::getIntNTy(context_, static_cast<unsigned>(bitsOf(dtype)));
}

llvm::Type* Emitter::memoryType(DType dtype) const {
    if (dtype == DType::Float16) return llvm::Type::getHalfTy(context_);
    if (dtype == DType::BFloat16) return llvm::Type::getBFloatTy(context_);
    if (dtype == DType::Bool) return llvm::Type::getInt8Ty(context_);
    return computeType(dtype);
}

llvm::Type* Emitter::widened(llvm::Type* element, int lanes) const {
    return lanes > 1 ? llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes)) : element;
}

Known Emitter::spread(const Known& value, int lanes) {
    if (lanes == 1 || !value.uniform) return value;
    if (auto* constant = llvm::dyn_cast<llvm::Constant>(value.value))
        return {llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(static_cast<unsigned>(lanes)), constant),
                false, 0};
    return placed(value.scope, Key{kSpread, value.value, nullptr, nullptr, lanes}, false, true,
                  [&] { return builder_.CreateVectorSplat(static_cast<unsigned>(lanes), value.value); });
}

Known Emitter::constantValue(double value, DType dtype) {
    llvm::Type* type = computeType(dtype);
    if (type->isFloatingPointTy()) return {llvm::ConstantFP::get(type, value), true, 0};
    const auto number = dtype == DType::UInt64 ? static_cast<int64_t>(static_cast<uint64_t>(value))
                        : dtype == DType::Bool ? static_cast<int64_t>(value != 0)
                                               : static_cast<int64_t>(value);
    return {llvm::ConstantInt::get(context_, llvm::APInt(static_cast<unsigned>(bitsOf(dtype)),
                                                         static_cast<uint64_t>(number), false, /*implicitTrunc=*/true)),
            true, 0};
}

Known Emitter::scalarRoot(Frame& frame, const loop::Scalar& node, const Known* accumulator) {
    pointMemo_.clear();
    return scalar(frame, node, accumulator);
}

Known Emitter::scalar(Frame& frame, const loop::Scalar& node, const Known* accumulator) {
    if (auto found = pointMemo_.find(node.get()); found != pointMemo_.end()) return found->second;
    Known result;
    switch (node->op) {
        case ScalarOp::Constant:
            return constantValue(node->value, node->dtype);
        case ScalarOp::Accumulator:
            return *accumulator;
        case ScalarOp::Load:
            result = load(frame, *node);
            break;
        case ScalarOp::AxisValue: {
            const Linear linear =
                linearize(simplify(node->indices[0], frame.code->ranges), static_cast<int>(frame.counters.size()));
            const Known index = indexValue(frame, linear);
            result = placed(
                index.scope,
                Key{static_cast<int>(node->op), index.value, nullptr, nullptr, static_cast<int64_t>(node->dtype)},
                index.uniform, true, [&] { return convert(index.value, DType::Int64, node->dtype); });
            break;
        }
        default: {
            std::vector<Known> operands;
            for (const loop::Scalar& operand : node->operands) operands.push_back(scalar(frame, operand, accumulator));
            result = applied(*node, operands, frame.lanes);
        }
    }
    pointMemo_.emplace(node.get(), result);
    return result;
}

Known Emitter::applied(const ScalarNode& node, std::span<Known> operands, int lanes) {
    int scope = 0;
    bool uniform = true;
    for (const Known& operand : operands) scope = std::max(scope, operand.scope), uniform &= operand.uniform;
    if (!uniform)
        for (Known& operand : operands) operand = spread(operand, lanes), scope = std::max(scope, operand.scope);
    const auto operand = [&](size_t i) -> llvm::Value* { return i < operands.size() ? operands[i].value : nullptr; };
    const Key key{static_cast<int>(node.op), operand(0), operand(1), operand(2),
                  static_cast<int64_t>(node.dtype) * 256 + static_cast<int64_t>(node.operands[0]->dtype)};
    return placed(scope, key, uniform, true, [&]() -> llvm::Value* {
        if (node.op == ScalarOp::Select) {
            llvm::Value* condition = convert(operand(0), node.operands[0]->dtype, DType::Bool);
            return builder_.CreateSelect(condition, convert(operand(1), node.operands[1]->dtype, node.dtype),
                                         convert(operand(2), node.operands[2]->dtype, node.dtype));
        }
        const DType type = node.operands[0]->dtype;
        if (operands.size() == 1) return unaryOp(node, operand(0));
        llvm::Value* second = convert(operand(1), node.operands[1]->dtype, type);
        if (node.op == ScalarOp::Pow && node.operands[1]->op == ScalarOp::Constant && graph::isFloat(type)) {
            const double exponent = node.operands[1]->value;
            llvm::Value* base = operand(0);
            if (exponent == 2) return builder_.CreateFMul(base, base);
            if (exponent == 3) return builder_.CreateFMul(builder_.CreateFMul(base, base), base);
            if (exponent == 1) return base;
        }
        return binaryOp(node.op, type, operand(0), second);
    });
}

llvm::Value* Emitter::fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return MathBuilder{builder_, facts_.fma, facts_.roundInstr}.multiplyAdd(a, b, c);
}

llvm::Value* Emitter::unaryOp(const ScalarNode& node, llvm::Value* a) {
    const DType type = node.operands[0]->dtype;
    if (node.op == ScalarOp::Cast) return convert(a, type, node.dtype);
    if (node.op == ScalarOp::Not) return builder_.CreateNot(convert(a, type, DType::Bool));
    if (!graph::isFloat(type)) {
        if (node.op == ScalarOp::Neg) return builder_.CreateNeg(a);
        if (node.op == ScalarOp::Abs)
            return graph::isUnsigned(type)
                       ? a
                       : builder_.CreateIntrinsic(llvm::Intrinsic::abs, {a->getType()}, {a, builder_.getFalse()});
        if (node.op == ScalarOp::Floor || node.op == ScalarOp::Ceil || node.op == ScalarOp::Round) return a;
        a = convert(a, type, DType::Float32);
    }
    MathBuilder math{builder_, facts_.fma, facts_.roundInstr};
    const auto one = [&] { return llvm::ConstantFP::get(a->getType(), 1.0); };
    const bool wide = a->getType()->getScalarSizeInBits() == 64;
    // transcendental functions are computed in float32
    const auto single = [&](auto&& function) {
        if (!wide) return function(a);
        llvm::Value* narrow = builder_.CreateFPTrunc(a, a->getType()->getWithNewType(builder_.getFloatTy()));
        return builder_.CreateFPExt(function(narrow), a->getType());
    };
    llvm::Value* result = nullptr;
    switch (node.op) {
        case ScalarOp::Neg:
            result = builder_.CreateFNeg(a);
            break;
        case ScalarOp::Abs:
            result = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
            break;
        case ScalarOp::Exp:
            result = single([&](llvm::Value* x) { return math.exp(x); });
            break;
        case ScalarOp::Log:
            result = single([&](llvm::Value* x) { return math.log(x); });
            break;
        case ScalarOp::Tanh:
            result = single([&](llvm::Value* x) { return math.tanh(x); });
            break;
        case ScalarOp::Erf:
            result = single([&](llvm::Value* x) { return math.erf(x); });
            break;
        case ScalarOp::Sigmoid:
            result = single([&](llvm::Value* x) { return math.sigmoid(x); });
            break;
        case ScalarOp::Sin:
            result = single([&](llvm::Value* x) { return math.sin(x); });
            break;
        case ScalarOp::Cos:
            result = single([&](llvm::Value* x) { return math.cos(x); });
            break;
        case ScalarOp::Sqrt:
            result = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
            break;
        case ScalarOp::Rsqrt:
            result = builder_.CreateFDiv(one(), builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a));
            break;
        case ScalarOp::Reciprocal:
            result = builder_.CreateFDiv(one(), a);
            break;
        case ScalarOp::Floor:
            result = math.floor(a);
            break;
        case ScalarOp::Ceil:
            result = math.ceil(a);
            break;
        case ScalarOp::Round:
            result = math.roundEven(a);
            break;
        default:
            break;
    }
    return convert(result, wide ? DType::Float64 : DType::Float32, node.dtype);
}

llvm::Value* Emitter::binaryOp(ScalarOp op, DType type, llvm::Value* a, llvm::Value* b) {
    const bool real = graph::isFloat(type), plain = graph::isUnsigned(type);
    MathBuilder math{builder_, facts_.fma, facts_.roundInstr};
    auto& b_ = builder_;
    switch (op) {
        case ScalarOp::Add:
            return real ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b);
        case ScalarOp::Sub:
            return real ? b_.CreateFSub(a, b) : b_.CreateSub(a, b);
        case ScalarOp::Mul:
            return real ? b_.CreateFMul(a, b) : b_.CreateMul(a, b);
        case ScalarOp::Div:
            if (real) return b_.CreateFDiv(a, b);
            b = safeDivisor(b_, a, b, plain);
            return plain ? b_.CreateUDiv(a, b) : b_.CreateSDiv(a, b);
        // the second operand comes out when one is NaN: with a constant first, NaN goes through
        case ScalarOp::Min:
            if (!real) return b_.CreateSelect(plain ? b_.CreateICmpULT(a, b) : b_.CreateICmpSLT(a, b), a, b);
            if (llvm::isa<llvm::Constant>(b)) std::swap(a, b);
            return b_.CreateSelect(b_.CreateFCmpOLT(a, b), a, b);
        case ScalarOp::Max:
            if (!real) return b_.CreateSelect(plain ? b_.CreateICmpUGT(a, b) : b_.CreateICmpSGT(a, b), a, b);
            if (llvm::isa<llvm::Constant>(b)) std::swap(a, b);
            return b_.CreateSelect(b_.CreateFCmpOGT(a, b), a, b);
        case ScalarOp::Pow: {
            llvm::Type* narrow = a->getType()->getWithNewType(b_.getFloatTy());
            if (a->getType() == narrow) return math.pow(a, b);
            llvm::Value* x = convert(a, type, DType::Float32);
            return convert(math.pow(x, convert(b, type, DType::Float32)), DType::Float32, type);
        }
        case ScalarOp::Mod:  // C's: the sign of the dividend
            if (real) return math.remainder(a, b);
            b = safeDivisor(b_, a, b, plain);
            return plain ? b_.CreateURem(a, b) : b_.CreateSRem(a, b);
        case ScalarOp::Less:
            return real ? b_.CreateFCmpOLT(a, b) : plain ? b_.CreateICmpULT(a, b) : b_.CreateICmpSLT(a, b);
        case ScalarOp::LessEqual:
            return real ? b_.CreateFCmpOLE(a, b) : plain ? b_.CreateICmpULE(a, b) : b_.CreateICmpSLE(a, b);
        case ScalarOp::Equal:
            return real ? b_.CreateFCmpOEQ(a, b) : b_.CreateICmpEQ(a, b);
        case ScalarOp::And:
            return b_.CreateAnd(convert(a, type, DType::Bool), convert(b, type, DType::Bool));
        case ScalarOp::Or:
            return b_.CreateOr(convert(a, type, DType::Bool), convert(b, type, DType::Bool));
        default:
            return nullptr;
    }
}

llvm::Value* Emitter::convert(llvm::Value* value, DType from, DType to) {
    llvm::Type* element = computeType(to);
    llvm::Type* type = value->getType()->getWithNewType(element);
    if (value->getType() == type) return value;
    const bool fromReal = graph::isFloat(from), toReal = graph::isFloat(to);
    if (to == DType::Bool) {
        llvm::Value* zero = llvm::Constant::getNullValue(value->getType());
        return fromReal ? builder_.CreateFCmpUNE(value, zero) : builder_.CreateICmpNE(value, zero);
    }
    if (fromReal && toReal) return builder_.CreateFPCast(value, type);
    if (fromReal) {  // through 32 or 64 bits, as C compilers do; out of range is not trapped
        llvm::Type* wide =
            value->getType()->getWithNewType(builder_.getIntNTy(bitsOf(to) > 32 || to == DType::UInt32 ? 64 : 32));
        llvm::Value* number =
            to == DType::UInt64 ? builder_.CreateFPToUI(value, wide) : builder_.CreateFPToSI(value, wide);
        return builder_.CreateTrunc(number, type);
    }
    if (toReal)
        return graph::isUnsigned(from) ? builder_.CreateUIToFP(value, type) : builder_.CreateSIToFP(value, type);
    return builder_.CreateIntCast(value, type, !graph::isUnsigned(from));
}

llvm::Value* Emitter::toMemory(llvm::Value* value, DType dtype) {
    llvm::Type* type = value->getType()->getWithNewType(memoryType(dtype));
    if (value->getType() == type) return value;
    if (dtype == DType::Bool) return builder_.CreateZExt(value, type);
    return builder_.CreateFPCast(value, type);
}

llvm::Value* Emitter::fromMemory(llvm::Value* value, DType dtype) {
    llvm::Type* type = value->getType()->getWithNewType(computeType(dtype));
    if (value->getType() == type) return value;
    if (dtype == DType::Bool) return builder_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
    return builder_.CreateFPCast(value, type);
}

}  // namespace fettle::codegen
