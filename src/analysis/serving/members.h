// SPDX-License-Identifier: Apache-2.0
//
// Which requests an iteration worked on, where a program or a hook said so
// (trace/request_events.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/serving/args_in_order.h"
#include "analysis/serving/iteration_mark.h"
#include "analysis/serving/request_log.h"
#include "trace/trace.h"

namespace stepscope {

struct Membership {
  uint32_t request = 0;  // in RequestLog::list()
  IterationKind kind = IterationKind::kUnknown;
  int64_t tokens = 0;
  friend bool operator==(const Membership&, const Membership&) = default;
};

class MemberReader {
 public:
  explicit MemberReader(const Trace& trace)
      : trace_(trace), args_(trace), key_(trace.strings().Find(kMembersKey)) {}

  // Whether any range of the trace has members.
  bool any() const { return key_ != StringId(); }
  // Adds those of a range; false: it says nothing of them. What is damaged is
  // left out.
  bool Read(Row row, uint32_t process, RequestLog& log,
            std::vector<Membership>& members);

 private:
  const Trace& trace_;
  ArgsInOrder args_;
  StringId key_;
};

// The mark that such members make: kind, requests and tokens.
IterationMark MarkOfMembers(std::span<const Membership> members);

}  // namespace stepscope
