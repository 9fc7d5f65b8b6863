// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/link.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>

#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <signal.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace fettle::codegen {

namespace {

namespace fs = std::filesystem;

constexpr const char* kMakeRoom = "Free space there, or set TMPDIR to a folder that has some.";
constexpr const char* kPrefix = "fettle-link-";

// What killed processes left behind.
void sweep(const fs::path& parent) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(kPrefix)) continue;
        const int owner = std::atoi(name.c_str() + std::strlen(kPrefix));
        if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
    }
}

// In memory where that has room, else where temporary files go.
fs::path parentWithRoom(size_t bytes) {
    const fs::path inMemory = "/dev/shm", onDisk = fs::temp_directory_path();
    std::error_code failed;
    const fs::space_info space = fs::space(inMemory, failed);
    return !failed && space.available >= bytes && ::access(inMemory.c_str(), W_OK) == 0 ? inMemory : onDisk;
}

// A directory of our own, removed with all that is in it.
class ScratchDir {
public:
    explicit ScratchDir(const fs::path& parent) {
        std::string path = (parent / (kPrefix + std::to_string(::getpid()) + "-XXXXXX")).string();
        if (::mkdtemp(path.data())) path_ = path;
    }
    ~ScratchDir() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    ScratchDir(const ScratchDir&) = delete;
    ScratchDir& operator=(const ScratchDir&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

bool writeFile(const std::string& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return static_cast<bool>(file.flush());
}

Result<std::vector<std::byte>> readFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) return fail(ErrorCode::Failed, "cannot read the linked object", path, std::strerror(errno));
    std::vector<std::byte> bytes(static_cast<size_t>(file.tellg()));
    file.seekg(0);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

std::string versionScript(std::span<const std::string> exports) {
    std::string text = "{ global:";
    for (const std::string& name : exports) text += " " + name + ";";
    return text + " local: *; };\n";
}

}  // namespace

Result<std::vector<std::byte>> linkShared(std::span<const std::string_view> objects,
                                          std::span<const std::string> exports, bool needsThreads) {
    size_t bytes = size_t{1} << 20;
    for (const std::string_view object : objects) bytes += 2 * object.size();  // the inputs and what is made of them
    const fs::path parent = parentWithRoom(bytes);
    static std::once_flag swept;
    std::call_once(swept, sweep, parent);
    const ScratchDir dir(parent);
    if (dir.path().empty())
        return fail(ErrorCode::Failed, "cannot link", parent.string(),
                    std::string("no scratch directory: ") + std::strerror(errno), kMakeRoom);
    const std::string out = dir.path() + "/out.so", script = dir.path() + "/exports";
    std::vector<std::string> arguments = {"ld.lld",
                                          "-shared",
                                          "-z",
                                          "relro",
                                          "-z",
                                          "now",
                                          "--hash-style=gnu",
                                          "--threads=1",
                                          "--build-id=none",
                                          "-O0",
                                          "--version-script=" + script,
                                          "-o",
                                          out,
                                          "-z",
                                          needsThreads ? "undefs" : "defs"};
    for (size_t i = 0; i < objects.size(); ++i) {
        arguments.push_back(dir.path() + "/" + std::to_string(i) + ".o");
        if (!writeFile(arguments.back(), objects[i]))
            return fail(ErrorCode::Failed, "cannot link", dir.path(), "no room for the object file", kMakeRoom);
    }
    if (!writeFile(script, versionScript(exports)))
        return fail(ErrorCode::Failed, "cannot link", dir.path(), "no room for the version script", kMakeRoom);
    std::vector<const char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    static std::mutex oneAtATime;  // lld keeps its state in globals
    const std::lock_guard lock(oneAtATime);
    static bool broken = false;
    if (broken) return fail(ErrorCode::Failed, "cannot link", "", "an earlier link crashed in this process");
    const lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
    broken = !result.canRunAgain;
    if (result.retCode != 0) return fail(ErrorCode::Failed, "cannot link", "", messages);
    return readFile(out);
}

}  // namespace fettle::codegen
