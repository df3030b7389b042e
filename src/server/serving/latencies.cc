// SPDX-License-Identifier: Apache-2.0
#include "server/serving/latencies.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/log_bins.h"
#include "analysis/percentiles.h"

namespace stepscope::server {
namespace {

// Bars that stand beside each other and can be told apart.
constexpr size_t kMostBars = 32;

struct Latency {
  std::string key;
  std::string_view title;
  std::string_view meaning;
  std::string_view kind = {};  // of iterations; empty: of requests
};

// Bins without holes, from the first to the last that has a value.
template <unsigned kSubBits>
bool WriteBins(JsonWriter& json, const std::vector<int64_t>& values) {
  using Bins = LogBins<kSubBits, uint64_t>;
  const auto bin_of = [](int64_t value) {
    return Bins::Of(static_cast<uint64_t>(value));
  };
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const size_t first = bin_of(*least);
  const size_t count = bin_of(*most) - first + 1;
  if (kSubBits > 0 && count > kMostBars) return false;
  std::vector<uint64_t> counts(count);
  for (const int64_t value : values) ++counts[bin_of(value) - first];
  json.Key("histogram").BeginObject().Key("edges").BeginArray();
  for (size_t bin = first; bin <= first + count; ++bin)
    json.UInt(Bins::Least(bin));
  json.EndArray().Key("counts").BeginArray();
  for (const uint64_t one : counts) json.UInt(one);
  json.EndArray().EndObject();
  return true;
}

void WriteLatency(JsonWriter& json, const Latency& latency,
                  std::vector<int64_t> values) {
  // A clock that was set back.
  std::erase_if(values, [](int64_t value) { return value < 0; });
  if (values.empty()) return;
  const Spread spread = ComputeSpread(values);
  json.BeginObject().Field("key", latency.key).Field("title", latency.title);
  json.Field("meaning", latency.meaning).Key("kind");
  if (latency.kind.empty())
    json.Null();
  else
    json.String(latency.kind);
  json.Field("count", uint64_t{values.size()});
  json.Field("p50", spread.p50_ns).Field("p90", spread.p90_ns);
  json.Field("p99", spread.p99_ns);
  static_cast<void>(WriteBins<2>(json, values) || WriteBins<1>(json, values) ||
                    WriteBins<0>(json, values));
  json.EndObject();
}

std::vector<int64_t> OfRequests(const Serving& serving,
                                std::optional<int64_t> (RequestRow::*value)()
                                    const) {
  std::vector<int64_t> values;
  for (const RequestRow& one : serving.requests().list)
    if (const auto time = (one.*value)()) values.push_back(*time);
  return values;
}

std::vector<int64_t> Periods(const IterationTable& table, IterationKind kind) {
  std::vector<int64_t> values;
  for (const IterationRow& one : table.list)
    if (one.mark.kind == kind && one.period_ns && !one.repeats_another_rank)
      values.push_back(*one.period_ns);
  return values;
}

}  // namespace

void WriteLatencies(JsonWriter& json, const Serving& serving) {
  json.Key("latencies").BeginArray();
  WriteLatency(json,
               {"ttft", "Time to first token", "arrival to the first token"},
               OfRequests(serving, &RequestRow::ttft_ns));
  WriteLatency(json,
               {"tpot", "Time per token",
                "per token after the first, mean of each request"},
               OfRequests(serving, &RequestRow::tpot_ns));
  WriteLatency(
      json, {"queue", "Queue", "arrival to the begin of the first iteration"},
      OfRequests(serving, &RequestRow::queue_ns));
  for (const IterationKindRow& row : serving.iterations().kinds) {
    const std::string_view kind = NameOf(row.kind);
    WriteLatency(json,
                 {"period." + std::string(kind), "Iteration",
                  "begin of an iteration to the begin of the next", kind},
                 Periods(serving.iterations(), row.kind));
  }
  json.EndArray();
}

}  // namespace stepscope::server
