// SPDX-License-Identifier: Apache-2.0
//
// stepscope_generate: writes a trace of any supported format and size, and
// prints what is in it.
//
// usage: stepscope_generate FORMAT OUT [--events N | --bytes N] [--seed N]
//                           [--names N] [--pairs N] [--rank N] [--no-memory]
//
// OUT is compressed if it ends in .gz. With --bytes the file is about that
// large. Memory does not depend on the size. Prints the answers as JSON
// (generator/answers.h).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "exporters/file_sink.h"
#include "generator/answers.h"

namespace stepscope::generator {
namespace {

class CountingSink : public Sink {
 public:
  Status Write(Block& block) override {
    bytes_ += block.size;
    block.size = 0;
    return Ok();
  }
  Status Close() override { return Ok(); }
  uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_ = 0;
};

int Usage() {
  std::fprintf(stderr,
               "usage: stepscope_generate FORMAT OUT [--events N | --bytes N] "
               "[--seed N] [--names N]\n"
               "                          [--pairs N] [--rank N] "
               "[--no-memory]\n"
               "formats:\n");
  for (const FileFormat& format : Formats())
    std::fprintf(stderr, "  %-12s %s\n", format.name, format.what);
  return 2;
}

std::optional<uint64_t> Number(const char* text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0' || *text == '-') return std::nullopt;
  return value;
}

// How many events make a file of `bytes`, from a small one.
Result<uint64_t> EventsFor(const FileFormat& format, WorkloadOptions options,
                           uint64_t bytes) {
  options.events = 20000;
  const Workload sample(options);
  CountingSink sink;
  OutBuffer out(sink);
  STEPSCOPE_TRY(format.write(sample, out));
  const double each =
      static_cast<double>(sink.bytes()) / static_cast<double>(options.events);
  return static_cast<uint64_t>(static_cast<double>(bytes) / each);
}

Status Generate(const FileFormat& format, const std::string& path,
                const Workload& workload) {
  STEPSCOPE_TRY_ASSIGN(auto sink, OpenFileSink(path));
  OutBuffer out(*sink);
  STEPSCOPE_TRY(format.write(workload, out));
  return sink->Close();
}

int Main(int argc, char** argv) {
  if (argc < 3) return Usage();
  const FileFormat* const format = FindFormat(argv[1]);
  if (format == nullptr) return Usage();
  WorkloadOptions options;
  std::optional<uint64_t> bytes;
  for (int i = 3; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--no-memory") {
      options.memory = false;
      continue;
    }
    const std::optional<uint64_t> value =
        i + 1 < argc ? Number(argv[i + 1]) : std::nullopt;
    if (!value) return Usage();
    ++i;
    if (flag == "--events") {
      options.events = *value;
    } else if (flag == "--bytes") {
      bytes = *value;
    } else if (flag == "--seed") {
      options.seed = *value;
    } else if (flag == "--names") {
      options.names = static_cast<uint32_t>(*value);
    } else if (flag == "--pairs") {
      options.pairs = static_cast<uint32_t>(*value);
    } else if (flag == "--rank") {
      options.rank = static_cast<int64_t>(*value);
    } else {
      return Usage();
    }
  }
  // The other formats' writers know two threads.
  if (options.pairs > 1 && format->name != std::string_view("capture"))
    return Usage();
  const auto die = [](const Error& error) {
    std::fprintf(stderr, "stepscope_generate: %s\n", error.message.c_str());
    return 4;
  };
  if (bytes) {
    const Result<uint64_t> events = EventsFor(*format, options, *bytes);
    if (!events) return die(events.error());
    options.events = *events;
  }
  const Workload workload(options);
  const Status status = Generate(*format, argv[2], workload);
  if (!status) return die(status.error());
  const std::string answers = Answers(workload, *format);
  return std::fputs(answers.c_str(), stdout) < 0 ? 4 : 0;
}

}  // namespace
}  // namespace stepscope::generator

int main(int argc, char** argv) {
  return stepscope::generator::Main(argc, argv);
}
