// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/history_join.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "importers/capture/operators_at.h"
#include "importers/torch_memory/history.h"

namespace stepscope::capture {
namespace {

// The clocks of the two differ by less.
constexpr int64_t kClockError = 1'000'000;

bool IsReserved(MemoryKind kind) {
  return kind == MemoryKind::kReservedAllocate ||
         kind == MemoryKind::kReservedFree;
}

// What the capture was told, by what it was and where: each is taken once, in
// the order of time.
class Reports {
 public:
  explicit Reports(std::vector<MemoryEvent> told) : told_(std::move(told)) {
    std::stable_sort(told_.begin(), told_.end(),
                     [](const MemoryEvent& a, const MemoryEvent& b) {
                       return a.time_ns < b.time_ns;
                     });
  }
  const std::vector<MemoryEvent>& events() const { return told_; }

  // `place` as the builder has it.
  void Index(const std::set<uint32_t>& places) {
    for (size_t i = 0; i < told_.size(); ++i)
      if (places.contains(told_[i].place.v))
        queues_[KeyOf(told_[i])].indices.push_back(i);
  }
  // The report of what a history says happened then; null: there is none.
  // `timed`: or else the next one.
  const MemoryEvent* Take(const MemoryEvent& event, bool timed) {
    const auto found = queues_.find(KeyOf(event));
    if (found == queues_.end()) return nullptr;
    Queue& queue = found->second;
    while (timed && queue.next < queue.indices.size() &&
           told_[queue.indices[queue.next]].time_ns <
               event.time_ns - kClockError)
      ++queue.next;
    if (queue.next == queue.indices.size()) return nullptr;
    const MemoryEvent& report = told_[queue.indices[queue.next]];
    if (timed && report.time_ns > event.time_ns + kClockError) return nullptr;
    ++queue.next;
    return &report;
  }

 private:
  struct Queue {
    std::vector<size_t> indices;
    size_t next = 0;
  };
  static std::pair<uint64_t, uint64_t> KeyOf(const MemoryEvent& event) {
    return {event.address,
            uint64_t{event.place.v} << 2 | static_cast<uint64_t>(event.kind)};
  }

  std::vector<MemoryEvent> told_;
  std::map<std::pair<uint64_t, uint64_t>, Queue> queues_;
};

class Joiner {
 public:
  Joiner(const HistoryTarget& to, const History& from,
         std::vector<MemoryEvent> told)
      : to_(to),
        builder_(to.builder),
        from_(*from.trace),
        timed_(from.timed),
        reports_(std::move(told)),
        operators_(to.builder, to.first_row, to.last_row) {}

  void Run(const std::vector<MemoryEvent>& driver) {
    for (const MemoryEvent& event : from_.memory())
      places_.insert(Place(event));
    reports_.Index(places_);
    FindOwners();
    AddBeginning();
    for (size_t i = before_; i < from_.memory().size(); ++i) Add(i);
    // Of devices that the history does not have.
    for (const MemoryEvent& event : reports_.events())
      if (!places_.contains(event.place.v)) builder_.AddMemory(event);
    for (const MemoryEvent& event : driver) AddDriver(event);
    AddIncidents();
    AddFacts();
    if (!timed_ && before_ < from_.memory().size())
      builder_.AddNote(
          "this version of torch records no times of allocations: those that "
          "no operator told have the time of the one before");
  }

 private:
  uint32_t Place(const MemoryEvent& event) {
    const auto [it, fresh] = place_ids_.try_emplace(event.place.v, 0u);
    if (fresh) it->second = builder_.Intern(from_.str(event.place)).v;
    return it->second;
  }

  // From the epoch that the history counts from: through the anchor before.
  int64_t ToNs(int64_t time_ns) const {
    const int64_t realtime = from_.epoch_ns() + time_ns;
    const auto& anchors = to_.clock.anchors();
    if (anchors.empty()) return realtime + to_.offset_ns;
    const auto after =
        std::upper_bound(anchors.begin(), anchors.end(), realtime,
                         [](int64_t time, const format::Anchor& anchor) {
                           return time < anchor.realtime_ns;
                         });
    const format::Anchor& anchor =
        after == anchors.begin() ? anchors.front() : after[-1];
    return to_.clock.ToNs(anchor.tick) + realtime - anchor.realtime_ns +
           to_.offset_ns;
  }

  // The rows of the capture that allocated and freed, where they are known.
  // Threads are swept once each, so times must not go back: reports come in
  // their order, and then what has none.
  void FindOwners() {
    const size_t count = from_.memory().size();
    owners_.assign(count, kNoRow);
    times_.assign(count, 0);
    std::vector<std::pair<const MemoryEvent*, size_t>> told;
    std::vector<size_t> silent;
    int64_t last = to_.begin_ns;
    for (size_t i = 0; i < count; ++i) {
      MemoryEvent event = from_.memory()[i];
      event.time_ns = timed_ ? ToNs(event.time_ns) : last;
      event.place.v = Place(event);
      if (IsFound(event.owner) || event.time_ns < to_.begin_ns) {
        times_[i] = to_.begin_ns;
        before_ = i + 1;
        continue;
      }
      const MemoryEvent* const report =
          IsReserved(event.kind) ? nullptr : reports_.Take(event, timed_);
      // What was told is exact; the order stays that of the history.
      times_[i] = last =
          std::max(last, report != nullptr ? report->time_ns : event.time_ns);
      if (report != nullptr)
        told.emplace_back(report, i);
      else
        silent.push_back(i);
    }
    std::stable_sort(told.begin(), told.end(),
                     [](const auto& a, const auto& b) {
                       return a.first->time_ns < b.first->time_ns;
                     });
    for (const auto& [report, i] : told)
      owners_[i] = operators_.OnTrack(report->track, report->time_ns);
    if (silent.empty()) return;
    OperatorsAt any(builder_, to_.first_row, to_.last_row);
    for (const size_t i : silent) owners_[i] = any.OnAny(times_[i]);
  }

  // Of what happened before the window, what is left: segments, then blocks.
  void AddBeginning() {
    std::map<uint32_t, Ranges> segments;
    std::map<std::pair<uint32_t, uint64_t>, size_t> blocks;
    for (size_t i = 0; i < before_; ++i) {
      const MemoryEvent event = from_.memory()[i];
      const std::pair key = {event.place.v, event.address};
      if (event.kind == MemoryKind::kReservedAllocate)
        segments[event.place.v][event.address] = {event.bytes, i};
      else if (event.kind == MemoryKind::kReservedFree)
        TakeOut(segments[event.place.v], event.address, -event.bytes);
      else if (event.kind == MemoryKind::kAllocate)
        blocks[key] = i;
      else
        blocks.erase(key);
    }
    for (const auto& [place, ranges] : segments)
      for (const auto& [address, range] : ranges)
        AddFound(range.event, address, range.bytes);
    for (const auto& [key, i] : blocks)
      AddFound(i, key.second, from_.memory()[i].bytes);
  }

  struct Range {
    int64_t bytes = 0;
    size_t event = 0;
  };
  using Ranges = std::map<uint64_t, Range>;

  // Segments that expand are given back in parts.
  static void TakeOut(Ranges& ranges, uint64_t address, int64_t bytes) {
    auto range = ranges.upper_bound(address);
    if (range == ranges.begin()) return;
    --range;
    const uint64_t begin = range->first;
    const Range whole = range->second;
    const uint64_t end = begin + static_cast<uint64_t>(whole.bytes);
    if (address >= end) return;
    const uint64_t gone = std::min(end, address + static_cast<uint64_t>(bytes));
    ranges.erase(range);
    if (address > begin)
      ranges[begin] = {static_cast<int64_t>(address - begin), whole.event};
    if (end > gone)
      ranges[gone] = {static_cast<int64_t>(end - gone), whole.event};
  }

  void AddFound(size_t i, uint64_t address, int64_t bytes) {
    MemoryEvent event = from_.memory()[i];
    event.address = address;
    event.bytes = bytes;
    event.time_ns = to_.begin_ns;
    event.place.v = Place(event);
    event.track = TrackOf(event.track);
    event.owner =
        StackRow(event.owner, event.track, event.time_ns, kEventInferred);
    AddOwned(event);
  }

  bool IsFound(Row owner) const {
    return owner != kNoRow && (from_.flags()[owner] & kEventInferred) != 0;
  }

  void Add(size_t i) {
    if (times_[i] >= to_.end_ns) return;
    MemoryEvent event = from_.memory()[i];
    event.time_ns = times_[i];
    event.place.v = Place(event);
    event.track = TrackOf(event.track);
    const Row op = owners_[i];
    const bool step =
        op != kNoRow && builder_.type_of(op) == STEPSCOPE_PROFILE_STEP;
    if (op != kNoRow && !(step && HasStack(event.owner)))
      event.owner = WithStack(op, event.owner);
    else if (HasStack(event.owner))
      event.owner = StackRow(event.owner, event.track, event.time_ns, 0);
    else
      event.owner = kNoRow;
    AddOwned(event);
  }

  // With the totals that the allocator would state.
  void AddOwned(MemoryEvent& event) {
    event.owner_stated = true;
    Total& total = totals_[event.place.v];
    (IsReserved(event.kind) ? total.reserved : total.allocated) += event.bytes;
    event.total_allocated = AsTotal(total.allocated);
    event.total_reserved = AsTotal(total.reserved);
    builder_.AddMemory(event);
  }

  struct Total {
    int64_t allocated = 0;
    int64_t reserved = 0;
  };
  static uint64_t AsTotal(int64_t bytes) {
    return static_cast<uint64_t>(std::max<int64_t>(0, bytes));
  }

  uint32_t TrackOf(uint32_t index) {
    const auto [it, fresh] = tracks_.try_emplace(index, 0u);
    if (!fresh) return it->second;
    const Track& old = from_.tracks()[index];
    Track track;
    track.process = to_.process;
    track.kind = TrackKind::kAsync;
    track.id = old.id;
    track.device = old.device;
    track.name = builder_.Intern(from_.str(old.name));
    return it->second = builder_.AddTrack(track);
  }

  bool HasStack(Row row) const {
    return row != kNoRow && from_.raw_ref(row) != 0;
  }

  // An operator, which now says from which line it was called.
  Row WithStack(Row op, Row stack) {
    if (HasStack(stack) && told_lines_.insert(op).second) CopyStack(stack, op);
    return op;
  }

  void CopyStack(Row from, Row to) {
    for (const Arg& arg : from_.args_of(from)) {
      if (arg.kind == ArgKind::kText)
        builder_.AddText(to, from_.str(arg.key), from_.str(arg.text));
      else if (arg.kind == ArgKind::kInt)
        builder_.AddInt(to, from_.str(arg.key), arg.int_value);
    }
    if (from_.raw_ref(from) == 0) return;
    const auto [it, fresh] = raw_.try_emplace(from, RawRef{});
    if (fresh) it->second = builder_.raw_args().Add(from_.raw_args(from));
    builder_.SetRawRef(to, it->second);
  }

  // Where no event of the capture is known, the function of the stack is whose
  // memory it is, as in a snapshot. `flags`: kEventInferred of what was there
  // before.
  Row StackRow(Row row, uint32_t track, int64_t time_ns, uint16_t flags) {
    const bool named = HasStack(row);
    const auto [it, fresh] =
        rows_.try_emplace({named ? row : kNoRow, track, flags != 0}, kNoRow);
    if (!fresh) return it->second;
    EventSpec event;
    event.track = track;
    event.start_ns = time_ns;
    event.name = named ? builder_.Intern(from_.str(from_.name()[row]))
                       : builder_.Intern(torch_memory::kFoundName);
    event.type = STEPSCOPE_OPERATOR;
    event.flags = static_cast<uint16_t>(kEventInstant | flags);
    it->second = builder_.AddEvent(event);
    if (it->second != kNoRow && named) CopyStack(row, it->second);
    return it->second;
  }

  // What the driver gave the allocator is a segment; the rest is not its.
  void AddDriver(MemoryEvent event) {
    if (places_.contains(event.place.v)) {
      if (segments_.empty())
        for (const MemoryEvent& known : from_.memory())
          if (IsReserved(known.kind)) segments_.insert(known.address);
      if (segments_.contains(event.address)) return;
      event.place =
          builder_.Intern(std::string(builder_.strings().view(event.place)) +
                          " beside torch's allocator");
    }
    builder_.AddMemory(event);
  }

  void AddIncidents() {
    for (Row row = 0; row < from_.size(); ++row) {
      const std::string_view name = from_.str(from_.name()[row]);
      if (name != "out of memory" || (from_.flags()[row] & kEventInstant) == 0)
        continue;
      EventSpec event;
      event.track = TrackOf(from_.track()[row]);
      event.start_ns = timed_ ? ToNs(from_.start_ns()[row]) : to_.end_ns;
      event.name = builder_.Intern(name);
      event.type = from_.type()[row];
      event.flags = kEventInstant;
      if (event.start_ns > to_.end_ns) continue;
      const Row added = builder_.AddEvent(event);
      if (added != kNoRow) CopyStack(row, added);
    }
  }

  void AddFacts() {
    for (const Process& process : from_.processes())
      for (const auto& [key, value] : process.metadata)
        builder_.process(to_.process)
            .metadata.emplace_back(builder_.Intern(from_.str(key)),
                                   builder_.Intern(from_.str(value)));
    for (const Source& source : from_.sources()) {
      builder_.ledger().Keep(source.ledger.kept());
      for (const auto& [reason, bin] : source.ledger.rejected())
        builder_.ledger().Reject(reason, 0, {}, bin.count);
    }
  }

  const HistoryTarget& to_;
  TraceBuilder& builder_;
  const Trace& from_;
  const bool timed_;
  Reports reports_;
  OperatorsAt operators_;
  std::vector<Row> owners_;  // by memory event of the history
  std::vector<int64_t> times_;
  size_t before_ = 0;          // so many of them are not of the window
  std::set<uint32_t> places_;  // of the builder
  std::map<uint32_t, uint32_t> place_ids_;  // history to builder
  std::map<uint32_t, uint32_t> tracks_;     // likewise
  std::map<uint32_t, Total> totals_;        // by place of the builder
  std::map<std::tuple<Row, uint32_t, bool>, Row> rows_;
  std::map<Row, RawRef> raw_;
  std::set<Row> told_lines_;
  std::set<uint64_t> segments_;
};

}  // namespace

void JoinHistory(const HistoryTarget& target, const History& history,
                 std::vector<MemoryEvent> told,
                 const std::vector<MemoryEvent>& driver) {
  Joiner(target, history, std::move(told)).Run(driver);
}

}  // namespace stepscope::capture
