// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stepscope::server {

// What devices can do, as --compute-peak and --memory-peak say it; empty: not
// stated.
struct PeakWords {
  std::string compute;
  std::string memory;
};

}  // namespace stepscope::server
