// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/trace_digest.h"

#include <utility>

#include "analysis/headline.h"
#include "analysis/partial/archive.h"
#include "analysis/partial/codec.h"

namespace stepscope::server {
namespace {

template <typename Archive>
void CardFields(Archive& archive, TraceCard& card) {
  archive.Number(card.events);
  archive.Number(card.steps);
  uint64_t stepped = card.step_ns ? 1 : 0;
  archive.Number(stepped);
  int64_t step_ns = card.step_ns.value_or(0);
  Whole(archive, step_ns);
  if (stepped != 0) card.step_ns = step_ns;
  Whole(archive, card.complete);
  archive.Number(card.rejected);
  card.ranks.resize(archive.Length(card.ranks.size()));
  for (int64_t& rank : card.ranks) Whole(archive, rank);
  card.headline.resize(archive.Length(card.headline.size()));
  for (std::string& sentence : card.headline) archive.Text(sentence);
}

TraceCard CardOf(const Trace& trace) {
  SummaryOptions options;
  options.views = kAdviceView | kWaterfallView;
  options.steps = StepChoice::Settled();
  // A trace has settled steps, or none that are left out.
  Result<Summary> summary = ComputeSummaryOfSteps(trace, options);
  if (!summary) {
    options.steps.reset();
    summary = ComputeSummaryOfSteps(trace, options);
  }
  TraceCard card;
  card.events = trace.size();
  card.complete = trace.complete();
  for (const Source& source : trace.sources())
    for (const auto& [why, bin] : source.ledger.rejected())
      card.rejected += bin.count;
  for (const Process& process : trace.processes())
    if (process.rank >= 0) card.ranks.push_back(process.rank);
  if (!summary) return card;
  card.steps = summary->step_time.steps;
  if (card.steps > 0) card.step_ns = summary->step_time.p50_ns;
  card.headline = HeadlineOf(*summary);
  return card;
}

// What is left of `bytes` is the partial.
Status TakeCard(std::string_view& bytes, TraceCard& card) {
  PartialReader length(bytes);
  uint64_t size = 0;
  length.Number(size);
  size_t head = 1;
  for (uint64_t rest = size; rest >= 0x80; rest >>= 7) ++head;
  if (length.failed() || size > bytes.size() || bytes.size() - size < head)
    return Fail(ErrorCode::kCorrupt, "the digest is cut short");
  PartialReader reader(bytes.substr(head, size));
  CardFields(reader, card);
  if (!reader.done())
    return Fail(ErrorCode::kCorrupt, "the digest has a damaged card");
  bytes.remove_prefix(head + size);
  return Ok();
}

}  // namespace

TraceDigest DigestTrace(const Trace& trace, const std::string& path,
                        const std::string& file, std::string_view reader) {
  TraceDigest digest;
  digest.card = CardOf(trace);
  digest.partial.head.stamp.name = file;
  digest.partial.head.facts = FactsOf(trace, file, reader);
  MapOptions options;
  options.views = kRankViews;
  options.sketch = false;
  digest.partial.body = MapTrace(trace, options);
  ReplacePath(path, file, digest.partial.body);
  return digest;
}

std::string EncodeDigest(TraceDigest digest) {
  PartialWriter card;
  CardFields(card, digest.card);
  std::string text = card.Take();
  PartialWriter whole;
  whole.Text(text);
  return whole.Take() + EncodePartial(digest.partial);
}

Result<TraceDigest> DecodeDigest(std::string_view bytes) {
  TraceDigest digest;
  STEPSCOPE_TRY(TakeCard(bytes, digest.card));
  STEPSCOPE_TRY_ASSIGN(digest.partial, DecodePartial(bytes));
  return digest;
}

Result<TraceDigest> DecodeDigestHead(std::string_view bytes) {
  TraceDigest digest;
  STEPSCOPE_TRY(TakeCard(bytes, digest.card));
  STEPSCOPE_TRY_ASSIGN(digest.partial.head, CheckPartial(bytes));
  return digest;
}

}  // namespace stepscope::server
