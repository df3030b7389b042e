// SPDX-License-Identifier: Apache-2.0
//
// A thousand clients that say little, read nothing or wait, all held at once:
// whoever asks honestly is answered as if they were not there. What decides is
// the order of answers, never the time they take.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <vector>

#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

constexpr size_t kSlow = 1000;

// Both ends of a connection are descriptors of this process.
bool AllowFiles(rlim_t wanted) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  if (limit.rlim_cur >= wanted) return true;
  limit.rlim_cur = limit.rlim_max;
  return limit.rlim_max >= wanted && setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

// Nothing is given up for being late: the slow ones stay as long as asked.
ServerOptions Patient(const std::filesystem::path& path) {
  ServerOptions options;
  options.path = path.string();
  options.limits.head = std::chrono::hours(1);
  options.limits.answer = std::chrono::hours(1);
  return options;
}

std::string GenerationOf(const TestServer& server) {
  const std::string runs = server.Api("runs");
  const std::string key = "\"generation\":";
  const size_t at = runs.find(key) + key.size();
  return runs.substr(at, runs.find_first_not_of("0123456789", at) - at);
}

class SlowClientsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!AllowFiles(2 * kSlow + 500))
      GTEST_SKIP() << "this process may open too few files for " << kSlow
                   << " clients; raise the hard limit of ulimit -n";
    folder_.Write("a.json", ChromeTrace(100));
    server_ = std::make_unique<TestServer>(Patient(folder_.path()));
    id_ = TextOf(server_->Api("runs"), "t");
    ASSERT_EQ(Open(*server_, id_), "ready");
  }

  RawClient& Connect() {
    slow_.push_back(std::make_unique<RawClient>(server_->port()));
    EXPECT_TRUE(slow_.back()->connected());
    return *slow_.back();
  }

  // Every kind of request of a page, on fresh and on kept connections.
  void ExpectHonestAnswers() {
    const std::vector<std::string> targets = {
        "/",
        "/api/v1/runs",
        "/api/v1/trace?t=" + id_,
        "/api/v1/summary?t=" + id_,
        "/api/v1/event?row=7&t=" + id_,
        "/api/v1/tiles?k=3&i0=0&i1=3&tracks=0&t=" + id_};
    const RawClient kept(server_->port());
    for (int round = 0; round < 10; ++round) {
      for (const std::string& target : targets) {
        const std::string head = server_->Head("GET", target);
        // Without the viewer's page built in, "/" is not found.
        const auto good = [&](int status) {
          return status == 200 || (target == "/" && status == 404);
        };
        EXPECT_TRUE(good(StatusOf(Ask(server_->port(), head)))) << target;
        ASSERT_TRUE(kept.Send(head));
        EXPECT_TRUE(good(StatusOf(kept.ReadAnswer()))) << target;
      }
    }
  }

  const TestFolder folder_;
  std::unique_ptr<TestServer> server_;
  std::string id_;
  std::vector<std::unique_ptr<RawClient>> slow_;
};

TEST_F(SlowClientsTest, AThousandHoldNobodyUp) {
  std::string unread;
  for (int i = 0; i < 20; ++i)
    unread += server_->Head("GET", "/api/v1/summary?t=" + id_);
  const std::array<std::string, 4> kinds = {
      "",                                             // says nothing
      "GET / HTTP/1.1\r\nHost: loc",                  // never whole
      unread,                                         // never reads
      server_->Head("POST", "/api/v1/open?t=" + id_,  // a body that is
                    "Content-Length: 1000\r\n") +
          "12",  // never sent
  };
  for (size_t i = 0; i < kSlow; ++i) Connect().Send(kinds[i % kinds.size()]);
  ExpectHonestAnswers();
  // Those that said nothing or not enough are still there.
  for (size_t i = 0; i < kSlow; ++i) {
    if (i % kinds.size() > 1) continue;
    EXPECT_TRUE(slow_[i]->WaitsForMore()) << i;
  }
  // So is one whose head now becomes whole.
  ASSERT_TRUE(slow_[1]->Send("alhost\r\n\r\n"));
  EXPECT_NE(StatusOf(slow_[1]->ReadAnswer()), 0);
}

// A request that waits for news holds a thread, but none that others need.
TEST_F(SlowClientsTest, AThousandThatWaitForNewsHoldNobodyUp) {
  const std::string head = server_->Head(
      "GET", "/api/v1/changes?generation=" + GenerationOf(*server_));
  for (size_t i = 0; i < kSlow; ++i) Connect().Send(head);
  ExpectHonestAnswers();
  // They were answered before the first of those that wait was.
  for (const auto& client : slow_) ASSERT_TRUE(client->WaitsForMore());
}

TEST_F(SlowClientsTest, ThoseThatGoAreForgotten) {
  const std::string head = server_->Head("GET", "/api/v1/summary?t=" + id_);
  for (int round = 0; round < 5; ++round) {
    for (size_t i = 0; i < 200; ++i) Connect().Send(head.substr(0, 20 * i));
    slow_.clear();
  }
  ExpectHonestAnswers();
}

}  // namespace
}  // namespace stepscope::server
