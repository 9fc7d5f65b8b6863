// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner/check.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/graph/element.h"
#include "core/graph/tensor.h"

namespace fettle::measure::runner {

namespace {

std::string placeText(const graph::TensorType& type, int64_t at) {
    const graph::Shape shape = graph::physicalShape(type);
    graph::Shape place(shape.size());
    for (size_t i = shape.size(); i-- > 0;) {
        place[i] = shape[i] > 0 ? at % shape[i] : 0;
        at = shape[i] > 0 ? at / shape[i] : 0;
    }
    return graph::shapeText(place);
}

struct Extremes {
    double maxDifference = 0, maxExpected = 0;
    int64_t at = -1;         // of the largest difference
    int64_t notFinite = -1;  // the first place where only one side is finite, or they are different infinities
};

template <class T>
double element(std::span<const std::byte> bytes, size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at * sizeof(T), sizeof(T));
    return static_cast<double>(value);
}

template <class T>
Extremes scan(std::span<const std::byte> actual, std::span<const std::byte> expected, int64_t count,
              std::span<const uint8_t> specified) {
    Extremes result;
    for (int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<size_t>(i);
        if (!specified.empty() && specified[at] == 0) continue;
        const double a = element<T>(actual, at), e = element<T>(expected, at);
        const double difference = std::abs(a - e);
        if (std::isfinite(difference)) {
            const double magnitude = std::abs(e);
            if (magnitude > result.maxExpected) result.maxExpected = magnitude;
            if (difference > result.maxDifference) {
                result.maxDifference = difference;
                result.at = i;
            }
        } else if (!(a == e || (std::isnan(a) && std::isnan(e))) && result.notFinite < 0) {
            result.notFinite = i;
        }
    }
    return result;
}

std::string format(const char* pattern, double value) {
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

}  // namespace

std::vector<uint8_t> specifiedElements(const graph::TensorType& type) {
    if (type.layout.blocks.empty()) return {};
    // with its halo made part of the logical shape, only the padding lanes are left to relayout's zeros
    graph::TensorType whole{graph::DType::UInt8, type.shape, type.layout};
    for (size_t i = 0; i < whole.shape.size(); ++i) {
        if (i < type.layout.haloBefore.size()) whole.shape[i] += type.layout.haloBefore[i];
        if (i < type.layout.haloAfter.size()) whole.shape[i] += type.layout.haloAfter[i];
    }
    whole.layout.haloBefore.clear();
    whole.layout.haloAfter.clear();
    const std::vector<std::byte> ones(static_cast<size_t>(graph::elementCount(whole.shape)), std::byte{1});
    const graph::Tensor laid = graph::relayout(graph::makeTensor(graph::DType::UInt8, whole.shape, ones), whole.layout);
    std::vector<uint8_t> specified(laid.data().size());
    bool all = true;
    for (size_t i = 0; i < specified.size(); ++i) {
        specified[i] = std::to_integer<uint8_t>(laid.data()[i]);
        all = all && specified[i] != 0;
    }
    return all ? std::vector<uint8_t>{} : specified;
}

Comparison compareOutputs(const std::string& name, const graph::TensorType& type, std::span<const std::byte> actual,
                          std::span<const std::byte> expected, std::span<const uint8_t> specified, double tolerance) {
    const int64_t count = graph::physicalBytes(type) / graph::dtypeBytes(type.dtype);
    Extremes found;
    graph::withType(type.dtype, [&](auto kind) { found = scan<decltype(kind)>(actual, expected, count, specified); });
    Comparison result;
    const auto atText = [&](int64_t at) {
        double a = 0, e = 0;
        graph::withType(type.dtype, [&](auto kind) {
            a = element<decltype(kind)>(actual, static_cast<size_t>(at));
            e = element<decltype(kind)>(expected, static_cast<size_t>(at));
        });
        return " at " + placeText(type, at) + " is " + format("%.6g", a) + ", expected " + format("%.6g", e);
    };
    if (found.notFinite >= 0) {
        result.maxRelError = INFINITY;
        result.ok = false;
        result.text = "output " + name + atText(found.notFinite);
        return result;
    }
    result.maxRelError = found.maxExpected > 0 ? found.maxDifference / found.maxExpected : found.maxDifference;
    if (result.maxRelError <= tolerance) return result;
    result.ok = false;
    result.text = "output " + name + atText(found.at) + "; relative error " + format("%.2g", result.maxRelError) +
                  ", tolerance " + format("%.2g", tolerance);
    return result;
}

}  // namespace fettle::measure::runner
