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
#include "base/stable_sort.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

constexpr size_t kStepsForLeaks = 4;
// Stands for all steps, whose names differ by their number.
constexpr StringId kStepItself{0xfffffffeu};

struct Allocation {
  int64_t bytes = 0;
  StringId name;
  uint32_t step = StepFinder::kNone;  // of the process, in time order
  Row owner = kNoRow;                 // who is accountable
  Row made = kNoRow;                  // in which event
};

// Places often have the same addresses.
struct AddressKey {
  uint32_t place = 0;
  uint64_t address = 0;
  friend bool operator==(const AddressKey&, const AddressKey&) = default;
};
struct AddressKeyHash {
  size_t operator()(const AddressKey& key) const {
    return (key.address ^ (uint64_t{key.place} << 48)) * 0x9e3779b97f4a7c15u;
  }
};

bool IsReserved(const MemoryEvent& event) {
  return event.kind == MemoryKind::kReservedAllocate ||
         event.kind == MemoryKind::kReservedFree;
}

class Replay {
 public:
  Replay(const EventTree& tree, const StepTable& steps,
         const std::vector<MemoryOfPlace>& places)
      : tree_(tree),
        finder_(tree, steps),
        accountable_(tree),
        places_(places),
        lives_(places.size()) {
    for (const MemoryOfPlace& place : places)
      slots_.Insert(KeyOfMemory(place.process, place.place));
  }

  std::vector<MemoryLife> Run() {
    const Trace& trace = tree_.trace();
    const MemoryTable& events = trace.memory();
    for (size_t i = 0; i < events.size(); ++i) {
      const MemoryEvent event = events[i];
      const uint32_t place = slots_.Find(
          KeyOfMemory(trace.tracks()[event.track].process, event.place));
      if (!IsReserved(event)) Apply(event, place);
      if (places_[place].sums.peak_event() == i) Snapshot(place);
    }
    FindLeaks();
    return std::move(lives_);
  }

 private:
  void Apply(const MemoryEvent& event, uint32_t place) {
    const AddressKey key{place, event.address};
    if (event.kind == MemoryKind::kFree) {
      live_.erase(key);
      return;
    }
    const Row owner = accountable_.Of(event.owner);
    live_[key] = {Magnitude(event.bytes), NameOfOwner(owner),
                  finder_.Find(places_[place].process, event.time_ns), owner,
                  event.owner};
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
    life.peak_event = places_[place].sums.peak_event();
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
    StableSort(life.live_at_peak.begin(), life.live_at_peak.end(),
               [](const LiveRow& a, const LiveRow& b) {
                 return std::tuple(b.bytes, a.name) <
                        std::tuple(a.bytes, b.name);
               });
    life.before_bytes = std::max<int64_t>(
        0, SaturatingSubtract(places_[place].sums.peak_allocated(), known));
  }

  void FindLeaks() {
    struct Growth {
      LeakRow row;
      int64_t most = -1;  // bytes of the example
      Row made = kNoRow;  // likewise
      std::vector<bool> steps;
    };
    std::map<std::pair<uint32_t, uint32_t>, Growth> all;  // place, name
    for (const auto& [key, allocation] : live_) {
      const size_t count = finder_.count(places_[key.place].process);
      const uint32_t step = allocation.step;
      if (count < kStepsForLeaks || step == StepFinder::kNone) continue;
      if (step == 0 || step + 1 == count) continue;
      Growth& growth = all[{key.place, allocation.name.v}];
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
        growth.made = allocation.made;
      }
      if (!growth.steps[allocation.step]) ++growth.row.steps;
      growth.steps[allocation.step] = true;
    }
    for (auto& [key, growth] : all) {
      if (growth.row.steps + 2 != growth.steps.size()) continue;
      growth.row.line =
          LineOf(tree_.trace(), accountable_.StackOf(growth.made));
      lives_[key.first].leaks.push_back(growth.row);
    }
    for (MemoryLife& life : lives_) {
      StableSort(
          life.leaks.begin(), life.leaks.end(),
          [](const LeakRow& a, const LeakRow& b) { return a.bytes > b.bytes; });
    }
  }

  const EventTree& tree_;
  const StepFinder finder_;
  Accountable accountable_;
  const std::vector<MemoryOfPlace>& places_;
  FlatMap slots_;  // to those of `places_` and `lives_`
  std::vector<MemoryLife> lives_;
  std::unordered_map<AddressKey, Allocation, AddressKeyHash> live_;
};

}  // namespace

std::vector<MemoryLife> ComputeMemoryLives(
    const EventTree& tree, const StepTable& steps,
    const std::vector<MemoryOfPlace>& places) {
  return Replay(tree, steps, places).Run();
}

}  // namespace stepscope
