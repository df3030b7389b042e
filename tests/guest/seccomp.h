// SPDX-License-Identifier: Apache-2.0
//
// Filters of system calls, as containers and sandboxes set them.
#pragma once

#include <cstdint>
#include <vector>

namespace stepscope::guest {

// The calling process is refused, from now on, system calls that a recorder can
// do without: some with EPERM, as containers do, some with ENOSYS, as older
// kernels do. Which of them is chosen by the seed. False: the kernel takes no
// filter.
bool RefuseDispensableCalls(uint64_t seed);

// This one call fails with `error` from now on. False: as above.
bool RefuseCall(long call, int error);

// A call that is not among these kills the process. False: the kernel takes no
// filter.
bool AllowOnly(const std::vector<long>& calls);

}  // namespace stepscope::guest
