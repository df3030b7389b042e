// SPDX-License-Identifier: Apache-2.0
//
// Import of XPlane and of Paddle's node trees against the floor: a bare
// protozero scan of the same bytes that visits every field of every message
// and keeps nothing. Both begin with the bytes in memory; the import ends with
// a finished Trace. Times are those of the processor; rounds are interleaved.
//
// usage: proto_import_bench [thousand events]    default: 1000
#include <cstdio>
#include <cstdlib>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "bench.h"
#include "importers/proto/proto_importers.h"
#include "trace/trace_builder.h"

namespace stepscope::bench {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;

constexpr int kRounds = 7;
constexpr int kNames = 200;
constexpr int64_t kStart = 1'700'000'000'000'000'000;

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

std::string NameOf(int i) {
  return "module/layer_" + std::to_string(i % 40) + "/operator_" +
         std::to_string(i);
}

// Threads of events with two stats each, as XPlane of a host has them.
std::string MakeXSpace(int64_t events) {
  std::string bytes;
  pbf_writer space(bytes);
  {
    pbf_writer plane(space, 1);
    plane.add_int64(1, 1);
    plane.add_string(2, "/host:CPU");
    constexpr int64_t kLines = 8;
    for (int64_t line_id = 0; line_id < kLines; ++line_id) {
      pbf_writer line(plane, 3);
      line.add_int64(1, 100 + line_id);
      line.add_string(2, "worker");
      line.add_int64(3, 1000);
      for (int64_t i = 0; i < events / kLines; ++i) {
        pbf_writer event(line, 4);
        event.add_int64(1, 1 + i % kNames);
        event.add_int64(2, i * 10'000'000);
        event.add_int64(3, 7'000'000);
        for (int64_t stat = 1; stat <= 2; ++stat) {
          pbf_writer value(event, 4);
          value.add_int64(1, stat);
          value.add_int64(4, i);
        }
      }
    }
    for (int i = 0; i < kNames; ++i) {
      pbf_writer entry(plane, 4);
      entry.add_int64(1, 1 + i);
      pbf_writer metadata(entry, 2);
      metadata.add_int64(1, 1 + i);
      metadata.add_string(2, NameOf(i));
    }
    for (int i = 1; i <= 2; ++i) {
      pbf_writer entry(plane, 5);
      entry.add_int64(1, i);
      pbf_writer metadata(entry, 2);
      metadata.add_string(2, i == 1 ? "group_id" : "iter_num");
    }
  }
  return bytes;
}

// Operators, each with a launch and its kernel.
std::string MakeTree(int64_t events) {
  std::string bytes;
  pbf_writer trees(bytes);
  trees.add_string(1, "1.0.2");
  trees.add_uint32(2, 0);
  {
    pbf_writer thread(trees, 3);
    thread.add_uint64(1, 7);
    for (int64_t i = 0; i < events / 3; ++i) {
      const auto start = static_cast<uint64_t>(kStart + i * 10'000);
      pbf_writer node(thread, 2);
      node.add_int64(1, i + 1);
      node.add_int64(2, 0);
      {
        pbf_writer event(node, 3);
        event.add_string(1, NameOf(static_cast<int>(i % kNames)));
        event.add_enum(2, 0);
        event.add_uint64(3, start);
        event.add_uint64(4, start + 9'000);
        event.add_uint64(5, 100);
        event.add_uint64(6, 7);
      }
      pbf_writer runtime(node, 4);
      {
        pbf_writer event(runtime, 1);
        event.add_string(1, "cudaLaunchKernel_v7000");
        event.add_uint64(2, start + 1'000);
        event.add_uint64(3, start + 2'000);
        event.add_uint64(4, 100);
        event.add_uint64(5, 7);
        event.add_uint32(6, static_cast<uint32_t>(i + 1));
      }
      pbf_writer device(runtime, 2);
      pbf_writer event(device, 1);
      event.add_string(1, NameOf(static_cast<int>(i % kNames)));
      event.add_enum(2, 4);
      event.add_uint64(3, start + 3'000);
      event.add_uint64(4, start + 8'000);
      event.add_uint64(5, 0);
      event.add_uint64(7, 13);
      event.add_uint32(8, static_cast<uint32_t>(i + 1));
    }
  }
  return bytes;
}

// Both arms run on this thread alone, so that other load does not count.
double CpuNs() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

using ImportFunction = void (*)(const proto::Input&, TraceBuilder&);

bool Compare(const char* name, const std::string& bytes, const Schema* schema,
             ImportFunction import, double target) {
  uint64_t sum = 0;
  uint64_t rows = 0;
  std::vector<double> scans;
  std::vector<double> imports;
  const proto::Bytes span = {reinterpret_cast<const uint8_t*>(bytes.data()),
                             bytes.size()};
  for (int round = 0; round < kRounds; ++round) {
    const double start = CpuNs();
    sum += Scan(pbf_reader(bytes), schema);
    const double scanned = CpuNs();
    TraceBuilder builder;
    import({span, "bench", nullptr}, builder);
    const auto trace = builder.Finish();
    imports.push_back(CpuNs() - scanned);
    scans.push_back(scanned - start);
    rows = trace ? (*trace)->size() : 0;
  }
  const Sample times[] = {Summarise(scans), Summarise(imports)};
  const auto megabytes = static_cast<double>(bytes.size()) / 1e6;
  const double ratio = times[0].median / times[1].median;
  std::printf("%-46s %8.0f MB/s, %llu events of %.0f MB\n",
              (std::string(name) + ", bare protozero scan").c_str(),
              megabytes / times[0].median * 1e9,
              static_cast<unsigned long long>(rows), megabytes);
  std::printf("%-46s %8.0f MB/s  %6.3f  >= %-5.2f %s\n",
              (std::string(name) + ", import").c_str(),
              megabytes / times[1].median * 1e9, ratio, target,
              ratio >= target ? "met" : "MISSED");
  return ratio >= target && rows > 0 && sum > 0;
}

int Main(int argc, char** argv) {
  const int64_t events = (argc > 1 ? std::atoll(argv[1]) : 1000) * 1000;
  constexpr double kTarget = 0.8;
  const bool xplane = Compare("XPlane", MakeXSpace(events), kXSpace,
                              proto::ImportXSpace, kTarget);
  const bool paddle = Compare("Paddle tree", MakeTree(events), kTrees,
                              proto::ImportPaddleTree, kTarget);
  return xplane && paddle ? 0 : 1;
}

}  // namespace
}  // namespace stepscope::bench

int main(int argc, char** argv) { return stepscope::bench::Main(argc, argv); }
