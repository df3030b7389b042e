// SPDX-License-Identifier: Apache-2.0
//
// Whether this process uses CUDA, or is about to. Attaching CUPTI to one that
// does not would load the driver and initialise it, which takes seconds and
// device memory, for nothing.
#pragma once

namespace stepscope::gpu {

// True if the driver's library is loaded, a library of CUDA is, or a program
// or library that carries device code. Cheap where nothing was loaded since
// the last call. Called by one thread at a time.
bool ProcessUsesCuda();

// True if the system shows an NVIDIA driver, without loading its library.
bool SystemShowsDriver();

}  // namespace stepscope::gpu
