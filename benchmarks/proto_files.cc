// SPDX-License-Identifier: Apache-2.0
#include "proto_files.h"

#include <protozero/pbf_writer.hpp>

namespace stepscope::bench {
namespace {

using protozero::pbf_writer;

constexpr int kNames = 200;
constexpr int64_t kStart = 1'700'000'000'000'000'000;

std::string NameOf(int i) {
  return "module/layer_" + std::to_string(i % 40) + "/operator_" +
         std::to_string(i);
}

}  // namespace

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

// Slices of eight threads, nested in pairs, one in eight with an argument; in
// the order of time, as a recorder writes them.
std::string MakePerfetto(int64_t events) {
  std::string bytes;
  pbf_writer trace(bytes);
  constexpr int64_t kThreads = 8;
  {
    pbf_writer packet(trace, 1);
    packet.add_uint32(10, 1);
    pbf_writer interned(packet, 12);
    for (int i = 0; i < kNames; ++i) {
      pbf_writer entry(interned, 2);
      entry.add_uint64(1, static_cast<uint64_t>(i) + 1);
      entry.add_string(2, NameOf(i));
    }
    {
      pbf_writer entry(interned, 1);
      entry.add_uint64(1, 1);
      entry.add_string(2, "Operator");
    }
    pbf_writer key(interned, 3);
    key.add_uint64(1, 1);
    key.add_string(2, "batch");
  }
  for (int64_t thread = 0; thread < kThreads; ++thread) {
    pbf_writer packet(trace, 1);
    packet.add_uint32(10, 1);
    pbf_writer track(packet, 60);
    track.add_uint64(1, static_cast<uint64_t>(thread) + 1);
    pbf_writer inner(track, 4);
    inner.add_int32(1, 100);
    inner.add_int32(2, 200 + static_cast<int32_t>(thread));
  }
  const auto event = [&](int64_t time, int64_t name, int64_t thread,
                         bool argument) {
    pbf_writer packet(trace, 1);
    packet.add_uint64(8, static_cast<uint64_t>(time));
    packet.add_uint32(10, 1);
    packet.add_uint32(13, 2);
    pbf_writer inner(packet, 11);
    inner.add_uint32(9, name < 0 ? 2 : 1);
    if (name >= 0) {
      inner.add_uint64(10, static_cast<uint64_t>(name) + 1);
      inner.add_uint64(3, 1);
    }
    inner.add_uint64(11, static_cast<uint64_t>(thread) + 1);
    if (!argument) return;
    pbf_writer annotation(inner, 4);
    annotation.add_uint64(1, 1);
    annotation.add_int64(4, time);
  };
  for (int64_t i = 0; i < events / 2; ++i) {
    const int64_t thread = i % kThreads;
    const int64_t time = 1'000'000'000 + i * 1000;
    event(time, i % kNames, thread, i % 4 == 0);
    event(time + 100, (i + 7) % kNames, thread, false);
    event(time + 300, -1, thread, false);
    event(time + 900, -1, thread, false);
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

// Host events of some threads, and their kernels on two streams.
std::string MakeFluid(int64_t events) {
  std::string bytes;
  pbf_writer profile(bytes);
  for (int64_t i = 0; i < events; ++i) {
    const bool kernel = i % 3 == 2;
    const auto start = static_cast<uint64_t>(kStart + i * 10'000);
    pbf_writer event(profile, 1);
    event.add_string(1, NameOf(static_cast<int>(i % kNames)));
    event.add_uint64(2, start);
    event.add_uint64(3, start + 9'000);
    event.add_int64(5, 0);
    event.add_int64(6, kernel ? i % 2 : i % 4);
    event.add_enum(8, kernel ? 1 : 0);
  }
  profile.add_uint64(2, static_cast<uint64_t>(kStart));
  profile.add_uint64(3, static_cast<uint64_t>(kStart + events * 10'000));
  return bytes;
}

// Nodes of one device, each with one tensor as its output.
std::string MakeStepStats(int64_t events) {
  std::string bytes;
  pbf_writer stats(bytes);
  pbf_writer device(stats, 1);
  device.add_string(1, "/job:localhost/replica:0/task:0/device:CPU:0");
  for (int64_t i = 0; i < events; ++i) {
    const std::string name = NameOf(static_cast<int>(i % kNames));
    pbf_writer node(device, 2);
    node.add_string(1, name);
    node.add_int64(2, kStart / 1000 + i * 10);
    node.add_int64(3, 1);
    node.add_int64(4, 8);
    node.add_int64(5, 9);
    {
      pbf_writer output(node, 7);
      output.add_int32(1, 0);
      pbf_writer tensor(output, 3);
      tensor.add_enum(1, 1);
      pbf_writer allocation(tensor, 4);
      allocation.add_int64(1, 4096);
      allocation.add_int64(2, 4096);
      allocation.add_string(3, "cpu");
    }
    node.add_string(8, name + " = MatMul(a, b)");
    node.add_uint32(10, static_cast<uint32_t>(i % 4));
  }
  return bytes;
}

}  // namespace stepscope::bench
