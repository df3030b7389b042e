// SPDX-License-Identifier: Apache-2.0
//
// Import of a torch.profiler trace against the floor: a bare simdjson
// On-Demand scan of the same file, which reads ph, cat, name, ts, dur, pid and
// tid of every event and skips the rest. Both begin with the file and end with
// all of it seen; both are measured on one processor and on all of them, in
// processes of their own, so that peak memory is that of one import. Rounds
// alternate; medians count. Python's json and pandas read the same file at the
// end.
//
// usage: json_import_bench [FILE]    default: a synthetic trace of 256 MB
#include <sched.h>
#include <simdjson.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "bench.h"
#include "importers/registry.h"

namespace stepscope {
namespace {

constexpr uint64_t kSyntheticBytes = uint64_t{256} << 20;
constexpr int kRounds = 7;
constexpr double kTarget = 0.8;  // of the scan, per processor

// Operators with shapes, launches, kernels and memory events as torch 2.11
// writes them.
std::string SyntheticTrace() {
  std::string text =
      "{\n  \"schemaVersion\": 1,\n  \"baseTimeNanoseconds\": "
      "1790857026000000000,\n  \"traceEvents\": [\n";
  text.reserve(kSyntheticBytes + 4096);
  for (uint64_t i = 0; text.size() < kSyntheticBytes; ++i) {
    const double ts = 3844227273435.053 + static_cast<double>(i) * 20;
    const auto event = [&](const char* head, double at, double dur,
                           const std::string& args) {
      text += Format(
          "  {\n    \"ph\": \"X\", %s,\n    \"ts\": %.3f, "
          "\"dur\": %.3f,\n    \"args\": {\n      %s\n    }\n"
          "  },\n",
          head, at, dur, args.c_str());
    };
    event(
        "\"cat\": \"cpu_op\", \"name\": \"aten::convolution\", "
        "\"pid\": 393, \"tid\": 393",
        ts, 15.5,
        Format("\"External id\": %" PRIu64 ",\"Sequence number\": %" PRIu64
               ", \"Fwd thread id\": 0, \"Record function id\": 0, "
               "\"Concrete Inputs\": [\"\", \"\", \"[2, 2]\", \"[3, 3]\"], "
               "\"Input type\": [\"c10::Half\", \"c10::Half\", \"\", \"\"], "
               "\"Input Strides\": [[%" PRIu64 ", 1, 672, 3], [147, 1, 21, "
               "3], [], []], \"Input Dims\": [[64, 3, 224, 224], [64, 3, 7, "
               "7], [], []], \"Ev Idx\": %" PRIu64,
               i, i / 3, 150528 + i % 7, i));
    event(
        "\"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", "
        "\"pid\": 393, \"tid\": 393",
        ts + 3, 4.25,
        Format("\"External id\": %" PRIu64 ", \"cbid\": 211, "
               "\"correlation\": %" PRIu64,
               i, i + 27000));
    event(
        "\"cat\": \"kernel\", \"name\": \"void at::native::"
        "elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::"
        "native::direct_copy_kernel_cuda(at::TensorIteratorBase&)>>(int)\", "
        "\"pid\": 0, \"tid\": 7",
        ts + 9, 5.504,
        Format("\"External id\": %" PRIu64 ", \"queued\": 0, \"device\": 0, "
               "\"context\": 1,\n      \"stream\": 7, \"correlation\": "
               "%" PRIu64 ",\n      \"registers per thread\": 32, \"shared "
               "memory\": 0, \"blocks per SM\": %.6f, \"warps per SM\": "
               "284.121216,\n      \"grid\": [%" PRIu64 ", 1, 1], \"block\": "
               "[128, 1, 1], \"est. achieved occupancy %%\": 100",
               i, i + 27000, 71.03 + static_cast<double>(i % 100) / 7,
               9376 + i % 900));
  }
  text += "  {}\n], \"traceName\": \"synthetic\"\n}\n";
  return text;
}

// The floor. Returns a sum, so that nothing is optimised away.
double Scan(const std::string& path) {
  simdjson::padded_string text;
  if (simdjson::padded_string::load(path).get(text)) return -1;
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  if (parser.iterate(text).get(document)) return -1;
  simdjson::ondemand::array events;
  if (document["traceEvents"].get_array().get(events)) return -1;
  double sum = 0;
  for (auto element : events) {
    simdjson::ondemand::object event;
    if (element.get_object().get(event)) continue;
    for (auto field : event) {
      const simdjson::ondemand::raw_json_string key = field.key();
      if (key == "ts" || key == "dur") {
        double number = 0;
        if (!field.value().get_double().get(number)) sum += number;
      } else if (key == "ph" || key == "cat" || key == "name") {
        simdjson::ondemand::raw_json_string value;
        if (!field.value().get_raw_json_string().get(value))
          sum += static_cast<double>(value.raw()[0]);
      } else if (key == "pid" || key == "tid") {
        int64_t number = 0;
        if (!field.value().get_int64().get(number))
          sum += static_cast<double>(number);
      }
    }
  }
  return sum;
}

struct Measured {
  double seconds = 0;      // elapsed
  double cpu_seconds = 0;  // of the processor, all threads
  double peak_bytes = 0;
};

// Runs `work` in a process of its own, on `processors` of them.
Measured Measure(int processors, const std::function<bool()>& work) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    if (processors > 0) {
      cpu_set_t set;
      CPU_ZERO(&set);
      for (int i = 0; i < processors; ++i) CPU_SET(i, &set);
      sched_setaffinity(0, sizeof set, &set);
    }
    const double start = bench::NowNs();
    const bool done = work();
    const double took = bench::NowNs() - start;
    static_cast<void>(!write(ends[1], &took, sizeof took));
    _exit(done ? 0 : 1);
  }
  double took = 0;
  static_cast<void>(!read(ends[0], &took, sizeof took));
  int status = 0;
  rusage usage = {};
  wait4(child, &status, 0, &usage);
  close(ends[0]);
  close(ends[1]);
  if (status != 0) {
    std::fprintf(stderr, "json_import_bench: a run failed\n");
    std::exit(1);
  }
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return {took / 1e9, seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) * 1024};
}

int Run(const std::string& path) {
  const auto file = File::OpenForReading(path);
  if (!file) return 1;
  const double bytes = static_cast<double>(*file->Size());
  const auto scan = [&] { return Scan(path) > 0; };
  const auto import = [&] {
    const auto trace = ImportFile(path);
    return trace && (*trace)->size() > 0;
  };
  bool met = true;
  for (const int processors : {1, 0}) {
    std::vector<double> scans;
    std::vector<double> imports;
    double peak = 0;
    // On one processor its time is compared: others may want it as well.
    const auto time = [&](const Measured& run) {
      return processors == 1 ? run.cpu_seconds : run.seconds;
    };
    for (int round = 0; round < kRounds; ++round) {
      scans.push_back(time(Measure(processors, scan)));
      const Measured one = Measure(processors, import);
      imports.push_back(time(one));
      peak = std::max(peak, one.peak_bytes);
    }
    const double floor = bench::Summarise(scans).median;
    const double ours = bench::Summarise(imports).median;
    std::printf(
        "%-18s scan %6.0f MB/s  import %6.0f MB/s  %5.2f x  >= %.1f %s"
        "  peak %4.2f x the file %s\n",
        processors == 1 ? "one processor" : "all processors",
        bytes / floor / 1e6, bytes / ours / 1e6, floor / ours, kTarget,
        floor / ours >= kTarget ? "met" : "MISSED", peak / bytes,
        peak <= bytes ? "met" : "MISSED");
    met &= floor / ours >= kTarget && peak <= bytes;
  }
  std::fflush(stdout);
  // For comparison: the system's Python where it has pandas, since that is
  // where the package is.
  const bool system =
      std::system("/usr/bin/python3 -c 'import pandas' 2>/dev/null") == 0;
  const std::string python = system ? "/usr/bin/python3" : "python3";
  if (std::system((python +
                   " " STEPSCOPE_BENCHMARKS_DIR "/json_import_python.py '" +
                   path + "'")
                      .c_str()) != 0)
    std::printf("Python json + pandas: could not be run, not compared\n");
  return met ? 0 : 1;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  if (argc > 1) return stepscope::Run(argv[1]);
  char path[] = "/tmp/stepscope_json_bench_XXXXXX";
  const int fd = mkstemp(path);
  if (fd < 0 || !stepscope::WriteAll(fd, stepscope::SyntheticTrace(), path))
    return 1;
  close(fd);
  const int status = stepscope::Run(path);
  unlink(path);
  return status;
}
