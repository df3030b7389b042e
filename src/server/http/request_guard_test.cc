// SPDX-License-Identifier: Apache-2.0
#include "server/http/request_guard.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace stepscope::server {
namespace {

Request Asking(const std::string& host, const std::string& token) {
  Request request;
  request.set_header("Host", host);
  if (!token.empty()) request.set_header("Authorization", "Bearer " + token);
  return request;
}

TEST(RequestGuardTest, TokensAreLongAndNeverTheSame) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) {
    tokens.insert(MakeToken());
    EXPECT_EQ(tokens.begin()->size(), 64u);
  }
  EXPECT_EQ(tokens.size(), 100u);
  EXPECT_TRUE(SameToken("abc", "abc"));
  EXPECT_FALSE(SameToken("abd", "abc"));
  EXPECT_FALSE(SameToken("ab", "abc"));
  EXPECT_FALSE(SameToken("", ""));
}

TEST(RequestGuardTest, OnlyThisMachineIsAHost) {
  const RequestGuard guard("127.0.0.1", "secret");
  // Any port: it may be the other end of ssh -L.
  for (const char* host : {"127.0.0.1", "127.0.0.1:8080", "localhost:9000",
                           "LocalHost", "[::1]:8080", "[::1]"})
    EXPECT_EQ(guard.CheckApi(Asking(host, "secret")).status, 0) << host;
  for (const char* host : {"",
                           "evil.example",
                           "127.0.0.1.evil.example",
                           "localhost.",
                           "localhost.evil.example",
                           "evil.localhost",
                           "2130706433",
                           "0x7f000001",
                           "0177.0.0.1",
                           "127.1",
                           "0.0.0.0",
                           "0",
                           "[::]",
                           "::1",
                           "[::1",
                           "[::1]x",
                           "localhost:",
                           "localhost:x",
                           "localhost:99999999",
                           "localhost:80:80",
                           "127.0.0.1@evil",
                           "127.0.0.1,evil",
                           " ",
                           "127.0.0.2",
                           "10.0.0.1",
                           "[::ffff:127.0.0.1]",
                           "[localhost]"})
    EXPECT_EQ(guard.CheckApi(Asking(host, "secret")).status, 403) << host;
}

TEST(RequestGuardTest, ServedToOthersAnyAddressIsAHostButNoOtherName) {
  const RequestGuard guard("0.0.0.0", "secret");
  for (const char* host :
       {"192.168.1.7:8080", "10.0.0.1", "[fe80::1]:80", "localhost"})
    EXPECT_EQ(guard.CheckApi(Asking(host, "secret")).status, 0) << host;
  for (const char* host : {"evil.example", "192.168.1.7.evil.example"})
    EXPECT_EQ(guard.CheckApi(Asking(host, "secret")).status, 403) << host;
}

TEST(RequestGuardTest, WithoutTheTokenNothingIsSaid) {
  const RequestGuard guard("127.0.0.1", "secret");
  EXPECT_EQ(guard.CheckApi(Asking("localhost", "")).status, 401);
  EXPECT_EQ(guard.CheckApi(Asking("localhost", "secre")).status, 401);
  EXPECT_EQ(guard.CheckApi(Asking("localhost", "secrets")).status, 401);
  EXPECT_EQ(guard.CheckShell(Asking("localhost", "")).status, 0);
  Request basic = Asking("localhost", "");
  basic.set_header("Authorization", "Basic secret");
  EXPECT_EQ(guard.CheckApi(basic).status, 401);
}

TEST(RequestGuardTest, OtherPagesAreRefusedEvenWithTheToken) {
  const RequestGuard guard("127.0.0.1", "secret");
  for (const char* site : {"cross-site", "same-site", "none", "x"}) {
    Request request = Asking("localhost:80", "secret");
    request.set_header("Sec-Fetch-Site", site);
    EXPECT_EQ(guard.CheckApi(request).status, 403) << site;
  }
  Request own = Asking("localhost:80", "secret");
  own.set_header("Sec-Fetch-Site", "same-origin");
  own.set_header("Origin", "http://localhost:80");
  EXPECT_EQ(guard.CheckApi(own).status, 0);
  for (const char* origin : {"http://evil.example", "null", "",
                             "http://localhost:81", "http://localhost"}) {
    Request request = Asking("localhost:80", "secret");
    request.set_header("Origin", origin);
    EXPECT_EQ(guard.CheckApi(request).status, 403) << origin;
  }
}

TEST(RequestGuardTest, ALinkMayLeadToThePageButNotIntoAFrame) {
  const RequestGuard guard("127.0.0.1", "secret");
  Request link = Asking("localhost", "");
  link.set_header("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(guard.CheckShell(link).status, 403);
  link.set_header("Sec-Fetch-Mode", "navigate");
  link.set_header("Sec-Fetch-Dest", "document");
  EXPECT_EQ(guard.CheckShell(link).status, 0);
  Request frame = Asking("localhost", "");
  frame.set_header("Sec-Fetch-Site", "cross-site");
  frame.set_header("Sec-Fetch-Mode", "navigate");
  frame.set_header("Sec-Fetch-Dest", "iframe");
  EXPECT_EQ(guard.CheckShell(frame).status, 403);
}

}  // namespace
}  // namespace stepscope::server
