// SPDX-License-Identifier: Apache-2.0
#include "exporters/capture/capture.h"

#include <bit>

#include "base/lz.h"
#include "exporters/capture/table_writer.h"

namespace stepscope {
namespace capture {
namespace {

using format::Packing;
using format::Table;

// A block read from an earlier capture is written as it is.
Packing PackingOf(const RawArgs::Block& block) {
  if (!block.packed) return Packing::kPlain;
  return IsLz4Block(block.stored(), block.plain_size) ? Packing::kLz4
                                                      : Packing::kLz;
}

// Writes the tables of one trace, what others refer to first.
class Writer {
 public:
  Writer(const Trace& trace, TableWriter& tables)
      : trace_(trace), tables_(tables) {
    for (const Source& source : trace.sources())
      for (const auto* bins :
           {&source.ledger.repaired(), &source.ledger.rejected()})
        for (const auto& bin : *bins)
          bins_.push_back({&bin, bins == &source.ledger.rejected()});
    for (uint64_t bin = 0; bin < bins_.size(); ++bin)
      for (const Ledger::Example& example : bins_[bin].bin->second.examples)
        examples_.push_back({bin, &example});
    for (uint64_t thread = 0; thread < trace.threads().size(); ++thread) {
      for (const auto& loss : trace.threads()[thread].dropped)
        dropped_.push_back({thread, &loss});
      for (const Row row : trace.threads()[thread].open_scopes)
        open_.push_back({thread, row});
    }
    for (uint64_t process = 0; process < trace.processes().size(); ++process)
      for (const auto& pair : trace.processes()[process].metadata)
        metadata_.push_back({process, &pair});
    for (Row row = 0; trace.has_raw_args() && row < trace.size(); ++row)
      if (trace.raw_ref(row) != 0) raw_rows_.push_back(row);
  }

  void Write() {
    WriteTrace();
    WriteStrings();
    WriteRows();
    WriteEvents();
    WriteArgs();
    WriteRawArgs();
    WriteSideTables();
    WriteThreads();
    WriteLedger();
    // Once more: one of the two is likely to survive damage.
    WriteTrace();
  }

 private:
  struct BinOf {
    const std::pair<const std::string, Ledger::Bin>* bin;
    bool rejected;
  };

  void WriteTrace() {
    const ClockInfo& clock = trace_.clock();
    const std::string texts =
        std::string(trace_.format()) + std::string(clock.source);
    tables_.Write(
        Table::kTrace, 1,
        [&](uint64_t, auto put) {
          put(Wide(trace_.epoch_ns()));
          put(Wide(trace_.begin_ns()));
          put(Wide(trace_.end_ns()));
          put(clock.epoch_known);
          put(trace_.complete());
          put(clock.anchors);
          put(Wide(clock.worst_error_ns));
          put(std::bit_cast<uint64_t>(clock.ticks_per_second));
          put(std::bit_cast<uint64_t>(trace_.cpu_usage().process));
          put(std::bit_cast<uint64_t>(trace_.cpu_usage().system));
          put(trace_.ledger().kept());
          put(trace_.format().size());
          put(clock.source.size());
          put(trace_.sources().size());
          for (uint32_t table = 0; table < format::kCountedTables; ++table)
            put(RowsOf(static_cast<Table>(table)));
        },
        [&](uint64_t) { return std::string_view(texts); });
  }

  uint64_t RowsOf(Table table) const {
    switch (table) {
      case Table::kTrace:
        return 1;
      case Table::kStrings:
        return trace_.strings().size();
      case Table::kProcesses:
        return trace_.processes().size();
      case Table::kMetadata:
        return metadata_.size();
      case Table::kTracks:
        return trace_.tracks().size();
      case Table::kEvents:
        return trace_.size();
      case Table::kArgs:
        return trace_.args().size();
      case Table::kArgInts:
        return trace_.arg_ints().size();
      case Table::kLinks:
        return trace_.links().size();
      case Table::kFlows:
        return trace_.flows().size();
      case Table::kCounters:
        return trace_.counters().size();
      case Table::kMemory:
        return trace_.memory().size();
      case Table::kThreads:
        return trace_.threads().size();
      case Table::kDropped:
        return dropped_.size();
      case Table::kOpenScopes:
        return open_.size();
      case Table::kBins:
        return bins_.size();
      case Table::kExamples:
        return examples_.size();
      case Table::kFiles:
        return trace_.files().size();
      case Table::kNotes:
        return trace_.notes().size();
      case Table::kRawBlocks:
        return trace_.raw_args().block_count();
      case Table::kRawRefs:
        return raw_rows_.size();
      case Table::kSources:
        return trace_.sources().size();
    }
    return 0;
  }

  template <typename Texts>
  void WriteTextTable(Table table, uint64_t rows, Texts texts) {
    tables_.Write(
        table, rows, [&](uint64_t row, auto put) { put(texts(row).size()); },
        texts);
  }

  void WriteStrings() {
    const StringPool& strings = trace_.strings();
    WriteTextTable(Table::kStrings, strings.size(), [&](uint64_t row) {
      return strings.view({static_cast<uint32_t>(row)});
    });
  }

  void WriteRows() {
    tables_.Write(Table::kProcesses, trace_.processes().size(),
                  [&](uint64_t row, auto put) {
                    const Process& p = trace_.processes()[row];
                    put(Wide(p.pid));
                    put(Wide(p.rank));
                    put(p.name.v);
                    put(p.host.v);
                    put(p.source);
                    put(Wide(p.start_ns));
                  });
    tables_.Write(Table::kMetadata, metadata_.size(),
                  [&](uint64_t row, auto put) {
                    put(metadata_[row].first);
                    put(metadata_[row].second->first.v);
                    put(metadata_[row].second->second.v);
                  });
    tables_.Write(Table::kTracks, trace_.tracks().size(),
                  [&](uint64_t row, auto put) {
                    const Track& t = trace_.tracks()[row];
                    put(t.process);
                    put(static_cast<uint64_t>(t.kind));
                    put(Wide(t.id));
                    put(Wide(t.device));
                    put(t.lane);
                    put(t.name.v);
                    put(t.device_type.v);
                  });
  }

  void WriteEvents() {
    tables_.Write(Table::kEvents, trace_.size(), [&](uint64_t row, auto put) {
      put(Wide(trace_.start_ns()[row]));
      put(Wide(trace_.dur_ns()[row]));
      put(trace_.name()[row].v);
      put(trace_.track()[row]);
      put(trace_.type()[row]);
      put(trace_.flags()[row]);
    });
  }

  static uint64_t ValueOf(const Arg& arg) {
    switch (arg.kind) {
      case ArgKind::kInt:
        return Wide(arg.int_value);
      case ArgKind::kDouble:
        return std::bit_cast<uint64_t>(arg.double_value);
      case ArgKind::kText:
      case ArgKind::kJson:
        return arg.text.v;
      case ArgKind::kIntList:
        return arg.list_first;
    }
    return 0;
  }

  void WriteArgs() {
    tables_.Write(
        Table::kArgInts, trace_.arg_ints().size(),
        [&](uint64_t row, auto put) { put(Wide(trace_.arg_ints()[row])); });
    tables_.Write(Table::kArgs, trace_.args().size(),
                  [&](uint64_t row, auto put) {
                    const Arg& arg = trace_.args()[row];
                    put(arg.row);
                    put(arg.key.v);
                    put(static_cast<uint64_t>(arg.kind));
                    put(arg.clipped);
                    put(ValueOf(arg));
                    put(arg.kind == ArgKind::kIntList ? arg.list_count : 0);
                  });
  }

  void WriteRawArgs() {
    const RawArgs& raw = trace_.raw_args();
    tables_.Write(
        Table::kRawBlocks, raw.block_count(),
        [&](uint64_t row, auto put) {
          const RawArgs::Block& block = raw.block(static_cast<uint32_t>(row));
          put(block.stored().size());
          put(block.plain_size);
          put(static_cast<uint64_t>(PackingOf(block)));
        },
        [&](uint64_t row) {
          const RawArgs::Block& block = raw.block(static_cast<uint32_t>(row));
          return std::string_view(
              reinterpret_cast<const char*>(block.stored().data()),
              block.stored().size());
        });
    tables_.Write(Table::kRawRefs, raw_rows_.size(),
                  [&](uint64_t row, auto put) {
                    put(raw_rows_[row]);
                    put(trace_.raw_ref(raw_rows_[row]));
                  });
  }

  void WriteSideTables() {
    tables_.Write(Table::kLinks, trace_.links().size(),
                  [&](uint64_t row, auto put) {
                    const Link& link = trace_.links()[row];
                    put(link.row);
                    put(link.process);
                    put(static_cast<uint64_t>(link.space));
                    put(link.id);
                  });
    tables_.Write(Table::kFlows, trace_.flows().size(),
                  [&](uint64_t row, auto put) {
                    const Flow& flow = trace_.flows()[row];
                    put(Wide(flow.time_ns));
                    put(flow.id);
                    put(flow.name.v);
                    put(flow.track);
                    put(static_cast<uint64_t>(flow.phase));
                  });
    tables_.Write(Table::kCounters, trace_.counters().size(),
                  [&](uint64_t row, auto put) {
                    const CounterSample& sample = trace_.counters()[row];
                    put(Wide(sample.time_ns));
                    put(sample.track);
                    put(sample.integer);
                    put(Wide(sample.int_value));
                    put(std::bit_cast<uint64_t>(sample.value));
                  });
    tables_.Write(Table::kMemory, trace_.memory().size(),
                  [&](uint64_t row, auto put) {
                    const MemoryEvent& event = trace_.memory()[row];
                    put(Wide(event.time_ns));
                    put(event.address);
                    put(Wide(event.bytes));
                    put(event.total_allocated);
                    put(event.total_reserved);
                    put(event.place.v);
                    put(event.track);
                    put(static_cast<uint64_t>(event.kind));
                  });
  }

  void WriteThreads() {
    tables_.Write(Table::kThreads, trace_.threads().size(),
                  [&](uint64_t row, auto put) {
                    const ThreadReport& thread = trace_.threads()[row];
                    put(thread.track);
                    put(thread.recorded);
                    put(thread.side_recorded);
                    put(thread.side_dropped);
                    put(thread.exited);
                  });
    tables_.Write(
        Table::kDropped, dropped_.size(),
        [&](uint64_t row, auto put) {
          put(dropped_[row].first);
          put(dropped_[row].second->second);
          put(dropped_[row].second->first.size());
        },
        [&](uint64_t row) { return dropped_[row].second->first; });
    tables_.Write(Table::kOpenScopes, open_.size(),
                  [&](uint64_t row, auto put) {
                    put(open_[row].first);
                    put(open_[row].second);
                  });
  }

  void WriteSources() {
    std::string texts;
    tables_.Write(
        Table::kSources, trace_.sources().size(),
        [&](uint64_t row, auto put) {
          const Source& source = trace_.sources()[row];
          const ClockInfo& clock = source.clock;
          put(source.path.size());
          put(source.format.size());
          put(clock.source.size());
          put(Wide(source.epoch_ns));
          put(clock.epoch_known);
          put(source.complete);
          put(clock.anchors);
          put(Wide(clock.worst_error_ns));
          put(std::bit_cast<uint64_t>(clock.ticks_per_second));
          put(Wide(source.to_trace.from_ns()));
          put(Wide(source.to_trace.to_ns()));
          put(Wide(source.to_trace.rate_to()));
          put(Wide(source.to_trace.rate_from()));
          put(source.ledger.kept());
          put(source.ledger.repaired().size() +
              source.ledger.rejected().size());
          put(source.notes.size());
        },
        [&](uint64_t row) -> std::string_view {
          const Source& source = trace_.sources()[row];
          texts = source.path + source.format + source.clock.source;
          return texts;
        });
  }

  void WriteLedger() {
    WriteSources();
    WriteTextTable(
        Table::kFiles, trace_.files().size(),
        [&](uint64_t row) -> std::string_view { return trace_.files()[row]; });
    WriteTextTable(
        Table::kNotes, trace_.notes().size(),
        [&](uint64_t row) -> std::string_view { return trace_.notes()[row]; });
    tables_.Write(
        Table::kBins, bins_.size(),
        [&](uint64_t row, auto put) {
          put(bins_[row].rejected);
          put(bins_[row].bin->second.count);
          put(bins_[row].bin->first.size());
        },
        [&](uint64_t row) { return std::string_view(bins_[row].bin->first); });
    tables_.Write(
        Table::kExamples, examples_.size(),
        [&](uint64_t row, auto put) {
          put(examples_[row].first);
          put(examples_[row].second->offset);
          put(examples_[row].second->what.size());
        },
        [&](uint64_t row) {
          return std::string_view(examples_[row].second->what);
        });
  }

  const Trace& trace_;
  TableWriter& tables_;
  // Rows of the tables that are lists within other rows: owner, entry.
  std::vector<BinOf> bins_;
  std::vector<std::pair<uint64_t, const Ledger::Example*>> examples_;
  std::vector<std::pair<uint64_t, const std::pair<std::string_view, uint64_t>*>>
      dropped_;
  std::vector<std::pair<uint64_t, Row>> open_;
  std::vector<std::pair<uint64_t, const std::pair<StringId, StringId>*>>
      metadata_;
  std::vector<Row> raw_rows_;  // that have raw arguments
};

}  // namespace
}  // namespace capture

namespace {

class CaptureExporting : public Exporter {
 public:
  std::string_view name() const override { return "capture"; }
  uint32_t carries() const override { return kAllContent; }

  Status Export(const Trace& trace, const ExportOptions&,
                Sink& sink) const override {
    OutBuffer out(sink);
    capture::BlockWriter blocks(out);
    capture::TableWriter tables(blocks);
    blocks.WriteFileHeader();
    capture::Writer(trace, tables).Write();
    return blocks.Finish();
  }
};

}  // namespace

const Exporter& CaptureExporter() {
  static const auto* const exporter = new CaptureExporting;
  return *exporter;
}

}  // namespace stepscope
