// SPDX-License-Identifier: GPL-3.0-or-later
// A flag that says "stop soon"; copies share it. Long work polls it and returns ErrorCode::Cancelled.
#pragma once

#include <atomic>
#include <memory>

namespace fettle {

class CancelToken {
public:
    CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
    void cancel() const { flag_->store(true, std::memory_order_relaxed); }
    bool cancelled() const { return flag_->load(std::memory_order_relaxed); }

private:
    std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace fettle
