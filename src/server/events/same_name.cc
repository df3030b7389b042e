// SPDX-License-Identifier: Apache-2.0
#include "server/events/same_name.h"

#include <algorithm>
#include <numeric>

#include "analysis/percentiles.h"

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

void WriteSameName(JsonWriter& json, const OpenTrace& open, StringId name) {
  const Trace& trace = open.trace();
  std::vector<int64_t> durations;
  for (const Row row : RowsNamed(trace, name))
    durations.push_back(std::max<int64_t>(trace.dur_ns()[row], 0));
  const int64_t total =
      std::accumulate(durations.begin(), durations.end(), int64_t{0});
  const auto count = static_cast<int64_t>(durations.size());
  const auto [least, most] =
      std::minmax_element(durations.begin(), durations.end());
  json.BeginObject().Field("calls", count).Field("total", total);
  json.Field("mean", count == 0 ? 0 : total / count);
  json.Field("min", count == 0 ? 0 : *least);
  json.Field("max", count == 0 ? 0 : *most);
  const Spread spread = ComputeSpread(durations);
  json.Field("p50", spread.p50_ns).Field("p90", spread.p90_ns);
  json.Field("p99", spread.p99_ns);
  WriteHistogram(json, spread);
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
