// SPDX-License-Identifier: Apache-2.0
//
// nanobind's own code, in the batch of ours: both read the same headers, which
// are half of what either costs.
#include <nb_combined.cpp>
