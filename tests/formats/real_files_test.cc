// SPDX-License-Identifier: Apache-2.0
//
// What frameworks wrote, read by us: against a second file of the same
// recording, where the framework itself says the same in another format.
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "importers/import_many.h"
#include "importers/registry.h"
#include "importers/tensorflow/tensorflow_importer.h"

namespace stepscope {
namespace {

std::string Fixture(const std::string& name) {
  return std::string(STEPSCOPE_FIXTURES) + "/" + name;
}
std::string Shared(const std::string& name) {
  return std::string(STEPSCOPE_SHARED_TRACES) + "/" + name;
}

std::shared_ptr<const Trace> Import(const std::string& path,
                                    const ImportOptions& options = {}) {
  auto trace = ImportFile(path, options);
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? *trace : *TraceBuilder().Finish();
}

// (start, name, duration) of all events that `wanted` takes, in order.
using Event = std::tuple<int64_t, std::string, int64_t>;
template <typename Wanted>
std::vector<Event> EventsOf(const Trace& trace, Wanted wanted) {
  std::vector<Event> events;
  for (Row row = 0; row < trace.size(); ++row) {
    if (wanted(row))
      events.emplace_back(trace.start_ns()[row] + trace.epoch_ns(),
                          std::string(trace.str(trace.name()[row])),
                          trace.dur_ns()[row]);
  }
  std::sort(events.begin(), events.end());
  return events;
}

TEST(RealFilesTest, NothingIsLostOfAnyFixture) {
  const std::map<std::string, std::pair<std::string, uint64_t>> want = {
      {"fluid/profile.pb.gz", {"fluid", 88}},
      {"paddle/small_time_1.paddle_trace.pb.gz", {"paddle-pb", 212}},
      {"tensorflow/run_metadata_0.pb.gz", {"tf-run-metadata", 30}},
      {"tensorflow/run_metadata_1.pb.gz", {"tf-run-metadata", 30}},
      {"tensorflow/step_stats_0.pb.gz", {"tf-step-stats", 30}},
      {"xplane/tf_cpu.xplane.pb.gz", {"xplane", 109}},
  };
  for (const auto& [name, expected] : want) {
    const auto trace = Import(Fixture(name));
    EXPECT_EQ(trace->format(), expected.first) << name;
    EXPECT_EQ(trace->ledger().kept(), expected.second) << name;
    EXPECT_EQ(trace->ledger().seen(), expected.second) << name;
    EXPECT_TRUE(trace->complete()) << name;
    EXPECT_TRUE(trace->clock().epoch_known) << name;
  }
}

// TensorFlow's timeline has whole microseconds; the statistics nanoseconds.
TEST(RealFilesTest, OperatorsAreThoseOfTensorFlowsTimeline) {
  const auto ours = Import(Fixture("tensorflow/run_metadata_0.pb.gz"));
  const auto theirs = Import(Fixture("tensorflow/timeline_0.json.gz"));
  auto mine = EventsOf(*ours, [&](Row row) {
    return ours->type()[row] != STEPSCOPE_PROFILE_STEP;
  });
  auto other = EventsOf(*theirs, [](Row) { return true; });
  ASSERT_EQ(mine.size(), 30u);
  ASSERT_EQ(other.size(), mine.size());
  for (Event& event : mine) std::get<0>(event) -= std::get<0>(event) % 1000;
  std::sort(mine.begin(), mine.end());
  for (size_t i = 0; i < mine.size(); ++i) {
    EXPECT_EQ(std::get<0>(mine[i]), std::get<0>(other[i]));
    EXPECT_EQ(std::get<1>(mine[i]), std::get<1>(other[i]));
    EXPECT_NEAR(static_cast<double>(std::get<2>(mine[i])),
                static_cast<double>(std::get<2>(other[i])), 1000);
  }
  // Arrows between the two devices: the same tensors, though found in the
  // graph here and guessed from labels there.
  const auto names = [](const Trace& trace) {
    std::multiset<std::string> all;
    for (const Flow& flow : trace.flows())
      if (flow.phase == FlowPhase::kBegin) all.emplace(trace.str(flow.name));
    return all;
  };
  EXPECT_EQ(names(*ours).size(), 6u);
  EXPECT_EQ(names(*theirs).size(), 6u);
  EXPECT_TRUE(names(*ours).contains("act"));
  EXPECT_TRUE(names(*theirs).contains("act"));
}

TEST(RealFilesTest, TensorsLiveBetweenProducerAndLastConsumer) {
  ImportOptions options;
  options.formats.Set(TensorflowOptions{.show_memory = true});
  const auto trace =
      Import(Fixture("tensorflow/run_metadata_0.pb.gz"), options);
  EXPECT_FALSE(trace->memory().empty());
  EXPECT_FALSE(trace->counters().empty());
  // "act" is used on the other device and, last of all, for its gradient.
  const auto find = [&](std::string_view name, TrackKind kind) {
    for (Row row = 0; row < trace->size(); ++row) {
      const Track& track = trace->tracks()[trace->track()[row]];
      if (track.kind != kind) continue;
      if (kind == TrackKind::kAsync && trace->str(trace->name()[row]) == name)
        return row;
      for (const Arg& arg : trace->args_of(row))
        if (kind == TrackKind::kThread && trace->str(arg.key) == "name" &&
            trace->str(arg.text) == name)
          return row;
    }
    return kNoRow;
  };
  const Row tensor = find("act", TrackKind::kAsync);
  const Row producer = find("act", TrackKind::kThread);
  const Row consumer = find("gradients/act_grad/ReluGrad", TrackKind::kThread);
  ASSERT_NE(tensor, kNoRow);
  ASSERT_NE(producer, kNoRow);
  ASSERT_NE(consumer, kNoRow);
  EXPECT_EQ(trace->start_ns()[tensor], trace->start_ns()[producer]);
  EXPECT_EQ(trace->end_ns(tensor), trace->end_ns(consumer));
}

TEST(RealFilesTest, SeveralFilesAreSeveralSteps) {
  const std::string paths[] = {Fixture("tensorflow/run_metadata_0.pb.gz"),
                               Fixture("tensorflow/run_metadata_1.pb.gz")};
  const auto trace = ImportFiles(paths);
  ASSERT_TRUE(trace);
  std::vector<std::string> steps;
  for (Row row = 0; row < (*trace)->size(); ++row)
    if ((*trace)->type()[row] == STEPSCOPE_PROFILE_STEP)
      steps.emplace_back((*trace)->str((*trace)->name()[row]));
  EXPECT_EQ(steps,
            (std::vector<std::string>{"ProfileStep#0", "ProfileStep#1"}));
  // On the rows of the same two devices.
  EXPECT_EQ((*trace)->processes().size(), 2u);
  // No arrow leads from one step to the other.
  std::map<uint64_t, uint32_t> ends;
  for (const Flow& flow : (*trace)->flows()) ++ends[flow.id];
  EXPECT_EQ(ends.size(), 12u);
  for (const auto& [id, count] : ends) EXPECT_EQ(count, 2u) << id;
}

// One recording of Paddle, which wrote it in both of its formats. Its JSON
// gives times in single precision.
TEST(RealFilesTest, PaddlesTwoFormatsSayTheSame) {
  const auto tree = Import(Fixture("paddle/small_time_1.paddle_trace.pb.gz"));
  const auto json = Import(Fixture("paddle/small_time_1.paddle_trace.json.gz"));
  using Group =
      std::map<std::pair<std::string, uint16_t>, std::pair<uint64_t, int64_t>>;
  const auto groups = [](const Trace& trace) {
    Group all;
    for (Row row = 0; row < trace.size(); ++row) {
      auto& [count, time] =
          all[{std::string(trace.str(trace.name()[row])), trace.type()[row]}];
      ++count;
      time += trace.dur_ns()[row];
    }
    return all;
  };
  const Group mine = groups(*tree);
  const Group other = groups(*json);
  ASSERT_EQ(mine.size(), other.size());
  for (const auto& [key, group] : mine) {
    ASSERT_TRUE(other.contains(key)) << key.first;
    EXPECT_EQ(group.first, other.at(key).first) << key.first;
    EXPECT_NEAR(static_cast<double>(group.second),
                static_cast<double>(other.at(key).second),
                static_cast<double>(group.first) * 2)
        << key.first;
  }
  ASSERT_EQ(tree->memory().size(), json->memory().size());
  for (size_t i = 0; i < tree->memory().size(); ++i) {
    EXPECT_EQ(tree->memory()[i].bytes, json->memory()[i].bytes);
    EXPECT_EQ(tree->memory()[i].total_allocated,
              json->memory()[i].total_allocated);
  }
}

TEST(RealFilesTest, StepsOfXPlane) {
  const auto trace = Import(Fixture("xplane/tf_cpu.xplane.pb.gz"));
  std::vector<int64_t> steps;
  for (Row row = 0; row < trace->size(); ++row) {
    if (trace->type()[row] != STEPSCOPE_PROFILE_STEP) continue;
    for (const Arg& arg : trace->args_of(row))
      if (trace->str(arg.key) == "step") steps.push_back(arg.int_value);
  }
  EXPECT_EQ(steps, (std::vector<int64_t>{0, 1, 2}));
}

// JAX wrote the same recording as XPlane and as JSON; only the JSON lacks the
// allocations.
TEST(RealFilesTest, JaxsTwoFormatsSayTheSame) {
  if (!std::filesystem::exists(Shared("jax.xplane.pb")))
    GTEST_SKIP() << "no ../shared/traces";
  const auto plane = Import(Shared("jax.xplane.pb"));
  const auto json = Import(Shared("jax.trace.json.gz"));
  auto mine = EventsOf(*plane, [&](Row row) {
    return plane->tracks()[plane->track()[row]].kind != TrackKind::kAsync;
  });
  // The session's start is not in the JSON.
  for (Event& event : mine) std::get<0>(event) -= plane->epoch_ns();
  const auto other = EventsOf(*json, [](Row) { return true; });
  ASSERT_EQ(other.size(), 555u);
  ASSERT_EQ(mine.size(), other.size());
  for (size_t i = 0; i < mine.size(); ++i) EXPECT_EQ(mine[i], other[i]) << i;
  EXPECT_EQ(plane->memory().size(), 100u);
  // Also on which stream of which device the kernels ran.
  const auto kernels = [](const Trace& trace) {
    std::map<std::tuple<std::string_view, int64_t, int64_t>, size_t> counts;
    for (Row row = 0; row < trace.size(); ++row) {
      const Track& track = trace.tracks()[trace.track()[row]];
      if (track.kind == TrackKind::kStream &&
          trace.type()[row] == STEPSCOPE_KERNEL)
        ++counts[{trace.str(track.device_type), track.device, track.id}];
    }
    return counts;
  };
  EXPECT_EQ(kernels(*plane), kernels(*json));
  EXPECT_EQ((kernels(*json)[{"GPU", 0, 14}]), 170u);
}

TEST(RealFilesTest, SharedXPlanesAreReadWhole) {
  if (!std::filesystem::exists(Shared("jax.xplane.pb")))
    GTEST_SKIP() << "no ../shared/traces";
  // Counted with an independent decoder.
  EXPECT_EQ(Import(Shared("jax.xplane.pb"))->ledger().kept(), 655u);
  const auto worker = Import(Shared("tf_gpu_worker.xplane.pb"));
  EXPECT_EQ(worker->ledger().kept(), 23'128u);
  EXPECT_EQ(worker->ledger().seen(), 23'128u);
  uint64_t kernels = 0;
  for (const uint16_t type : worker->type())
    kernels += type == STEPSCOPE_KERNEL;
  EXPECT_EQ(kernels, 2u * 665);
}

}  // namespace
}  // namespace stepscope
