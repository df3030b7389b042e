// SPDX-License-Identifier: Apache-2.0
//
// When the device plugins are attached: as CUDA comes to life in a process, and
// never in one that does not use it. So a data loader's workers load no CUPTI,
// and contexts are seen from their beginning.
#pragma once

namespace stepscope::inject {

// No plugin is attached before CUDA is initialised. REQUIRES: no session yet.
void DeferDevices();

}  // namespace stepscope::inject
