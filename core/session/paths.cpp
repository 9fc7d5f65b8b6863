// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/paths.h"

#include <unistd.h>

#include <cstdlib>

namespace fettle::session {

namespace fs = std::filesystem;

bool canWriteIn(const fs::path& folder) {
    return access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
}

fs::path dataFolder() {
    const char* data = std::getenv("XDG_DATA_HOME");
    if (data && fs::path(data).is_absolute()) return fs::path(data) / "fettle" / "sessions";
    const char* home = std::getenv("HOME");
    return fs::path(home ? home : "/tmp") / ".local" / "share" / "fettle" / "sessions";
}

fs::path sessionPathFor(const fs::path& model, const std::string& sha256) {
    fs::path beside = model;
    beside.replace_extension(".fettle");
    if (canWriteIn(model.parent_path())) return beside;
    return dataFolder() / (model.stem().string() + "-" + sha256.substr(0, 8) + ".fettle");
}

fs::path freePath(const fs::path& wanted) {
    std::error_code ignored;
    fs::path path = wanted;
    for (int k = 2; fs::exists(path, ignored); ++k)
        path = wanted.parent_path() / (wanted.stem().string() + "-" + std::to_string(k) + wanted.extension().string());
    return path;
}

}  // namespace fettle::session
