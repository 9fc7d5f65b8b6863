// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/runtime_object.h"

// FETTLE_RUNTIME_OBJECT: the file that the build made of core/runtime (core/CMakeLists.txt).
asm(".section .rodata\n"
    ".balign 16\n"
    ".globl fettle_embedded_runtime, fettle_embedded_runtime_end\n"
    ".hidden fettle_embedded_runtime, fettle_embedded_runtime_end\n"
    "fettle_embedded_runtime:\n"
    ".incbin \"" FETTLE_RUNTIME_OBJECT
    "\"\n"
    "fettle_embedded_runtime_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
__attribute__((visibility("hidden"))) extern const char fettle_embedded_runtime[];
__attribute__((visibility("hidden"))) extern const char fettle_embedded_runtime_end[];
}

namespace fettle::codegen {

std::string_view runtimeObject() {
    return {fettle_embedded_runtime, static_cast<size_t>(fettle_embedded_runtime_end - fettle_embedded_runtime)};
}

std::string_view runtimeObjectTriple() {
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__aarch64__)
    return "aarch64";
#elif defined(__riscv)
    return "riscv64";
#else
    return "";
#endif
}

}  // namespace fettle::codegen
