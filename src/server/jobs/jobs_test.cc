// SPDX-License-Identifier: Apache-2.0
//
// Folders as lists, and jobs of several ranks, without opening a trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "importers/registry.h"
#include "server/jobs/job_json.h"
#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

constexpr int kSteps = 6;

// What torch.profiler writes of a rank; `late` is how much later than the
// others it comes to the collective of each third step.
std::string RankTrace(int rank, int ranks, double late_us,
                      const std::string& group = "default") {
  std::string events;
  const auto add = [&](const char* category, const std::string& name,
                       int thread, double begin, double end,
                       const std::string& args = "") {
    char text[600];
    std::snprintf(text, sizeof text,
                  "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,"
                  "\"tid\":%d,\"ts\":%.1f,\"dur\":%.1f,\"args\":{%s}}",
                  events.empty() ? "" : ",", category, name.c_str(), 500 + rank,
                  thread, begin, end - begin, args.c_str());
    events += text;
  };
  double now = 1000;
  for (int step = 0; step < kSteps; ++step) {
    const double worst = step % 3 == 0 ? 15000 : 0;
    const double arrival = now + 5000 + (late_us > 0 ? worst : 40 * rank);
    const double left =
        now + 5000 + std::max(worst, 40. * ranks) + 2000 + step * 17;
    add("user_annotation", "ProfilerStep#" + std::to_string(step), 1, now,
        left + 500);
    add("cpu_op", "aten::mm", 1, now + 10, now + 4900);
    add("user_annotation", "gloo:all_reduce", 2, arrival, left,
        "\"Process Group Name\":\"" + group +
            "\",\"Group size\":" + std::to_string(ranks) +
            ",\"Input Dims\":[[1000]],\"Input type\":[\"float\"]");
    now = left + 600;
  }
  return "{\"schemaVersion\":1,\"baseTimeNanoseconds\":1790857026000000000,"
         "\"distributedInfo\":{\"backend\":\"gloo\",\"rank\":" +
         std::to_string(rank) + ",\"world_size\":" + std::to_string(ranks) +
         "},\"traceEvents\":[" + events + "]}";
}

void WriteRanks(const TestFolder& folder, int ranks, int late,
                const std::string& where = "") {
  for (int rank = 0; rank < ranks; ++rank)
    folder.Write(where + "rank" + std::to_string(rank) + ".json",
                 RankTrace(rank, ranks, rank == late ? 15000 : 0));
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Asks until the answer has it; the test's own timeout ends this.
std::string AskUntil(const TestServer& server, const std::string& request,
                     const std::string& part) {
  while (true) {
    const std::string body = BodyOf(server.Api(request));
    if (Contains(body, part)) return body;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::string AllOf(const TestServer& server) {
  const std::string runs = BodyOf(server.Api("runs"));
  const size_t all = runs.find("\"all\":{");
  return TextOf(runs.substr(all), "t");
}

TEST(JobsTest, ListsWhatIsKnownOfEachTrace) {
  const TestFolder folder;
  folder.Write("good.json", RankTrace(0, 1, 0));
  folder.Write("empty.json", "{\"traceEvents\":[");
  const TestServer server(folder.path());
  // All of it at once, before anything is read.
  const std::string first = BodyOf(server.Api("traces"));
  EXPECT_TRUE(Contains(first, "\"file\":\"good.json\""));
  EXPECT_TRUE(Contains(first, "\"total\":2"));
  const std::string body = AskUntil(server, "traces", "\"done\":2");
  // The first is warm-up.
  EXPECT_TRUE(Contains(body, "\"steps\":5")) << body;
  EXPECT_TRUE(Contains(body, "\"state\":\"whole\"")) << body;
  EXPECT_TRUE(Contains(body, "\"ranks\":[0]")) << body;
  EXPECT_FALSE(Contains(body, folder.path().string()));
  // Nothing was opened for that.
  const std::string id = TextOf(server.Api("runs"), "t");
  EXPECT_EQ(StatusOf(server.Api("summary?t=" + id)), 409);
}

// XLA has a line of steps for each device.
TEST(JobsTest, CountsTheStepsThatItsMedianIsOf) {
  const TestFolder folder;
  std::string text = RankTrace(0, 1, 0);
  text.insert(text.find("[", text.find("traceEvents")) + 1,
              R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#0",)"
              R"("pid":500,"tid":9,"ts":1000,"dur":900,"args":{}},)");
  folder.Write("a.json", text);
  const std::string path = (folder.path() / "a.json").string();
  const auto trace = ImportFile(path);
  ASSERT_TRUE(trace);
  SummaryOptions options;
  options.steps = StepChoice::Settled();
  const auto summary = ComputeSummaryOfSteps(**trace, options);
  ASSERT_TRUE(summary);
  EXPECT_EQ(DigestTrace(**trace, path, "a.json", "kineto").card.steps,
            summary->step_time.steps);
}

TEST(JobsTest, ACutFileDoesNotLookHealthy) {
  const TestFolder folder;
  const std::string whole = RankTrace(0, 1, 0);
  folder.Write("cut.json", whole.substr(0, whole.size() / 2));
  const TestServer server(folder.path());
  const std::string body = AskUntil(server, "traces", "\"done\":1");
  EXPECT_TRUE(Contains(body, "\"state\":\"cut\"")) << body;
  EXPECT_TRUE(Contains(body, "This file is cut off")) << body;
}

TEST(JobsTest, SaysWhoIsLateFirst) {
  const TestFolder folder;
  WriteRanks(folder, 3, 2);
  const TestServer server(folder.path());
  const std::string body =
      AskUntil(server, "job?t=" + AllOf(server), "\"state\":\"ready\"");
  EXPECT_TRUE(Contains(body, "Rank 2 makes the others wait")) << body;
  EXPECT_TRUE(Contains(body, "\"ranks\":3"));
  EXPECT_TRUE(Contains(body, "\"step_count\":6"));
  const std::string heat =
      BodyOf(server.Api("heat?measure=delays_ns&t=" + AllOf(server)));
  EXPECT_TRUE(Contains(heat, "\"ranks\":[0,1,2]")) << heat;
  EXPECT_TRUE(Contains(heat, "\"first\":[0,1,2,3,4,5]")) << heat;
  // Rank 2, steps 0 and 3.
  EXPECT_TRUE(Contains(heat, ",[14")) << heat;
  // Two steps to a column: the longer.
  const std::string coarse =
      BodyOf(server.Api("heat?measure=delays_ns&columns=3&t=" + AllOf(server)));
  EXPECT_TRUE(Contains(coarse, "\"first\":[0,2,4],\"last\":[1,3,5]")) << coarse;
  EXPECT_EQ(StatusOf(server.Api("heat?measure=start_ns&t=" + AllOf(server))),
            400);
  const std::string steps =
      BodyOf(server.Api("job_steps?rank=1&t=" + AllOf(server)));
  EXPECT_TRUE(Contains(steps, "[[0,1,")) << steps;
  EXPECT_FALSE(Contains(steps, "[0,2,")) << steps;
}

TEST(JobsTest, TheUsersPeakIsASide) {
  const TestFolder folder;
  WriteRanks(folder, 2, -1);
  const TestServer server(folder.path());
  const std::string job = "job?t=" + AllOf(server);
  AskUntil(server, job, "\"state\":\"ready\"");
  // 4,000 bytes in 2 ms: 0.002 GB/s.
  const std::string body = BodyOf(server.Api(job + "&link-peak=1"));
  EXPECT_FALSE(Contains(body, "faster than the stated peak")) << body;
  EXPECT_TRUE(Contains(body, "\"bus_bandwidth\"")) << body;
  EXPECT_TRUE(
      Contains(BodyOf(server.Api(job + "&link-peak=0.0001")),
               "1 row of the collectives is faster than the stated peak"));
  for (const char* bad : {"0", "-1", "much", "1e999", "nan"})
    EXPECT_EQ(StatusOf(server.Api(job + "&link-peak=" + bad)), 400) << bad;
}

TEST(JobsTest, AskingForOneTraceShowsItsJob) {
  const TestFolder folder;
  WriteRanks(folder, 2, 1, "a/");
  folder.Write("a/other.json", ChromeTrace(3));
  const TestServer server(folder.path());
  const std::string runs = BodyOf(server.Api("runs"));
  const std::string job =
      AskUntil(server, "job?t=" + AllOf(server), "\"state\":\"ready\"");
  EXPECT_TRUE(Contains(job, "\"traces\":2")) << job;
  EXPECT_TRUE(Contains(job, "\"traces\":1")) << job;  // the other is a job, too
  const std::string list = BodyOf(server.Api("traces"));
  const std::string jobs = list.substr(list.find("\"jobs\":"));
  EXPECT_TRUE(Contains(jobs, "Rank 1 makes the others wait")) << jobs;
  EXPECT_FALSE(Contains(jobs, "other.json")) << jobs;
  EXPECT_EQ(StatusOf(server.Api("job?t=none")), 404);
}

TEST(JobsTest, LargeFilesAreReadWhenSomebodyAsks) {
  const TestFolder folder;
  folder.Write("a.json", ChromeTrace(30));
  Folder listed(folder.path().string());
  WorkPool pool(1, 8);
  Sessions sessions(listed, pool, size_t{1} << 30);
  ReadLimits limits;
  limits.file_bytes = 100;
  TraceReader reader(listed, sessions, {}, limits);
  EXPECT_EQ(reader.List().at(0).state, CardState::kUnread);
  reader.Want({reader.List().at(0).window});
  while (reader.List().at(0).state != CardState::kRead)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(reader.List().at(0).card.events, 30u);
  EXPECT_EQ(reader.reads(), 1u);
}

TEST(JobsTest, ADigestIsWhatItWas) {
  const TestFolder folder;
  folder.Write("a.json", RankTrace(3, 4, 15000));
  const std::string path = (folder.path() / "a.json").string();
  const auto trace = ImportFile(path);
  ASSERT_TRUE(trace);
  const TraceDigest digest = DigestTrace(**trace, path, "a.json", "kineto");
  const std::string bytes = EncodeDigest(digest);
  EXPECT_EQ(bytes.find(folder.path().string()), std::string::npos);
  const auto read = DecodeDigest(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->card.ranks, (std::vector<int64_t>{3}));
  EXPECT_EQ(read->card.headline, digest.card.headline);
  EXPECT_EQ(read->card.step_ns, digest.card.step_ns);
  EXPECT_EQ(EncodeDigest(*read), bytes);
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 16)
    EXPECT_FALSE(DecodeDigest(std::string_view(bytes).substr(0, size))) << size;
}

TEST(JobsTest, TheHeadOfADigestIsReadWithoutItsBody) {
  const TestFolder folder;
  folder.Write("a.json", RankTrace(3, 4, 15000));
  const std::string path = (folder.path() / "a.json").string();
  const auto trace = ImportFile(path);
  ASSERT_TRUE(trace);
  std::string bytes =
      EncodeDigest(DigestTrace(**trace, path, "a.json", "kineto"));
  const auto whole = DecodeDigest(bytes);
  const auto head = DecodeDigestHead(bytes);
  ASSERT_TRUE(whole && head);
  EXPECT_EQ(head->card.headline, whole->card.headline);
  const FileFacts& facts = head->partial.head.facts;
  EXPECT_EQ(facts.end_ns, whole->partial.head.facts.end_ns);
  EXPECT_FALSE(facts.rhythm.beats.empty());
  EXPECT_TRUE(head->partial.body.steps.empty());
  // A damaged body is none, though nobody looks at it yet.
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 16)
    EXPECT_FALSE(DecodeDigestHead(std::string_view(bytes).substr(0, size)));
  bytes.back() ^= 1;
  EXPECT_FALSE(DecodeDigestHead(bytes));
}

// Of two containers, which number processes alike: what a digest has says
// nothing about names of files, which tell them apart.
TEST(JobsTest, FilesAreToldApartByTheirNames) {
  const TestFolder folder;
  std::string text = RankTrace(0, 1, 0);
  folder.Write("alpha.json", text);
  const std::string time = "1790857026";
  text.replace(text.find(time), time.size(), "1790957026");
  folder.Write("beta.json", text);
  Folder listed(folder.path().string());
  WorkPool pool(1, 8);
  Sessions sessions(listed, pool, size_t{1} << 30);
  TraceReader reader(listed, sessions, {});
  const auto done = [&] {
    const std::vector<ListedTrace> list = reader.List();
    return std::all_of(list.begin(), list.end(), [](const ListedTrace& one) {
      return one.state == CardState::kRead;
    });
  };
  while (!done()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  JobTables jobs(reader);
  EXPECT_EQ(jobs.Jobs(reader.List()).size(), 2u);
}

TEST(JobsTest, ManyTracesAreKeptThoughEachIsReadQuickly) {
  constexpr auto kOne = std::chrono::milliseconds(8);
  EXPECT_FALSE(IsWorthKeeping(kOne, 1));
  EXPECT_TRUE(IsWorthKeeping(kOne, 512));
  EXPECT_TRUE(IsWorthKeeping(3 * kOne, 1));
  EXPECT_FALSE(IsWorthKeeping(kOne, 0));
}

}  // namespace
}  // namespace stepscope::server
