// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/mca.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Program.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fettle::codegen {

namespace {

// An anonymous file in memory that children can open by path.
struct MemoryFile {
    int descriptor = ::memfd_create("fettle-mca", 0);
    std::string path = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor);
    MemoryFile() = default;
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() {
        if (descriptor >= 0) ::close(descriptor);
    }
    std::string contents() const {
        std::string text;
        char piece[4096];
        ::lseek(descriptor, 0, SEEK_SET);
        for (ssize_t got; (got = ::read(descriptor, piece, sizeof piece)) > 0;)
            text.append(piece, static_cast<size_t>(got));
        return text;
    }
};

}  // namespace

Result<std::string> analyseBlock(const std::string& instructions, const target::Target& target) {
    const auto refuse = [&](const std::string& why, const std::string& next = {}) {
        return fail(ErrorCode::MissingTarget, "cannot analyse the machine code", target.name, why, next);
    };
    if (instructions.empty()) return refuse("the program has no loop");
    auto program = llvm::sys::findProgramByName("llvm-mca-22");
    if (!program) program = llvm::sys::findProgramByName("llvm-mca", {"/usr/lib/llvm-22/bin"});
    if (!program) return refuse("llvm-mca-22 is not installed", "Install the package llvm-22.");
    const MemoryFile in, out, errors;
    if (in.descriptor < 0 || out.descriptor < 0 || errors.descriptor < 0) return refuse(std::strerror(errno));
    if (::write(in.descriptor, instructions.data(), instructions.size()) != static_cast<ssize_t>(instructions.size()))
        return refuse(std::strerror(errno));
    const std::string triple = "-mtriple=" + target.triple, cpu = "-mcpu=" + target.cpu,
                      features = "-mattr=" + target.features;
    std::vector<llvm::StringRef> arguments = {*program, triple, cpu, "-iterations=100", in.path};
    if (!target.features.empty()) arguments.push_back(features);
    const std::optional<llvm::StringRef> redirects[] = {std::nullopt, llvm::StringRef(out.path),
                                                        llvm::StringRef(errors.path)};
    std::string message;
    const int code = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, redirects, 20, 0, &message);
    if (code != 0) return refuse(message.empty() ? errors.contents() : message);
    return out.contents();
}

}  // namespace fettle::codegen
