// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner/fault_regions.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "core/measure/runner/buffers.h"

namespace fettle::measure::runner {

namespace {

struct Region {
    char name[80];
    uintptr_t begin, end, data, dataEnd;
    bool readOnly;
};
std::array<Region, 256> regions;

// Text put together without allocation.
class Line {
public:
    Line& operator<<(const char* text) {
        for (; *text && used_ < sizeof text_ - 1; ++text) text_[used_++] = *text;
        return *this;
    }
    Line& hex(uintptr_t value) {
        *this << "0x";
        bool started = false;
        for (int shift = 60; shift >= 0; shift -= 4) {
            const unsigned digit = value >> shift & 15;
            started = started || digit != 0 || shift == 0;
            const char text[2] = {"0123456789abcdef"[digit], 0};
            if (started) *this << text;
        }
        return *this;
    }
    void flush() {
        text_[used_++] = '\n';
        [[maybe_unused]] const ssize_t written = ::write(2, text_, used_);
    }

private:
    char text_[320];
    size_t used_ = 0;
};

bool isWrite([[maybe_unused]] const ucontext_t* context) {
#if defined(__x86_64__)
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    return false;
#endif
}

uintptr_t stackPointer([[maybe_unused]] const ucontext_t* context) {
#if defined(__x86_64__)
    return static_cast<uintptr_t>(context->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return context->uc_mcontext.sp;
#else
    return 0;
#endif
}

void describePlace(Line& line, uintptr_t address, const ucontext_t* context) {
    for (const Region& region : regions) {
        if (region.begin == 0 || address < region.begin || address >= region.end) continue;
        const char* place = address < region.data       ? "before the start of "
                            : address >= region.dataEnd ? "past the end of "
                            : region.readOnly           ? "inside the read-only "
                                                        : "inside ";
        line << ", " << place << region.name;
        return;
    }
    const uintptr_t stack = stackPointer(context);
    constexpr uintptr_t kNear = 1 << 20;
    if (address < 4096) {
        line << ", a null pointer";
    } else if (stack != 0 && address + kNear > stack && address < stack + kNear) {
        line << ", stack overflow";
    } else {
        line << ", outside every tensor";
    }
}

void report(int signal, siginfo_t* info, void* contextPointer) {
    const auto* context = static_cast<const ucontext_t*>(contextPointer);
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    Line line;
    if (signal == SIGSEGV || signal == SIGBUS) {
        line << (isWrite(context) ? "write at " : "read at ");
        line.hex(address);
        describePlace(line, address, context);
    } else {
        line << (signal == SIGILL ? "an instruction that this CPU lacks, at " : "a trapped computation at ");
        line.hex(address);
    }
    line.flush();
    // SA_RESETHAND: the instruction runs again and the default action ends the process
}

}  // namespace

int addFaultRegion(const char* name, const std::byte* mapping, size_t mappingBytes, const std::byte* data,
                   size_t bytes) {
    for (size_t i = 0; i < regions.size(); ++i) {
        Region& region = regions[i];
        if (region.begin != 0) continue;
        std::strncpy(region.name, name, sizeof region.name - 1);
        region.data = reinterpret_cast<uintptr_t>(data);
        region.dataEnd = region.data + bytes;
        region.end = reinterpret_cast<uintptr_t>(mapping) + mappingBytes;
        region.readOnly = false;
        region.begin = reinterpret_cast<uintptr_t>(mapping);
        return static_cast<int>(i);
    }
    return -1;
}

void setFaultRegionReadOnly(int region) {
    if (region >= 0) regions[static_cast<size_t>(region)].readOnly = true;
}

void removeFaultRegion(int region) {
    if (region >= 0) regions[static_cast<size_t>(region)].begin = 0;
}

void installFaultReport() {
    alignas(16) static std::array<std::byte, 65536> stackBytes;
    stack_t stack{};
    stack.ss_sp = stackBytes.data();
    stack.ss_size = stackBytes.size();
    ::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
    for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) ::sigaction(signal, &action, nullptr);
}

}  // namespace fettle::measure::runner
