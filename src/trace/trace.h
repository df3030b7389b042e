// SPDX-License-Identifier: Apache-2.0
//
// Trace: what was recorded, as typed columns and tables. The waist of the
// system: importers build it, analyses and exporters read it. A Trace is made
// by TraceBuilder, or read back from a snapshot of one, and immutable
// afterwards; share it as std::shared_ptr<const Trace>. All reads are
// thread-safe.
//
// Times are int64 nanoseconds from Trace::epoch_ns(); raw, never corrected.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/string_pool.h"
#include "trace/ledger.h"
#include "trace/memory_table.h"
#include "trace/raw_args.h"
#include "trace/source.h"

namespace stepscope {

using Row = uint32_t;  // index of an event in the columns; its identity
inline constexpr Row kNoRow = 0xffffffffu;

// Flags of an event.
enum EventFlag : uint16_t {
  kEventInstant = 1,      // a point in time, duration 0
  kEventOpenAtEnd = 2,    // never ended: duration runs to the end of recording
  kEventNameClipped = 4,  // recorder kept only the start of the name
  kEventInferred = 8,     // not recorded but concluded by an importer
};

// One process of one trace file.
struct Process {
  int64_t pid = 0;    // negative: a number only, the name says what it is
  int64_t rank = -1;  // -1: not stated
  StringId name;      // executable or label; may be empty
  StringId host;
  uint32_t source = 0;  // index of Trace::sources()
  int64_t start_ns = 0;
  // Everything else the file said, in file order.
  std::vector<std::pair<StringId, StringId>> metadata;
};

enum class TrackKind : uint32_t { kThread, kStream, kCounter, kAsync };

// Tracks, flows, links and the like are stored as they lie in memory:
// snapshot_file.h. So they name every byte, `zero` those without a use.

// A line of a timeline. Events of one track are contiguous rows ordered by
// (start, -duration, recording order); those of overlapping siblings lie on
// another lane of the same (process, kind, id).
struct Track {
  uint32_t process = 0;
  TrackKind kind = TrackKind::kThread;
  int64_t id = 0;       // thread id, stream id, ...
  int64_t device = -1;  // kStream: device number
  uint32_t lane = 0;
  StringId name;
  StringId device_type;  // kStream: "GPU", "MLU", ...
  Row first = 0;
  Row last = 0;  // one past the end
  uint32_t zero = 0;
};

// Loss and state of one recording thread, for `stepscope info`.
struct ThreadReport {
  uint32_t track = 0;
  uint64_t recorded = 0;  // events
  uint64_t side_recorded = 0;
  std::vector<std::pair<std::string_view, uint64_t>> dropped;  // reason, count
  uint64_t side_dropped = 0;     // side records, whatever the reason
  std::vector<Row> open_scopes;  // outermost first, as of the end
  bool exited = false;
};

enum class FlowPhase : uint32_t { kBegin, kStep, kEnd };
struct Flow {
  int64_t time_ns = 0;
  uint64_t id = 0;
  StringId name;
  uint32_t track = 0;
  FlowPhase phase = FlowPhase::kBegin;
  uint32_t zero = 0;
};

// GPU work -> launching call and the like: sparse, keyed by process and id.
enum class LinkSpace : uint32_t {
  kCorrelation,
  kExternal,
  kGraphNode,
  kSequence
};
struct Link {
  uint32_t process = 0;
  LinkSpace space = LinkSpace::kCorrelation;
  uint64_t id = 0;
  Row row = kNoRow;
  uint32_t zero = 0;
};

struct CounterSample {
  int64_t time_ns = 0;
  uint32_t track = 0;  // kind kCounter; its name is the counter's
  bool integer = false;
  uint8_t zeros[3] = {};
  int64_t int_value = 0;
  double value = 0;  // also set when integer
};

// There are more arguments than events, so one is small: `kind` says which of
// the values it has.
enum class ArgKind : uint8_t { kInt, kDouble, kText, kIntList, kJson };
struct Arg {
  Arg() : int_value(0) {}

  Row row = kNoRow;
  StringId key;
  ArgKind kind = ArgKind::kInt;
  bool clipped = false;
  uint16_t zero = 0;
  uint32_t list_count = 0;  // kIntList: range of Trace::arg_ints(); else 0
  union {
    int64_t int_value;
    double double_value;
    StringId text;  // kText, kJson
    uint32_t list_first;
  };

  bool has_text() const {
    return kind == ArgKind::kText || kind == ArgKind::kJson;
  }
};
static_assert(sizeof(Arg) == 24);

// All events: columns of one length.
struct EventTable {
  Column<int64_t> start_ns;
  Column<int64_t> dur_ns;
  Column<StringId> name;
  Column<uint32_t> track;
  Column<uint16_t> type;
  Column<uint16_t> flags;

  Row size() const { return static_cast<Row>(start_ns.size()); }
  // False where memory is refused.
  [[nodiscard]] bool Reserve(size_t rows) {
    return start_ns.Reserve(rows) && dur_ns.Reserve(rows) &&
           name.Reserve(rows) && track.Reserve(rows) && type.Reserve(rows) &&
           flags.Reserve(rows);
  }
  [[nodiscard]] bool Resize(size_t rows) {
    return start_ns.Resize(rows) && dur_ns.Resize(rows) && name.Resize(rows) &&
           track.Resize(rows) && type.Resize(rows) && flags.Resize(rows);
  }
};

struct ArgTable {
  Column<Arg> typed;
  Column<int64_t> ints;  // of lists
  RawArgs raw;
  Column<RawRef> raw_refs;  // by row; shorter or empty where there are none
};

// CPU use over the recorded window; negative: unknown.
struct CpuUsage {
  double process = -1;  // cores, 1.0 = one core busy all the time
  double system = -1;   // 0..1 of the whole machine
};

// Parent and depth within each track; computed on first use.
struct Nesting {
  Column<Row> parent;      // kNoRow: outermost
  Column<uint32_t> depth;  // 0: outermost
};

// What a Trace holds beside its tables.
struct TraceFacts {
  std::vector<Process> processes;
  std::vector<ThreadReport> threads;
  int64_t epoch_ns = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  CpuUsage cpu_usage;
  std::vector<Source> sources;
  // Totals of the sources, made by TraceBuilder::Finish().
  ClockInfo clock;
  Ledger ledger;
  std::string format;
  std::vector<std::string> files;
  bool complete = true;
  std::vector<std::string> notes;
};

class Trace {
 public:
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Events, one entry per row.
  Row size() const { return events_.size(); }
  std::span<const int64_t> start_ns() const { return events_.start_ns.view(); }
  std::span<const int64_t> dur_ns() const { return events_.dur_ns.view(); }
  std::span<const StringId> name() const { return events_.name.view(); }
  std::span<const uint32_t> track() const { return events_.track.view(); }
  std::span<const uint16_t> type() const { return events_.type.view(); }
  std::span<const uint16_t> flags() const { return events_.flags.view(); }
  int64_t end_ns(Row row) const {
    return events_.start_ns[row] + events_.dur_ns[row];
  }

  const std::vector<Process>& processes() const { return facts_.processes; }
  const std::vector<Track>& tracks() const { return tracks_; }
  const std::vector<ThreadReport>& threads() const { return facts_.threads; }
  const std::vector<Flow>& flows() const { return flows_; }  // by time
  std::span<const Link> links() const {  // by process, space, id
    return links_.view();
  }
  // By (track, time).
  const std::vector<CounterSample>& counters() const { return counters_; }
  const MemoryTable& memory() const { return memory_; }             // by time
  std::span<const Arg> args() const { return args_.typed.view(); }  // by row
  std::span<const Arg> args_of(Row row) const;
  std::span<const int64_t> arg_ints() const { return args_.ints.view(); }
  // What the file said of an event beyond args(): members of a JSON object,
  // without braces. RawArgReader reads many rows faster.
  std::string raw_args(Row row) const;
  bool has_raw_args() const { return !args_.raw_refs.empty(); }
  RawRef raw_ref(Row row) const {
    return row < args_.raw_refs.size() ? args_.raw_refs[row] : 0;
  }
  const RawArgs& raw_args() const { return args_.raw; }

  const StringPool& strings() const { return strings_; }
  std::string_view str(StringId id) const { return strings_.view(id); }

  // Throws std::bad_alloc where memory is refused.
  const Nesting& nesting() const;
  // Durations less those of events inside, of any lane: on a thread they add up
  // to the time in which any event ran. Computed on first use. Throws the same.
  std::span<const int64_t> self_ns() const;

  int64_t epoch_ns() const {
    return facts_.epoch_ns;
  }  // UTC of time 0, if known
  int64_t begin_ns() const { return facts_.begin_ns; }  // recorded window
  int64_t end_ns() const { return facts_.end_ns; }
  // The earliest event, counter value, memory event or begin of the window;
  // nothing: the trace is empty.
  std::optional<int64_t> first_time_ns() const;
  const CpuUsage& cpu_usage() const { return facts_.cpu_usage; }

  // The input files, each with its format, clock, ledger and notes. At least
  // one if there is a process.
  const std::vector<Source>& sources() const { return facts_.sources; }
  const Source& source_of(const Process& process) const {
    return facts_.sources[process.source];
  }
  // What its tables take, without the nesting.
  size_t bytes() const;

  // Over all sources. clock(): source and rate are the first's, anchors add
  // up, the error is the worst; epoch_known is that of epoch_ns().
  const ClockInfo& clock() const { return facts_.clock; }
  const Ledger& ledger() const { return facts_.ledger; }
  bool complete() const { return facts_.complete; }
  // Every format once, with '+' between several.
  std::string_view format() const { return facts_.format; }
  const std::vector<std::string>& files() const { return facts_.files; }
  // What sources say, then what concerns several of them.
  const std::vector<std::string>& notes() const { return facts_.notes; }
  const TraceFacts& facts() const { return facts_; }

 private:
  friend class TraceBuilder;
  friend class TraceSnapshot;
  Trace();

  std::shared_ptr<const void> backing_;  // where columns lie, if elsewhere
  EventTable events_;
  std::vector<Track> tracks_;
  std::vector<Flow> flows_;
  Column<Link> links_;
  std::vector<CounterSample> counters_;
  MemoryTable memory_;
  ArgTable args_;
  StringPool strings_;
  TraceFacts facts_;
  mutable std::once_flag nesting_once_;
  mutable std::unique_ptr<Nesting> nesting_;
  mutable std::once_flag self_once_;
  mutable Column<int64_t> self_ns_;
};

}  // namespace stepscope
