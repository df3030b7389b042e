// SPDX-License-Identifier: Apache-2.0
//
// Import of protobuf against the floor: a bare protozero scan of the same bytes
// on one thread, which visits every field of every message and keeps nothing.
// Both begin with the bytes in memory; the import ends with a finished Trace.
// Two ratios: of processor time, with one reader, and of wall time, with as
// many as the importer takes. Rounds are interleaved.
//
// usage: proto_import_bench [thousand events]    default: 1000
#include <cstdio>
#include <cstdlib>
#include <protozero/pbf_reader.hpp>

#include "bench.h"
#include "importers/fluid/fluid_importer.h"
#include "importers/paddle/paddle_importer.h"
#include "importers/perfetto/perfetto_importer.h"
#include "importers/tensorflow/tensorflow_importer.h"
#include "importers/xplane/xplane_importer.h"
#include "proto_files.h"
#include "trace/build/trace_builder.h"

namespace stepscope::bench {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr int kRounds = 7;

// Which fields of a message are messages.
struct Schema {
  uint32_t number;
  const Schema* inner;
};
constexpr Schema kLeaf[] = {{0, nullptr}};
constexpr Schema kXEvent[] = {{4, kLeaf}, {0, nullptr}};
constexpr Schema kXLine[] = {{4, kXEvent}, {0, nullptr}};
constexpr Schema kEntry[] = {{2, kLeaf}, {0, nullptr}};
constexpr Schema kXPlane[] = {
    {3, kXLine}, {4, kEntry}, {5, kEntry}, {6, kLeaf}, {0, nullptr}};
constexpr Schema kXSpace[] = {{1, kXPlane}, {0, nullptr}};
constexpr Schema kDeviceEvent[] = {{9, kLeaf}, {0, nullptr}};
constexpr Schema kDeviceNode[] = {{1, kDeviceEvent}, {0, nullptr}};
constexpr Schema kRuntimeNode[] = {{1, kLeaf}, {2, kDeviceNode}, {0, nullptr}};
constexpr Schema kHostNode[] = {{3, kLeaf}, {4, kRuntimeNode}, {0, nullptr}};
constexpr Schema kThread[] = {{2, kHostNode}, {0, nullptr}};
constexpr Schema kTrees[] = {{3, kThread}, {4, kLeaf}, {0, nullptr}};
constexpr Schema kFluid[] = {{1, kLeaf}, {4, kLeaf}, {0, nullptr}};
constexpr Schema kDescription[] = {{2, kLeaf}, {4, kLeaf}, {0, nullptr}};
constexpr Schema kOutput[] = {{3, kDescription}, {0, nullptr}};
constexpr Schema kNodeStats[] = {{6, kLeaf}, {7, kOutput}, {0, nullptr}};
constexpr Schema kDeviceStats[] = {{2, kNodeStats}, {0, nullptr}};
constexpr Schema kStepStats[] = {{1, kDeviceStats}, {0, nullptr}};

constexpr Schema kTrackEvent[] = {{4, kLeaf}, {0, nullptr}};
constexpr Schema kInterned[] = {
    {1, kLeaf}, {2, kLeaf}, {3, kLeaf}, {0, nullptr}};
constexpr Schema kDescriptor[] = {{3, kLeaf}, {4, kLeaf}, {0, nullptr}};
constexpr Schema kTracePacket[] = {
    {11, kTrackEvent}, {12, kInterned}, {60, kDescriptor}, {0, nullptr}};
constexpr Schema kPerfetto[] = {{1, kTracePacket}, {0, nullptr}};

uint64_t Scan(pbf_reader message, const Schema* schema) {
  uint64_t sum = 0;
  while (message.next()) {
    switch (message.wire_type()) {
      case pbf_wire_type::varint:
        sum += message.get_uint64();
        break;
      case pbf_wire_type::fixed64:
        sum += message.get_fixed64();
        break;
      case pbf_wire_type::fixed32:
        sum += message.get_fixed32();
        break;
      default: {
        const Schema* field = schema;
        while (field->number != 0 && field->number != message.tag()) ++field;
        if (field->number != 0) {
          sum += Scan(message.get_message(), field->inner);
        } else {
          sum += message.get_view().size();
        }
      }
    }
  }
  return sum;
}

// Of this thread, so that other load does not count.
double CpuNs() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

using ImportFunction = void (*)(const proto::Input&, TraceBuilder&);

struct Times {
  std::vector<double> cpu;
  std::vector<double> wall;

  template <typename Work>
  void Measure(Work work) {
    const double cpu_start = CpuNs();
    const double wall_start = NowNs();
    work();
    wall.push_back(NowNs() - wall_start);
    cpu.push_back(CpuNs() - cpu_start);
  }
};

bool PrintRatio(const std::string& what, double megabytes, double floor_ns,
                double ns, double target) {
  const double ratio = floor_ns / ns;
  std::printf("%-46s %8.0f MB/s  %6.3f", what.c_str(), megabytes / ns * 1e9,
              ratio);
  if (target > 0)
    std::printf("  >= %-5.2f %s", target, ratio >= target ? "met" : "MISSED");
  std::printf("\n");
  return ratio >= target;
}

bool Compare(const std::string& name, const std::string& bytes,
             const Schema* schema, ImportFunction import, double target) {
  uint64_t sum = 0;
  uint64_t rows = 0;
  Times scan;
  Times one;
  Times all;
  const auto read = [&](Times& times, unsigned readers) {
    std::shared_ptr<const Trace> trace;
    times.Measure([&] {
      proto::Input input;
      input.bytes = {reinterpret_cast<const uint8_t*>(bytes.data()),
                     bytes.size()};
      input.path = "bench";
      input.readers = readers;
      TraceBuilder builder;
      import(input, builder);
      if (auto result = builder.Finish()) trace = *result;
    });
    rows = trace ? trace->size() : 0;
  };
  for (int round = 0; round < kRounds; ++round) {
    scan.Measure([&] { sum += Scan(pbf_reader(bytes), schema); });
    read(one, 1);
    read(all, 0);
  }
  const auto megabytes = static_cast<double>(bytes.size()) / 1e6;
  const double scan_cpu = Summarise(scan.cpu).median;
  std::printf("%-46s %8.0f MB/s, %llu events of %.0f MB\n",
              (name + ", bare protozero scan").c_str(),
              megabytes / scan_cpu * 1e9, static_cast<unsigned long long>(rows),
              megabytes);
  PrintRatio(name + ", import, time of one core", megabytes, scan_cpu,
             Summarise(one.cpu).median, 0);
  return PrintRatio(name + ", import, wall time", megabytes,
                    Summarise(scan.wall).median, Summarise(all.wall).median,
                    target) &&
         rows > 0 && sum > 0;
}

int Main(int argc, char** argv) {
  const int64_t events = (argc > 1 ? std::atoll(argv[1]) : 1000) * 1000;
  constexpr double kTarget = 0.8;
  bool met = Compare("XPlane", MakeXSpace(events), kXSpace,
                     proto::xplane::ImportXSpace, kTarget);
  met &= Compare("Paddle tree", MakeTree(events), kTrees,
                 proto::paddle::ImportPaddleTree, kTarget);
  met &= Compare("fluid", MakeFluid(events), kFluid,
                 proto::fluid::ImportFluidProfile, kTarget);
  met &= Compare("Perfetto", MakePerfetto(events), kPerfetto,
                 pftrace::ImportPerfetto, kTarget);
  // A format of the past, that is laid out and its graph guessed as well.
  met &= Compare("StepStats", MakeStepStats(events), kStepStats,
                 proto::tf::ImportStepStats, 0);
  return met ? 0 : 1;
}

}  // namespace
}  // namespace stepscope::bench

int main(int argc, char** argv) { return stepscope::bench::Main(argc, argv); }
