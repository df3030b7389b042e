// SPDX-License-Identifier: Apache-2.0
//
// Speed and size of the timeline's pyramid, and of its queries: what a screen
// of 2,000 pixels and 60 rows asks for, at every zoom and at random places.
// The floor of a query is the copy of its answer in the same run.
//
// usage: pyramid_bench [EVENTS]
#include <stepscope/c.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "trace/pyramid.h"
#include "trace/tile_query.h"
#include "trace/trace_builder.h"

namespace stepscope {
namespace {

constexpr uint32_t kRows = 60;
constexpr uint32_t kPixels = 2000;
constexpr int kQueriesPerLevel = 40;

// Time that this thread was given, so that a busy machine does not matter.
double Now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

// 20 threads of three rows: ranges, operators in them, calls in those; in
// bursts, as steps are.
std::shared_ptr<const Trace> MakeTrace(uint64_t events) {
  std::mt19937_64 random(1);
  TraceBuilder builder;
  builder.AddProcess({});
  std::vector<StringId> names;
  for (int i = 0; i < 600; ++i)
    names.push_back(builder.Intern("name" + std::to_string(i)));
  const uint32_t threads = kRows / 3;
  for (uint32_t t = 0; t < threads; ++t) {
    Track track;
    track.id = t;
    const uint32_t index = builder.AddTrack(track);
    int64_t time = 0;
    for (uint64_t i = 0; i < events / threads;) {
      EventSpec outer;
      outer.track = index;
      outer.start_ns = time;
      outer.name = names[random() % names.size()];
      int64_t at = time + 200;
      std::vector<EventSpec> inner;
      const uint64_t operators = 1 + random() % 6;
      for (uint64_t o = 0; o < operators; ++o) {
        EventSpec op = outer;
        op.start_ns = at;
        op.type = STEPSCOPE_OPERATOR;
        op.name = names[random() % names.size()];
        op.dur_ns = static_cast<int64_t>(1000 + random() % 8000);
        EventSpec call = op;
        call.start_ns += 100;
        call.dur_ns /= 2;
        call.type = STEPSCOPE_CUDA_RUNTIME;
        inner.push_back(op);
        inner.push_back(call);
        at += op.dur_ns + static_cast<int64_t>(random() % 2000);
      }
      outer.dur_ns = at - time;
      builder.AddEvent(outer);
      for (const EventSpec& event : inner) builder.AddEvent(event);
      i += 1 + inner.size();
      time = at + static_cast<int64_t>(random() % 500);
      if (random() % 4096 == 0)
        time += static_cast<int64_t>(random() % 50'000'000);
    }
  }
  auto trace = builder.Finish();
  if (!trace) std::abort();
  return *trace;
}

struct Times {
  std::vector<double> seconds;
  double At(double share) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[static_cast<size_t>(
        share * static_cast<double>(seconds.size() - 1))];
  }
};

void Measure(uint64_t events) {
  const auto trace = MakeTrace(events);
  (void)trace->nesting();
  Executor alone(1);
  PyramidOptions options;
  options.executor = &alone;
  for (uint8_t i = 0; i < 32; ++i) options.classes.of_type[i] = i;
  const double start = Now();
  const Pyramid pyramid(*trace, options);
  const double build = Now() - start;
  const double rows = trace->size();
  const double columns = rows * 28;
  std::printf("events                                %12u\n", trace->size());
  std::printf("built, M events per second and core   %12.1f\n",
              rows / build / 1e6);
  std::printf("size, of the columns of the trace     %12.3f\n",
              static_cast<double>(pyramid.bytes()) / columns);

  std::vector<TilePart> parts;
  for (uint32_t t = 0; t < trace->tracks().size(); ++t)
    parts.push_back({static_cast<uint8_t>(t), t, 0, pyramid.depths(t), 0});
  int64_t span = 1;
  for (const Track& track : trace->tracks())
    if (track.last > track.first)
      span = std::max(span, trace->end_ns(track.last - 1));
  TileQuery query(pyramid);
  std::mt19937_64 random(2);
  std::vector<TileRecord> copy;
  Times all;
  Times floor;
  std::printf(
      "\n k   screen        p50 ms    p99 ms   records   ns a record\n");
  for (int k = 0; (int64_t{kPixels} << k) <= 2 * span; ++k) {
    Times times;
    uint64_t records = 0;
    const int64_t screen = int64_t{kPixels} << k;
    for (int i = 0; i < kQueriesPerLevel; ++i) {
      const int64_t begin =
          screen >= span ? 0
                         : static_cast<int64_t>(
                               random() % static_cast<uint64_t>(span - screen));
      const auto first = static_cast<uint64_t>(begin) >> (k + kTileBits);
      const auto last =
          static_cast<uint64_t>(begin + screen - 1) >> (k + kTileBits);
      const double before = Now();
      const TileAnswer& answer =
          query.Run(k, first, static_cast<uint32_t>(last - first + 1), parts);
      times.seconds.push_back(Now() - before);
      records += answer.record_count();
      const double copying = Now();
      copy.clear();
      for (const TileRecordBuffer& tile : answer.tiles)
        copy.insert(copy.end(), tile.view().begin(), tile.view().end());
      floor.seconds.push_back(Now() - copying);
    }
    all.seconds.insert(all.seconds.end(), times.seconds.begin(),
                       times.seconds.end());
    double sum = 0;
    for (const double s : times.seconds) sum += s;
    std::printf("%2d %9.3f ms  %9.3f %9.3f %9.0f %12.1f\n", k,
                static_cast<double>(screen) / 1e6, times.At(0.5) * 1e3,
                times.At(0.99) * 1e3,
                static_cast<double>(records) / kQueriesPerLevel,
                records == 0 ? 0.0 : sum * 1e9 / static_cast<double>(records));
  }
  std::printf("\nevery zoom, p99 ms                    %12.3f\n",
              all.At(0.99) * 1e3);
  std::printf("the same, of a copy of the answers    %12.1f\n",
              all.At(0.99) / std::max(floor.At(0.99), 1e-9));
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  stepscope::Measure(argc > 1 ? std::strtoull(argv[1], nullptr, 10)
                              : 10'000'000);
}
