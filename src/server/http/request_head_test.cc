// SPDX-License-Identifier: Apache-2.0
#include "server/http/request_head.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::server {
namespace {

using State = HeadCheck::State;

constexpr std::string_view kGood =
    "GET /api/v1/runs?x=1 HTTP/1.1\r\nHost: a\r\nX-Y: z\r\n\r\n";

TEST(RequestHeadTest, FindsTheEndOfAWholeHead) {
  const HeadCheck check = CheckHead(std::string(kGood) + "GET /next");
  EXPECT_EQ(check.state, State::kComplete);
  EXPECT_EQ(check.size, kGood.size());
}

TEST(RequestHeadTest, EveryBeginningIsIncomplete) {
  for (size_t size = 0; size < kGood.size(); ++size)
    EXPECT_EQ(CheckHead(kGood.substr(0, size)).state, State::kIncomplete)
        << size;
}

TEST(RequestHeadTest, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  const std::string begin = "GET / HTTP/1.1\r\nHost: a\r\n";
  const std::string bad[] = {
      "GET / HTTP/1.1\nHost: a\n\n",  // bare LF
      "\r\nGET / HTTP/1.1\r\n\r\n",   // an empty first line
      "GET  HTTP/1.1\r\n\r\n",        // no target
      "GET / HTTP/2.0\r\n\r\n",
      "GET http://evil/ HTTP/1.1\r\n\r\n",  // absolute form
      "GET ../etc HTTP/1.1\r\n\r\n",        // no leading slash
      "G(T / HTTP/1.1\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "GET /a b HTTP/1.1\r\n\r\n",
      std::string("GET /\0 HTTP/1.1\r\n\r\n", 20),
      begin + "Host: b\r\n\r\n",
      begin + " folded\r\n\r\n",
      begin + "No colon\r\n\r\n",
      begin + "Space : x\r\n\r\n",
      begin + "A: b\rc\r\n\r\n",
      begin + std::string("A: b\0c\r\n\r\n", 10),
      begin + "Content-Length: 5, 5\r\n\r\nhello",
      begin + "Content-Length: 0x5\r\n\r\nhello",
      begin + "Content-Length: -5\r\n\r\nhello",
      begin + "Content-Length: 5 \t5\r\n\r\nhello",
      begin + "Content-Length:\r\n\r\nhello",
      begin + "Content-Length: 18446744073709551621\r\n\r\nhello",
      begin + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
      begin + "Content-Length: +0\r\n\r\n",
      begin + "Transfer-Encoding: chunked\r\n\r\n",
      begin + "transfer-ENCODING: identity\r\n\r\n",
      begin + "Range: bytes=0-1\r\n\r\n",
      begin + "Expect: 100-continue\r\n\r\n",
      begin + "Stepscope-Token: a\r\nStepscope-Token: b\r\n\r\n",
      // The parser decodes values.
      "GET / HTTP/1.1\r\nHost: %6cocalhost\r\n\r\n",
      begin + "Origin: http://%61\r\n\r\n",
      begin + "Sec-Fetch-Site: same%2dorigin\r\n\r\n",
      begin + "Stepscope-Token: %61\r\n\r\n",
  };
  for (const std::string& head : bad) {
    const HeadCheck check = CheckHead(head);
    EXPECT_EQ(check.state, State::kRefused) << head;
    EXPECT_GE(check.status, 400);
    EXPECT_FALSE(check.why.empty());
  }
  EXPECT_EQ(CheckHead(begin + "Content-Length: 0\r\n\r\n").state,
            State::kComplete);
}

TEST(RequestHeadTest, SaysHowLongTheBodyIs) {
  const std::string head = "POST /a HTTP/1.1\r\nContent-Length: 05\r\n\r\n";
  const HeadCheck check = CheckHead(head + "hello");
  EXPECT_EQ(check.state, State::kComplete);
  EXPECT_EQ(check.size, head.size());
  EXPECT_EQ(check.body, 5u);
  EXPECT_EQ(CheckHead(kGood).body, 0u);
}

TEST(RequestHeadTest, FindsAHeaderByItsWholeName) {
  EXPECT_EQ(HeaderIn(kGood, "x-y"), "z");
  EXPECT_EQ(HeaderIn(kGood, "HOST"), "a");
  EXPECT_EQ(HeaderIn(kGood, "y"), "");
  EXPECT_EQ(HeaderIn(kGood, "GET /api/v1/runs?x=1 HTTP/1.1"), "");
}

TEST(RequestHeadTest, RefusesLongHeadsBeforeTheyAreWhole) {
  EXPECT_EQ(CheckHead("GET /" + std::string(kMaxHeadBytes, 'a')).status, 431);
  std::string many = "GET / HTTP/1.1\r\n";
  for (size_t i = 0; i <= kMaxHeaders; ++i) many += "A: b\r\n";
  EXPECT_EQ(CheckHead(many + "\r\n").status, 431);
}

}  // namespace
}  // namespace stepscope::server
