// SPDX-License-Identifier: Apache-2.0
//
// Speed of the exporters of binary formats, Perfetto's and the capture, against
// bare write(2) of the same bytes; and of reading the capture back.
//
// usage: perfetto_export_bench [EVENTS [FOLDER]]
#include "export_bench.h"
#include "exporters/capture/capture.h"
#include "exporters/perfetto/perfetto.h"
#include "importers/capture/capture_file.h"

namespace stepscope::bench {
namespace {

constexpr int kRounds = 11;
constexpr double kWriteTarget = 0.8;
constexpr double kLoadTarget = 100;  // M events a second

std::string BytesOf(const Trace& trace, const Exporter& exporter) {
  MemorySink sink;
  const Status status = exporter.Export(trace, {}, sink);
  if (!status) Die(status.error());
  return sink.TakeText();
}

// `target`: 0 for none. A capture is so small that writing it costs little.
bool Export(const Trace& trace, const Exporter& exporter,
            const std::string& path, double target) {
  const std::string bytes = BytesOf(trace, exporter);
  std::vector<double> format, raw, file;
  size_t size = 0;
  for (int round = 0; round < kRounds; ++round) {
    format.push_back(FormatSeconds(trace, exporter, size));
    // Taking turns, so that writeback meets both alike.
    raw.push_back(RawSeconds(bytes, path));
    file.push_back(FileSeconds(trace, exporter, path));
  }
  const double count = trace.size();
  const double ratio = MedianRatio(raw, file);
  std::printf(
      "%-9s %5.1f bytes an event, %6.1f M events/s in memory, "
      "%6.1f to a file: %.2f x write(2)%s\n",
      std::string(exporter.name()).c_str(), static_cast<double>(size) / count,
      count / Median(format) / 1e6, count / Median(file) / 1e6, ratio,
      target == 0       ? ""
      : ratio >= target ? "  >= 0.80 met"
                        : "  >= 0.80 MISSED");
  return ratio >= target;
}

bool Load(const Trace& trace, const std::string& path) {
  std::vector<double> seconds;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = Now();
    const auto back = ImportCapture(path);
    seconds.push_back(Now() - begin);
    if (!back) Die(back.error());
    if ((*back)->size() != trace.size()) std::exit(1);
  }
  const double rate = trace.size() / Median(seconds) / 1e6;
  std::printf("capture   %6.1f M events/s read back  >= %.0f %s\n", rate,
              kLoadTarget, rate >= kLoadTarget ? "met" : "MISSED");
  return rate >= kLoadTarget;
}

int Run(uint32_t events, const std::string& folder) {
  const std::shared_ptr<const Trace> trace = MakeTrace(events);
  const std::string path = folder + "/perfetto_export_bench.out";
  bool met = Export(*trace, PerfettoExporter(), path, kWriteTarget);
  met &= Export(*trace, CaptureExporter(), path, 0);
  met &= Load(*trace, path);
  unlink(path.c_str());
  return met ? 0 : 1;
}

}  // namespace
}  // namespace stepscope::bench

int main(int argc, char** argv) {
  const auto events =
      argc > 1 ? static_cast<uint32_t>(std::atol(argv[1])) : 4'000'000u;
  return stepscope::bench::Run(events, argc > 2 ? argv[2] : ".");
}
