// SPDX-License-Identifier: Apache-2.0
//
// Tables that analysis makes of a trace: steps and collectives; and the
// ledger of what was read.
#include <string>
#include <vector>

#include "query/trace_tables.h"
#include "query/valid_utf8.h"

namespace stepscope {
namespace {

Id KnownIf(bool known, int64_t value) { return known ? Id(value) : Id(); }

const StepInterval& StepAt(const RankData& data, uint64_t i) {
  return data.steps().steps()[i];
}
uint32_t ProcessOfStep(const RankData& data, uint64_t i) {
  return data.tree().threads()[StepAt(data, i).thread].process;
}

const TableColumns<RankData>& StepColumns() {
  static const auto* const columns = [] {
    auto* const made = new TableColumns<RankData>;
    made->Bigint("source_id", kSourceIdMeaning,
                 [](const RankData& d, uint64_t) { return d.source_id(); });
    made->Int("process", kProcessMeaning, ProcessOfStep);
    made->Bigint("step", "its number", [](const RankData& d, uint64_t i) {
      return StepAt(d, i).index;
    });
    made->Bigint(
        "event_id", "the event that marks it",
        [](const RankData& d, uint64_t i) { return IdOf(StepAt(d, i).row); });
    made->Bigint("tid", "number of the thread that makes it",
                 [](const RankData& d, uint64_t i) {
                   return d.tree().threads()[StepAt(d, i).thread].id;
                 });
    made->Boolean("main", "made by the thread that paces its process",
                  [](const RankData& d, uint64_t i) {
                    return d.steps().main_thread(ProcessOfStep(d, i)) ==
                           StepAt(d, i).thread;
                  });
    made->Bigint(
        "start_ns", "begin on the host, as recorded",
        [](const RankData& d, uint64_t i) { return StepAt(d, i).range.begin; });
    made->Bigint("dur_ns", "how long it took on the host",
                 [](const RankData& d, uint64_t i) {
                   return StepAt(d, i).range.end - StepAt(d, i).range.begin;
                 });
    made->Bigint(
        "period_ns",
        "from its start to that of the next, on host or device, "
        "whichever paces the loop",
        [](const RankData& d, uint64_t i) { return StepAt(d, i).period_ns; });
    made->Bigint("device_start_ns",
                 "begin of the first work launched in it; NULL: none",
                 [](const RankData& d, uint64_t i) {
                   const StepInterval& step = StepAt(d, i);
                   return KnownIf(step.has_device(), step.device.begin);
                 });
    made->Bigint("device_dur_ns", "from there to the end of the last; NULL",
                 [](const RankData& d, uint64_t i) {
                   const StepInterval& step = StepAt(d, i);
                   return KnownIf(step.has_device(),
                                  step.device.end - step.device.begin);
                 });
    made->Bigint(
        "gpu_ns", "device work launched in it, added up",
        [](const RankData& d, uint64_t i) { return StepAt(d, i).gpu_ns; });
    made->Boolean(
        "warmup", "one of the first, and not like the rest",
        [](const RankData& d, uint64_t i) { return StepAt(d, i).warmup; });
    return made;
  }();
  return *columns;
}

struct CollectiveData {
  struct Entry {
    const RankCalls* rank;
    const RankCall* call;
  };
  RankDataPtr rank;
  std::vector<Entry> calls;

  const RankCall& call(uint64_t i) const { return *calls[i].call; }
  const CallSignature& signature(uint64_t i) const {
    return calls[i].rank->signatures[calls[i].call->signature];
  }
};

std::string RanksText(const std::vector<int64_t>& ranks) {
  std::string text = "[";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i > 0 ? "," : "") + std::to_string(ranks[i]);
  return text + "]";
}

void AddGroup(TableColumns<CollectiveData>& columns) {
  columns.CopiedText("group_name", "group of ranks; empty: not stated",
                     [](const CollectiveData& d, uint64_t i) {
                       return ValidUtf8(d.signature(i).group);
                     });
  columns.CopiedText("group_ranks", "its ranks as JSON; NULL: not stated",
                     [](const CollectiveData& d, uint64_t i) {
                       const auto& ranks = d.signature(i).ranks;
                       return ranks.empty() ? std::optional<std::string>()
                                            : RanksText(ranks);
                     });
  columns.Bigint("group_size", "how many ranks; NULL: not stated",
                 [](const CollectiveData& d, uint64_t i) {
                   const int64_t size = d.signature(i).group_size;
                   return KnownIf(size > 0, size);
                 });
  columns.Bigint("sequence", "its number, as stated; NULL: it is not",
                 [](const CollectiveData& d, uint64_t i) {
                   return KnownIf(d.call(i).seq >= 0, d.call(i).seq);
                 });
  columns.Bigint("bytes", "what one rank puts in or gets; NULL: not stated",
                 [](const CollectiveData& d, uint64_t i) {
                   const uint64_t bytes = d.signature(i).bytes;
                   return KnownIf(bytes > 0, static_cast<int64_t>(bytes));
                 });
  columns.Bigint("source_rank", "of point-to-point: who sends; NULL",
                 [](const CollectiveData& d, uint64_t i) {
                   const int64_t rank = d.signature(i).source;
                   return KnownIf(rank >= 0, rank);
                 });
  columns.Bigint("target_rank", "of point-to-point: who receives; NULL",
                 [](const CollectiveData& d, uint64_t i) {
                   const int64_t rank = d.signature(i).target;
                   return KnownIf(rank >= 0, rank);
                 });
}

const TableColumns<CollectiveData>& CollectiveColumns() {
  static const auto* const columns = [] {
    auto* const made = new TableColumns<CollectiveData>;
    made->Bigint(
        "source_id", kSourceIdMeaning,
        [](const CollectiveData& d, uint64_t) { return d.rank->source_id(); });
    made->Int("process", kProcessMeaning,
              [](const CollectiveData& d, uint64_t i) {
                return d.calls[i].rank->process;
              });
    made->Bigint("event_id", "the event in which the ranks meet",
                 [](const CollectiveData& d, uint64_t i) {
                   return IdOf(d.call(i).row);
                 });
    made->CopiedText("name", "name of the first such event",
                     [](const CollectiveData& d, uint64_t i) {
                       return ValidUtf8(d.signature(i).name);
                     });
    made->CopiedText("kind", "all_reduce, all_gather, ...",
                     [](const CollectiveData& d, uint64_t i) {
                       return CollectiveKindName(d.signature(i).kind);
                     });
    made->Bigint("start_ns", "begin, as recorded",
                 [](const CollectiveData& d, uint64_t i) {
                   return d.call(i).time.begin;
                 });
    made->Bigint("dur_ns", "how long it took",
                 [](const CollectiveData& d, uint64_t i) {
                   return d.call(i).time.end - d.call(i).time.begin;
                 });
    made->Bigint("step", "number of the step that made it; NULL: none",
                 [](const CollectiveData& d, uint64_t i) {
                   return KnownIf(d.call(i).step != kNoStep, d.call(i).step);
                 });
    made->Boolean("on_device", "a kernel, not something the host does",
                  [](const CollectiveData& d, uint64_t i) {
                    return d.call(i).on_device;
                  });
    AddGroup(*made);
    return made;
  }();
  return *columns;
}

struct LedgerData {
  struct Entry {
    const char* outcome;
    std::string reason;
    uint64_t records;
  };
  RankDataPtr rank;
  std::vector<Entry> entries;
};

const TableColumns<LedgerData>& LedgerColumns() {
  static const auto* const columns = [] {
    auto* const made = new TableColumns<LedgerData>;
    made->Bigint(
        "source_id", kSourceIdMeaning,
        [](const LedgerData& d, uint64_t) { return d.rank->source_id(); });
    made->CopiedText("outcome", "kept, repaired or rejected",
                     [](const LedgerData& d, uint64_t i) {
                       return std::string_view(d.entries[i].outcome);
                     });
    made->CopiedText("reason", "why; empty for what was kept",
                     [](const LedgerData& d, uint64_t i) {
                       return ValidUtf8(d.entries[i].reason);
                     });
    made->Bigint(
        "records", "how many records of the file",
        [](const LedgerData& d, uint64_t i) { return d.entries[i].records; });
    return made;
  }();
  return *columns;
}

}  // namespace

TableOfTrace DeclareSteps() {
  return {"steps", "steps of training or inference", StepColumns().specs(),
          [](RankDataPtr data) -> RankSource {
            const uint64_t rows = data->steps().steps().size();
            return std::make_shared<DataSource<RankData>>(
                StepColumns(), std::move(data), rows);
          }};
}

TableOfTrace DeclareCollectives() {
  return {"collectives", "where ranks meet: what they wait and transfer in",
          CollectiveColumns().specs(), [](RankDataPtr data) -> RankSource {
            auto found = std::make_shared<CollectiveData>();
            for (const RankCalls& rank : data->calls())
              for (const RankCall& call : rank.calls)
                found->calls.push_back({&rank, &call});
            const uint64_t rows = found->calls.size();
            found->rank = std::move(data);
            return std::make_shared<DataSource<CollectiveData>>(
                CollectiveColumns(), std::move(found), rows);
          }};
}

TableOfTrace DeclareLedger() {
  return {"ledger", "what became of every record of the sources",
          LedgerColumns().specs(), [](RankDataPtr data) -> RankSource {
            auto found = std::make_shared<LedgerData>();
            const Ledger& ledger = data->trace().ledger();
            found->entries.push_back({"kept", "", ledger.kept()});
            for (const auto& [reason, bin] : ledger.repaired())
              found->entries.push_back({"repaired", reason, bin.count});
            for (const auto& [reason, bin] : ledger.rejected())
              found->entries.push_back({"rejected", reason, bin.count});
            const uint64_t rows = found->entries.size();
            found->rank = std::move(data);
            return std::make_shared<DataSource<LedgerData>>(
                LedgerColumns(), std::move(found), rows);
          }};
}

}  // namespace stepscope
