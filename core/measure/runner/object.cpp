// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner/object.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fettle::measure::runner {

Result<LoadedObject> LoadedObject::load(std::span<const std::byte> sharedObject) {
    const int fd = ::memfd_create("fettle-kernel", MFD_CLOEXEC);
    const auto refused = [&](std::string why) {
        if (fd >= 0) ::close(fd);
        return fail(ErrorCode::Failed, "cannot load the shared object", "", std::move(why));
    };
    if (fd < 0) return refused(std::strerror(errno));
    for (size_t done = 0; done < sharedObject.size();) {
        const ssize_t wrote = ::write(fd, sharedObject.data() + done, sharedObject.size() - done);
        if (wrote < 0) return refused(std::strerror(errno));
        done += static_cast<size_t>(wrote);
    }
    void* handle = ::dlopen(("/proc/self/fd/" + std::to_string(fd)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return refused(::dlerror());
    LoadedObject object;
    object.handle_ = handle;
    object.fd_ = fd;
    return object;
}

LoadedObject::~LoadedObject() {
    if (!handle_) return;
    ::dlclose(handle_);
    ::close(fd_);
}

Result<void*> LoadedObject::symbol(const std::string& name) const {
    if (void* address = ::dlsym(handle_, name.c_str())) return address;
    return fail(ErrorCode::Failed, "cannot use the shared object", "", "it does not export " + name);
}

}  // namespace fettle::measure::runner
