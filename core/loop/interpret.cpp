// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstring>
#include <limits>

#include "core/graph/element.h"
#include "core/loop/address.h"
#include "core/loop/program.h"

namespace fettle::loop {

namespace {

double readElement(const std::byte* base, DType dtype, int64_t offset) {
    double result = std::numeric_limits<double>::quiet_NaN();
    graph::withType(dtype, [&](auto value) {
        std::memcpy(&value, base + offset * static_cast<int64_t>(sizeof value), sizeof value);
        result = static_cast<double>(value);
    });
    return result;
}

// Integers wrap, as kernels' do.
void writeElement(std::byte* base, DType dtype, int64_t offset, double value) {
    if (dtype == DType::Bool) value = value != 0;
    graph::withType(dtype, [&](auto kind) {
        using T = decltype(kind);
        T converted{};
        if constexpr (std::is_same_v<T, graph::BFloat16Bits>)
            converted = graph::toBFloat16(value);
        else if constexpr (std::is_integral_v<T>)
            converted = static_cast<T>(static_cast<int64_t>(value));
        else
            converted = static_cast<T>(value);
        std::memcpy(base + offset * static_cast<int64_t>(sizeof(T)), &converted, sizeof(T));
    });
}

double convert(double value, DType dtype) {
    if (dtype == DType::Bool) return value != 0;
    if (dtype == DType::Float32) return static_cast<double>(static_cast<float>(value));
    return graph::isFloat(dtype) ? value : std::trunc(value);
}

double unaryValue(ScalarOp op, double a, DType dtype) {
    switch (op) {
        case ScalarOp::Neg:
            return -a;
        case ScalarOp::Abs:
            return std::fabs(a);
        case ScalarOp::Exp:
            return std::exp(a);
        case ScalarOp::Log:
            return std::log(a);
        case ScalarOp::Sqrt:
            return std::sqrt(a);
        case ScalarOp::Rsqrt:
            return 1 / std::sqrt(a);
        case ScalarOp::Reciprocal:
            return 1 / a;
        case ScalarOp::Tanh:
            return std::tanh(a);
        case ScalarOp::Erf:
            return std::erf(a);
        case ScalarOp::Sigmoid:
            return 1 / (1 + std::exp(-a));
        case ScalarOp::Floor:
            return std::floor(a);
        case ScalarOp::Ceil:
            return std::ceil(a);
        case ScalarOp::Round:
            return std::nearbyint(a);
        case ScalarOp::Sin:
            return std::sin(a);
        case ScalarOp::Cos:
            return std::cos(a);
        case ScalarOp::Not:
            return a == 0;
        case ScalarOp::Cast:
            return convert(a, dtype);
        default:
            return std::numeric_limits<double>::quiet_NaN();
    }
}

double binaryValue(ScalarOp op, double a, double b, DType dtype) {
    const bool integer = !graph::isFloat(dtype);
    switch (op) {
        case ScalarOp::Add:
            return a + b;
        case ScalarOp::Sub:
            return a - b;
        case ScalarOp::Mul:
            return a * b;
        case ScalarOp::Div:
            return integer ? (b == 0 ? 0 : std::trunc(a / b)) : a / b;
        case ScalarOp::Min:
            return std::isnan(a) || std::isnan(b) ? a + b : std::fmin(a, b);
        case ScalarOp::Max:
            return std::isnan(a) || std::isnan(b) ? a + b : std::fmax(a, b);
        case ScalarOp::Pow:
            return std::pow(a, b);
        case ScalarOp::Mod:
            return integer && b == 0 ? 0 : std::fmod(a, b);
        case ScalarOp::Less:
            return a < b;
        case ScalarOp::LessEqual:
            return a <= b;
        case ScalarOp::Equal:
            return a == b;
        case ScalarOp::And:
            return a != 0 && b != 0;
        case ScalarOp::Or:
            return a != 0 || b != 0;
        default:
            return std::numeric_limits<double>::quiet_NaN();
    }
}

class Interpreter {
public:
    Interpreter(const LoopProgram& program, const std::vector<std::byte*>& buffers)
        : program_(program), buffers_(buffers) {}

    void run(const Stage& stage) {
        point_.assign(stage.axes.size(), 0);
        visitSpace(stage, 0);
    }

private:
    void visitSpace(const Stage& stage, size_t axis) {
        if (axis < stage.axes.size() && stage.axes[axis].kind == AxisKind::Space) {
            for (point_[axis] = 0; point_[axis] < stage.axes[axis].extent; ++point_[axis]) visitSpace(stage, axis + 1);
            point_[axis] = 0;
            return;
        }
        if (stage.reduction == Reduction::None) {
            accumulator_ = value(*stage.body);
        } else {
            accumulator_ = identity(stage.reduction);
            visitReduce(stage, axis);
        }
        const double result = stage.epilogue ? value(*stage.epilogue) : accumulator_;
        std::vector<int64_t> indices;
        for (const Index& index : stage.outputIndices) indices.push_back(indexValue(index));
        const TensorDecl& out = program_.tensors[static_cast<size_t>(stage.output)];
        writeElement(buffers_[static_cast<size_t>(stage.output)], out.type.dtype,
                     physicalOffset(out.type, std::span<const int64_t>(indices)), result);
    }

    void visitReduce(const Stage& stage, size_t axis) {
        if (axis == stage.axes.size()) {
            const double next = value(*stage.body);
            switch (stage.reduction) {
                case Reduction::Sum:
                    accumulator_ += next;
                    break;
                case Reduction::Max:
                    accumulator_ = binaryValue(ScalarOp::Max, accumulator_, next, DType::Float32);
                    break;
                case Reduction::Min:
                    accumulator_ = binaryValue(ScalarOp::Min, accumulator_, next, DType::Float32);
                    break;
                case Reduction::Product:
                    accumulator_ *= next;
                    break;
                case Reduction::None:
                    break;
            }
            return;
        }
        for (point_[axis] = 0; point_[axis] < stage.axes[axis].extent; ++point_[axis]) visitReduce(stage, axis + 1);
        point_[axis] = 0;
    }

    static double identity(Reduction reduction) {
        switch (reduction) {
            case Reduction::Max:
                return -std::numeric_limits<double>::infinity();
            case Reduction::Min:
                return std::numeric_limits<double>::infinity();
            case Reduction::Product:
                return 1;
            default:
                return 0;
        }
    }

    int64_t indexValue(const Index& index) {
        using Kind = Index::Kind;
        const auto floorDivide = [](int64_t a, int64_t b) { return a / b - ((a % b != 0) && (a < 0)); };
        switch (index.kind()) {
            case Kind::Constant:
                return index.constant();
            case Kind::Axis:
                return point_[static_cast<size_t>(index.axisNumber())];
            case Kind::Add:
                return indexValue(index.left()) + indexValue(index.right());
            case Kind::Mul:
                return indexValue(index.left()) * index.constant();
            case Kind::FloorDiv:
                return floorDivide(indexValue(index.left()), index.constant());
            case Kind::Mod: {
                const int64_t a = indexValue(index.left());
                return a - floorDivide(a, index.constant()) * index.constant();
            }
            case Kind::Loaded:
                return static_cast<int64_t>(value(*index.loadedValue()));
        }
        return 0;
    }

    double loadValue(const ScalarNode& node) {
        const TensorDecl& tensor = program_.tensors[static_cast<size_t>(node.tensor)];
        std::vector<int64_t> indices;
        for (size_t d = 0; d < node.indices.size(); ++d) {
            indices.push_back(indexValue(node.indices[d]));
            if (node.guarded && (indices.back() < 0 || indices.back() >= tensor.type.shape[d])) return node.guardValue;
        }
        return readElement(buffers_[static_cast<size_t>(node.tensor)], tensor.type.dtype,
                           physicalOffset(tensor.type, std::span<const int64_t>(indices)));
    }

    double value(const ScalarNode& node) {
        switch (node.op) {
            case ScalarOp::Constant:
                return node.value;
            case ScalarOp::Load:
                return loadValue(node);
            case ScalarOp::AxisValue:
                return static_cast<double>(indexValue(node.indices[0]));
            case ScalarOp::Accumulator:
                return accumulator_;
            case ScalarOp::Select:
                return value(*node.operands[0]) != 0 ? value(*node.operands[1]) : value(*node.operands[2]);
            default:
                break;
        }
        if (isUnary(node.op)) return unaryValue(node.op, value(*node.operands[0]), node.dtype);
        return binaryValue(node.op, value(*node.operands[0]), value(*node.operands[1]), node.operands[0]->dtype);
    }

    const LoopProgram& program_;
    const std::vector<std::byte*>& buffers_;
    std::vector<int64_t> point_;
    double accumulator_ = 0;
};

}  // namespace

void interpret(const LoopProgram& program, const std::vector<std::byte*>& buffers) {
    for (const Stage& stage : program.stages) Interpreter(program, buffers).run(stage);
}

}  // namespace fettle::loop
