// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/onnx/text.h"

namespace fettle::onnx {

namespace {

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }

private:
    int fd_;
};

std::string systemText(int error) {
    return std::strerror(error);
}

Result<std::string> readAt(int fd, const std::string& where, int64_t offset, int64_t length) {
    std::string bytes(static_cast<size_t>(length), '\0');
    int64_t done = 0;
    while (done < length) {
        const ssize_t got = pread(fd, bytes.data() + done, static_cast<size_t>(length - done), offset + done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(ErrorCode::BadModel, "cannot read the file", where, systemText(errno));
        if (got == 0)
            return fail(ErrorCode::BadModel, "cannot read the file", where,
                        "it ends after " + std::to_string(offset + done) + " bytes: it was cut while it was read");
        done += got;
    }
    return bytes;
}

tl::unexpected<Error> refused(const std::string& location, const std::string& why) {
    return fail(ErrorCode::BadModel, "the model is not valid", "external data '" + shown(location) + "'", why,
                "External data must be a regular file in the model's own folder.");
}

Status checkLocation(const std::string& location) {
    if (location.empty()) return refused(location, "the location of the external data is empty (empty location)");
    if (location.find('\0') != std::string::npos) return refused(location, "the location contains a NUL byte");
    if (location[0] == '/') return refused(location, "the external data path is absolute");
    for (size_t start = 0; start <= location.size();) {
        const size_t end = std::min(location.find_first_of("/\\", start), location.size());
        if (location.compare(start, end - start, "..") == 0)
            return refused(location, "the external data is outside the model's folder");
        start = end + 1;
    }
    return {};
}

std::string openFailure(int error) {
    switch (error) {
        case ELOOP:
            return "it is a symbolic link, or a symbolic link leads to it";
        case EXDEV:
            return "the external data is outside the model's folder";
        case ENOENT:
            return "there is no such file in the model's folder";
        case ENXIO:
            return "it is not a regular file";
        default:
            return systemText(error);
    }
}

}  // namespace

Result<std::string> readFile(const std::filesystem::path& file, int64_t limit) {
    const std::string what = "cannot open " + shown(file.filename().string()), where = shown(file.string());
    const Descriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (fd.get() < 0)
        return fail(ErrorCode::BadModel, what, where, errno == ENOENT ? "there is no such file" : systemText(errno),
                    errno == ENOENT ? "Check the path." : "");
    struct stat info {};
    if (fstat(fd.get(), &info) != 0) return fail(ErrorCode::BadModel, what, where, systemText(errno));
    if (S_ISDIR(info.st_mode))
        return fail(ErrorCode::BadModel, what, where, "it is a folder, not a file", "Name the .onnx file inside it.");
    if (!S_ISREG(info.st_mode)) return fail(ErrorCode::BadModel, what, where, "it is not a regular file");
    if (info.st_size > limit)
        return fail(
            ErrorCode::BadModel, what, where,
            "it has " + std::to_string(info.st_size) + " bytes and exceeds the size limit of " + std::to_string(limit),
            "Keep large weights as external data beside the model.");
    return readAt(fd.get(), where, 0, info.st_size);
}

Result<std::string> readExternal(const std::filesystem::path& folder, const std::string& location, int64_t offset,
                                 int64_t length, int64_t limit) {
    FETTLE_CHECK(checkLocation(location));
    const std::filesystem::path base = folder.empty() ? std::filesystem::path(".") : folder;
    const Descriptor root(open(base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (root.get() < 0) return refused(location, "the model's folder cannot be opened: " + systemText(errno));
    struct open_how how {};
    how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const Descriptor fd(static_cast<int>(syscall(SYS_openat2, root.get(), location.c_str(), &how, sizeof how)));
    if (fd.get() < 0) return refused(location, openFailure(errno));
    struct stat info {};
    if (fstat(fd.get(), &info) != 0) return refused(location, systemText(errno));
    if (!S_ISREG(info.st_mode)) return refused(location, "it is not a regular file");
    if (info.st_nlink != 1) return refused(location, "the file has more than one link (hard links)");
    const int64_t size = info.st_size;
    const std::string numbers = "offset " + std::to_string(offset) + " and length " + std::to_string(length) +
                                " with a file of " + std::to_string(size) + " bytes";
    if (offset < 0 || length < -1)
        return refused(location, (offset < 0 ? "negative offset: " : "negative length: ") + numbers);
    int64_t end = 0;
    if (length >= 0 && __builtin_add_overflow(offset, length, &end))
        return refused(location, "offset and length overflow: " + numbers);
    if (offset > size || (length >= 0 && length > size - offset))
        return refused(location, "the data lie past the end of the file: " + numbers);
    if (length < 0) length = size - offset;
    if (length > limit) return refused(location, "the data exceed the size limit: " + numbers);
    return readAt(fd.get(), shown(location), offset, length);
}

}  // namespace fettle::onnx
