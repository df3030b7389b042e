// SPDX-License-Identifier: Apache-2.0
//
// EventSink: turns trace events into rows of a TraceBuilder, each event into
// one bin of the ledger. The phases with a life of their own are in
// async_events.h. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "importers/chrome/args.h"
#include "importers/chrome/async_events.h"
#include "importers/chrome/categories.h"
#include "importers/chrome/header.h"
#include "importers/chrome/tracks.h"
#include "importers/json/document.h"
#include "importers/kineto/external_ids.h"
#include "importers/paddle/paddle_times.h"
#include "trace/build/trace_builder.h"
#include "trace/job/clock_placement.h"

namespace stepscope::json {

class EventSink : public DocumentHandler {
 public:
  explicit EventSink(TraceBuilder& builder);

  void OnMember(std::string_view key, std::string_view value) override;
  void OnEvent(const Tokens& tokens, const EventText& event,
               std::string_view wrong_bytes, uint64_t offset) override;
  void OnRejected(std::string_view reason, uint64_t offset,
                  std::string_view text) override;

  // After the last event: ends what is open, names rows.
  void Finish();
  // "kineto", "paddle" or "chrome", by what has been read.
  std::string_view format() const;
  // Where events were earlier than the first of the file, which the origin of
  // times was taken from: an epoch from which none is.
  const std::optional<Epoch>& earliest_epoch() const { return earliest_epoch_; }

 private:
  // One event on its way: what every phase needs of it.
  struct Current {
    const Tokens& tokens;
    const EventText& text;
    uint64_t offset;
    std::string_view repaired;  // why, if it was
    int64_t time_ns = 0;
    int64_t dur_ns = 0;
  };

  // What became of an event.
  struct Outcome {
    std::string_view rejected;  // why; empty: it was kept
    bool deferred = false;      // counted when its end is known
  };

  Outcome Dispatch(Current& event);
  Outcome AddComplete(Current& event);
  Outcome AddInstant(Current& event);
  Outcome AddBegin(Current& event);
  Outcome AddEnd(Current& event);
  Outcome AddCounter(Current& event);
  Outcome AddFlow(Current& event);
  Outcome AddAsync(Current& event);
  Outcome AddMemory(Current& event);
  Outcome AddMetadata(Current& event);
  StringId PlaceOf(int64_t device_type, int64_t device);

  std::string_view ReadTime(Current& event);
  std::string_view ReadDuration(Current& event);
  void FromOrigin(int64_t& time_ns);
  void KeepOwnTimes(const Current& event, const Category& category, Row row,
                    uint32_t track);

  const Category& CategoryOf(std::string_view cat);
  StringId NameOf(std::string_view name);
  NameKind KindOf(StringId name);
  // The row of an event whose arguments have been read.
  Row AddRow(const Current& event, const Category& category, uint32_t track,
             uint16_t flags);
  void AddLinks(Row row, const Category& category);
  uint32_t TrackOf(const EventText& event, const Category& category);
  // Gives an event that was open its end.
  void Close(const AsyncEvents::Open& open, int64_t end_ns,
             std::string_view args);
  void FinishOpen();

  TraceBuilder& builder_;
  Header header_;
  TrackMap rows_;
  ArgReader args_;
  AsyncEvents async_;
  ExternalIds external_;
  // Categories that were met, and the same by a hash of three characters.
  std::unordered_map<std::string, Category> categories_;
  using CategoryEntry = std::pair<const std::string, Category>;
  std::array<const CategoryEntry*, 64> recent_categories_ = {};
  std::vector<uint8_t> name_kinds_;  // by StringId: 1 + NameKind, 0 unknown
  std::map<std::pair<int64_t, int64_t>, StringId> places_;
  std::string buffer_;
  std::unordered_map<uint32_t, std::vector<AsyncEvents::Open>>
      open_;  // begins without an end yet, by track
  int64_t last_time_ns_ = INT64_MIN;
  int64_t first_time_ns_ = INT64_MAX;
  PaddleTimes paddle_times_;
  int64_t origin_ns_ = 0;  // taken off all times
  bool has_origin_ = false;
  std::optional<Epoch> earliest_epoch_;
  bool kineto_ = false;
};

}  // namespace stepscope::json
