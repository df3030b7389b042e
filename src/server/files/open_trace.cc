// SPDX-License-Identifier: Apache-2.0
#include "server/files/open_trace.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

#include "server/timeline/event_classes.h"

namespace stepscope::server {
namespace {

// Documents that are kept of one trace; more than a page ever shows.
constexpr size_t kMostDocuments = 64;

Pyramid FirstPyramid(const Trace& trace, bool coarse) {
  PyramidOptions options;
  options.classes = MakeEventClasses(trace);
  options.coarse = coarse;
  return {trace, options};
}

uint64_t NextSerial() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

enum class LastOf : uint8_t {
  kAll,        // also the recorded window
  kWhatTakes,  // events that take time, counters, memory
};

int64_t LastTime(const Trace& trace, LastOf of) {
  int64_t last = of == LastOf::kAll ? std::max(trace.begin_ns(), trace.end_ns())
                                    : trace.begin_ns();
  for (const Track& track : trace.tracks()) {
    Row end = track.last;
    // Recorders leave a mark at their end, which says nothing of what went on.
    while (of == LastOf::kWhatTakes && end > track.first &&
           trace.dur_ns()[end - 1] == 0 &&
           trace.nesting().parent[end - 1] == kNoRow)
      --end;
    if (track.first == end) continue;
    // Children end with their parents, and what is outermost does not overlap:
    // so the outermost one around the last row decides.
    for (Row row = end - 1; row != kNoRow; row = trace.nesting().parent[row])
      last = std::max(last, trace.end_ns(row));
  }
  for (const CounterSample& sample : trace.counters())
    last = std::max(last, sample.time_ns);
  if (!trace.memory().empty())
    last = std::max(last, trace.memory().back().time_ns);
  return last;
}

}  // namespace

OpenTrace::OpenTrace(std::shared_ptr<const Trace> trace, Row many_rows)
    : OpenTrace(trace, FirstPyramid(*trace, trace->size() >= many_rows),
                trace->size() < many_rows) {}

OpenTrace::OpenTrace(std::shared_ptr<const Trace> trace, Pyramid pyramid)
    : OpenTrace(std::move(trace), std::move(pyramid), true) {}

OpenTrace::OpenTrace(std::shared_ptr<const Trace> trace, Pyramid pyramid,
                     bool whole)
    : serial_(NextSerial()),
      trace_(std::move(trace)),
      first_(std::move(pyramid)),
      pyramid_(&first_),
      view_(MakeViewTracks(first_)),
      events_end_ns_(std::max<int64_t>(
          LastTime(*trace_, LastOf::kWhatTakes) - first_.origin_ns(), 1)),
      span_ns_(std::max(events_end_ns_,
                        LastTime(*trace_, LastOf::kAll) - first_.origin_ns())) {
  if (whole) return;
  building_ = Building::kGoesOn;
  try {
    builder_ = std::thread([this] { BuildWhole(); });
  } catch (const std::system_error&) {
    building_ = Building::kFailed;  // as right, and slower
  }
}

OpenTrace::~OpenTrace() {
  stop_.Cancel();
  if (builder_.joinable()) builder_.join();
}

void OpenTrace::BuildWhole() {
  // Threads that it starts are no more urgent than this one.
  constexpr int kNice = 5;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
  Building end = Building::kFailed;
  try {
    Executor executor;
    PyramidOptions options;
    options.executor = &executor;
    options.classes = first_.classes();
    options.cancel = &stop_;
    auto whole = std::make_unique<const Pyramid>(*trace_, options);
    if (!stop_.cancelled()) {
      whole_ = std::move(whole);
      pyramid_ = whole_.get();
      end = Building::kWhole;
    }
  } catch (const std::bad_alloc&) {
  }
  malloc_trim(0);  // what building needed, the system gets back
  const std::lock_guard lock(mutex_);
  building_ = end;
  built_.notify_all();
}

bool OpenTrace::WaitForWholePyramid(const CancelToken& cancel) const {
  std::unique_lock lock(mutex_);
  while (building_ == Building::kGoesOn && !cancel.cancelled())
    built_.wait_for(lock, std::chrono::milliseconds(50));
  return building_ == Building::kWhole;
}

size_t OpenTrace::bytes() const {
  constexpr size_t kMore = 16 + 8;  // nesting and launches, by row
  const Serving* const served = serving_;
  return trace_->bytes() + size_t{trace_->size()} * kMore + pyramid().bytes() +
         memory_bytes_ + (served != nullptr ? served->bytes() : 0);
}

void OpenTrace::GiveBackMemory() const {
  constexpr Row kFew = Row{1} << 18;  // not worth a system call
  if (trace_->size() < kFew) return;
  file_pages_.GiveBack();
  malloc_trim(0);
}

const EventTree& OpenTrace::tree() const {
  std::call_once(tree_once_,
                 [this] { tree_ = std::make_unique<EventTree>(*trace_); });
  return *tree_;
}

const StepTable& OpenTrace::steps() const {
  std::call_once(steps_once_,
                 [this] { steps_ = std::make_unique<StepTable>(tree()); });
  return *steps_;
}

const NestedCalls& OpenTrace::nested_calls() const {
  std::call_once(nested_once_,
                 [this] { nested_ = std::make_unique<NestedCalls>(tree()); });
  return *nested_;
}

const IdleParts& OpenTrace::idle() const {
  std::call_once(idle_once_, [this] {
    idle_ = std::make_unique<IdleParts>(FindIdleParts(tree(), steps()));
  });
  return *idle_;
}

const std::vector<std::unique_ptr<const MemoryMap>>& OpenTrace::memory_maps()
    const {
  std::call_once(memory_once_, [this] {
    const int64_t end_ns = origin_ns() + span_ns_;
    size_t bytes = 0;
    for (MemoryAccount& account : MakeMemoryAccounts(tree())) {
      memory_maps_.push_back(std::make_unique<const MemoryMap>(
          tree(), std::move(account), end_ns));
      bytes += memory_maps_.back()->held_bytes();
    }
    memory_bytes_ = bytes;
  });
  return memory_maps_;
}

const Serving* OpenTrace::serving() const {
  std::call_once(serving_once_, [this] {
    if (!MayServe(tree())) return;
    serving_made_ = std::make_unique<const Serving>(tree());
    if (!serving_made_->empty()) serving_ = serving_made_.get();
  });
  return serving_;
}

std::shared_ptr<const Curve> OpenTrace::curve(uint32_t view_track) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found = curves_.find(view_track);
    if (found != curves_.end()) return found->second;
  }
  const ViewTrack& track = view_.tracks[view_track];
  auto curve = std::make_shared<const Curve>(
      track.device_of ? QueueCurve(tree(), *track.device_of)
                      : SampledCurve(*trace_, track));
  const std::lock_guard lock(mutex_);
  return curves_.try_emplace(view_track, std::move(curve)).first->second;
}

std::shared_ptr<const Shares> OpenTrace::shares(uint32_t view_track) const {
  const ViewTrack& track = view_.tracks[view_track];
  const bool busy = track.kind == "busy";
  if (!busy && track.kind != "occupancy") return nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = shares_.find(view_track);
    if (found != shares_.end()) return found->second;
  }
  auto shares = std::make_shared<const Shares>(
      busy ? BusyShares(*trace_, *track.device_of)
           : OccupancyShares(*trace_, *track.device_of));
  const std::lock_guard lock(mutex_);
  return shares_.try_emplace(view_track, std::move(shares)).first->second;
}

Result<std::shared_ptr<const std::string>> OpenTrace::Document(
    const std::string& key, const MakeText& make) const {
  std::shared_ptr<Cached> cached;
  {
    const std::lock_guard lock(mutex_);
    if (documents_.size() >= kMostDocuments && !documents_.contains(key))
      documents_.clear();
    std::shared_ptr<Cached>& slot = documents_[key];
    if (slot == nullptr) slot = std::make_shared<Cached>();
    cached = slot;
  }
  const std::lock_guard lock(cached->making);
  if (cached->text == nullptr) {
    STEPSCOPE_TRY_ASSIGN(std::string text, make());
    cached->text = std::make_shared<const std::string>(std::move(text));
  }
  return cached->text;
}

void OpenTrace::Tiles(int k, uint64_t first, uint32_t count,
                      std::span<const TilePart> parts,
                      const std::function<void(const TileAnswer&)>& use) const {
  IdleQuery idle = {&pyramid(), nullptr};
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(idle_queries_,
                  [&](const IdleQuery& query) { return query.of != idle.of; });
    if (!idle_queries_.empty()) {
      idle = std::move(idle_queries_.back());
      idle_queries_.pop_back();
    }
  }
  if (idle.query == nullptr) idle.query = std::make_unique<TileQuery>(*idle.of);
  use(idle.query->Run(k, first, count, parts));
  const std::lock_guard lock(mutex_);
  if (idle_queries_.size() < 4) idle_queries_.push_back(std::move(idle));
}

}  // namespace stepscope::server
