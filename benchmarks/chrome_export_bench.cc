// SPDX-License-Identifier: Apache-2.0
//
// Speed of the Chrome JSON exporter, against a floor measured in the same run:
// snprintf for formatting, bare write(2) of the same bytes for files.
//
// usage: chrome_export_bench [EVENTS [FOLDER]]
#include <sys/stat.h>

#include <cinttypes>

#include "export_bench.h"
#include "exporters/chrome/chrome.h"
#include "trace/event_type.h"

namespace stepscope::bench {
namespace {

constexpr int kRounds = 11;
constexpr double kFormatTarget = 20;  // M events a second
constexpr double kWriteTarget = 0.8;

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
        ",\"dur\":%" PRId64 ".%03" PRId64 ",\"args\":{\"start_time\":\"%" PRId64
        ".%03" PRId64 " us\",\"end_time\":\"%" PRId64 ".%03" PRId64
        " us\"}},\n",
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

bool Run(uint32_t events, const std::string& folder) {
  std::shared_ptr<const Trace> trace = MakeTrace(events);
  const Exporter& exporter = ChromeExporter();
  std::string path = folder + "/chrome_export_bench.json";
  std::string text = ChromeJson(*trace);
  double count = trace->size();
  std::vector<double> format, slow, file, alone, raw, zip;
  size_t bytes = 0;
  size_t zipped = 0;
  for (int round = 0; round < kRounds; ++round) {
    format.push_back(FormatSeconds(*trace, exporter, bytes));
    if (round % 5 == 0) {
      double begin = Now();
      if (FormatWithSnprintf(*trace) == 0) std::exit(1);
      slow.push_back(Now() - begin);
    }
    // Taking turns, so that writeback meets both alike.
    raw.push_back(RawSeconds(text, path));
    file.push_back(FileSeconds(*trace, exporter, path));
    alone.push_back(OneThreadSeconds(*trace, exporter, path));
  }
  unlink(path.c_str());
  path += ".gz";
  zip.push_back(FileSeconds(*trace, exporter, path));
  struct stat info;
  if (stat(path.c_str(), &info) == 0)
    zipped = static_cast<size_t>(info.st_size);
  unlink(path.c_str());

  double size = static_cast<double>(bytes);
  auto row = [&](const char* what, double seconds, double ratio, const char* to,
                 const std::string& target = "") {
    std::printf("%-28s %7.1f M events/s %8.0f MB/s   %5.2f x %s%s\n", what,
                count / seconds / 1e6, size / seconds / 1e6, ratio, to,
                target.c_str());
  };
  const double rate = count / Median(format) / 1e6;
  const double ratio = MedianRatio(raw, file);
  const auto judged = [](const char* target, bool met) {
    return std::string("  >= ") + target + (met ? " met" : " MISSED");
  };
  std::printf("Chrome JSON export, %.0f events, %.0f bytes an event\n", count,
              size / count);
  row("format in memory", Median(format), Median(slow) / Median(format),
      "snprintf", judged("20 M events/s", rate >= kFormatTarget));
  row("snprintf", Median(slow), 1, "");
  row("to a file", Median(file), ratio, "write(2)",
      judged("0.80", ratio >= kWriteTarget));
  row("to a file, one thread", Median(alone), MedianRatio(raw, alone),
      "write(2)");
  row("write(2), same bytes", Median(raw), 1, "");
  row("to a file, gzip", Median(zip),
      size / static_cast<double>(std::max<size_t>(zipped, 1)), "smaller");
  return rate >= kFormatTarget && ratio >= kWriteTarget;
}

}  // namespace
}  // namespace stepscope::bench

int main(int argc, char** argv) {
  uint32_t events =
      argc > 1 ? static_cast<uint32_t>(std::atol(argv[1])) : 4'000'000;
  return stepscope::bench::Run(events, argc > 2 ? argv[2] : ".") ? 0 : 1;
}
