// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/version.h"

namespace fettle {

const char* version() {
    return FETTLE_VERSION;
}

}  // namespace fettle
