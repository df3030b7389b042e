// SPDX-License-Identifier: Apache-2.0
//
// Writes random traces as Chrome JSON, and beside each what is in it, for
// strict_json_test.py. Names and arguments are of the worst kind.
//
// usage: chrome_random_traces FOLDER COUNT SEED
#include <stepscope/c.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "base/file.h"
#include "exporters/chrome/chrome.h"
#include "exporters/chrome/json_text.h"
#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  // A line per event: X start dur name, in hexadecimal where it is text.
  std::string truth() const { return truth_; }

  Result<std::shared_ptr<const Trace>> Make() {
    // Near the ends of the range too, where doubles are no longer exact.
    builder_.AlignEpoch(static_cast<int64_t>(Below(1u << 31)) * 1000000000,
                        true);
    uint64_t processes = 1 + Below(3);
    for (uint64_t p = 0; p < processes; ++p) {
      builder_.AddProcess({.pid = static_cast<int64_t>(Below(4)),
                           .rank = static_cast<int64_t>(Below(3)) - 1,
                           .name = Text(),
                           .host = Text(),
                           .source = 0,
                           .metadata = {}});
      uint64_t tracks = Below(5);
      for (uint64_t t = 0; t < tracks; ++t) AddTrack(static_cast<uint32_t>(p));
    }
    builder_.AddNote(Bytes());
    builder_.AddSource(Bytes(), Bytes());
    builder_.ledger().Reject(Bytes(), 1, Bytes(), Below(9));
    return builder_.Finish();
  }

 private:
  uint64_t Below(uint64_t limit) { return random_() % limit; }
  StringId Text() { return builder_.Intern(Bytes()); }

  std::string Bytes() {
    static const char* const kWords[] = {
        "conv2d",     "\"",           "\\",      "\n",        "\u00e9",
        "\U0001f600", "\xed\xa0\x80", "\xff",    "</script>", "{}",
        ",",          "start_time",   "\\u0000", "a",         "a"};
    std::string text;
    uint64_t words = Below(4);
    for (uint64_t i = 0; i < words; ++i) {
      if (Below(3) == 0)
        text += static_cast<char>(Below(256));
      else
        text += kWords[Below(std::size(kWords))];
    }
    if (Below(500) == 0) text.append(1 << 16, static_cast<char>(Below(256)));
    return text;
  }

  void AddTrack(uint32_t process) {
    constexpr TrackKind kKinds[] = {TrackKind::kThread, TrackKind::kStream,
                                    TrackKind::kCounter, TrackKind::kAsync};
    TrackKind kind = kKinds[Below(4)];
    uint32_t track =
        builder_.AddTrack({.process = process,
                           .kind = kind,
                           .id = static_cast<int64_t>(Below(3)),
                           .device = static_cast<int64_t>(Below(3)),
                           .name = Text(),
                           .device_type = Text()});
    if (kind == TrackKind::kCounter) {
      for (int i = 0; i < 5; ++i)
        builder_.AddCounter({.time_ns = Time(),
                             .track = track,
                             .integer = Below(2) == 0,
                             .int_value = static_cast<int64_t>(random_()),
                             .value = 1.0 / static_cast<double>(Below(3))});
      return;
    }
    uint64_t events = Below(200);
    for (uint64_t i = 0; i < events; ++i) AddEvent(track, process);
    for (uint64_t i = 0; i < Below(4); ++i) {
      builder_.AddFlow({.time_ns = Time(),
                        .id = random_() >> Below(64),
                        .name = Text(),
                        .track = track,
                        .phase = static_cast<FlowPhase>(Below(3))});
      builder_.AddMemory({.time_ns = Time(),
                          .address = random_(),
                          .bytes = static_cast<int64_t>(random_()),
                          .total_allocated = random_(),
                          .total_reserved = random_(),
                          .place = Text(),
                          .track = track,
                          .kind = static_cast<MemoryKind>(Below(4))});
    }
  }

  int64_t Time() {
    return static_cast<int64_t>(Below(uint64_t{1} << (10 + Below(42))));
  }

  void AddEvent(uint32_t track, uint32_t process) {
    std::string name = Bytes();
    EventSpec event = {.track = track,
                       .start_ns = Time(),
                       .dur_ns = Time() >> Below(40),
                       .name = builder_.Intern(name),
                       .type = static_cast<uint16_t>(Below(40)),
                       .flags = static_cast<uint16_t>(Below(16))};
    if ((event.flags & kEventInstant) != 0) event.dur_ns = 0;
    Row row = builder_.AddEvent(event);
    truth_ += (event.flags & kEventInstant) != 0 ? "i " : "X ";
    truth_ += std::to_string(event.start_ns) + " " +
              std::to_string(event.dur_ns) + " ";
    chrome::AppendHex(truth_, name);
    truth_ += "\n";
    if (Below(3) == 0) AddArgs(row);
    if (Below(3) == 0)
      builder_.AddLink({.process = process,
                        .space = static_cast<LinkSpace>(Below(4)),
                        .id = Below(20),
                        .row = row});
  }

  void AddArgs(Row row) {
    uint64_t count = Below(10) == 0 ? Below(100) : Below(5);
    for (uint64_t i = 0; i < count; ++i) {
      Arg arg;
      arg.row = row;
      arg.key = Text();
      arg.kind = static_cast<ArgKind>(Below(5));
      arg.clipped = Below(9) == 0;
      if (arg.has_text()) {
        arg.text = Text();
      } else if (arg.kind == ArgKind::kDouble) {
        arg.double_value = static_cast<double>(random_() * Below(2)) /
                           static_cast<double>(Below(3));
      } else {
        arg.int_value = static_cast<int64_t>(random_());
      }
      const int64_t values[] = {static_cast<int64_t>(random_()), -1, 0};
      if (arg.kind == ArgKind::kIntList)
        builder_.AddListArg(arg, std::span(values, Below(4)));
      else
        builder_.AddArg(arg);
    }
  }

  std::mt19937_64 random_;
  TraceBuilder builder_;
  std::string truth_;
};

Status Run(const std::string& folder, int count, uint64_t seed) {
  for (int i = 0; i < count; ++i) {
    Generator generator(seed + static_cast<uint64_t>(i));
    STEPSCOPE_TRY_ASSIGN(auto trace, generator.Make());
    std::string path = folder + "/" + std::to_string(i);
    STEPSCOPE_TRY(ExportChrome(*trace, path + ".json"));
    // Where time 0 of the events is in the file.
    std::string head = "E " + std::to_string(trace->epoch_ns()) + "\n";
    STEPSCOPE_TRY(ReplaceFile(path + ".truth", head + generator.truth()));
  }
  return Ok();
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: chrome_random_traces FOLDER COUNT SEED\n");
    return 2;
  }
  stepscope::Status status = stepscope::Run(
      argv[1], std::atoi(argv[2]), std::strtoull(argv[3], nullptr, 10));
  if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return status ? 0 : 1;
}
