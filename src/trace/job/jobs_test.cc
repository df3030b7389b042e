// SPDX-License-Identifier: Apache-2.0
#include "trace/job/jobs.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

FileFacts MakeFile(std::string path, std::string format, int64_t pid,
                   int64_t begin_ns, int64_t end_ns, std::string host = "",
                   bool epoch_known = true) {
  FileFacts facts;
  facts.path = std::move(path);
  facts.reader = format == "kineto" || format == "paddle" ? "chrome" : format;
  facts.format = std::move(format);
  facts.processes.push_back({pid, std::move(host)});
  facts.epoch_known = epoch_known;
  facts.begin_ns = begin_ns;
  facts.end_ns = end_ns;
  return facts;
}

FileFacts NoTime(std::string path, std::string format, int64_t begin_ns,
                 int64_t end_ns, int64_t pid = 0) {
  return MakeFile(std::move(path), std::move(format), pid, begin_ns, end_ns, "",
                  false);
}

// "0 1=0 | 2": jobs, and which files are the same window as which.
std::string JobsAndRepeats(const std::vector<FileFacts>& files) {
  std::string text;
  for (const Job& job : FindJobs(files)) {
    if (!text.empty()) text += " | ";
    std::string one;
    for (const uint32_t file : job.files) one += " " + std::to_string(file);
    for (const SameWindow& repeat : job.repeats)
      one +=
          " " + std::to_string(repeat.file) + "=" + std::to_string(repeat.of);
    text += one.substr(1);
  }
  return text;
}

struct Case {
  const char* what;
  std::vector<FileFacts> files;
  const char* jobs;
};

TEST(JobsTest, TableOfCases) {
  FileFacts slurm_a = MakeFile("a.sscap", "capture", 7, 0, 5, "n1");
  FileFacts slurm_b = MakeFile("b.sscap", "capture", 8, 900, 950, "n2");
  FileFacts other_job = MakeFile("c.sscap", "capture", 9, 0, 5, "n3");
  slurm_a.job = slurm_b.job = "41";
  other_job.job = "42";
  FileFacts run_a = MakeFile("r.sscap", "capture", 10, 0, 5, "h");
  FileFacts run_b = MakeFile("s.sscap", "capture", 11, 900, 950, "h");
  FileFacts other_run = MakeFile("t.sscap", "capture", 12, 2000, 2005, "h");
  run_a.run = run_b.run = "1f";
  other_run.run = "2e";
  const std::vector<Case> cases = {
      {"nothing", {}, ""},
      {"two ranks that overlap",
       {MakeFile("rank0.json", "kineto", 522, 100, 200),
        MakeFile("rank1.json", "kineto", 523, 120, 210)},
       "0 1"},
      {"three that overlap in a chain",
       {MakeFile("a", "capture", 1, 0, 10, "h"),
        MakeFile("b", "capture", 2, 8, 30, "h"),
        MakeFile("c", "capture", 3, 29, 40, "h")},
       "0 1 2"},
      {"a parent and its loader workers, one after the other",
       {MakeFile("p", "capture", 1, 0, 100, "h"),
        MakeFile("w", "capture", 2, 5, 10, "h"),
        MakeFile("x", "capture", 3, 20, 90, "h")},
       "0 1 2"},
      {"unrelated traces",
       {MakeFile("a.json", "kineto", 530, 0, 10),
        MakeFile("b.json", "kineto", 531, 1000, 1010)},
       "0 | 1"},
      {"containers number alike: a pid alone says nothing",
       {MakeFile("cuda_graph.json", "kineto", 393, 0, 10),
        MakeFile("resnet50_amp.json", "kineto", 393, 1000, 1010)},
       "0 | 1"},
      {"windows of one Profiler, numbered",
       {MakeFile("trace_1.json", "kineto", 393, 0, 10),
        MakeFile("trace_12.json.gz", "kineto", 393, 1000, 1010)},
       "0 1"},
      {"windows of one process on a known host",
       {MakeFile("first.sscap", "capture", 7, 0, 10, "node"),
        MakeFile("second.sscap", "capture", 7, 1000, 1010, "node")},
       "0 1"},
      {"the same pid on two hosts",
       {MakeFile("x", "capture", 7, 0, 10, "n1"),
        MakeFile("y", "capture", 7, 1000, 1010, "n2")},
       "0 | 1"},
      {"windows of one worker by torch's handler",
       {MakeFile("node_1.1700000000123.pt.trace.json.gz", "kineto", 0, 0, 10),
        MakeFile("node_1.1700000900123.pt.trace.json.gz", "kineto", 0, 900,
                 910)},
       "0 1"},
      {"windows of one worker by Paddle's handler",
       {MakeFile("host_apid_1_time_2026_11_16_01.paddle_trace.json", "paddle",
                 0, 0, 10),
        MakeFile("host_apid_1_time_2026_11_16_02.paddle_trace.json", "paddle",
                 0, 900, 910)},
       "0 1"},
      {"Paddle's json and pb of two windows of two jobs",
       {MakeFile("p26.paddle_trace.json.gz", "paddle", 25822, 789669000,
                 857197367),
        MakeFile("p26.paddle_trace.pb", "paddle-pb", 25822, 789669469,
                 857197841),
        MakeFile("p33.paddle_trace.json.gz", "paddle", 27913, 9 * kSecond,
                 10 * kSecond),
        MakeFile("p33.paddle_trace.pb", "paddle-pb", 27913, 9 * kSecond + 671,
                 10 * kSecond + 673)},
       "1 0=1 | 3 2=3"},
      {"an export beside its capture",
       {MakeFile("w.json", "paddle", 7, 5000, 90000, "node"),
        MakeFile("w.sscap", "capture", 7, 5000, 90000, "node")},
       "1 0=1"},
      {"a conversion of a foreign file beside it",
       {MakeFile("t.json", "kineto", 7, 5000, 90000),
        [] {
          FileFacts facts = MakeFile("t.sscap", "kineto", 7, 5000, 90000);
          facts.reader = "capture";
          return facts;
        }()},
       "1 0=1"},
      {"two ranks with equal windows are two recordings",
       {MakeFile("r0.json", "kineto", 7, 5000, 90000),
        MakeFile("r1.pb", "paddle-pb", 8, 5000, 90000)},
       "0 1"},
      {"JAX's two files, one without absolute time",
       {NoTime("jax.trace.json.gz", "chrome", 46024, 33859551, 701),
        MakeFile("jax.xplane.pb", "xplane", 645, kSecond + 46024,
                 kSecond + 33859551, "vm")},
       "1 0=1"},
      {"trainers and parameter servers of fluid",
       {NoTime("trainer_0", "fluid", 0, 50),
        NoTime("trainer_1", "fluid", 5, 60),
        NoTime("pserver_0", "fluid", 900, 960)},
       "0 1 2"},
      {"no absolute time beside files that have it",
       {MakeFile("a.json", "kineto", 1, 0, 10), NoTime("b", "fluid", 0, 10)},
       "0 | 1"},
      {"a capture that lost its clock",
       {MakeFile("a.sscap", "capture", 1, 0, 10, "h"),
        MakeFile("b.sscap", "capture", 2, 5, 10, "h"),
        NoTime("c.sscap", "capture", 0, 10)},
       "0 1 2"},
      {"a capture that lost its clock, and two jobs",
       {MakeFile("a.sscap", "capture", 1, 0, 10, "h"),
        MakeFile("b.sscap", "capture", 2, 500, 510, "h"),
        NoTime("c.sscap", "capture", 0, 10)},
       "0 | 1 | 2"},
      {"stated jobs", {slurm_a, slurm_b, other_job}, "0 1 | 2"},
      {"what one stepscope run started, one after the other",
       {run_a, run_b, other_run},
       "0 1 | 2"},
      {"a stated job and a file beside it that states none",
       {slurm_a, MakeFile("k.json", "kineto", 99, 3, 4)},
       "0 1"},
  };
  for (const Case& one : cases)
    EXPECT_EQ(JobsAndRepeats(one.files), one.jobs) << one.what;
}

TEST(JobsTest, WorkersByTheNameOfTheFile) {
  EXPECT_EQ(WorkerOf("/d/n1_34.1700000000.pt.trace.json"), "n1_34");
  EXPECT_EQ(WorkerOf("n1_34.pt.trace.json"), "n1_34");
  EXPECT_EQ(WorkerOf("d/host_n1pid_5_time_2026_11.sscap"), "host_n1pid_5");
  EXPECT_EQ(WorkerOf("vm.xplane.pb"), "vm");
  EXPECT_EQ(WorkerOf("vm.trace.json.gz"), "vm");
  EXPECT_EQ(WorkerOf("real_time_trace.json"), "");
  EXPECT_EQ(WorkerOf(""), "");
}

}  // namespace
}  // namespace stepscope
