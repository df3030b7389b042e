// SPDX-License-Identifier: Apache-2.0
#include "server/memory/memory_map.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/tables/rows.h"
#include "base/stable_sort.h"
#include "server/timeline/curves.h"

namespace stepscope::server {
namespace {

constexpr std::string_view kOtherName = "other";
constexpr std::string_view kNoTextName = "(unknown)";

// Those that touch or overlap become one.
std::vector<AddressRange> Joined(std::vector<AddressRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const AddressRange& a, const AddressRange& b) {
              return a.address < b.address;
            });
  std::vector<AddressRange> joined;
  uint64_t at = 0;
  for (const AddressRange& range : ranges) {
    if (!joined.empty() &&
        range.address <= joined.back().address + joined.back().bytes) {
      AddressRange& last = joined.back();
      const uint64_t end =
          std::max(last.address + last.bytes, range.address + range.bytes);
      at += end - (last.address + last.bytes);
      last.bytes = end - last.address;
      continue;
    }
    joined.push_back({range.address, range.bytes, at});
    at += range.bytes;
  }
  return joined;
}

}  // namespace

MemoryMap::MemoryMap(const EventTree& tree, MemoryAccount account,
                     int64_t end_ns)
    : tree_(tree), account_(std::move(account)), end_ns_(end_ns) {
  FindRanges();
  OrderChanges();
}

void MemoryMap::FindRanges() {
  const Trace& trace = tree_.trace();
  std::vector<AddressRange> reserved;
  for (const StoredMemoryEvent& event : trace.memory().stored())
    if (event.kind() == MemoryKind::kReservedAllocate && event.bytes > 0 &&
        event.place == account_.place &&
        trace.tracks()[event.track].process == account_.process)
      reserved.push_back(
          {event.address, static_cast<uint64_t>(event.bytes), 0});
  ranges_ = Joined(std::move(reserved));
  // Where segments are not stated, or not all of them.
  std::unordered_map<uint64_t, uint64_t> outside;
  for (const BlockLife& allocation : account_.allocations) {
    const StoredMemoryEvent& made = trace.memory().stored()[allocation.made];
    if (made.bytes <= 0 || PlaceOf(made.address) != UINT64_MAX) continue;
    uint64_t& bytes = outside[made.address];
    bytes = std::max(bytes, static_cast<uint64_t>(made.bytes));
  }
  if (outside.empty()) return;
  std::vector<AddressRange> all = std::move(ranges_);
  for (const auto& [address, bytes] : outside)
    all.push_back({address, bytes, 0});
  ranges_ = Joined(std::move(all));
}

// By events: allocations have those of their begins, but not of their ends.
void MemoryMap::OrderChanges() {
  changes_.reserve(account_.allocations.size() * 2);
  for (size_t i = 0; i < account_.allocations.size(); ++i) {
    const BlockLife& allocation = account_.allocations[i];
    const auto number = static_cast<uint32_t>(i);
    changes_.push_back({allocation.made, number});
    if (allocation.freed != BlockLife::kNever)
      changes_.push_back({allocation.freed, number});
  }
  // What was not freed before its address is used again is freed by that event,
  // first.
  std::sort(changes_.begin(), changes_.end(),
            [](const Change& a, const Change& b) {
              return a.event != b.event ? a.event < b.event
                                        : a.allocation < b.allocation;
            });
}

uint64_t MemoryMap::bytes() const {
  return ranges_.empty() ? 0 : ranges_.back().at + ranges_.back().bytes;
}

uint64_t MemoryMap::PlaceOf(uint64_t address) const {
  auto range = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](uint64_t a, const AddressRange& r) { return a < r.address; });
  if (range == ranges_.begin()) return UINT64_MAX;
  --range;
  const uint64_t inside = address - range->address;
  return inside < range->bytes ? range->at + inside : UINT64_MAX;
}

MemoryBox MemoryMap::BoxOf(size_t allocation) const {
  const BlockLife& life = account_.allocations[allocation];
  const auto stored = tree_.trace().memory().stored();
  const StoredMemoryEvent& made = stored[life.made];
  MemoryBox box;
  box.begin_ns = made.time_ns;
  box.end_ns = life.freed == BlockLife::kNever ? std::max(end_ns_, made.time_ns)
                                               : stored[life.freed].time_ns;
  box.at = PlaceOf(made.address);
  box.bytes = made.bytes > 0 ? static_cast<uint64_t>(made.bytes) : 0;
  if (box.at == UINT64_MAX) box.at = box.bytes = 0;
  box.owner = account_.owner_of[allocation];
  return box;
}

const MemoryPyramid& MemoryMap::pyramid() const {
  const std::lock_guard lock(mutex_);
  if (pyramid_ == nullptr) {
    const int64_t begin = tree_.trace().memory()[0].time_ns;
    pyramid_ = std::make_unique<const MemoryPyramid>(
        account_.allocations.size(), [this](size_t i) { return BoxOf(i); },
        begin, std::max(end_ns_, begin) + 1, bytes());
  }
  return *pyramid_;
}

const MemoryGroups& MemoryMap::groups(MemoryBy by) const {
  const std::lock_guard lock(mutex_);
  auto& groups = groups_[static_cast<size_t>(by)];
  if (groups == nullptr)
    groups = std::make_unique<const MemoryGroups>(MakeGroups(by));
  return *groups;
}

// Groups by the most that each ever held: those that matter at some time.
MemoryGroups MemoryMap::MakeGroups(MemoryBy by) const {
  struct Holder {
    std::string name;
    int64_t now = 0;
    int64_t most = 0;
  };
  std::vector<Holder> holders;
  std::map<std::string, uint32_t> numbers;
  std::vector<uint32_t> holder_of(account_.owners.size());
  for (size_t i = 0; i < account_.owners.size(); ++i) {
    std::string text = OwnerText(tree_, account_.owners[i], by);
    if (text.empty()) text = kNoTextName;
    const auto [number, fresh] =
        numbers.try_emplace(text, static_cast<uint32_t>(holders.size()));
    if (fresh) holders.push_back({std::move(text)});
    holder_of[i] = number->second;
  }
  const auto stored = tree_.trace().memory().stored();
  for (const Change& change : changes_) {
    const BlockLife& life = account_.allocations[change.allocation];
    Holder& holder = holders[holder_of[account_.owner_of[change.allocation]]];
    const int64_t bytes = stored[life.made].bytes;
    holder.now += life.made == change.event ? bytes : -bytes;
    holder.most = std::max(holder.most, holder.now);
  }
  std::vector<uint32_t> order(holders.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  StableSort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return holders[a].most > holders[b].most;
  });
  MemoryGroups groups;
  const size_t named = std::min(order.size(), kMostGroups);
  std::vector<uint8_t> group_of(holders.size(), static_cast<uint8_t>(named));
  for (size_t i = 0; i < named; ++i) {
    groups.names.push_back(holders[order[i]].name);
    group_of[order[i]] = static_cast<uint8_t>(i);
  }
  groups.names.emplace_back(kOtherName);
  groups.names.emplace_back(kBeforeName);
  groups.of_owner.reserve(holder_of.size());
  for (const uint32_t holder : holder_of)
    groups.of_owner.push_back(group_of[holder]);
  // Not a part of `groups`, which is moved.
  const auto of_owner =
      std::make_shared<const std::vector<uint8_t>>(groups.of_owner);
  groups.area = std::make_unique<const StackedArea>(
      changes_.size(), static_cast<uint32_t>(groups.names.size()),
      [this, of_owner](size_t i) { return HeldOf(i, *of_owner); });
  return groups;
}

HeldChange MemoryMap::HeldOf(size_t change,
                             const std::vector<uint8_t>& of_owner) const {
  const Change& one = changes_[change];
  const MemoryTable& memory = tree_.trace().memory();
  const BlockLife& life = account_.allocations[one.allocation];
  HeldChange held;
  held.time_ns = memory.stored()[one.event].time_ns;
  held.group = of_owner[account_.owner_of[one.allocation]];
  const int64_t bytes = memory.stored()[life.made].bytes;
  held.bytes = life.made == one.event ? bytes : -bytes;
  if (one.event < memory.totals().size()) {
    const uint64_t stated = memory.totals()[one.event].allocated;
    if (stated > 0 && stated < uint64_t{1} << 62)
      held.total = static_cast<int64_t>(stated);
  }
  return held;
}

size_t MemoryMap::EventOf(size_t change) const {
  return change < changes_.size() ? changes_[change].event : SIZE_MAX;
}

size_t MemoryMap::EventAt(int64_t time_ns) const {
  const auto stored = tree_.trace().memory().stored();
  const auto after = std::partition_point(
      changes_.begin(), changes_.end(), [&](const Change& change) {
        return stored[change.event].time_ns <= time_ns;
      });
  return after == changes_.begin() ? SIZE_MAX : after[-1].event;
}

Interval MemoryMap::MostEvents() const {
  if (changes_.empty()) return {0, 0};
  const auto stored = tree_.trace().memory().stored();
  const auto time_of = [&](size_t change) {
    return stored[changes_[change].event].time_ns;
  };
  // Rounded up: of fewer than 20 events none is left out.
  const size_t wanted = changes_.size() - changes_.size() / 20;
  Interval shortest = {time_of(0), time_of(wanted - 1)};
  for (size_t first = 1; first + wanted <= changes_.size(); ++first) {
    const Interval next = {time_of(first), time_of(first + wanted - 1)};
    if (next.end - next.begin < shortest.end - shortest.begin) shortest = next;
  }
  return shortest;
}

size_t MemoryMap::held_bytes() const {
  return changes_.size() * (sizeof(Change) + sizeof(BlockLife) + 4);
}

}  // namespace stepscope::server
