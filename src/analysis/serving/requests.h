// SPDX-License-Identifier: Apache-2.0
//
// Requests of an inference server: when each came, was first worked on, gave
// its first token and ended, and how much of the device's time it took. What
// they are made from is recorded by stepscope.request() and
// stepscope.iteration(), or by a hook of an engine (trace/request_events.h).
//
// An iteration works on many requests at once, so that its device time has to
// be split by a rule. Whatever the rule: gpu_ns of all requests, outside_ns and
// unknown_ns add up to total_busy_ns, to the nanosecond.
//
// Times are nanoseconds of the trace; Trace::epoch_ns() makes them UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/interval.h"
#include "analysis/percentiles.h"
#include "analysis/serving/bill_rule.h"
#include "analysis/serving/iterations.h"

namespace stepscope {

// What an iteration did for one request.
struct RequestIteration {
  uint32_t index = 0;                            // in IterationTable::list
  IterationKind kind = IterationKind::kUnknown;  // kPrefill or kDecode, mostly
  int64_t tokens = 0;
  int64_t start_ns = 0;  // of the iteration's mark on the host
  int64_t end_ns = 0;
  int64_t gpu_ns = 0;  // its share
  // Another rank has the same iteration before: a share more, nothing else.
  bool repeats_another_rank = false;
};

struct RequestRow {
  // As recorded, and as long as the trace. `id` is empty where recording began
  // later than the request and did not learn it.
  std::string_view id;
  std::string_view traceparent;  // of W3C trace context; empty: none
  uint32_t process = 0;          // that took it; Trace::processes()
  std::optional<int64_t> tokens_in;
  std::optional<int64_t> tokens_out;

  // Nothing: not known. A phase is asked for below, and is nothing as well
  // where clocks of two processes contradict each other.
  std::optional<int64_t> arrival_ns;  // may lie before the recording
  std::optional<int64_t> first_iteration_ns;
  std::optional<int64_t> first_token_ns;
  std::optional<int64_t> last_token_ns;
  std::optional<int64_t> end_ns;  // nothing: it had not ended
  std::string_view error;         // what kind, if it failed; else empty

  // False: concluded from iterations, which say when work was launched and not
  // when a token was there.
  bool token_times_recorded = false;
  // Between tokens: one value for each token after the first. Its histogram is
  // empty where there are none.
  Spread token_gaps;

  int64_t gpu_ns = 0;  // = gpu_prefill_ns + gpu_decode_ns
  int64_t gpu_prefill_ns = 0;
  int64_t gpu_decode_ns = 0;  // also of iterations of a kind not known
  std::vector<RequestIteration> iterations;  // by start

  // Phases, each from one known time to the next.
  std::optional<Interval> queue() const {
    return Between(arrival_ns, first_iteration_ns);
  }
  std::optional<Interval> prefill() const {
    return Between(first_iteration_ns, first_token_ns);
  }
  // To the last token where the end is not known.
  std::optional<Interval> decode() const {
    return Between(first_token_ns, end_ns ? end_ns : last_token_ns);
  }
  // Arrival to end.
  std::optional<Interval> whole() const { return Between(arrival_ns, end_ns); }
  std::optional<int64_t> queue_ns() const { return LengthOf(queue()); }
  std::optional<int64_t> ttft_ns() const {
    return LengthOf(Between(arrival_ns, first_token_ns));
  }
  // How many worked on it; those of several ranks count once.
  int64_t iteration_count() const;
  // Time per token after the first, on average.
  std::optional<int64_t> tpot_ns() const;

 private:
  static std::optional<Interval> Between(std::optional<int64_t> begin,
                                         std::optional<int64_t> end) {
    if (!begin || !end || *end < *begin) return std::nullopt;
    return Interval{*begin, *end};
  }
  static std::optional<int64_t> LengthOf(std::optional<Interval> interval) {
    if (!interval) return std::nullopt;
    return SaturatingSubtract(interval->end, interval->begin);
  }
};

struct RequestTable {
  BillRule rule = BillRule::kTokens;
  // gpu_ns of all requests, outside_ns and unknown_ns add up to this.
  int64_t total_busy_ns = 0;
  int64_t outside_ns = 0;  // launched for no request, as far as was recorded
  int64_t unknown_ns = 0;  // the launch was not recorded
  std::vector<RequestRow> list;  // by arrival, else by first iteration
};

// Empty for a trace in which no request was recorded. The names in it are as
// long as the trace.
RequestTable ComputeRequests(const IterationTable& iterations, BillRule rule);
// The same from the trace alone; `list[].iterations[].index` counts those of
// ComputeIterations().
RequestTable ComputeRequests(const Trace& trace, BillRule rule);

}  // namespace stepscope
