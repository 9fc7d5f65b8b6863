// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/measure/runner/buffers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "core/measure/runner/fault_regions.h"

namespace fettle::measure::runner {

namespace {

size_t pageBytes() {
    static const size_t bytes = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    return bytes;
}

// Inaccessible on each side: wide, so that a stride too far is still told by the tensor's name.
size_t guardBytes() {
    return 16 * pageBytes();
}

}  // namespace

Result<GuardedBuffer> GuardedBuffer::make(std::string name, size_t bytes) {
    const size_t page = pageBytes(), guard = guardBytes();
    const size_t room = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    const size_t inner = (room + page - 1) / page * page;
    void* mapping = ::mmap(nullptr, inner + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED ||
        (inner > 0 && ::mprotect(static_cast<std::byte*>(mapping) + guard, inner, PROT_READ | PROT_WRITE) != 0)) {
        if (mapping != MAP_FAILED) ::munmap(mapping, inner + 2 * guard);
        return fail(ErrorCode::Failed, "cannot set up a tensor for a run", name,
                    "no memory for " + std::to_string(bytes) + " bytes");
    }
    GuardedBuffer buffer;
    buffer.mapping_ = static_cast<std::byte*>(mapping);
    buffer.mappingBytes_ = inner + 2 * guard;
    buffer.bytes_ = bytes;
    buffer.data_ = buffer.mapping_ + guard + inner - room;
    buffer.region_ = addFaultRegion(name.c_str(), buffer.mapping_, buffer.mappingBytes_, buffer.data_, bytes);
    buffer.name_ = std::move(name);
    return buffer;
}

GuardedBuffer::~GuardedBuffer() {
    if (!mapping_) return;
    removeFaultRegion(region_);
    ::munmap(mapping_, mappingBytes_);
}

void GuardedBuffer::swap(GuardedBuffer& other) {
    std::swap(name_, other.name_);
    std::swap(mapping_, other.mapping_);
    std::swap(mappingBytes_, other.mappingBytes_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(region_, other.region_);
}

void GuardedBuffer::fill(uint8_t value) {
    const size_t guard = guardBytes();
    std::memset(mapping_ + guard, value, mappingBytes_ - 2 * guard);
}

void GuardedBuffer::setReadOnly() {
    const size_t guard = guardBytes();
    ::mprotect(mapping_ + guard, mappingBytes_ - 2 * guard, PROT_READ);
    setFaultRegionReadOnly(region_);
}

bool GuardedBuffer::slackIs(uint8_t value) const {
    const size_t guard = guardBytes();
    const auto same = [value](const std::byte* from, const std::byte* to) {
        for (; from != to; ++from)
            if (std::to_integer<uint8_t>(*from) != value) return false;
        return true;
    };
    return same(mapping_ + guard, data_) && same(data_ + bytes_, mapping_ + mappingBytes_ - guard);
}

}  // namespace fettle::measure::runner
