// SPDX-License-Identifier: Apache-2.0
//
// Advice: what holds the steps up, in plain words, worst first. Every finding
// carries its evidence; a rule that finds none says nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// A number and the events that it was made from.
struct Evidence {
  std::string what;      // a sentence
  std::string name;      // of the events, whole; empty: of many names
  Row example = kNoRow;  // one of them, as a rule the longest
  uint64_t calls = 0;
  int64_t time_ns = 0;  // all together
};

struct Finding {
  std::string_view id;       // "data_loader"; stable, for scripts
  std::string finding;       // one sentence
  int64_t saving_ns = 0;     // of all steps together, at most
  double saving_ratio = 0;   // of their time
  std::string saving_basis;  // how that was estimated
  std::vector<Evidence> evidence;
  std::vector<std::string> to_try;
};

struct Advice {
  std::vector<Finding> findings;    // by saving
  std::vector<std::string> doubts;  // why the trace may not be typical
};

}  // namespace stepscope
