// SPDX-License-Identifier: Apache-2.0
//
// The server as a client sees it: bytes on a socket.
#include "server/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "server/http/response_headers.h"
#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

void ExpectSafe(const std::string& answer) {
  for (const auto& [name, value] : SecurityHeaders())
    EXPECT_NE(answer.find(std::string(name) + ": " + std::string(value)),
              std::string::npos)
        << name << " in\n"
        << answer.substr(0, 600);
  EXPECT_EQ(answer.find("Access-Control"), std::string::npos);
  EXPECT_NE(answer.find("Cache-Control: "), std::string::npos) << answer;
}

TEST(ServerTest, EveryAnswerCarriesTheHeaders) {
  const TestFolder folder;
  folder.Write("a.json", ChromeTrace(3));
  const TestServer server(folder.path());
  const std::string requests[] = {
      server.Head("GET", "/"),
      server.Head("GET", "/api/v1/runs"),
      server.Head("GET", "/nothing"),
      server.Head("GET", "/api/v1/nothing"),
      server.Head("POST", "/"),
      server.Head("DELETE", "/api/v1/runs"),
      server.Head("POST", "/api/v1/runs"),
      server.Head("GET", "/api/v1/open?t=x"),
      server.Head("FOO", "/"),
      server.Head("GET", "/api/v1/trace?t=none"),
      server.Head("GET", "/api/v1/progress?t=none"),
      "GET /api/v1/runs HTTP/1.1\r\nHost: evil\r\n\r\n",
      "GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET / HTTP/1.1\r\n\r\n",
      "nonsense\r\n\r\n",
      "GET /" + std::string(20000, 'a'),
      server.Head("POST", "/api/v1/open?t=x", "Content-Length: 9\r\n") + "123",
      server.Head("GET", "/", "Range: bytes=0-1,2-3\r\n"),
  };
  for (const std::string& request : requests) {
    const std::string answer = Ask(server.port(), request);
    EXPECT_NE(StatusOf(answer), 0) << request.substr(0, 100);
    ExpectSafe(answer);
  }
}

TEST(ServerTest, SaysWhatIsWrong) {
  const TestFolder folder;
  const TestServer server(folder.path());
  const auto status = [&](const std::string& bytes) {
    return StatusOf(Ask(server.port(), bytes));
  };
  EXPECT_EQ(status("GET /api/v1/runs HTTP/1.1\r\nHost: evil\r\n\r\n"), 403);
  EXPECT_EQ(status("GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n"),
            401);
  EXPECT_EQ(status("GET /api/v1/runs HTTP/1.1\r\n\r\n"), 403);
  EXPECT_EQ(status(server.Head("GET", "/api/v1/runs",
                               "Sec-Fetch-Site: cross-site\r\n")),
            403);
  EXPECT_EQ(status(server.Head("DELETE", "/api/v1/runs")), 405);
  EXPECT_EQ(status(server.Head("GET", "/api/v1/open")), 405);
  EXPECT_EQ(status(server.Head("GET", "/api/v1/trace?t=x")), 409);
  EXPECT_EQ(status(server.Head("POST", "/api/v1/open?t=x")), 404);
  EXPECT_EQ(status("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/3\r\n\r\n"), 505);
}

TEST(ServerTest, AnswersOneAfterTheOtherOnOneConnection) {
  const TestFolder folder;
  const TestServer server(folder.path());
  const RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.Send(server.Head("GET", "/api/v1/runs")));
    EXPECT_EQ(StatusOf(client.ReadAnswer()), 200);
  }
  // Several at once, the last of them in pieces.
  const std::string head = server.Head("GET", "/api/v1/runs");
  ASSERT_TRUE(client.Send(head + head + head.substr(0, 20)));
  EXPECT_EQ(StatusOf(client.ReadAnswer()), 200);
  EXPECT_EQ(StatusOf(client.ReadAnswer()), 200);
  ASSERT_TRUE(client.Send(head.substr(20)));
  EXPECT_EQ(StatusOf(client.ReadAnswer()), 200);
  // What is behind a refused head is not looked at.
  ASSERT_TRUE(client.Send("bad\r\n\r\n" + head));
  const std::string rest = client.ReadAll();
  EXPECT_EQ(StatusOf(rest), 400);
  EXPECT_EQ(rest.find("HTTP/1.1 200"), std::string::npos);
}

TEST(ServerTest, AHeadMustBeWholeInTime) {
  const TestFolder folder;
  ServerOptions options;
  options.path = folder.path().string();
  options.limits.head = std::chrono::milliseconds(300);
  const TestServer server(options);
  const RawClient client(server.port());
  // A byte now and then does not move the deadline; the server ends it.
  std::atomic<bool> closed{false};
  std::thread dripping([&] {
    while (!closed && client.Send("A"))
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  EXPECT_EQ(client.ReadAll(), "");
  closed = true;
  dripping.join();
}

TEST(ServerTest, MoreConnectionsThanItKeepsPushTheOldestOut) {
  const TestFolder folder;
  ServerOptions options;
  options.path = folder.path().string();
  options.limits.connections = 8;
  const TestServer server(options);
  const RawClient oldest(server.port());
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 8; ++i)
    idle.push_back(std::make_unique<RawClient>(server.port()));
  EXPECT_EQ(oldest.ReadAll(), "");
  EXPECT_EQ(StatusOf(server.Api("runs")), 200);
}

TEST(ServerTest, ManyAskAtOnce) {
  const TestFolder folder;
  folder.Write("a.json", ChromeTrace(2000));
  const TestServer server(folder.path());
  const std::string id = TextOf(server.Api("runs"), "t");
  ASSERT_EQ(Open(server, id), "ready");
  std::atomic<int> good{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < 8; ++c) {
    clients.emplace_back([&, c] {
      const RawClient client(server.port());
      for (int i = 0; i < 20; ++i) {
        const std::string what = i % 2 == 0
                                     ? "tiles?k=" + std::to_string(c + 2) +
                                           "&i0=0&i1=3&tracks=0&t=" + id
                                     : "summary?t=" + id;
        client.Send(server.Head("GET", "/api/v1/" + what));
        good += StatusOf(client.ReadAnswer()) == 200;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 160);
}

TEST(ServerTest, TakesTheNextPortIfOneIsTaken) {
  const TestFolder folder;
  const TestServer first(folder.path());
  ServerOptions options;
  options.path = folder.path().string();
  options.port = first.port();
  auto second = Server::Start(options);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_NE((*second)->port(), first.port());
  EXPECT_NE((*second)->token(), first.token());
}

}  // namespace
}  // namespace stepscope::server
