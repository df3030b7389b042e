// SPDX-License-Identifier: Apache-2.0
//
// Speed of the Chrome JSON exporter, against a floor measured in the same run:
// snprintf for formatting, bare write(2) of the same bytes for files.
//
// usage: chrome_export_bench [EVENTS [FOLDER]]
#include <fcntl.h>
#include <stepscope/c.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "exporters/chrome/chrome.h"
#include "exporters/file_sink.h"
#include "trace/event_type.h"
#include "trace/trace_builder.h"

namespace stepscope {
namespace {

constexpr int kRounds = 7;
constexpr uint32_t kThreads = 4;
constexpr size_t kWriteBytes = size_t{1} << 20;

double Now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch())
      .count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

[[noreturn]] void Die(const Error& error) {
  std::fprintf(stderr, "chrome_export_bench: %s\n", error.message.c_str());
  std::exit(1);
}

// Operators of 0.2 to 40 us, each holding one inner event, on four threads.
std::shared_ptr<const Trace> MakeTrace(uint32_t events) {
  TraceBuilder builder;
  uint32_t process = builder.AddProcess({.pid = 4242,
                                         .name = {},
                                         .host = {},
                                         .source = {},
                                         .metadata = {}});
  std::vector<StringId> names;
  for (int i = 0; i < 200; ++i)
    names.push_back(builder.Intern("conv2d_block_" + std::to_string(i)));
  uint64_t random = 88172645463325252;
  for (uint32_t t = 0; t < kThreads; ++t) {
    uint32_t track = builder.AddTrack({.process = process,
                                       .id = 4242 + t,
                                       .name = builder.Intern("worker"),
                                       .device_type = {}});
    int64_t now = 1000;
    for (uint32_t i = 0; i < events / kThreads; i += 2) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      int64_t dur = 200 + static_cast<int64_t>(random % 40000);
      StringId name = names[(random >> 32) % names.size()];
      builder.AddEvent(
          {track, now, dur, name, STEPSCOPE_OPERATOR, 0});
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

// The same entries, the usual way.
size_t FormatWithSnprintf(const Trace& trace) {
  std::vector<char> buffer(kWriteBytes);
  size_t total = 0;
  size_t used = 0;
  for (Row row = 0; row < trace.size(); ++row) {
    const Track& track = trace.tracks()[trace.track()[row]];
    std::string_view name = trace.str(trace.name()[row]);
    int64_t start = trace.start_ns()[row];
    int64_t dur = trace.dur_ns()[row];
    int64_t end = trace.end_ns(row);
    used += static_cast<size_t>(std::snprintf(
        buffer.data() + used, 512,
        "{\"name\":\"%.*s\",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":%" PRId64
        ",\"tid\":\"%" PRId64 "(C++)\",\"ts\":%" PRId64 ".%03" PRId64
        ",\"dur\":%" PRId64 ".%03" PRId64
        ",\"args\":{\"start_time\":\"%" PRId64 ".%03" PRId64
        " us\",\"end_time\":\"%" PRId64 ".%03" PRId64 " us\"}},\n",
        static_cast<int>(name.size()), name.data(),
        EventTypeName(trace.type()[row]).data(),
        trace.processes()[track.process].pid, track.id, start / 1000,
        start % 1000, dur / 1000, dur % 1000, start / 1000, start % 1000,
        end / 1000, end % 1000));
    if (used > buffer.size() - 512) {
      total += used;
      used = 0;
    }
  }
  return total + used;
}

double FormatSeconds(const Trace& trace, size_t& bytes) {
  CountingSink sink;
  double begin = Now();
  Status status = ChromeExporter().Export(trace, {}, sink);
  double seconds = Now() - begin;
  if (!status) Die(status.error());
  bytes = sink.bytes();
  return seconds;
}

double FileSeconds(const Trace& trace, const std::string& path) {
  unlink(path.c_str());
  double begin = Now();
  Status status = ExportChrome(trace, path);
  double seconds = Now() - begin;
  if (!status) Die(status.error());
  return seconds;
}

// Without the second thread that FileSeconds has.
double OneThreadSeconds(const Trace& trace, const std::string& path) {
  unlink(path.c_str());
  double begin = Now();
  auto sink = OpenPlainFileSink(path);
  if (!sink) Die(sink.error());
  Status status = ChromeExporter().Export(trace, {}, **sink);
  if (status) status = (*sink)->Close();
  double seconds = Now() - begin;
  if (!status) Die(status.error());
  return seconds;
}

double RawSeconds(const std::string& text, const std::string& path) {
  unlink(path.c_str());
  double begin = Now();
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (size_t at = 0; at < text.size();) {
    ssize_t n = write(fd, text.data() + at,
                      std::min(kWriteBytes, text.size() - at));
    if (n <= 0) {
      std::perror(path.c_str());
      std::exit(1);
    }
    at += static_cast<size_t>(n);
  }
  close(fd);
  return Now() - begin;
}

void Run(uint32_t events, const std::string& folder) {
  std::shared_ptr<const Trace> trace = MakeTrace(events);
  std::string path = folder + "/chrome_export_bench.json";
  std::string text = ChromeJson(*trace);
  double count = trace->size();
  std::vector<double> format, slow, file, alone, raw, zip;
  size_t bytes = 0;
  size_t zipped = 0;
  for (int round = 0; round < kRounds; ++round) {
    format.push_back(FormatSeconds(*trace, bytes));
    if (round % 3 == 0) {
      double begin = Now();
      if (FormatWithSnprintf(*trace) == 0) std::exit(1);
      slow.push_back(Now() - begin);
    }
    // Taking turns, so that writeback meets both alike.
    raw.push_back(RawSeconds(text, path));
    file.push_back(FileSeconds(*trace, path));
    alone.push_back(OneThreadSeconds(*trace, path));
  }
  unlink(path.c_str());
  path += ".gz";
  zip.push_back(FileSeconds(*trace, path));
  struct stat info;
  if (stat(path.c_str(), &info) == 0)
    zipped = static_cast<size_t>(info.st_size);
  unlink(path.c_str());

  double size = static_cast<double>(bytes);
  auto row = [&](const char* what, double seconds, double ratio,
                 const char* to) {
    std::printf("%-28s %7.1f M events/s %8.0f MB/s   %5.2f x %s\n", what,
                count / seconds / 1e6, size / seconds / 1e6, ratio, to);
  };
  std::printf("Chrome JSON export, %.0f events, %.0f bytes an event\n", count,
              size / count);
  row("format in memory", Median(format), Median(slow) / Median(format),
      "snprintf");
  row("snprintf", Median(slow), 1, "");
  row("to a file", Median(file), Median(raw) / Median(file), "write(2)");
  row("to a file, one thread", Median(alone), Median(raw) / Median(alone),
      "write(2)");
  row("write(2), same bytes", Median(raw), 1, "");
  row("to a file, gzip", Median(zip),
      size / static_cast<double>(std::max<size_t>(zipped, 1)),
      "smaller");
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  uint32_t events = argc > 1 ? static_cast<uint32_t>(std::atol(argv[1]))
                             : 4'000'000;
  stepscope::Run(events, argc > 2 ? argv[2] : ".");
  return 0;
}
