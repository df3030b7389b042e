// SPDX-License-Identifier: Apache-2.0
//
// SQL over HTTP: what it answers, and that time, rows and files are bounded.
#include "server/sql/sql_answers.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "query/dataset_import.h"
#include "query/duckdb_library.h"
#include "server/server_test_support.h"
#include "trace/trace_from_text_test_support.h"

#if defined(__SANITIZE_THREAD__)
// DuckDB's library is not compiled for it: what its own threads hand to each
// other looks like a race. So do its thread_local variables, which the loader
// (ld.so) frees where the stack of a thread that has ended is given back.
extern "C" __attribute__((visibility("default"))) const char*
__tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:libduckdb.so\nrace:ld-linux\n";
}
#endif

namespace stepscope::server {
namespace {

class SqlTest : public testing::Test {
 protected:
  SqlTest() {
    folder_.Write("a.json", ChromeTrace(300));
    server_.emplace(folder_.path());
  }
  void SetUp() override {
    if (const auto library = duckdb::LoadLibrary(); !library)
      GTEST_SKIP() << library.error().message;
    id_ = TextOf(server_->Api("runs"), "t");
    ASSERT_EQ(Open(*server_, id_), "ready");
  }
  std::string Ask(const std::string& sql, const std::string& more = "") const {
    std::string packed;
    for (const char c : sql) packed += Escaped(c);
    return server_->Api("sql?t=" + id_ + more + "&q=" + packed);
  }
  static std::string Escaped(char c) {
    char text[4];
    std::snprintf(text, sizeof text, "%%%02x", static_cast<unsigned char>(c));
    return text;
  }
  const TestFolder folder_;
  std::optional<TestServer> server_;
  std::string id_;
};

// Never ends by itself.
constexpr char kEndless[] =
    "SELECT count(*) FROM range(10000000000) a, range(10000000000) b "
    "WHERE a.range + b.range = -1";

TEST_F(SqlTest, AnswersRowsUnderTypedColumns) {
  EXPECT_EQ(BodyOf(Ask("SELECT name, count(*) AS calls, sum(dur_ns) AS ns "
                       "FROM events GROUP BY name")),
            R"({"columns":[{"name":"name","type":"text"},)"
            R"({"name":"calls","type":"count"},{"name":"ns","type":"count"}],)"
            R"("rows":[["work",300,1500000]],"more":false})");
  // What a page cannot hold stays as it is.
  EXPECT_NE(BodyOf(Ask("SELECT 9007199254740993, 9007199254740992"))
                .find(R"([["9007199254740993",9007199254740992]])"),
            std::string::npos);
}

TEST_F(SqlTest, RowsAreBoundedAndThatIsSaid) {
  const std::string body = BodyOf(Ask("SELECT range FROM range(20000)"));
  EXPECT_TRUE(body.ends_with("[9999]],\"more\":true}"));
}

TEST_F(SqlTest, WhatReadsFilesOrChangesSomethingIsRefused) {
  for (const char* sql :
       {"SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM glob('/*')",
        "COPY events TO '/tmp/x'", "SET threads = 99", "DROP VIEW events", ""})
    EXPECT_EQ(StatusOf(Ask(sql)), 400) << sql;
}

TEST_F(SqlTest, WhoAskedCanStopIt) {
  std::string answer;
  std::thread asking([&] { answer = Ask(kEndless, "&id=mine"); });
  while (BodyOf(server_->Api("sql_stop?id=mine", "POST")) !=
         R"({"stopped":true})")
    std::this_thread::yield();
  asking.join();
  EXPECT_EQ(StatusOf(answer), 409);
  EXPECT_NE(answer.find("was stopped"), std::string::npos);
  // And the next one is answered.
  EXPECT_EQ(StatusOf(Ask("SELECT 1")), 200);
}

TEST_F(SqlTest, TheEndOfTheServerStopsIt) {
  std::string answer;
  std::thread asking;
  {
    TestServer server(folder_.path());
    const std::string t = TextOf(server.Api("runs"), "t");
    ASSERT_EQ(Open(server, t), "ready");
    std::string sql = kEndless;
    std::string packed;
    for (const char c : sql) packed += Escaped(c);
    const std::string head =
        server.Head("GET", "/api/v1/sql?id=x&t=" + t + "&q=" + packed);
    asking = std::thread([&answer, head, port = server.port()] {
      answer = server::Ask(port, head);
    });
  }
  asking.join();
  EXPECT_EQ(answer.find("\"rows\""), std::string::npos);
}

TEST_F(SqlTest, TheSchemaHasTablesAndNamedQueries) {
  const std::string body = BodyOf(server_->Api("sql_schema"));
  for (const char* part :
       {"\"available\":true", "\"name\":\"events\"",
        "\"name\":\"summary_operator\"", "\"name\":\"top_kernels\""})
    EXPECT_NE(body.find(part), std::string::npos) << part;
  EXPECT_EQ(body.find("${"), std::string::npos);
}

// A trace of one rank, as torch states it.
std::string TraceOfRank(int rank, int events) {
  const std::string text = ChromeTrace(events);
  return R"({"distributedInfo":{"backend":"nccl","rank":)" +
         std::to_string(rank) + R"(,"world_size":2},)" + text.substr(1);
}

constexpr char kByRank[] =
    "SELECT rank, count(*) FROM events GROUP BY rank ORDER BY rank";

TEST_F(SqlTest, AllRanksOfAJobAreAskedTogether) {
  const TestFolder ranks;
  ranks.Write("rank0.json", TraceOfRank(0, 3));
  ranks.Write("rank1.json", TraceOfRank(1, 5));
  server_.emplace(ranks.path());
  const std::string runs = server_->Api("runs");
  id_ = TextOf(runs.substr(runs.find("\"all\":")), "t");
  ASSERT_EQ(Open(*server_, id_), "ready");
  const std::string body = BodyOf(Ask(kByRank));
  EXPECT_NE(body.find(R"("rows":[[0,3],[1,5]])"), std::string::npos) << body;
}

TEST_F(SqlTest, ADatasetIsAskedWithoutATrace) {
  const TestFolder ranks;
  ranks.Write("traces/rank0.json", TraceOfRank(0, 3));
  const std::string dataset = (ranks.path() / "dataset").string();
  const auto add = [&] {
    return ImportIntoDataset({(ranks.path() / "traces").string()}, dataset, {});
  };
  ASSERT_EQ(add().read, 1u);
  server_.emplace(dataset);
  id_ = TextOf(server_->Api("runs"), "dataset");
  ASSERT_NE(id_, "");
  EXPECT_NE(Ask(kByRank).find(R"("rows":[[0,3]])"), std::string::npos);
  // What is added while it is asked counts.
  ranks.Write("traces/rank1.json", TraceOfRank(1, 5));
  ASSERT_EQ(add().read, 1u);
  EXPECT_NE(Ask(kByRank).find(R"("rows":[[0,3],[1,5]])"), std::string::npos);
  // No other file, and nothing is changed.
  for (const std::string& sql : std::vector<std::string>{
           "SELECT * FROM read_text('/etc/passwd')",
           "SELECT * FROM glob('" + ranks.path().string() + "/traces/*')",
           "COPY (SELECT 1) TO '" + dataset + "/x.csv'", "DROP VIEW events"})
    EXPECT_EQ(StatusOf(Ask(sql)), 400) << sql;
  // It has the tables of a dataset alone.
  const std::string schema = server_->Api("sql_schema?t=" + id_);
  EXPECT_NE(schema.find("\"name\":\"events\""), std::string::npos);
  EXPECT_EQ(schema.find("summary_"), std::string::npos);
}

TEST_F(SqlTest, ADatasetStaysOpenUntilAnotherPartCounts) {
  const TestFolder ranks;
  ranks.Write("traces/rank0.json", TraceOfRank(0, 3));
  const std::string traces = (ranks.path() / "traces").string();
  const std::string dataset = (ranks.path() / "dataset").string();
  ASSERT_EQ(ImportIntoDataset({traces}, dataset, {}).read, 1u);
  SqlAnswers answers;
  const SqlSubject subject{.dataset = dataset};
  const auto rows_of = [&](const std::string& sql) {
    const Result<std::string> rows = answers.Ask(subject, sql, "x");
    return rows ? *rows : rows.error().message;
  };
  EXPECT_NE(rows_of(kByRank).find("[[0,3]]"), std::string::npos);
  EXPECT_NE(rows_of("SELECT 1").find("[[1]]"), std::string::npos);
  EXPECT_EQ(answers.opened(), 1u);
  // The same file, with more in it.
  ranks.Write("traces/rank0.json", TraceOfRank(0, 4));
  ASSERT_EQ(ImportIntoDataset({traces}, dataset, {}).read, 1u);
  EXPECT_NE(rows_of(kByRank).find("[[0,4]]"), std::string::npos);
  EXPECT_EQ(answers.opened(), 2u);
  ranks.Write("traces/rank1.json", TraceOfRank(1, 5));
  ASSERT_EQ(ImportIntoDataset({traces}, dataset, {}).read, 1u);
  EXPECT_NE(rows_of(kByRank).find("[[0,4],[1,5]]"), std::string::npos);
  EXPECT_EQ(answers.opened(), 3u);
}

TEST_F(SqlTest, WhatNobodyAsksIsClosed) {
  SqlLimits limits;
  limits.idle = std::chrono::milliseconds(1);
  SqlAnswers answers(limits);
  const OpenTrace open(TraceFromText("0..10 work"));
  const long users = open.shared().use_count();
  for (uint64_t opened : {1, 2}) {
    ASSERT_TRUE(answers.Ask({&open}, "SELECT 1", ""));
    EXPECT_EQ(answers.opened(), opened);
    while (answers.is_open()) std::this_thread::yield();
  }
  EXPECT_EQ(open.shared().use_count(), users);
}

TEST_F(SqlTest, AnUnknownIdIsNoDataset) {
  id_ = "0123456789abcdef";
  EXPECT_EQ(StatusOf(Ask("SELECT 1")), 409);
  id_ = "";
  EXPECT_EQ(StatusOf(Ask("SELECT 1")), 409);
}

TEST_F(SqlTest, TimeIsBounded) {
  SqlLimits limits;
  limits.time = std::chrono::milliseconds(200);
  SqlAnswers answers(limits);
  const OpenTrace open(TraceFromText("0..10 work"));
  const auto rows = answers.Ask({&open}, kEndless, "x");
  ASSERT_FALSE(rows);
  EXPECT_NE(rows.error().message.find("more than"), std::string::npos);
  // The next is answered; on a machine that stalls, one after it.
  while (!answers.Ask({&open}, "SELECT 1", "y")) std::this_thread::yield();
  EXPECT_FALSE(answers.Stop("y"));
  EXPECT_FALSE(answers.Stop(""));
}

}  // namespace
}  // namespace stepscope::server
