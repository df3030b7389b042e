// SPDX-License-Identifier: Apache-2.0
//
// Tables that lie beside the events: tracks, arguments, flows, counters and
// memory.
#include <string>
#include <vector>

#include "query/trace_tables.h"
#include "query/valid_utf8.h"
#include "trace/kind_names.h"

namespace stepscope {
namespace {

// What may have all 64 bits is shown as the signed number of the same bits.
int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

uint32_t ProcessOfTrack(const RankData& data, uint32_t track) {
  return data.trace().tracks()[track].process;
}

// source_id and process, with which every table begins.
template <typename Data, typename ProcessOf>
void AddKeys(TableColumns<Data>& columns, ProcessOf process_of) {
  columns.Bigint("source_id", kSourceIdMeaning,
                 [](const Data& data, uint64_t) { return data.source_id(); });
  columns.Int("process", kProcessMeaning, process_of);
}

using Columns = TableColumns<RankData>;

template <const Columns& (*kColumns)()>
RankSource SourceOf(RankDataPtr data, uint64_t rows) {
  return std::make_shared<DataSource<RankData>>(kColumns(), std::move(data),
                                                rows);
}

const Track& TrackAt(const RankData& data, uint64_t i) {
  return data.trace().tracks()[i];
}

const Columns& TrackColumns() {
  static const auto* const columns = [] {
    auto* const made = new Columns;
    AddKeys(*made, [](const RankData& d, uint64_t i) {
      return TrackAt(d, i).process;
    });
    made->Int("track", "its number, as in the other tables",
              [](const RankData&, uint64_t i) { return i; });
    made->Text("kind", "thread, stream, counter or async",
               [](const RankData& d, uint64_t i) {
                 return duckdb::Text(NameOf(TrackAt(d, i).kind));
               });
    made->Text("name", "name of the thread, stream or counter",
               [](const RankData& d, uint64_t i) {
                 return d.text(TrackAt(d, i).name);
               });
    made->Bigint(
        "id", "number of the thread, stream or lane",
        [](const RankData& d, uint64_t i) { return TrackAt(d, i).id; });
    made->Int("lane", "events that overlap without nesting lie on others",
              [](const RankData& d, uint64_t i) { return TrackAt(d, i).lane; });
    made->Int("device", "number of the device; NULL unless a stream",
              [](const RankData& d, uint64_t i) {
                return TrackAt(d, i).device < 0 ? Id()
                                                : Id(TrackAt(d, i).device);
              });
    made->Text("device_type", "GPU, MLU, ...; empty unless a stream",
               [](const RankData& d, uint64_t i) {
                 return d.text(TrackAt(d, i).device_type);
               });
    made->Bigint("events", "how many events it has",
                 [](const RankData& d, uint64_t i) {
                   return TrackAt(d, i).last - TrackAt(d, i).first;
                 });
    return made;
  }();
  return *columns;
}

// Typed arguments first, then what the files said beyond them.
struct ArgData {
  RankDataPtr rank;
  std::vector<Row> raw;  // rows that have any

  int64_t source_id() const { return rank->source_id(); }
  const Arg* typed(uint64_t i) const {
    const auto args = rank->trace().args();
    return i < args.size() ? &args[i] : nullptr;
  }
  Row row(uint64_t i) const {
    const Arg* const arg = typed(i);
    return arg != nullptr ? arg->row : raw[i - rank->trace().args().size()];
  }
};

std::string ListText(const Trace& trace, const Arg& arg) {
  std::string text = "[";
  for (uint32_t i = 0; i < arg.list_count; ++i) {
    if (i > 0) text += ',';
    text += std::to_string(trace.arg_ints()[arg.list_first + i]);
  }
  return text + "]";
}

void FillArgText(const ArgData& data, uint64_t first, size_t count,
                 VectorOut& out) {
  auto* const to = out.data<duckdb::Text>();
  RawArgReader reader(data.rank->trace());
  for (size_t i = 0; i < count; ++i) {
    const Arg* const arg = data.typed(first + i);
    if (arg == nullptr) {
      std::string text = "{";
      text += reader.Get(data.row(first + i));
      text += '}';
      out.CopyText(i, ValidUtf8(text));
    } else if (arg->has_text()) {
      to[i] = data.rank->text(arg->text);
    } else if (arg->kind == ArgKind::kIntList) {
      out.CopyText(i, ListText(data.rank->trace(), *arg));
    } else {
      to[i] = {};
      out.SetNull(i);
    }
  }
}

const TableColumns<ArgData>& ArgColumns() {
  static const auto* const columns = [] {
    auto* const made = new TableColumns<ArgData>;
    AddKeys(*made, [](const ArgData& d, uint64_t i) {
      return d.rank->process_of(d.row(i));
    });
    made->Bigint("event_id", "the event that has it",
                 [](const ArgData& d, uint64_t i) { return d.row(i); });
    made->Text("key", "its name; *: all that the file said beyond, as JSON",
               [](const ArgData& d, uint64_t i) {
                 const Arg* const arg = d.typed(i);
                 return arg == nullptr ? duckdb::Text("*")
                                       : d.rank->text(arg->key);
               });
    made->Bigint("int_value", "a whole number; NULL: it is none",
                 [](const ArgData& d, uint64_t i) {
                   const Arg* const arg = d.typed(i);
                   return arg != nullptr && arg->kind == ArgKind::kInt
                              ? Id(arg->int_value)
                              : Id();
                 });
    made->Double("double_value", "a number that is not whole; NULL: it is none",
                 [](const ArgData& d, uint64_t i) {
                   const Arg* const arg = d.typed(i);
                   return arg != nullptr && arg->kind == ArgKind::kDouble
                              ? std::optional(arg->double_value)
                              : std::nullopt;
                 });
    made->Custom("text_value", ColumnType::kText,
                 "text, or a list or an object as JSON; NULL: a number", true,
                 FillArgText);
    return made;
  }();
  return *columns;
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

const Columns& FlowColumns() {
  static const auto* const columns = [] {
    auto* const made = new Columns;
    AddKeys(*made, [](const RankData& d, uint64_t i) {
      return ProcessOfTrack(d, d.trace().flows()[i].track);
    });
    made->Int("track", "where it is", [](const RankData& d, uint64_t i) {
      return d.trace().flows()[i].track;
    });
    made->Bigint("time_ns", "when, as recorded",
                 [](const RankData& d, uint64_t i) {
                   return d.trace().flows()[i].time_ns;
                 });
    made->Bigint("flow_id", "points of one flow have the same",
                 [](const RankData& d, uint64_t i) {
                   return Signed(d.trace().flows()[i].id);
                 });
    made->Text("name", "name of the flow", [](const RankData& d, uint64_t i) {
      return d.text(d.trace().flows()[i].name);
    });
    made->Text("phase", "begin, step or end",
               [](const RankData& d, uint64_t i) {
                 return duckdb::Text(PhaseName(d.trace().flows()[i].phase));
               });
    return made;
  }();
  return *columns;
}

const Columns& CounterColumns() {
  static const auto* const columns = [] {
    auto* const made = new Columns;
    AddKeys(*made, [](const RankData& d, uint64_t i) {
      return ProcessOfTrack(d, d.trace().counters()[i].track);
    });
    made->Int("track", "which counter", [](const RankData& d, uint64_t i) {
      return d.trace().counters()[i].track;
    });
    made->Text("name", "name of the counter",
               [](const RankData& d, uint64_t i) {
                 const uint32_t track = d.trace().counters()[i].track;
                 return d.text(d.trace().tracks()[track].name);
               });
    made->Bigint("time_ns", "when, as recorded",
                 [](const RankData& d, uint64_t i) {
                   return d.trace().counters()[i].time_ns;
                 });
    made->Double("value", "what it was then",
                 [](const RankData& d, uint64_t i) {
                   return d.trace().counters()[i].value;
                 });
    made->Bigint("int_value", "the same, exactly, if it is whole",
                 [](const RankData& d, uint64_t i) {
                   const CounterSample& sample = d.trace().counters()[i];
                   return sample.integer ? Id(sample.int_value) : Id();
                 });
    return made;
  }();
  return *columns;
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

MemoryEvent MemoryAt(const RankData& data, uint64_t i) {
  return data.trace().memory()[i];
}

const Columns& MemoryColumns() {
  static const auto* const columns = [] {
    auto* const made = new Columns;
    AddKeys(*made, [](const RankData& d, uint64_t i) {
      return ProcessOfTrack(d, MemoryAt(d, i).track);
    });
    made->Int("track", "thread that did it", [](const RankData& d, uint64_t i) {
      return MemoryAt(d, i).track;
    });
    made->Bigint("event_id", "the event that it belongs to; NULL: none",
                 [](const RankData& d, uint64_t i) {
                   return IdOf(MemoryAt(d, i).owner);
                 });
    made->Bigint(
        "time_ns", "when, as recorded",
        [](const RankData& d, uint64_t i) { return MemoryAt(d, i).time_ns; });
    made->Text("kind", "allocate, free, reserve or release",
               [](const RankData& d, uint64_t i) {
                 return duckdb::Text(MemoryKindName(MemoryAt(d, i).kind));
               });
    made->Text("place", "which memory", [](const RankData& d, uint64_t i) {
      return d.text(MemoryAt(d, i).place);
    });
    made->Bigint("address", "where, as a signed number",
                 [](const RankData& d, uint64_t i) {
                   return Signed(MemoryAt(d, i).address);
                 });
    made->Bigint(
        "bytes", "how many; negative when given back",
        [](const RankData& d, uint64_t i) { return MemoryAt(d, i).bytes; });
    made->Bigint("total_allocated", "in use afterwards",
                 [](const RankData& d, uint64_t i) {
                   return Signed(MemoryAt(d, i).total_allocated);
                 });
    made->Bigint("total_reserved", "held by the allocator afterwards",
                 [](const RankData& d, uint64_t i) {
                   return Signed(MemoryAt(d, i).total_reserved);
                 });
    return made;
  }();
  return *columns;
}

}  // namespace

TableOfTrace DeclareTracks() {
  return {"tracks", "threads, streams and counters", TrackColumns().specs(),
          [](RankDataPtr data) {
            const uint64_t rows = data->trace().tracks().size();
            return SourceOf<TrackColumns>(std::move(data), rows);
          }};
}

TableOfTrace DeclareArgs() {
  return {"args", "arguments of events", ArgColumns().specs(),
          [](RankDataPtr data) -> RankSource {
            auto args = std::make_shared<ArgData>();
            const Trace& trace = data->trace();
            for (Row row = 0; trace.has_raw_args() && row < trace.size(); ++row)
              if (trace.raw_ref(row) != 0) args->raw.push_back(row);
            const uint64_t rows = trace.args().size() + args->raw.size();
            args->rank = std::move(data);
            return std::make_shared<DataSource<ArgData>>(ArgColumns(),
                                                         std::move(args), rows);
          }};
}

TableOfTrace DeclareFlows() {
  return {"flows", "points that arrows connect", FlowColumns().specs(),
          [](RankDataPtr data) {
            const uint64_t rows = data->trace().flows().size();
            return SourceOf<FlowColumns>(std::move(data), rows);
          }};
}

TableOfTrace DeclareCounters() {
  return {"counters", "values of counters", CounterColumns().specs(),
          [](RankDataPtr data) {
            const uint64_t rows = data->trace().counters().size();
            return SourceOf<CounterColumns>(std::move(data), rows);
          }};
}

TableOfTrace DeclareMemory() {
  return {"memory", "memory taken and given back", MemoryColumns().specs(),
          [](RankDataPtr data) {
            const uint64_t rows = data->trace().memory().size();
            return SourceOf<MemoryColumns>(std::move(data), rows);
          }};
}

}  // namespace stepscope
