// SPDX-License-Identifier: Apache-2.0
//
// The arguments of an event: those that the analyses read become typed, ids
// become links, and all the rest stays as it is written.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importers/json/event_text.h"
#include "trace/build/trace_builder.h"

namespace stepscope::json {

// Which arguments mean something, by the kind of the event.
enum class ArgSet : uint8_t {
  kNone,     // all stay as they are written
  kInstant,  // points in time, which may tell of requests
  kHost,     // operators and annotations
  kApi,      // calls of the device's API
  kDevice,   // kernels, copies, sets
};

class ArgReader {
 public:
  static constexpr size_t kTypedKeyCount = 16;

  explicit ArgReader(TraceBuilder& builder) : builder_(builder) {}

  // Reads the arguments of an event. `own_times`: "start_time" and "end_time"
  // are the writer's copies of what the event says itself.
  void Read(const Tokens& tokens, const EventText& event, ArgSet set,
            bool own_times);

  // What was found; -1 where there is none.
  int64_t correlation() const { return correlation_; }
  int64_t external_id() const { return external_id_; }
  int64_t sequence() const { return sequence_; }
  int64_t graph_node() const { return graph_node_; }
  int64_t step_number() const { return step_number_; }
  int64_t device() const { return device_; }
  int64_t stream() const { return stream_; }
  std::string_view start_time() const { return start_time_; }
  std::string_view end_time() const { return end_time_; }
  uint16_t flags() const { return flags_; }
  // It tells of a request (trace/request_events.h), whatever its category.
  bool is_request() const { return is_request_; }
  // Our exporter's, for readers that need such an event: there was none.
  bool made_up() const { return made_up_; }
  // The exact name of the event, where it is no text or was altered.
  bool has_name() const { return has_name_; }
  std::string_view name() const { return name_; }
  // The members that nothing else holds, as they are written.
  std::string rest() const;

  // Gives the rest to an event.
  void AddRest(Row row) { builder_.AddRawArgs(row, runs_); }

  // Gives the typed arguments to an event.
  void AddTyped(Row row);

 private:
  struct Typed {
    StringId key;
    std::string_view value;
  };

  bool TakeHost(std::string_view key, std::string_view value);
  bool TakeServing(std::string_view key, std::string_view value);
  bool TakeApi(std::string_view key, std::string_view value);
  bool TakeDevice(std::string_view key, std::string_view value);
  bool TakeTyped(size_t key, std::string_view value);
  bool TakeOwn(std::string_view key, std::string_view value);
  bool TakeName(std::string_view value);
  bool AddNumbers(Row row, const Typed& typed);

  TraceBuilder& builder_;
  int64_t correlation_ = -1;
  int64_t external_id_ = -1;
  int64_t sequence_ = -1;
  int64_t graph_node_ = -1;
  int64_t step_number_ = -1;
  int64_t device_ = -1;
  int64_t stream_ = -1;
  std::string_view start_time_;
  std::string_view end_time_;
  uint16_t flags_ = 0;
  bool is_request_ = false;
  bool made_up_ = false;
  bool has_name_ = false;
  std::string name_;
  // The rest; members that stand side by side are one run.
  std::vector<std::string_view> runs_;
  std::vector<Typed> typed_;
  std::array<StringId, kTypedKeyCount> key_ids_;  // empty: not interned yet
  std::vector<int64_t> numbers_;
  std::string buffer_;
};

// The text of member `key` of an event's arguments; empty if it has none.
std::string_view FindArg(const Tokens& tokens, const EventText& event,
                         std::string_view key);

}  // namespace stepscope::json
