// SPDX-License-Identifier: GPL-3.0-or-later
// Which CPU measures: single-threaded kernels run on the last one of the process's affinity mask.
#pragma once

namespace fettle::support {

int measuringCpu();  // -1: not known
// Once per thread: moves the calling thread off the measuring CPU, where the mask has another. Compilers, the search
// and the training of the cost model do so, so that they do not disturb what is being timed.
void leaveMeasuringCpu();

}  // namespace fettle::support
