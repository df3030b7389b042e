// SPDX-License-Identifier: Apache-2.0
//
// Bytes that are no HTTP, too much of it, or almost it: each gets an answer
// with all headers or a closed connection, and the next client never notices.
#include <gtest/gtest.h>

#include <random>

#include "server/http/request_head.h"
#include "server/http/response_headers.h"
#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

// All answers that came on a connection must be whole and say what browsers
// may do with them.
void ExpectOnlySafeAnswers(const std::string& bytes, const std::string& sent) {
  if (bytes.empty()) return;
  ASSERT_TRUE(bytes.starts_with("HTTP/1.1 ")) << sent << "\n" << bytes;
  for (const auto& [name, value] : SecurityHeaders())
    ASSERT_NE(bytes.find(std::string(name) + ": " + std::string(value)),
              std::string::npos)
        << sent << "\n"
        << bytes.substr(0, 500);
}

class MalformedTest : public testing::Test {
 protected:
  MalformedTest() { folder_.Write("a.json", ChromeTrace(3)); }
  void ExpectAlive() const { ASSERT_EQ(StatusOf(server_.Api("runs")), 200); }
  const TestFolder folder_;
  const TestServer server_{folder_.path()};
};

TEST_F(MalformedTest, ThousandsOfHeadsThatAreAlmostRight) {
  const std::string good =
      server_.Head("GET", "/api/v1/runs?a=b", "Accept: */*\r\nX-Y: z\r\n");
  const std::string pieces[] = {"\r",
                                "\n",
                                "\r\n",
                                "\r\n\r\n",
                                ":",
                                " ",
                                "\t",
                                "\0",
                                "%",
                                "%00",
                                "\x7f",
                                "\xff",
                                "Host: evil\r\n",
                                "Content-Length: 99999999999999999999\r\n",
                                "Content-Length: -1\r\n",
                                "Transfer-Encoding: chunked\r\n",
                                "Transfer-Encoding: xchunked\r\n",
                                "Expect: 100-continue\r\n",
                                "Range: bytes=0-,0-,0-\r\n",
                                "Connection: upgrade\r\nUpgrade: h2c\r\n",
                                "Connection: Upgrade\r\nUpgrade: websocket\r\n",
                                " HTTP/1.0",
                                "HTTP/9.9",
                                "5\r\nhello\r\n0\r\n\r\n",
                                "\x16\x03\x01\x02",
                                "PRI * HTTP/2.0\r\n"};
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return random() % n; };
  for (int i = 0; i < 3000; ++i) {
    std::string head = good;
    for (size_t changes = 1 + below(4); changes > 0; --changes) {
      const size_t at = below(head.size() + 1);
      switch (below(4)) {
        case 0:
          head.insert(at, pieces[below(std::size(pieces))]);
          break;
        case 1:
          head.erase(at, below(20));
          break;
        case 2:
          if (at < head.size()) head[at] = static_cast<char>(below(256));
          break;
        case 3:
          head.insert(at, head.substr(below(head.size() + 1), below(60)));
          break;
      }
      if (head.empty()) head = " ";
    }
    // In two pieces, wherever that is.
    const RawClient client(server_.port());
    const size_t cut = below(head.size() + 1);
    client.Send(std::string_view(head).substr(0, cut));
    client.Send(std::string_view(head).substr(cut));
    client.EndSending();
    ExpectOnlySafeAnswers(client.ReadAll(), head);
  }
  ExpectAlive();
}

TEST_F(MalformedTest, OtherProtocolsAreRefused) {
  const std::string others[] = {
      std::string("\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", 11),  // TLS
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "SSH-2.0-OpenSSH_9.2\r\n",
      "*1\r\n$4\r\nPING\r\n",
      "EHLO localhost\r\n",
      "USER anonymous\r\n",
      std::string(64, '\0'),
      std::string(64, '\n'),
      "HTTP/1.1 200 OK\r\n\r\n"};
  for (const std::string& bytes : others) {
    const std::string answer = Ask(server_.port(), bytes + "\r\n\r\n");
    ExpectOnlySafeAnswers(answer, bytes);
    EXPECT_NE(StatusOf(answer), 200) << bytes;
  }
  ExpectAlive();
}

TEST_F(MalformedTest, EndlessHeadsAreCutOff) {
  const std::string begins[] = {"", "GET /",
                                "GET / HTTP/1.1\r\nX: ", "GET / HTTP/1.1\r\nX"};
  for (const std::string& begin : begins) {
    const RawClient client(server_.port());
    client.Send(begin);
    // Far more than any socket holds: the server must end it.
    const std::string much(1 << 20, 'a');
    bool open = true;
    for (int i = 0; open && i < 256; ++i) open = client.Send(much);
    EXPECT_FALSE(open) << begin;
  }
  // So many headers, and lines without an end to them.
  const RawClient client(server_.port());
  client.Send("GET / HTTP/1.1\r\n");
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "A: b\r\n";
  bool open = true;
  for (int i = 0; open && i < 256; ++i) open = client.Send(many);
  EXPECT_FALSE(open);
  ExpectAlive();
}

TEST_F(MalformedTest, ABodyIsNeverRead) {
  const RawClient client(server_.port());
  client.Send(server_.Head("POST", "/api/v1/open?t=x",
                           "Content-Length: 1000000000\r\n"));
  const std::string much(1 << 20, 'a');
  bool open = true;
  for (int i = 0; open && i < 1000; ++i) open = client.Send(much);
  EXPECT_FALSE(open);
  ExpectAlive();
}

TEST_F(MalformedTest, ManyRangesAreRefused) {
  std::string ranges = "Range: bytes=0-0";
  while (ranges.size() < kMaxHeadBytes / 2) ranges += ",0-";
  EXPECT_GE(
      StatusOf(Ask(server_.port(), server_.Head("GET", "/", ranges + "\r\n"))),
      400);
}

TEST_F(MalformedTest, TenThousandRequestsAtOnceAreAnsweredInTurn) {
  constexpr int kRequests = 10'000;
  const RawClient client(server_.port());
  const std::string head = server_.Head("GET", "/api/v1/nothing");
  std::thread sending([&] {
    for (int i = 0; i < kRequests; ++i)
      if (!client.Send(head)) return;
  });
  int answered = 0;
  while (answered < kRequests && StatusOf(client.ReadAnswer()) == 404)
    ++answered;
  sending.join();
  EXPECT_EQ(answered, kRequests);
}

}  // namespace
}  // namespace stepscope::server
