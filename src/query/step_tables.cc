// SPDX-License-Identifier: Apache-2.0
//
// Tables that analysis makes of a trace: steps and collectives; and the
// ledger of what was read.
#include <string>
#include <vector>

#include "query/trace_tables.h"

namespace stepscope {
namespace {

using Steps = ItemsOfRank<[](const RankData& d) { return d.steps().steps(); }>;

void AddSteps(TableColumns<Steps>& columns) {
  constexpr auto thread_of = [](const auto& s) -> const auto& {
    return s.data.tree().threads()[s->thread];
  };
  columns.Int("process", kProcessMeaning,
              [=](auto& s) { return thread_of(s).process; });
  columns.Bigint("step", "its number", [](auto& s) { return s->index; });
  columns.Bigint("event_id", "the event that marks it",
                 [](auto& s) { return IdOf(s->row); });
  columns.Bigint("tid", "number of the thread that makes it",
                 [=](auto& s) { return thread_of(s).id; });
  columns.Boolean(
      "main", "made by the thread that paces its process", [=](auto& s) {
        return s.data.steps().main_thread(thread_of(s).process) == s->thread;
      });
  columns.Bigint("start_ns", "begin on the host, as recorded",
                 [](auto& s) { return s->range.begin; });
  columns.Bigint("dur_ns", "how long it took on the host",
                 [](auto& s) { return s->range.end - s->range.begin; });
  columns.Bigint("period_ns",
                 "from its start to that of the next, on host or device, "
                 "whichever paces the loop",
                 [](auto& s) { return s->period_ns; });
  columns.Bigint(
      "device_start_ns", "begin of the first work launched in it; NULL: none",
      [](auto& s) { return KnownIf(s->has_device(), s->device.begin); });
  columns.Bigint(
      "device_dur_ns", "from there to the end of the last; NULL", [](auto& s) {
        return KnownIf(s->has_device(), s->device.end - s->device.begin);
      });
  columns.Bigint("gpu_ns", "device work launched in it, added up",
                 [](auto& s) { return s->gpu_ns; });
  columns.Boolean("warmup", "one of the first, and not like the rest",
                  [](auto& s) { return s->warmup; });
}

struct CallOfRank {
  const RankData& data;
  const RankCalls& rank;
  const RankCall& call;

  const RankCall* operator->() const { return &call; }
  const CallSignature& signature() const {
    return rank.signatures[call.signature];
  }
};

class CallsOfRank {
 public:
  explicit CallsOfRank(RankDataPtr data) : data_(std::move(data)) {
    for (const RankCalls& rank : data_->calls())
      for (const RankCall& call : rank.calls)
        calls_.push_back({*data_, rank, call});
  }

  size_t size() const { return calls_.size(); }
  const CallOfRank& operator[](uint64_t i) const { return calls_[i]; }

 private:
  RankDataPtr data_;
  std::vector<CallOfRank> calls_;
};

std::string RanksText(const std::vector<int64_t>& ranks) {
  std::string text = "[";
  for (size_t i = 0; i < ranks.size(); ++i)
    text += (i > 0 ? "," : "") + std::to_string(ranks[i]);
  return text + "]";
}

void AddGroup(TableColumns<CallsOfRank>& columns) {
  columns.Text(
      "group_name", "group of ranks; empty: not stated",
      [](auto& c) -> const std::string& { return c.signature().group; });
  columns.Text(
      "group_ranks", "its ranks as JSON; NULL: not stated", [](auto& c) {
        const auto& ranks = c.signature().ranks;
        return ranks.empty() ? std::optional<std::string>() : RanksText(ranks);
      });
  columns.Bigint("group_size", "how many ranks; NULL: not stated", [](auto& c) {
    return KnownIf(c.signature().group_size > 0, c.signature().group_size);
  });
  columns.Bigint("sequence", "its number, as stated; NULL: it is not",
                 [](auto& c) { return KnownIf(c->seq >= 0, c->seq); });
  columns.Bigint("bytes", "what one rank puts in or gets; NULL: not stated",
                 [](auto& c) {
                   const uint64_t bytes = c.signature().bytes;
                   return KnownIf(bytes > 0, static_cast<int64_t>(bytes));
                 });
  columns.Bigint("source_rank", "of point-to-point: who sends; NULL",
                 [](auto& c) {
                   const int64_t rank = c.signature().source;
                   return KnownIf(rank >= 0, rank);
                 });
  columns.Bigint("target_rank", "of point-to-point: who receives; NULL",
                 [](auto& c) {
                   const int64_t rank = c.signature().target;
                   return KnownIf(rank >= 0, rank);
                 });
}

void AddCollectives(TableColumns<CallsOfRank>& columns) {
  columns.Int("process", kProcessMeaning,
              [](auto& c) { return c.rank.process; });
  columns.Bigint("event_id", "the event in which the ranks meet",
                 [](auto& c) { return IdOf(c->row); });
  columns.Text(
      "name", "name of the first such event",
      [](auto& c) -> const auto& { return c.signature().name; });
  columns.Text("kind", "all_reduce, all_gather, ...",
               [](auto& c) { return CollectiveKindName(c.signature().kind); });
  columns.Bigint("start_ns", "begin, as recorded",
                 [](auto& c) { return c->time.begin; });
  columns.Bigint("dur_ns", "how long it took",
                 [](auto& c) { return c->time.end - c->time.begin; });
  columns.Bigint("step", "number of the step that made it; NULL: none",
                 [](auto& c) { return KnownIf(c->step != kNoStep, c->step); });
  columns.Boolean("on_device", "a kernel, not something the host does",
                  [](auto& c) { return c->on_device; });
  AddGroup(columns);
}

struct LedgerEntry {
  const RankData& data;
  const char* outcome;
  std::string reason;
  uint64_t records;
};

class LedgerEntries {
 public:
  explicit LedgerEntries(RankDataPtr data) : data_(std::move(data)) {
    const Ledger& ledger = data_->trace().ledger();
    entries_.push_back({*data_, "kept", "", ledger.kept()});
    for (const auto& [reason, bin] : ledger.repaired())
      entries_.push_back({*data_, "repaired", reason, bin.count});
    for (const auto& [reason, bin] : ledger.rejected())
      entries_.push_back({*data_, "rejected", reason, bin.count});
  }

  size_t size() const { return entries_.size(); }
  const LedgerEntry& operator[](uint64_t i) const { return entries_[i]; }

 private:
  RankDataPtr data_;
  std::vector<LedgerEntry> entries_;
};

void AddLedger(TableColumns<LedgerEntries>& columns) {
  columns.Text("outcome", "kept, repaired or rejected", &LedgerEntry::outcome);
  columns.Text("reason", "why; empty for what was kept", &LedgerEntry::reason);
  columns.Bigint("records", "how many records of the file",
                 &LedgerEntry::records);
}

}  // namespace

TableOfTrace DeclareSteps() {
  return DeclareTable("steps", "steps of training or inference", &AddSteps);
}
TableOfTrace DeclareCollectives() {
  return DeclareTable("collectives",
                      "where ranks meet: what they wait and transfer in",
                      &AddCollectives);
}
TableOfTrace DeclareLedger() {
  return DeclareTable("ledger", "what became of every record of the sources",
                      &AddLedger);
}

}  // namespace stepscope
