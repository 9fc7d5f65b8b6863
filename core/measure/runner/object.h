// SPDX-License-Identifier: GPL-3.0-or-later
// A shared object loaded from bytes: through a memfd, so that no file is made.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "core/support/error.h"

namespace fettle::measure::runner {

class LoadedObject {
public:
    static Result<LoadedObject> load(std::span<const std::byte> sharedObject);
    LoadedObject() = default;
    ~LoadedObject();
    LoadedObject(LoadedObject&& other) noexcept { *this = std::move(other); }
    LoadedObject& operator=(LoadedObject&& other) noexcept {
        std::swap(handle_, other.handle_);
        std::swap(fd_, other.fd_);
        return *this;
    }
    // Errors name the symbol.
    Result<void*> symbol(const std::string& name) const;

private:
    void* handle_ = nullptr;
    int fd_ = -1;  // open as long as it is loaded: dlopen takes equal paths for one object
};

}  // namespace fettle::measure::runner
