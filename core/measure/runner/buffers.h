// SPDX-License-Identifier: GPL-3.0-or-later
// Memory that kernels run on: each buffer ends at inaccessible pages and begins after some, so that one element past
// either end of its own pages faults. Buffers are known by name to the fault report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/support/error.h"

namespace fettle::measure::runner {

inline constexpr size_t kAlignment = 64;

class GuardedBuffer {
public:
    // `bytes` at the largest 64-byte aligned address that lets them end before the guard page. Errors: out of memory.
    static Result<GuardedBuffer> make(std::string name, size_t bytes);
    GuardedBuffer() = default;
    ~GuardedBuffer();
    GuardedBuffer(GuardedBuffer&& other) noexcept { swap(other); }
    GuardedBuffer& operator=(GuardedBuffer&& other) noexcept {
        swap(other);
        return *this;
    }

    std::byte* data() const { return data_; }
    size_t bytes() const { return bytes_; }
    std::span<std::byte> span() const { return {data_, bytes_}; }
    const std::string& name() const { return name_; }

    void fill(uint8_t value);  // data and slack: 0xff makes every float a NaN
    void setReadOnly();
    // Whether the bytes of the pages around the data are still what fill() wrote (all `value`).
    bool slackIs(uint8_t value) const;

private:
    void swap(GuardedBuffer& other);
    std::string name_;
    std::byte* mapping_ = nullptr;  // with both guard pages
    size_t mappingBytes_ = 0;
    std::byte* data_ = nullptr;
    size_t bytes_ = 0;
    int region_ = -1;  // in the fault report
};

// Installs the handlers that write one line to stderr (kind of access, address, place) before the process dies of
// SIGSEGV, SIGBUS, SIGILL or SIGFPE. Async-signal-safe; on a stack of its own, so that stack overflow is told too.
void installFaultReport();

}  // namespace fettle::measure::runner
