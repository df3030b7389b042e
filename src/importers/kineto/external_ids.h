// SPDX-License-Identifier: Apache-2.0
//
// ExternalIds: torch's second way from device work to its operator. The first
// is the correlation id of the API call; where a call was not recorded, the
// operator has the same "External id" as the work. Every operator has one, so
// they become links only where one is needed.
#pragma once

#include <cstdint>

#include "base/column.h"
#include "trace/build/trace_builder.h"

namespace stepscope::json {

class ExternalIds {
 public:
  void AddHost(Row row, int64_t id) {
    if (!hosts_.Append({row, id})) [[unlikely]]
      refused_ = true;
  }
  void AddCall(int64_t correlation) {
    if (!calls_.Append(correlation)) [[unlikely]]
      refused_ = true;
  }
  void AddDevice(Row row, int64_t correlation, int64_t id) {
    if (id > 0 && !devices_.Append({row, correlation, id})) [[unlikely]]
      refused_ = true;
  }
  // Adds the links that are needed, as those of `process`. Where memory was
  // refused, the builder's Finish() fails.
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
  Column<Host> hosts_;
  Column<Device> devices_;
  Column<int64_t> calls_;
  bool refused_ = false;
};

}  // namespace stepscope::json
