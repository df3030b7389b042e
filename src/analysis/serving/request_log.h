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
#include <unordered_map>
#include <vector>

#include "analysis/event_tree.h"
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
  struct Key {
    uint32_t process;
    int64_t number;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    size_t operator()(const Key& key) const {
      return (static_cast<uint64_t>(key.number) ^ uint64_t{key.process} << 53) *
             0x9e3779b97f4a7c15u;
    }
  };

  static std::vector<Mark> CollectMarks(const EventTree& tree);
  void Announce(const Trace& trace, const Mark& mark);
  void MergeProcesses();
  // `same`: requests with one id. Says in `joined` which another one is.
  void MergeOfId(std::vector<uint32_t>& same, std::vector<uint32_t>& joined);
  void Renumber(std::vector<uint32_t>& joined);
  void KeepTokensOfOneProcess();

  std::deque<LoggedRequest> list_;
  std::vector<LoggedTokens> tokens_;
  std::unordered_map<Key, uint32_t, HashOfKey> known_;
  // Of a process, the latest with this id; while announcements are read.
  std::unordered_map<Key, uint32_t, HashOfKey> latest_;
};

}  // namespace stepscope
