// SPDX-License-Identifier: Apache-2.0
//
// RequestLog: what a trace says of requests (trace/request_events.h), before
// anything is concluded from iterations. A request that several processes tell
// of, a front end and the ranks of an engine, is one: they say the same id at
// overlapping times. An id that is used again later is another request.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/flat_map.h"
#include "trace/request_events.h"

namespace stepscope {

struct LoggedRequest {
  std::string_view id;
  std::string_view traceparent;
  std::string_view error;
  uint32_t process = 0;
  std::optional<int64_t> tokens_in;
  std::optional<int64_t> arrival_ns;
  std::optional<int64_t> end_ns;
  int64_t first_seen_ns = 0;
};

// `count` tokens of a request were there.
struct LoggedTokens {
  uint32_t request = 0;
  uint32_t process = 0;
  int64_t time_ns = 0;
  int64_t count = 0;
};

class RequestLog {
 public:
  // Refers to the names of the trace.
  explicit RequestLog(const EventTree& tree);

  const std::deque<LoggedRequest>& list() const { return list_; }
  // By request, then time; those of one process each.
  std::span<const LoggedTokens> tokens() const { return tokens_; }
  // The request of a number. One that was never announced is added, without an
  // id.
  uint32_t Find(uint32_t process, int64_t number, int64_t time_ns);

 private:
  enum class What : uint8_t;
  struct Mark;
  class Reader;
  // Requests of one process by what it calls them.
  struct Names {
    FlatMap slots;
    std::vector<uint32_t> requests;  // by slot
  };

  static Names& OfProcess(std::vector<Names>& names, uint32_t process);
  static std::vector<Mark> CollectMarks(const EventTree& tree);
  void Announce(const Trace& trace, const Mark& mark);
  void MergeProcesses();
  // `same`: requests with one id. Says in `joined` which another one is.
  void MergeOfId(std::vector<uint32_t>& same, std::vector<uint32_t>& joined);
  void Renumber(std::vector<uint32_t>& joined);
  void SortTokens();
  void KeepTokensOfOneProcess();

  std::deque<LoggedRequest> list_;
  std::vector<LoggedTokens> tokens_;
  std::vector<Names> known_;  // by process, then by number
  // The latest with this id, by process; while announcements are read.
  std::vector<Names> latest_;
};

}  // namespace stepscope
