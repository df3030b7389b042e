// SPDX-License-Identifier: Apache-2.0
//
// Real traces, which lie beside the repository: what is read must be what the
// file holds, counted independently, and what torch.profiler itself says of
// the same run (the *.key_averages.json beside them).
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "importers/chrome/chrome_importer.h"
#include "importers/input/input_source.h"
#include "importers/json/tokens.h"
#include "trace/build/trace_builder.h"

namespace stepscope::json {
namespace {

std::string Folder() { return STEPSCOPE_SHARED_TRACES; }

std::shared_ptr<const Trace> Import(const std::string& name) {
  TraceBuilder builder;
  const auto input = InputSource::Open(Folder() + "/" + name);
  EXPECT_TRUE(input);
  if (!input) return nullptr;
  const Status status = JsonImporter().Import(**input, {}, builder);
  EXPECT_TRUE(status) << status.error().message;
  auto trace = builder.Finish();
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? *trace : nullptr;
}

class SharedTracesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(Folder()))
      GTEST_SKIP() << "no folder " << Folder();
  }
};

struct Expected {
  const char* file;
  uint64_t elements;  // of traceEvents, counted with Python
  uint64_t kernels;
  uint64_t memory_events;
  uint64_t steps;
  const char* format;
};
constexpr Expected kFiles[] = {
    {"hta_event_sync.json.gz", 92, 4, 0, 1, "kineto"},
    {"hta_nccl.json.gz", 40573, 2700, 0, 3, "kineto"},
    {"jax.trace.json.gz", 568, 170, 0, 10, "chrome"},
    {"kineto_2021_resnet50.pt.trace.json.gz", 75718, 8772, 12838, 6, "kineto"},
    {"torch_resnet50_amp.json.gz", 61445, 3828, 10812, 6, "kineto"},
    {"torch_ddp_gloo_rank0.json.gz", 4769, 355, 0, 6, "kineto"},
    {"peer/01_metadata_first_h100_bert.json.gz", 2551, 60, 236, 1, "kineto"},
    {"peer/10_jax_trace_step_num.trace.json.gz", 120, 0, 0, 4, "chrome"},
    {"peer/12_chrome_object_D_events.json", 30, 0, 0, 0, "chrome"},
};

TEST_F(SharedTracesTest, EveryElementIsKept) {
  for (const Expected& want : kFiles) {
    const auto trace = Import(want.file);
    ASSERT_NE(trace, nullptr);
    EXPECT_EQ(trace->ledger().seen(), want.elements) << want.file;
    EXPECT_EQ(trace->ledger().kept(), want.elements) << want.file;
    EXPECT_EQ(trace->format(), want.format) << want.file;
    EXPECT_TRUE(trace->complete()) << want.file;
    EXPECT_TRUE(trace->notes().empty()) << want.file;
    EXPECT_EQ(trace->memory().size(), want.memory_events) << want.file;
    uint64_t kernels = 0;
    uint64_t steps = 0;
    for (const uint16_t type : trace->type()) {
      kernels += type == STEPSCOPE_KERNEL;
      steps += type == STEPSCOPE_PROFILE_STEP;
    }
    EXPECT_EQ(kernels, want.kernels) << want.file;
    EXPECT_EQ(steps, want.steps) << want.file;
  }
}

TEST_F(SharedTracesTest, AllFilesAddUp) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json.gz")) continue;
    const auto trace = Import(name);
    ASSERT_NE(trace, nullptr);
    ++files;
    EXPECT_TRUE(trace->ledger().rejected().empty()) << name;
    EXPECT_GT(trace->size(), 30u) << name;
  }
  EXPECT_GE(files, 9u);
}

TEST_F(SharedTracesTest, RanksAndDevices) {
  for (const int rank : {0, 1}) {
    const auto trace =
        Import("torch_ddp_gloo_rank" + std::to_string(rank) + ".json.gz");
    ASSERT_NE(trace, nullptr);
    EXPECT_EQ(trace->processes().size(), 1u);
    EXPECT_EQ(trace->processes()[0].rank, rank);
    size_t communication = 0;
    for (const uint16_t type : trace->type())
      communication += type == STEPSCOPE_COMMUNICATION;
    EXPECT_GT(communication, 0u);
  }
}

// Figures of one operator, in nanoseconds.
struct Figures {
  int64_t calls = 0;
  int64_t cpu_ns = 0;
  int64_t device_ns = 0;
  bool self_nested = false;
};

// From the trace, the plainest way: an operator has the time of the work
// whose launch lies in it.
std::map<std::string, Figures> FromTrace(const Trace& trace) {
  const Nesting& nesting = trace.nesting();
  std::vector<int64_t> device(trace.size(), 0);
  std::map<uint64_t, Row> calls;
  for (const Link& link : trace.links())
    if (link.space == LinkSpace::kCorrelation &&
        trace.tracks()[trace.track()[link.row]].kind == TrackKind::kThread)
      calls[link.id] = link.row;
  for (const Link& link : trace.links()) {
    if (link.space != LinkSpace::kCorrelation ||
        trace.tracks()[trace.track()[link.row]].kind != TrackKind::kStream)
      continue;
    const auto call = calls.find(link.id);
    if (call == calls.end()) continue;
    for (Row row = call->second; row != kNoRow; row = nesting.parent[row])
      device[row] += trace.dur_ns()[link.row];
  }
  std::map<std::string, Figures> figures;
  for (Row row = 0; row < trace.size(); ++row) {
    if (trace.type()[row] != STEPSCOPE_OPERATOR) continue;
    Figures& f = figures[std::string(trace.str(trace.name()[row]))];
    ++f.calls;
    f.cpu_ns += trace.dur_ns()[row];
    f.device_ns += device[row];
    for (Row up = nesting.parent[row]; up != kNoRow; up = nesting.parent[up])
      f.self_nested |= trace.name()[up] == trace.name()[row];
  }
  return figures;
}

// What torch says: an array of {"key": name, "count": n, "cpu_total": us,
// "dev_total": us, "dev_type": "DeviceType.CPU", ...}.
std::map<std::string, Figures> FromTorch(const std::string& name) {
  auto input = InputSource::Open(Folder() + "/" + name);
  EXPECT_TRUE(input);
  const auto bytes = (*input)->WholeBytes();
  EXPECT_TRUE(bytes);
  TokenIndex index;
  EXPECT_TRUE(index.Find(
      {reinterpret_cast<const char*>(bytes->data()), bytes->size()}));
  const Tokens tokens = index.tokens();
  std::map<std::string, Figures> figures;
  for (size_t i = 1; i < tokens.count() && tokens.kind(i) != ']';) {
    if (tokens.kind(i) != '{') {
      ++i;
      continue;
    }
    Members members(tokens, i);
    std::map<std::string_view, std::string_view> row;
    while (members.Next() == Members::State::kMember) {
      row[tokens.Text(members.key())] = tokens.Text(members.value());
      if (!members.SkipValue()) break;
    }
    i = members.next();
    if (row["dev_type"] != "DeviceType.CPU") continue;
    const auto ns = [&](const char* key) {
      return static_cast<int64_t>(std::stod(std::string(row[key])) * 1000 +
                                  0.5);
    };
    Figures& f = figures[std::string(row["key"])];
    f.calls = std::stoll(std::string(row["count"]));
    f.cpu_ns = ns("cpu_total");
    f.device_ns = ns("dev_total");
  }
  return figures;
}

TEST_F(SharedTracesTest, OperatorsAgreeWithTorch) {
  for (const std::string name :
       {"torch_cuda_graph", "torch_ddp_gloo_rank0", "torch_ddp_gloo_rank1",
        "torch_resnet50_amp"}) {
    const auto trace = Import(name + ".json.gz");
    ASSERT_NE(trace, nullptr);
    const auto ours = FromTrace(*trace);
    const auto torch = FromTorch(name + ".key_averages.json");
    size_t compared = 0;
    for (const auto& [op, f] : ours) {
      const auto it = torch.find(op);
      ASSERT_NE(it, torch.end()) << name << ": torch has no " << op;
      if (f.self_nested) continue;
      ++compared;
      EXPECT_EQ(f.calls, it->second.calls) << name << ": " << op;
      // torch adds up doubles of microseconds.
      EXPECT_NEAR(static_cast<double>(f.cpu_ns),
                  static_cast<double>(it->second.cpu_ns), 1)
          << name << ": " << op;
      EXPECT_NEAR(static_cast<double>(f.device_ns),
                  static_cast<double>(it->second.device_ns), 1)
          << name << ": " << op;
    }
    EXPECT_GE(compared, 4u) << name;
    EXPECT_GE(compared * 10, ours.size() * 8) << name;
  }
}

}  // namespace
}  // namespace stepscope::json
