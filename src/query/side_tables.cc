// SPDX-License-Identifier: Apache-2.0
//
// Tables that lie beside the events: tracks, arguments, flows, counters and
// memory.
#include <string>
#include <vector>

#include "query/trace_tables.h"
#include "trace/kind_names.h"

namespace stepscope {
namespace {

// What may have all 64 bits is shown as the signed number of the same bits.
int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

using Tracks = ItemsOfRank < [](const RankData& d) -> const auto& {
  return d.trace().tracks();
}
> ;

void AddTracks(TableColumns<Tracks>& columns) {
  columns.Int("process", kProcessMeaning, [](auto& t) { return t->process; });
  columns.Int("track", "its number, as in the other tables",
              [](auto& t) { return t.number; });
  columns.Text("kind", "thread, stream, counter or async",
               [](auto& t) { return duckdb::Text(NameOf(t->kind)); });
  columns.Text("name", "name of the thread, stream or counter",
               [](auto& t) { return t.data.text(t->name); });
  columns.Bigint("id", "number of the thread, stream or lane",
                 [](auto& t) { return t->id; });
  columns.Int("lane", "events that overlap without nesting lie on others",
              [](auto& t) { return t->lane; });
  columns.Int("device", "number of the device; NULL unless a stream",
              [](auto& t) { return KnownIf(t->device >= 0, t->device); });
  columns.Text("device_type", "GPU, MLU, ...; empty unless a stream",
               [](auto& t) { return t.data.text(t->device_type); });
  columns.Bigint("events", "how many events it has",
                 [](auto& t) { return t->last - t->first; });
}

// Typed arguments first, then what the files said beyond them.
struct ArgOfRank {
  const RankData& data;
  const Arg* typed;  // null: the latter
  Row row;

  bool is(ArgKind kind) const {
    return typed != nullptr && typed->kind == kind;
  }
};

class ArgsOfRank {
 public:
  explicit ArgsOfRank(RankDataPtr data) : data_(std::move(data)) {
    const Trace& trace = data_->trace();
    for (Row row = 0; trace.has_raw_args() && row < trace.size(); ++row)
      if (trace.raw_ref(row) != 0) raw_.push_back(row);
  }

  const RankData& data() const { return *data_; }
  size_t size() const { return data_->trace().args().size() + raw_.size(); }
  ArgOfRank operator[](uint64_t i) const {
    const auto args = data_->trace().args();
    if (i < args.size()) return {*data_, &args[i], args[i].row};
    return {*data_, nullptr, raw_[i - args.size()]};
  }

 private:
  RankDataPtr data_;
  std::vector<Row> raw_;  // rows that have any
};

std::string ListText(const Trace& trace, const Arg& arg) {
  std::string text = "[";
  for (uint32_t i = 0; i < arg.list_count; ++i) {
    if (i > 0) text += ',';
    text += std::to_string(trace.arg_ints()[arg.list_first + i]);
  }
  return text + "]";
}

void FillArgText(const ArgsOfRank& args, uint64_t first, size_t count,
                 VectorOut& out) {
  auto* const to = out.data<duckdb::Text>();
  RawArgReader reader(args.data().trace());
  for (size_t i = 0; i < count; ++i) {
    const ArgOfRank arg = args[first + i];
    if (arg.typed == nullptr) {
      std::string text = "{";
      text += reader.Get(arg.row);
      text += '}';
      out.CopyText(i, ValidUtf8(text));
    } else if (arg.typed->has_text()) {
      to[i] = arg.data.text(arg.typed->text);
    } else if (arg.is(ArgKind::kIntList)) {
      out.CopyText(i, ListText(arg.data.trace(), *arg.typed));
    } else {
      to[i] = {};
      out.SetNull(i);
    }
  }
}

void AddArgs(TableColumns<ArgsOfRank>& columns) {
  columns.Int("process", kProcessMeaning,
              [](auto& a) { return a.data.process_of(a.row); });
  columns.Bigint("event_id", "the event that has it", &ArgOfRank::row);
  columns.Text("key", "its name; *: all that the file said beyond, as JSON",
               [](auto& a) {
                 return a.typed == nullptr ? duckdb::Text("*")
                                           : a.data.text(a.typed->key);
               });
  columns.Bigint("int_value", "a whole number; NULL: it is none", [](auto& a) {
    return a.is(ArgKind::kInt) ? Id(a.typed->int_value) : Id();
  });
  columns.Double("double_value", "a number that is not whole; NULL: it is none",
                 [](auto& a) {
                   return a.is(ArgKind::kDouble)
                              ? std::optional(a.typed->double_value)
                              : std::nullopt;
                 });
  columns.Custom("text_value", ColumnType::kText,
                 "text, or a list or an object as JSON; NULL: a number",
                 FillArgText);
}

const char* PhaseName(FlowPhase phase) {
  switch (phase) {
    case FlowPhase::kBegin:
      return "begin";
    case FlowPhase::kStep:
      return "step";
    case FlowPhase::kEnd:
      return "end";
  }
  return "";
}

// Where an item lies.
constexpr auto kTrackOf = [](const auto& one) -> const Track& {
  return one.data.trace().tracks()[one->track];
};
constexpr auto kProcessOf = [](const auto& one) {
  return kTrackOf(one).process;
};

using Flows = ItemsOfRank < [](const RankData& d) -> const auto& {
  return d.trace().flows();
}
> ;

void AddFlows(TableColumns<Flows>& columns) {
  columns.Int("process", kProcessMeaning, kProcessOf);
  columns.Int("track", "where it is", [](auto& f) { return f->track; });
  columns.Bigint("time_ns", "when, as recorded",
                 [](auto& f) { return f->time_ns; });
  columns.Bigint("flow_id", "points of one flow have the same",
                 [](auto& f) { return Signed(f->id); });
  columns.Text("name", "name of the flow",
               [](auto& f) { return f.data.text(f->name); });
  columns.Text("phase", "begin, step or end",
               [](auto& f) { return duckdb::Text(PhaseName(f->phase)); });
}

using Counters = ItemsOfRank < [](const RankData& d) -> const auto& {
  return d.trace().counters();
}
> ;

void AddCounters(TableColumns<Counters>& columns) {
  columns.Int("process", kProcessMeaning, kProcessOf);
  columns.Int("track", "which counter", [](auto& c) { return c->track; });
  columns.Text("name", "name of the counter",
               [](auto& c) { return c.data.text(kTrackOf(c).name); });
  columns.Bigint("time_ns", "when, as recorded",
                 [](auto& c) { return c->time_ns; });
  columns.Double("value", "what it was then", [](auto& c) { return c->value; });
  columns.Bigint("int_value", "the same, exactly, if it is whole",
                 [](auto& c) { return KnownIf(c->integer, c->int_value); });
}

const char* MemoryKindName(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kAllocate:
      return "allocate";
    case MemoryKind::kFree:
      return "free";
    case MemoryKind::kReservedAllocate:
      return "reserve";
    case MemoryKind::kReservedFree:
      return "release";
  }
  return "";
}

// Made when it is asked for.
struct MemoryOfRank {
  const RankData& data;
  MemoryEvent item;

  const MemoryEvent* operator->() const { return &item; }
};

class Memory {
 public:
  explicit Memory(RankDataPtr data) : data_(std::move(data)) {}
  size_t size() const { return data_->trace().memory().size(); }
  MemoryOfRank operator[](uint64_t i) const {
    return {*data_, data_->trace().memory()[i]};
  }

 private:
  RankDataPtr data_;
};

void AddMemory(TableColumns<Memory>& columns) {
  columns.Int("process", kProcessMeaning, kProcessOf);
  columns.Int("track", "thread that did it", [](auto& m) { return m->track; });
  columns.Bigint("event_id", "the event that it belongs to; NULL: none",
                 [](auto& m) { return IdOf(m->owner); });
  columns.Bigint("time_ns", "when, as recorded",
                 [](auto& m) { return m->time_ns; });
  columns.Text("kind", "allocate, free, reserve or release",
               [](auto& m) { return duckdb::Text(MemoryKindName(m->kind)); });
  columns.Text("place", "which memory",
               [](auto& m) { return m.data.text(m->place); });
  columns.Bigint("address", "where, as a signed number",
                 [](auto& m) { return Signed(m->address); });
  columns.Bigint("bytes", "how many; negative when given back",
                 [](auto& m) { return m->bytes; });
  columns.Bigint("total_allocated", "in use afterwards",
                 [](auto& m) { return Signed(m->total_allocated); });
  columns.Bigint("total_reserved", "held by the allocator afterwards",
                 [](auto& m) { return Signed(m->total_reserved); });
}

}  // namespace

TableOfTrace DeclareTracks() {
  return DeclareTable("tracks", "threads, streams and counters", &AddTracks);
}
TableOfTrace DeclareArgs() {
  return DeclareTable("args", "arguments of events", &AddArgs);
}
TableOfTrace DeclareFlows() {
  return DeclareTable("flows", "points that arrows connect", &AddFlows);
}
TableOfTrace DeclareCounters() {
  return DeclareTable("counters", "values of counters", &AddCounters);
}
TableOfTrace DeclareMemory() {
  return DeclareTable("memory", "memory taken and given back", &AddMemory);
}

}  // namespace stepscope
