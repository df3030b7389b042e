// SPDX-License-Identifier: Apache-2.0
//
// ExternalIds: torch's second way from device work to its operator. The first
// is the correlation id of the API call; where a call was not recorded, the
// operator has the same "External id" as the work. Every operator has one, so
// they become links only where one is needed.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace_builder.h"

namespace stepscope::json {

class ExternalIds {
 public:
  void AddHost(Row row, int64_t id) { hosts_.push_back({row, id}); }
  void AddCall(int64_t correlation) { calls_.push_back(correlation); }
  void AddDevice(Row row, int64_t correlation, int64_t id) {
    if (id > 0) devices_.push_back({row, correlation, id});
  }
  // Adds the links that are needed, as those of `process`.
  void Finish(TraceBuilder& builder, uint32_t process);

 private:
  struct Host {
    Row row;
    int64_t id;
  };
  struct Device {
    Row row;
    int64_t correlation;
    int64_t id;
  };
  std::vector<Host> hosts_;
  std::vector<Device> devices_;
  std::vector<int64_t> calls_;
};

}  // namespace stepscope::json
