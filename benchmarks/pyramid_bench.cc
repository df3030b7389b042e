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
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "timeline/pyramid.h"
#include "timeline/tile_query.h"
#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

constexpr uint32_t kRows = 60;
constexpr uint32_t kPixels = 2000;
constexpr int kQueriesPerLevel = 200;

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

double WallNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

// One screen at one zoom.
struct Screen {
  int k = 0;
  uint64_t first = 0;
  uint32_t count = 0;
};

class Queries {
 public:
  Queries(const Pyramid& pyramid, std::vector<TilePart> parts)
      : parts_(std::move(parts)),
        alone_(pyramid, one_),
        half_(pyramid, one_),
        shared_(pyramid, Executor::Shared()) {}

  // Of the thread that makes it all.
  double Alone(const Screen& screen) { return Cpu(alone_, screen, parts_); }
  // Of the thread that has more to do, if there are two.
  double LongerHalf(const Screen& screen) {
    const std::span all(parts_);
    const size_t half = all.size() / 2;
    return std::max(Cpu(half_, screen, all.first(half)),
                    Cpu(half_, screen, all.subspan(half)));
  }
  // As a server runs it: what a clock on the wall says.
  double Shared(const Screen& screen) {
    const double before = WallNow();
    shared_.Run(screen.k, screen.first, screen.count, parts_);
    return WallNow() - before;
  }
  uint64_t records(const Screen& screen) {
    return alone_.Run(screen.k, screen.first, screen.count, parts_)
        .record_count();
  }
  double Copy(const Screen& screen) {
    const TileAnswer& answer =
        alone_.Run(screen.k, screen.first, screen.count, parts_);
    const double before = Now();
    copy_.clear();
    answer.Write([&](std::span<const TileRecord> some) {
      copy_.insert(copy_.end(), some.begin(), some.end());
    });
    return Now() - before;
  }

 private:
  static double Cpu(TileQuery& query, const Screen& screen,
                    std::span<const TilePart> parts) {
    const double before = Now();
    query.Run(screen.k, screen.first, screen.count, parts);
    return Now() - before;
  }

  const std::vector<TilePart> parts_;
  Executor one_{1};
  TileQuery alone_;
  TileQuery half_;
  TileQuery shared_;
  std::vector<TileRecord> copy_;
};

void MeasureQueries(const Trace& trace, const Pyramid& pyramid) {
  std::vector<TilePart> parts;
  for (uint32_t t = 0; t < trace.tracks().size(); ++t)
    parts.push_back({static_cast<uint8_t>(t), t, 0, pyramid.depths(t), 0});
  int64_t span = 1;
  for (const Track& track : trace.tracks())
    if (track.last > track.first)
      span = std::max(span, trace.end_ns(track.last - 1));
  Queries queries(pyramid, std::move(parts));
  std::mt19937_64 random(2);
  Times all, all_half, all_wall, floor;
  double worst = 0, worst_half = 0, worst_wall = 0;
  std::printf(
      "\n               CPU ms         in two parts     wall ms\n"
      " k   screen        p50     p99     p50     p99     p50     p99"
      "   records  ns/record\n");
  for (int k = 0; (int64_t{kPixels} << k) <= 2 * span; ++k) {
    Times alone, half, wall;
    uint64_t records = 0;
    const int64_t screen_ns = int64_t{kPixels} << k;
    std::vector<Screen> screens;
    for (int i = 0; i < kQueriesPerLevel; ++i) {
      const int64_t begin =
          screen_ns >= span
              ? 0
              : static_cast<int64_t>(random() %
                                     static_cast<uint64_t>(span - screen_ns));
      Screen screen;
      screen.k = k;
      screen.first = static_cast<uint64_t>(begin) >> (k + kTileBits);
      const auto last =
          static_cast<uint64_t>(begin + screen_ns - 1) >> (k + kTileBits);
      screen.count = static_cast<uint32_t>(last - screen.first + 1);
      screens.push_back(screen);
    }
    for (const Screen& screen : screens)
      alone.seconds.push_back(queries.Alone(screen));
    for (const Screen& screen : screens)
      half.seconds.push_back(queries.LongerHalf(screen));
    for (const Screen& screen : screens)
      wall.seconds.push_back(queries.Shared(screen));
    for (const Screen& screen : screens) {
      records += queries.records(screen);
      floor.seconds.push_back(queries.Copy(screen));
    }
    const auto add = [](Times& to, const Times& from) {
      to.seconds.insert(to.seconds.end(), from.seconds.begin(),
                        from.seconds.end());
    };
    add(all, alone);
    add(all_half, half);
    add(all_wall, wall);
    worst = std::max(worst, alone.At(0.99));
    worst_half = std::max(worst_half, half.At(0.99));
    worst_wall = std::max(worst_wall, wall.At(0.99));
    double sum = 0;
    for (const double s : alone.seconds) sum += s;
    std::printf(
        "%2d %9.3f ms %7.3f %7.3f %7.3f %7.3f %7.3f %7.3f %9.0f %10.1f\n", k,
        static_cast<double>(screen_ns) / 1e6, alone.At(0.5) * 1e3,
        alone.At(0.99) * 1e3, half.At(0.5) * 1e3, half.At(0.99) * 1e3,
        wall.At(0.5) * 1e3, wall.At(0.99) * 1e3,
        static_cast<double>(records) / kQueriesPerLevel,
        records == 0 ? 0.0 : sum * 1e9 / static_cast<double>(records));
  }
  std::printf(
      "\n                                      CPU  two parts    wall\n");
  std::printf("p99 ms of the slowest zoom        %7.3f    %7.3f %7.3f\n",
              worst * 1e3, worst_half * 1e3, worst_wall * 1e3);
  std::printf("p99 ms over all zooms             %7.3f    %7.3f %7.3f\n",
              all.At(0.99) * 1e3, all_half.At(0.99) * 1e3,
              all_wall.At(0.99) * 1e3);
  std::printf("the same, of a copy of the answer %7.1f    %7.1f %7.1f\n",
              all.At(0.99) / floor.At(0.99), all_half.At(0.99) / floor.At(0.99),
              all_wall.At(0.99) / floor.At(0.99));
}

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
  MeasureQueries(*trace, pyramid);
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  stepscope::Measure(argc > 1 ? std::strtoull(argv[1], nullptr, 10)
                              : 10'000'000);
}
