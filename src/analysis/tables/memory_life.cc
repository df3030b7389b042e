// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/memory_life.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/flat_map.h"
#include "analysis/step_finder.h"
#include "analysis/tables/accountable.h"
#include "analysis/tables/rows.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

constexpr size_t kStepsForLeaks = 4;
// Stands for all steps, whose names differ by their number.
constexpr StringId kStepItself{0xfffffffeu};

struct Allocation {
  uint32_t place = 0;
  int64_t bytes = 0;
  StringId name;
  uint32_t process = 0;
  uint32_t step = StepFinder::kNone;  // of the process, in time order
  Row owner = kNoRow;                 // who is accountable
};

// Ranks of a job have the same places, and often the same addresses.
struct AddressKey {
  uint32_t place = 0;
  uint32_t process = 0;
  uint64_t address = 0;
  friend bool operator==(const AddressKey&, const AddressKey&) = default;
};
struct AddressKeyHash {
  size_t operator()(const AddressKey& key) const {
    return (key.address ^ (uint64_t{key.place} << 48) ^
            (uint64_t{key.process} << 32)) *
           0x9e3779b97f4a7c15u;
  }
};

bool IsReserved(const MemoryEvent& event) {
  return event.kind == MemoryKind::kReservedAllocate ||
         event.kind == MemoryKind::kReservedFree;
}

class Replay {
 public:
  Replay(const EventTree& tree, const StepTable& steps,
         const std::optional<Interval>& peaks_in)
      : tree_(tree),
        finder_(tree, steps),
        accountable_(tree),
        peaks_in_(peaks_in) {}

  std::vector<MemoryLife> Run() {
    FindPeaks();
    const MemoryTable& events = tree_.trace().memory();
    for (size_t i = 0; i < events.size(); ++i) {
      if (IsReserved(events[i])) continue;
      const uint32_t place = places_.Find(events[i].place.v);
      Apply(events[i], place);
      if (peaks_[place].event == i) Snapshot(place);
    }
    FindLeaks();
    return std::move(lives_);
  }

 private:
  struct Peak {
    size_t event = SIZE_MAX;  // none: nothing was allocated
    int64_t bytes = 0;
    int64_t running = 0;
    bool stated = false;
  };

  void FindPeaks() {
    const MemoryTable& events = tree_.trace().memory();
    for (size_t i = 0; i < events.size(); ++i) {
      const MemoryEvent& event = events[i];
      uint32_t place = places_.Insert(event.place.v);
      if (place == FlatMap::kNew) {
        place = places_.size() - 1;
        peaks_.emplace_back();
      }
      if (IsReserved(event)) continue;
      Peak& peak = peaks_[place];
      const int64_t bytes = Magnitude(event.bytes);
      peak.running = event.kind == MemoryKind::kFree
                         ? SaturatingSubtract(peak.running, bytes)
                         : SaturatingAdd(peak.running, bytes);
      if (event.total_allocated > 0 && !peak.stated) {
        peak.stated = true;
        peak.bytes = 0;
      }
      const int64_t now = peak.stated ? static_cast<int64_t>(std::min<uint64_t>(
                                            event.total_allocated, INT64_MAX))
                                      : peak.running;
      if (now <= peak.bytes || !MayBePeak(event)) continue;
      peak.bytes = now;
      peak.event = i;
    }
    lives_.resize(peaks_.size());
  }

  bool MayBePeak(const MemoryEvent& event) const {
    return !peaks_in_ || (event.time_ns >= peaks_in_->begin &&
                          event.time_ns < peaks_in_->end);
  }

  void Apply(const MemoryEvent& event, uint32_t place) {
    const uint32_t process = tree_.trace().tracks()[event.track].process;
    const AddressKey key{place, process, event.address};
    if (event.kind == MemoryKind::kFree) {
      live_.erase(key);
      return;
    }
    const Row owner = accountable_.Of(event.owner);
    live_[key] = {place,
                  Magnitude(event.bytes),
                  NameOfOwner(owner),
                  process,
                  finder_.Find(process, event.time_ns),
                  owner};
  }

  StringId NameOfOwner(Row row) const {
    if (row == kNoRow) return kOutsideId;
    if (tree_.trace().type()[row] == STEPSCOPE_PROFILE_STEP) {
      return kStepItself;
    }
    return tree_.trace().name()[row];
  }
  std::string_view NameOf(StringId name) const {
    if (name == kStepItself) return EventTypeName(STEPSCOPE_PROFILE_STEP);
    return name == kOutsideId ? kOutsideName : tree_.trace().str(name);
  }

  void Snapshot(uint32_t place) {
    MemoryLife& life = lives_[place];
    life.peak_event = peaks_[place].event;
    life.peak_at_ns = tree_.trace().memory()[life.peak_event].time_ns;
    std::map<uint32_t, LiveRow> rows;
    int64_t known = 0;
    for (const auto& [key, allocation] : live_) {
      if (key.place != place) continue;
      LiveRow& row = rows[allocation.name.v];
      row.name = NameOf(allocation.name);
      row.bytes = SaturatingAdd(row.bytes, allocation.bytes);
      ++row.allocations;
      known = SaturatingAdd(known, allocation.bytes);
    }
    for (const auto& [name, row] : rows) life.live_at_peak.push_back(row);
    std::stable_sort(life.live_at_peak.begin(), life.live_at_peak.end(),
                     [](const LiveRow& a, const LiveRow& b) {
                       return std::tuple(b.bytes, a.name) <
                              std::tuple(a.bytes, b.name);
                     });
    life.before_bytes =
        std::max<int64_t>(0, SaturatingSubtract(peaks_[place].bytes, known));
  }

  void FindLeaks() {
    struct Growth {
      LeakRow row;
      int64_t most = -1;  // bytes of the example
      std::vector<bool> steps;
    };
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Growth> all;
    for (const auto& [key, allocation] : live_) {
      const size_t count = finder_.count(allocation.process);
      const uint32_t step = allocation.step;
      if (count < kStepsForLeaks || step == StepFinder::kNone) continue;
      if (step == 0 || step + 1 == count) continue;
      Growth& growth = all[{key.place, allocation.process, allocation.name.v}];
      growth.steps.resize(count);
      growth.row.name = NameOf(allocation.name);
      growth.row.bytes = SaturatingAdd(growth.row.bytes, allocation.bytes);
      ++growth.row.allocations;
      // The first of the largest: `live_` has no order.
      if (allocation.bytes > growth.most ||
          (allocation.bytes == growth.most &&
           allocation.owner < growth.row.example)) {
        growth.most = allocation.bytes;
        growth.row.example = allocation.owner;
      }
      if (!growth.steps[allocation.step]) ++growth.row.steps;
      growth.steps[allocation.step] = true;
    }
    for (const auto& [key, growth] : all) {
      if (growth.row.steps + 2 != growth.steps.size()) continue;
      lives_[std::get<0>(key)].leaks.push_back(growth.row);
    }
    for (MemoryLife& life : lives_) {
      std::stable_sort(
          life.leaks.begin(), life.leaks.end(),
          [](const LeakRow& a, const LeakRow& b) { return a.bytes > b.bytes; });
    }
  }

  const EventTree& tree_;
  const StepFinder finder_;
  Accountable accountable_;
  const std::optional<Interval> peaks_in_;
  FlatMap places_;  // to the slots of `peaks_` and `lives_`
  std::vector<Peak> peaks_;
  std::vector<MemoryLife> lives_;
  std::unordered_map<AddressKey, Allocation, AddressKeyHash> live_;
};

}  // namespace

std::vector<MemoryLife> ComputeMemoryLives(
    const EventTree& tree, const StepTable& steps,
    const std::optional<Interval>& peaks_in) {
  return Replay(tree, steps, peaks_in).Run();
}

}  // namespace stepscope
