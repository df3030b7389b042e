// SPDX-License-Identifier: Apache-2.0
//
// The viewer in other pages' frames and behind a proxy: what is allowed when
// the user asked for it, and nothing more.
#include <gtest/gtest.h>

#include "server/http/frame_ancestors.h"
#include "server/http/request_guard.h"
#include "server/http/response_headers.h"
#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

std::string SourcesOf(const std::vector<std::string>& origins) {
  const auto parsed = FrameAncestors::Parse(origins);
  return parsed ? parsed->sources() : "refused";
}

TEST(FrameAncestorsTest, AreExactOrigins) {
  EXPECT_EQ(SourcesOf({}), "'none'");
  EXPECT_EQ(SourcesOf({"http://localhost:8888"}), "http://localhost:8888");
  EXPECT_EQ(SourcesOf({"HTTPS://Hub.Example.COM", "self"}),
            "https://hub.example.com 'self'");
  EXPECT_EQ(SourcesOf({"http://127.0.0.1"}), "http://127.0.0.1");
  EXPECT_FALSE(FrameAncestors::Parse({"self"})->others());
  EXPECT_TRUE(FrameAncestors::Parse({"self", "http://a"})->others());
}

TEST(FrameAncestorsTest, AreNeverPatternsAndNeverLeaveTheDirective) {
  for (const char* origin : {"*",
                             "",
                             "http://*",
                             "http://*.example.com",
                             "http://localhost:*",
                             "http:",
                             "https:",
                             "http://",
                             "localhost:8888",
                             "'self'",
                             "'none'",
                             "null",
                             "file://",
                             "data:",
                             "javascript://x",
                             "ws://localhost",
                             "vscode-webview://x",
                             "http://localhost:8888/",
                             "http://localhost:8888/lab",
                             "http://localhost:8888?x",
                             "http://localhost:8888#x",
                             "http://me@localhost",
                             "http://localhost:99999",
                             "http://localhost:",
                             "http://localhost:80x",
                             "http://::1",
                             "http://[::1]:8888",  // a policy cannot name it
                             "http://[::1",
                             "http://[localhost]:1",
                             "http://a b",
                             "http://a http://b",
                             "http://a;script-src *",
                             "http://a,http://b",
                             "http://a\r\nX: y",
                             "http://a\tb",
                             "http://.a",
                             "http://-a",
                             "http://\xc3\xa4"})
    EXPECT_EQ(SourcesOf({origin}), "refused") << origin;
  EXPECT_EQ(SourcesOf({std::string("http://::1\0", 11)}), "refused");
  EXPECT_EQ(SourcesOf({std::string("http://[::1\0]", 13)}), "refused");
  EXPECT_EQ(SourcesOf(std::vector<std::string>(17, "http://a")), "refused");
}

Request Navigation(const std::string& site, const std::string& into,
                   const std::string& path = "/") {
  Request request;
  request.path = path;
  request.set_header("Host", "127.0.0.1:4000");
  request.set_header("Sec-Fetch-Site", site);
  request.set_header("Sec-Fetch-Mode", "navigate");
  request.set_header("Sec-Fetch-Dest", into);
  return request;
}

TEST(FrameGuardTest, OnlyThePageComesIntoAFrameAndOnlyWhenAskedFor) {
  const RequestGuard usual("127.0.0.1", "secret");
  const RequestGuard framed("127.0.0.1", "secret", {.frames = true});
  for (const char* site : {"cross-site", "same-site"}) {
    for (const char* path : {"/", "/index.html"}) {
      const Request frame = Navigation(site, "iframe", path);
      EXPECT_EQ(usual.CheckShell(frame).status, 403) << site << path;
      EXPECT_EQ(framed.CheckShell(frame).status, 0) << site << path;
      for (const char* into : {"frame", "embed", "object", "script", "image"})
        EXPECT_EQ(framed.CheckShell(Navigation(site, into, path)).status, 403)
            << into;
    }
    for (const char* path : {"/assets/index.js", "/index.html/", "//", ""})
      EXPECT_EQ(framed.CheckShell(Navigation(site, "iframe", path)).status, 403)
          << path;
  }
  Request no_navigation = Navigation("cross-site", "iframe");
  no_navigation.headers.erase("Sec-Fetch-Mode");
  no_navigation.set_header("Sec-Fetch-Mode", "no-cors");
  EXPECT_EQ(framed.CheckShell(no_navigation).status, 403);
  // Requests stay the page's own.
  Request request = Navigation("cross-site", "iframe", "/api/v1/runs");
  request.set_header("Authorization", "Bearer secret");
  EXPECT_EQ(framed.CheckApi(request).status, 403);
}

TEST(FrameGuardTest, AProxyMayHaveItsOwnNameIfTheUserSaysIt) {
  const RequestGuard usual("127.0.0.1", "secret");
  const RequestGuard behind("127.0.0.1", "secret",
                            {.hosts = {"Hub.example.com"}});
  const auto ask = [](const RequestGuard& guard, const std::string& host,
                      const std::string& origin) {
    Request request;
    request.set_header("Host", host);
    request.set_header("Authorization", "Bearer secret");
    if (!origin.empty()) request.set_header("Origin", origin);
    return guard.CheckApi(request).status;
  };
  EXPECT_EQ(ask(usual, "hub.example.com", ""), 403);
  EXPECT_EQ(ask(behind, "hub.example.com", ""), 0);
  EXPECT_EQ(ask(behind, "HUB.example.com:8443", ""), 0);
  EXPECT_EQ(ask(behind, "hub.example.com", "https://hub.example.com"), 0);
  // Some put the address of the server into Host.
  EXPECT_EQ(ask(behind, "127.0.0.1:4000", "https://hub.example.com"), 0);
  EXPECT_EQ(ask(usual, "127.0.0.1:4000", "https://hub.example.com"), 403);
  for (const char* other :
       {"https://evil.example.com", "https://hub.example.com.evil", "null",
        "https://", "hub.example.com", "https://hub.example.com@evil"})
    EXPECT_EQ(ask(behind, "127.0.0.1:4000", other), 403) << other;
  EXPECT_EQ(ask(behind, "x.hub.example.com", ""), 403);
  EXPECT_EQ(ask(behind, "hub.example.com.evil", ""), 403);
}

TEST(FrameGuardTest, AProxyMayWantAuthorizationForItself) {
  const RequestGuard guard("127.0.0.1", "secret");
  const auto ask = [&](const std::string& token, const std::string& other) {
    Request request;
    request.set_header("Host", "localhost");
    request.set_header("Stepscope-Token", token);
    if (!other.empty()) request.set_header("Authorization", other);
    return guard.CheckApi(request).status;
  };
  EXPECT_EQ(ask("secret", ""), 0);
  EXPECT_EQ(ask("secret", "Basic eDp5"), 0);
  EXPECT_EQ(ask("secre", ""), 401);
  EXPECT_EQ(ask("", ""), 401);
  EXPECT_EQ(ask("Bearer secret", ""), 401);
  // One that is wrong is not made good by the other.
  EXPECT_EQ(ask("wrong", "Bearer secret"), 401);
}

// The directive of an answer.
std::string FramersIn(const std::string& answer) {
  const std::string name = "frame-ancestors ";
  const size_t at = answer.find(name);
  if (at == answer.npos || answer.find(name, at + 1) < answer.find("\r\n\r\n"))
    return "none or two";
  return answer.substr(at + name.size(),
                       answer.find(';', at) - at - name.size());
}

TEST(FrameServerTest, ThePolicyNamesTheFramersOfThePageAlone) {
  const TestFolder folder;
  const TestServer server(
      ServerOptions{.path = folder.path().string(),
                    .frame_ancestors = {"http://localhost:8888", "self"}});
  const auto ask = [&](const std::string& method, const std::string& target) {
    return Ask(server.port(), server.Head(method, target));
  };
  for (const char* page : {"/", "/index.html"}) {
    const std::string answer = ask("GET", page);
    EXPECT_EQ(StatusOf(answer), 200);
    EXPECT_EQ(FramersIn(answer), "http://localhost:8888 'self'");
    // All else of the policy stays.
    EXPECT_NE(answer.find("Content-Security-Policy: " +
                          PolicyFramedBy("http://localhost:8888 'self'")),
              answer.npos);
    EXPECT_NE(answer.find("trusted-types stepscope\r\n"), answer.npos);
  }
  EXPECT_EQ(FramersIn(ask("GET", "/nothing")), "'none'");
  EXPECT_EQ(FramersIn(ask("POST", "/")), "'none'");
  EXPECT_EQ(FramersIn(ask("GET", "/api/v1/runs")), "'none'");
  EXPECT_EQ(FramersIn(Ask(server.port(), "nonsense\r\n\r\n")), "'none'");
}

TEST(FrameServerTest, WhatMakesNoSenseIsSaidAtTheStart) {
  for (const ServerOptions& options :
       {ServerOptions{.path = "/", .port = 0, .frame_ancestors = {"*"}},
        ServerOptions{.path = "/", .port = 0, .allowed_hosts = {"https://a"}},
        ServerOptions{.path = "/", .port = 0, .allowed_hosts = {"*"}},
        ServerOptions{.path = "/", .port = 0, .allowed_hosts = {"a:80"}},
        ServerOptions{.path = "/", .port = 0, .allowed_hosts = {""}}}) {
    const auto started = Server::Start(options);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace stepscope::server
