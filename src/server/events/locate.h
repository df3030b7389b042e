// SPDX-License-Identifier: Apache-2.0
//
// "Show on timeline": from a row of a table to an event that it stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "server/files/open_trace.h"

namespace stepscope::server {

// The cells that tell rows of a table apart. What is absent decides nothing.
struct LocateRequest {
  std::string table = {};  // empty: events of any kind
  std::string name = {};
  std::string steps = {};  // which steps the table is of; empty: all
  std::optional<std::string> inside = {};  // event or launch around it
  std::optional<std::string> shapes = {};  // operators: of the inputs
  std::optional<int64_t> rank = {};        // of the process
  std::string process = {};                // of memory, as NameAmongSeveral()
  // Kernels: how they were launched.
  std::optional<std::string> launched_by = {};
  std::optional<std::string> grid = {};
  std::optional<std::string> block = {};
  std::optional<int64_t> registers = {};
  std::optional<int64_t> shared_bytes = {};
  std::optional<std::string> place = {};  // of memory; thread or stream
  std::optional<int64_t> number = {};     // which one of a step
  std::optional<int64_t> start_ns = {};   // near this time of the trace
};

// The longest event of the row, and the first. Fails where there is none.
Result<std::string> LocateJson(const OpenTrace& open,
                               const LocateRequest& request);

}  // namespace stepscope::server
