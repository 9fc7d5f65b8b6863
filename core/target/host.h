// SPDX-License-Identifier: GPL-3.0-or-later
// How the host is recognised, as functions over text and numbers so that every chip can be tested on any machine.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fettle::target {

struct X86Identity {
    std::string vendor;              // "AuthenticAMD", "GenuineIntel"
    int family = 0, model = 0;       // extended parts added
    std::set<std::string> features;  // LLVM's names; only what the operating system saves on a switch
};
// LLVM's name; a chip that is not in the table gets the highest x86-64-vN that its features allow.
std::string x86CpuName(const X86Identity& identity);
// "+sse4.2,...,-avx512f": every feature that we know of, with its sign: a hypervisor may hide some of a CPU's.
std::string x86FeatureString(const X86Identity& identity);

// From /proc/cpuinfo: LLVM's name, or "generic".
std::string armCpuName(std::string_view cpuinfo);
struct RiscvIdentity {
    std::string cpu = "generic-rv64", features = "+m,+a,+f,+d,+c";
};
// T-Head cores of RVV 0.7.1 report "v" to old kernels; they get no V.
RiscvIdentity riscvIdentity(std::string_view cpuinfo);

// "1024K", "32M" -> bytes; 0 when it is not a size.
int64_t parseCacheSize(std::string_view text);

}  // namespace fettle::target
