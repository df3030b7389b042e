// SPDX-License-Identifier: Apache-2.0
//
// Change: what a user thinks of changing, as text: "data_ready",
// "kernel:*gemm*=0.5".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stepscope {

struct Change {
  enum class Kind : uint8_t {
    kDataReady,    // the loader is never waited for
    kNoSync,       // no call waits for the device
    kGraph,        // the launches of a step become one
    kFuseSmall,    // small kernels in a row become one
    kTensorCores,  // matrix kernels that do not use them do
    kComm,         // communication takes `factor` of its time
    kHost,         // work of the host does
    kKernel,       // kernels whose name matches do
    kOperator,     // operators whose name matches do, with their device work
    kSelf,         // the same by themselves, without what is inside them
  };
  Kind kind = Kind::kDataReady;
  std::string pattern;           // kKernel, kOperator, kSelf, kFuseSmall
  std::optional<double> factor;  // of the time; kTensorCores: may be missing
  std::string text;              // as given
};

// What there is, for help and completion: "data_ready", "comm=F", ...
struct ChangeForm {
  std::string_view form;
  std::string_view meaning;
};
const std::vector<ChangeForm>& ChangeForms();

// The error says what is wrong with the text.
Result<Change> ParseChange(std::string_view text);

}  // namespace stepscope
