// SPDX-License-Identifier: Apache-2.0
//
// EventDecoder: slots straight into the columns of a TraceBuilder. Runs are
// fed in the order in which their rows shall stand. What refers to events of
// other runs (late ends, arguments) is put aside for Resolve().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "format/block.h"
#include "importers/capture/allocator_history.h"
#include "importers/capture/clock_map.h"
#include "importers/capture/run_order.h"
#include "importers/capture/sites.h"
#include "importers/capture/slot_index.h"
#include "trace/build/trace_builder.h"

namespace stepscope::capture {

// Where a run's slots come from and whose they are.
struct RunInfo {
  format::EventsHeader header = {};
  uint16_t version = 0;  // of the block, if packed
  uint32_t track = 0;
  uint64_t offset = 0;  // byte in the input, for the ledger
};

struct RunCounts {
  uint64_t events = 0;
  uint64_t side_records = 0;  // all but owner records
};

class EventDecoder {
 public:
  // `has_clock`: ticks can be converted; otherwise every event is repaired.
  // `offset_ns` is added to all times.
  EventDecoder(TraceBuilder& builder, uint32_t process, const ClockMap& clock,
               bool has_clock, int64_t offset_ns, SiteTable& sites);
  ~EventDecoder();
  EventDecoder(const EventDecoder&) = delete;
  EventDecoder& operator=(const EventDecoder&) = delete;

  // For runs whose header.events add up to `events` and of which none has more
  // than `most_slots` header.slots. Before the first run.
  Status Reserve(uint64_t events, uint32_t most_slots);

  // What was told of memory of devices goes there.
  void SetHistory(AllocatorHistory* history) { history_ = history; }

  // Decodes one run. `whole` is set to false where the packed bytes are not
  // what they should be; what came before has been used.
  RunCounts DecodePacked(const RunInfo& run, std::span<const uint8_t> packed,
                         bool* whole);
  // The same for slots as they stand in a chunk; run.header.slots of them, of
  // which at most run.header.events are events.
  RunCounts DecodeSlots(const RunInfo& run, const format::Slot* slots);

  // After the last run: adopts the rows and attaches what was put aside.
  void Resolve();

  // After Resolve(): rows without an end, in row order. Their duration runs
  // to `end_ns`, which includes offset_ns.
  std::vector<Row> CloseOpenEvents(int64_t end_ns);
  // The latest time at which anything happened; includes offset_ns.
  int64_t LatestNs() const;

 private:
  class RowSink;
  // What a run holds besides plain events.
  struct OddEvent {
    format::Slot slot;
    Row row;
  };
  struct SideRecord {
    format::Slot header;
    const uint8_t* payload;
    uint32_t payload_slots;
    Row before;  // row of the next event
  };
  // Room for the largest run; filled anew by each.
  struct Lists {
    std::unique_ptr<OddEvent[]> odd;
    std::unique_ptr<SideRecord[]> side;
    std::unique_ptr<SlotIndex::Break[]> breaks;
  };
  // How far a run filled rows and lists.
  struct RunEnds {
    Row row;
    const OddEvent* odd;
    const SideRecord* side;
    const SlotIndex::Break* breaks;
  };
  // One without an end in its slot. Their rows get the flag when the file has
  // been read: as a rule the end comes later, and no page of flags is touched.
  struct OpenEvent {
    Row row;
    bool ended;
  };
  struct PendingEnd {
    format::SlotRef ref;
    uint64_t tick;
    uint64_t offset;
    Row expected;  // what order_ took for its row
  };
  struct PendingArg {
    format::SlotRef ref;
    uint32_t aux;
    uint32_t bytes;     // of the value, as far as recorded
    size_t first_byte;  // in arg_bytes_
    uint64_t offset;
  };

  bool HasRoom(const RunInfo& run) const;
  RunCounts FinishRun(const RunInfo& run, const RunEnds& ends, bool* whole);
  bool AddOddEvent(const RunInfo& run, const OddEvent& odd);
  void Side(const RunInfo& run, const SideRecord& record);
  void LateEnd(const RunInfo& run, const SideRecord& record);
  bool Counter(const RunInfo& run, uint64_t tick, const uint8_t* payload);
  bool Memory(const RunInfo& run, uint64_t tick, const uint8_t* payload);
  bool Flow(const RunInfo& run, uint64_t tick, const uint8_t* payload);
  Row RowOf(const format::SlotRef& ref) const;
  void ResolveEnd(const PendingEnd& end);
  void ResolveArg(const PendingArg& arg);
  void MakeMark(Row row, StringId name);
  std::string_view ReasonOf(const Site& site, uint32_t id) const;
  // One side record: kept, or repaired for `reason` or for its time.
  void Account(int64_t time_ns, std::string_view reason, uint64_t offset);

  TraceBuilder& builder_;
  uint32_t process_;
  const ClockMap& clock_;
  bool has_clock_;
  int64_t offset_ns_;
  SiteTable& sites_;
  AllocatorHistory* history_ = nullptr;
  TraceBuilder::Rows rows_;
  uint64_t capacity_ = 0;
  Row row_ = 0;  // next to be written, counted from rows_.first
  uint32_t most_slots_ = 0;
  Lists lists_;
  SlotIndex index_;
  RunOrder order_;
  std::vector<OpenEvent> open_;  // by row
  std::vector<PendingEnd> ends_;
  std::vector<PendingArg> args_;
  std::vector<uint8_t> arg_bytes_;
  StringId mark_key_ = {};      // of the argument that makes a mark of an event
  StringId sequence_key_ = {};  // of the argument that links autograd's events
  std::unordered_map<uint32_t, uint32_t> counter_tracks_;  // by name id
};

}  // namespace stepscope::capture
