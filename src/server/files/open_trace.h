// SPDX-License-Identifier: Apache-2.0
//
// OpenTrace: a trace that was imported, with everything that answers are made
// from. What is costly is made when it is first asked for, once. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/nested_calls.h"
#include "analysis/steps.h"
#include "base/cancel.h"
#include "base/result.h"
#include "server/memory/memory_map.h"
#include "server/serving/serving.h"
#include "server/timeline/curves.h"
#include "server/timeline/idle_parts.h"
#include "server/timeline/shares.h"
#include "server/timeline/view_tracks.h"
#include "snapshot/file_pages.h"
#include "timeline/pyramid.h"
#include "timeline/tile_query.h"
#include "trace/trace.h"

namespace stepscope::server {

class OpenTrace {
 public:
  // A trace of so many rows gets a coarse pyramid, to be drawn at once, and the
  // whole one beside, on a thread that gives way to others.
  static constexpr Row kManyRows = Row{8} << 20;
  // Throws std::bad_alloc where memory is refused.
  explicit OpenTrace(std::shared_ptr<const Trace> trace,
                     Row many_rows = kManyRows);
  // With the pyramid of that trace.
  OpenTrace(std::shared_ptr<const Trace> trace, Pyramid pyramid);
  ~OpenTrace();

  const Trace& trace() const { return *trace_; }
  const std::shared_ptr<const Trace>& shared() const { return trace_; }
  // Those of before stay as they are when there is a better one.
  const Pyramid& pyramid() const { return *pyramid_; }
  // Returns when there is the whole pyramid. False: it cannot be built, or
  // waiting was cancelled.
  bool WaitForWholePyramid(const CancelToken& cancel) const;
  const ViewTracks& view() const { return view_; }
  int64_t origin_ns() const { return pyramid_.load()->origin_ns(); }
  int64_t span_ns() const { return span_ns_; }
  // From the origin to the end of the last event that takes time: recording may
  // have gone on.
  int64_t events_end_ns() const { return events_end_ns_; }
  // Another one for each, also of the same file.
  uint64_t serial() const { return serial_; }
  // The file that it was read from is not what was written; nothing that is
  // answered from it counts any more.
  bool damaged() const { return damaged_; }
  void SetDamaged() const { damaged_ = true; }
  // What it holds, near enough for a budget.
  size_t bytes() const;
  // After an answer that was made from all of the trace: what only that
  // looked at, the system gets back. The pyramid's pages stay, so that the
  // timeline goes on as it was.
  void GiveBackMemory() const;
  // What of the trace lies in a file.
  FilePages& file_pages() const { return file_pages_; }

  const EventTree& tree() const;
  const StepTable& steps() const;
  // Calls that no sum counts again.
  const NestedCalls& nested_calls() const;

  const IdleParts& idle() const;
  // One for each process and place whose events state addresses.
  const std::vector<std::unique_ptr<const MemoryMap>>& memory_maps() const;
  // Iterations and requests of an inference server; null: it has none.
  const Serving* serving() const;
  // Of a track that has one.
  std::shared_ptr<const Curve> curve(uint32_t view_track) const;
  // Of a track of shares; null: it is none.
  std::shared_ptr<const Shares> shares(uint32_t view_track) const;

  // Text that takes long to make: by key, made once however many ask at the
  // same time. Failures are made anew.
  using MakeText = std::function<Result<std::string>()>;
  Result<std::shared_ptr<const std::string>> Document(
      const std::string& key, const MakeText& make) const;

  // Runs one query, with memory that queries take turns to use.
  void Tiles(int k, uint64_t first, uint32_t count,
             std::span<const TilePart> parts,
             const std::function<void(const TileAnswer&)>& use) const;

 private:
  struct Cached {
    std::mutex making;
    std::shared_ptr<const std::string> text;
  };
  struct IdleQuery {
    const Pyramid* of = nullptr;
    std::unique_ptr<TileQuery> query;
  };

  OpenTrace(std::shared_ptr<const Trace> trace, Pyramid pyramid, bool whole);
  void BuildWhole();

  const uint64_t serial_;
  const std::shared_ptr<const Trace> trace_;
  mutable FilePages file_pages_;
  const Pyramid first_;
  std::unique_ptr<const Pyramid> whole_;  // that was built beside
  std::atomic<const Pyramid*> pyramid_;   // the best there is
  const ViewTracks view_;
  const int64_t events_end_ns_;
  const int64_t span_ns_;
  mutable std::atomic<bool> damaged_{false};
  mutable std::once_flag tree_once_;
  mutable std::unique_ptr<EventTree> tree_;
  mutable std::once_flag steps_once_;
  mutable std::unique_ptr<StepTable> steps_;
  mutable std::once_flag nested_once_;
  mutable std::unique_ptr<NestedCalls> nested_;
  mutable std::once_flag idle_once_;
  mutable std::unique_ptr<IdleParts> idle_;
  mutable std::once_flag memory_once_;
  mutable std::vector<std::unique_ptr<const MemoryMap>> memory_maps_;
  mutable std::atomic<size_t> memory_bytes_{0};
  mutable std::once_flag serving_once_;
  mutable std::unique_ptr<const Serving> serving_made_;
  mutable std::atomic<const Serving*> serving_{nullptr};
  mutable std::mutex mutex_;
  mutable std::map<uint32_t, std::shared_ptr<const Curve>> curves_;
  mutable std::map<uint32_t, std::shared_ptr<const Shares>> shares_;
  mutable std::map<std::string, std::shared_ptr<Cached>> documents_;
  mutable std::vector<IdleQuery> idle_queries_;
  enum class Building : uint8_t { kWhole, kGoesOn, kFailed };
  Building building_ = Building::kWhole;  // under mutex_
  mutable std::condition_variable built_;
  CancelToken stop_;
  std::thread builder_;
};

}  // namespace stepscope::server
