/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Whether this machine can run code made for a CPU and feature list (LLVM's names). */
#ifndef FETTLE_CPU_H
#define FETTLE_CPU_H

#include "core/runtime/model_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FETTLE_OK, FETTLE_E_CPU or FETTLE_E_VLEN. Features that are not known to the table are taken as present. */
FETTLE_HIDDEN int32_t fettle_cpu_check(const fettle_info* info);

#ifdef __cplusplus
}
#endif
#endif
