// SPDX-License-Identifier: Apache-2.0
#include "server/events/same_name.h"

#include <algorithm>
#include <utility>

#include "analysis/nested_calls.h"
#include "analysis/stats.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostSameName = 10'000;

// Bins of powers of two from the smallest to the largest, without holes.
void WriteHistogram(JsonWriter& json, const Spread& spread) {
  json.Key("histogram").BeginObject().Key("edges").BeginArray();
  const std::vector<HistogramBin>& bins = spread.histogram;
  const int first = bins.empty() ? 0 : bins.front().exponent;
  const int last = bins.empty() ? -1 : bins.back().exponent;
  for (int exponent = first; exponent <= last; ++exponent)
    json.Int(HistogramBin{exponent, 0}.from_ns());
  if (!bins.empty()) json.Int(bins.back().to_ns());
  json.EndArray().Key("counts").BeginArray();
  auto bin = bins.begin();
  for (int exponent = first; exponent <= last; ++exponent) {
    const bool here = bin->exponent == exponent;
    json.UInt(here ? bin->count : 0);
    if (here) ++bin;
  }
  json.EndArray().EndObject();
}

}  // namespace

std::vector<Row> RowsNamed(const Trace& trace, StringId name) {
  std::vector<Row> rows;
  const std::span<const StringId> names = trace.name();
  for (Row row = 0; row < names.size(); ++row)
    if (names[row] == name) rows.push_back(row);
  return rows;
}

Spread WriteDurations(JsonWriter& json, std::vector<int64_t>& durations) {
  TimeStats stats;
  for (const int64_t duration : durations) stats.Add(duration);
  json.Field("mean", AverageNs(stats.total_ns, durations.size()));
  json.Field("min", stats.min_or_zero()).Field("max", stats.max_ns);
  Spread spread = ComputeSpread(durations);
  json.Field("p50", spread.p50_ns).Field("p90", spread.p90_ns);
  json.Field("p99", spread.p99_ns);
  return spread;
}

void WriteSameName(JsonWriter& json, const OpenTrace& open, Row row) {
  const Trace& trace = open.trace();
  const auto kind_of = [&](Row at) {
    return std::pair(KindOfCall(trace.type()[at]),
                     trace.tracks()[trace.track()[at]].kind);
  };
  std::vector<int64_t> durations;
  uint64_t nested = 0;
  int64_t total = 0;
  for (const Row same : RowsNamed(trace, trace.name()[row])) {
    if (kind_of(same) != kind_of(row)) continue;
    if (open.nested_calls().contains(same)) {
      ++nested;
      continue;
    }
    durations.push_back(std::max<int64_t>(trace.dur_ns()[same], 0));
    total = SaturatingAdd(total, durations.back());
  }
  json.BeginObject().Field("calls", uint64_t{durations.size()});
  json.Field("nested", nested).Field("total", total);
  WriteHistogram(json, WriteDurations(json, durations));
  json.EndObject();
}

std::string SameNameJson(const OpenTrace& open, StringId name) {
  const Trace& trace = open.trace();
  std::vector<Row> rows = RowsNamed(trace, name);
  const size_t count = rows.size();
  const size_t shown = std::min(count, kMostSameName);
  std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(shown),
                    rows.end(), [&](Row a, Row b) {
                      return trace.start_ns()[a] != trace.start_ns()[b]
                                 ? trace.start_ns()[a] < trace.start_ns()[b]
                                 : a < b;
                    });
  rows.resize(shown);
  JsonWriter json;
  json.BeginObject().Field("count", uint64_t{count});
  json.Key("rows").BeginArray();
  for (const Row row : rows) json.UInt(row);
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
