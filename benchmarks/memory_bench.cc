// SPDX-License-Identifier: Apache-2.0
//
// Memory snapshots: how fast one is read, beside a plain read of the file, and
// how much memory that takes, beside its size; and how many allocations and
// frees a second the allocator's replay does on one core.
//
// usage: memory_bench [EVENTS [FILE]]
//
// With FILE the snapshot is left there, for memory_python.py.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "analysis/memory_script.h"
#include "importers/registry.h"
#include "importers/torch_memory/pickle_writer_test_support.h"
#include "memory/caching_allocator.h"
#include "memory/replay.h"

namespace stepscope {
namespace {

double Now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

double PeakBytes() {
  double kib = 0;
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmHWM:")) kib = std::atof(line.c_str() + 6);
  return kib * 1024;
}

// As Python writes them: keys and stacks by their number in the memo, a
// thousand events at a time.
class SnapshotFile {
 public:
  explicit SnapshotFile(const std::string& path)
      : out_(path, std::ios::binary) {}

  uint64_t Write(uint64_t events) {
    Begin();
    memory::CachingAllocator allocator({});
    std::mt19937_64 random(1);
    struct Live {
      uint32_t block;
      int64_t size;
    };
    std::vector<Live> live;
    uint64_t written = 0;
    const auto event = [&](const char* action, uint64_t address, int64_t size) {
      if (written % 1000 == 0) out_ << (written == 0 ? "(" : "e(");
      Event(action, address, size, static_cast<int64_t>(written));
      ++written;
    };
    while (written < events) {
      if (live.size() < 200 || (live.size() < 2000 && random() % 2 == 0)) {
        const int64_t size =
            1 + static_cast<int64_t>(random() % (uint64_t{1} << random() % 25));
        const uint32_t block = allocator.Allocate(0, size);
        const memory::NewSegment& segment = allocator.new_segment();
        if (segment.bytes > 0)
          event("segment_alloc", allocator.address(block), segment.bytes);
        event("alloc", allocator.address(block), size);
        live.push_back({block, size});
      } else {
        std::swap(live[random() % live.size()], live.back());
        const uint64_t address = allocator.address(live.back().block);
        event("free_requested", address, live.back().size);
        event("free_completed", address, live.back().size);
        allocator.Free(live.back().block);
        live.pop_back();
      }
    }
    out_ << "eau.";
    return static_cast<uint64_t>(out_.tellp());
  }

 private:
  void Text(std::string_view text) {
    out_ << '\x8c' << static_cast<char>(text.size()) << text << '\x94';
    names_.emplace_back(text);
  }
  void Name(std::string_view text) {
    for (size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == text) {
        out_ << 'h' << static_cast<char>(i);
        return;
      }
  }
  void Int(uint64_t value, char bytes) {
    out_ << '\x8a' << bytes
         << torch_memory::PickleWriter::Little(value,
                                               static_cast<size_t>(bytes));
  }
  void Begin() {
    out_ << "\x80\x04";
    // Names first, so that each has its number; then a stack.
    for (const char* name :
         {"action", "addr", "size", "stream", "time_us", "frames", "alloc",
          "free_requested", "free_completed", "segment_alloc", "name",
          "filename", "line", "compile_context", "user_metadata", "N/A",
          "device_traces", "segments"}) {
      Text(name);
      out_ << '0';
    }
    out_ << "]\x94";  // number 18: a stack
    out_ << "(";
    for (int i = 0; i < 10; ++i) {
      out_ << "}(";
      Name("name");
      Name("action");
      Name("filename");
      Name("size");
      Name("line");
      out_ << 'K' << static_cast<char>(i) << "u";
    }
    out_ << "e0}(";
    Name("device_traces");
    out_ << "]]";
  }
  void Event(const char* action, uint64_t address, int64_t size,
             int64_t number) {
    out_ << "}\x94(";
    Name("action");
    Name(action);
    Name("addr");
    Int(address, 8);
    Name("size");
    Int(static_cast<uint64_t>(size), 4 + 1);
    Name("stream");
    out_ << "K" << '\0';
    Name("time_us");
    Int(uint64_t{1'794'934'341'000'000} + static_cast<uint64_t>(number), 7);
    Name("compile_context");
    out_ << "\x8c\x03N/A\x94";  // torch makes it anew for each event
    Name("user_metadata");
    Name("N/A");
    Name("frames");
    // The backward pass has no frames.
    out_ << (number % 2 == 0 ? "h\x12u" : "]\x94u");
  }

  std::ofstream out_;
  std::vector<std::string> names_;
};

// Processor time of this thread, as that of the import is.
double SecondsToRead(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(size_t{1} << 20);
  const double start = Now();
  while (
      file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()))) {
  }
  return Now() - start;
}

int Main(int argc, char** argv) {
  const uint64_t events =
      argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2'000'000;
  const std::string path = argc > 2 ? argv[2] : "memory_bench.pickle";
  const auto bytes = static_cast<double>(SnapshotFile(path).Write(events));
  const double before = PeakBytes();
  const double floor = SecondsToRead(path);
  double start = Now();
  const auto trace = ImportFile(path);
  const double seconds = Now() - start;
  const double took = PeakBytes() - before;
  if (argc <= 2) std::remove(path.c_str());
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return 1;
  }
  std::printf(
      "snapshot of %.0f MB, %llu events: read in %.2f s (%.0f MB/s, %.1f x a "
      "plain read), %.2f x the file of memory\n",
      bytes / 1e6, static_cast<unsigned long long>(events), seconds,
      bytes / 1e6 / seconds, seconds / floor, took / bytes);
  for (const MemoryScript& script : MakeMemoryScripts(**trace)) {
    start = Now();
    const memory::ReplayResult replay =
        memory::Replay(script.script, {script.settings, true});
    const double replayed = Now() - start;
    std::printf(
        "replay: %.2f M allocations and frees a second; reserved at "
        "most %lld, %llu misplaced\n",
        static_cast<double>(script.script.ops.size()) / replayed / 1e6,
        static_cast<long long>(replay.peak_reserved),
        static_cast<unsigned long long>(replay.misplaced));
  }
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) { return stepscope::Main(argc, argv); }
