// SPDX-License-Identifier: Apache-2.0
//
// What the benchmarks of exporters share: a trace, and the floor, which is
// bare write(2) of the same bytes into a new file beside it.
#pragma once

#include <fcntl.h>
#include <stepscope/c.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "exporters/exporter.h"
#include "exporters/file_sink.h"
#include "trace/build/trace_builder.h"

namespace stepscope::bench {

inline constexpr size_t kWriteBytes = size_t{1} << 20;

inline double Now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The median of what each round says by itself: a neighbour that is busy for a
// while slows both alike.
inline double MedianRatio(const std::vector<double>& above,
                          const std::vector<double>& below) {
  std::vector<double> ratios(above.size());
  for (size_t i = 0; i < above.size(); ++i) ratios[i] = above[i] / below[i];
  return Median(std::move(ratios));
}

[[noreturn]] inline void Die(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  std::exit(1);
}

// Operators of 0.2 to 40 us, each holding one inner event, on four threads.
inline std::shared_ptr<const Trace> MakeTrace(uint32_t events) {
  TraceBuilder builder;
  uint32_t process = builder.AddProcess(
      {.pid = 4242, .name = {}, .host = {}, .source = 0, .metadata = {}});
  std::vector<StringId> names;
  for (int i = 0; i < 200; ++i)
    names.push_back(builder.Intern("conv2d_block_" + std::to_string(i)));
  uint64_t random = 88172645463325252;
  for (uint32_t t = 0; t < 4; ++t) {
    uint32_t track = builder.AddTrack({.process = process,
                                       .id = 4242 + t,
                                       .name = builder.Intern("worker"),
                                       .device_type = {}});
    int64_t now = 1000;
    for (uint32_t i = 0; i < events / 4; i += 2) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      int64_t dur = 200 + static_cast<int64_t>(random % 40000);
      StringId name = names[(random >> 32) % names.size()];
      builder.AddEvent({track, now, dur, name, STEPSCOPE_OPERATOR, 0});
      builder.AddEvent(
          {track, now + 50, dur - 100, name, STEPSCOPE_USER_DEFINED, 0});
      now += dur + 100;
    }
  }
  auto trace = builder.Finish();
  if (!trace) Die(trace.error());
  return *trace;
}

class CountingSink : public Sink {
 public:
  Status Write(Block& block) override {
    bytes_ += block.size;
    block.size = 0;
    return Ok();
  }
  Status Close() override { return Ok(); }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

// Formatting alone. `bytes` is what came out.
inline double FormatSeconds(const Trace& trace, const Exporter& exporter,
                            size_t& bytes) {
  CountingSink sink;
  const double begin = Now();
  const Status status = exporter.Export(trace, {}, sink);
  const double seconds = Now() - begin;
  if (!status) Die(status.error());
  bytes = sink.bytes();
  return seconds;
}

inline double FileSeconds(const Trace& trace, const Exporter& exporter,
                          const std::string& path) {
  unlink(path.c_str());
  const double begin = Now();
  const Status status = ExportFile(trace, exporter, path);
  const double seconds = Now() - begin;
  if (!status) Die(status.error());
  return seconds;
}

// Without the second thread that FileSeconds has.
inline double OneThreadSeconds(const Trace& trace, const Exporter& exporter,
                               const std::string& path) {
  unlink(path.c_str());
  const double begin = Now();
  auto sink = OpenPlainFileSink(path);
  if (!sink) Die(sink.error());
  Status status = exporter.Export(trace, {}, **sink);
  if (status) status = (*sink)->Close();
  const double seconds = Now() - begin;
  if (!status) Die(status.error());
  return seconds;
}

inline double RawSeconds(const std::string& text, const std::string& path) {
  unlink(path.c_str());
  double begin = Now();
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (size_t at = 0; at < text.size();) {
    ssize_t n =
        write(fd, text.data() + at, std::min(kWriteBytes, text.size() - at));
    if (n <= 0) {
      std::perror(path.c_str());
      std::exit(1);
    }
    at += static_cast<size_t>(n);
  }
  close(fd);
  return Now() - begin;
}

}  // namespace stepscope::bench
