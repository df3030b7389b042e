// SPDX-License-Identifier: Apache-2.0
//
// Files that are dropped on the page: whole ones are shown, and nothing that a
// hostile page, name or client sends is kept or leads out of the folder.
#include "server/files/dropped_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

std::string Part(const TestServer& server, const std::string& query,
                 const std::string& bytes, const std::string& more = "") {
  return Ask(server.port(),
             server.Head("POST", "/api/v1/drop?" + query,
                         "Content-Length: " + std::to_string(bytes.size()) +
                             "\r\n" + more) +
                 bytes);
}

class DroppedFilesTest : public testing::Test {
 protected:
  DroppedFilesTest() { folder_.Write("a.json", ChromeTrace(3)); }
  std::string Drop(const TestServer& server, const std::string& name,
                   const std::string& text) {
    return BodyOf(Part(server,
                       "name=" + name + "&bytes=" + std::to_string(text.size()),
                       text));
  }
  const TestFolder folder_;
};

TEST(HarmlessNameTest, LeavesNothingOfAPathAndNothingHidden) {
  EXPECT_EQ(HarmlessName("trace.json.gz"), "trace.json.gz");
  EXPECT_EQ(HarmlessName("../../etc/passwd"), "passwd");
  EXPECT_EQ(HarmlessName("C:\\temp\\a b.json"), "a b.json");
  EXPECT_EQ(HarmlessName(".bashrc"), "bashrc");
  EXPECT_EQ(HarmlessName(". ./..."), "dropped");
  EXPECT_EQ(HarmlessName(""), "dropped");
  EXPECT_EQ(HarmlessName(std::string("a\0b\n\x1b[31m<i>", 12)), "a_b___31m_i_");
  EXPECT_EQ(HarmlessName("\xe2\x80\xae.json"), "___.json");
  const std::string name = HarmlessName(std::string(5000, 'x') + ".json.gz");
  EXPECT_EQ(name.size(), 120u);
  EXPECT_TRUE(name.ends_with("x.json.gz"));
}

TEST_F(DroppedFilesTest, AFileInPartsIsShownBesideTheOthers) {
  const TestServer server(folder_.path());
  const std::string before = BodyOf(server.Api("runs"));
  const std::string first = TextOf(before, "t");
  const std::string text = ChromeTrace(40'000);  // 3 parts
  ASSERT_GT(text.size(), 2 * DroppedFiles::kMostPart);
  std::string id;
  std::string said;
  for (size_t at = 0; at < text.size(); at += DroppedFiles::kMostPart) {
    EXPECT_EQ(TextOf(said, "t"), "");
    said = BodyOf(Part(server,
                       "name=mine.json&bytes=" + std::to_string(text.size()) +
                           "&at=" + std::to_string(at) + "&id=" + id,
                       text.substr(at, DroppedFiles::kMostPart)));
    id = TextOf(said, "id");
    ASSERT_EQ(id.size(), 32u) << said;
  }
  const std::string t = TextOf(said, "t");
  ASSERT_NE(t, "") << said;
  EXPECT_EQ(Open(server, t), "ready");
  const std::string runs = BodyOf(server.Api("runs"));
  EXPECT_NE(runs.find("\"name\":\"Dropped files\""), std::string::npos);
  // What was there keeps its ids and its name.
  EXPECT_EQ(Open(server, first), "ready");
  EXPECT_EQ(TextOf(runs, "folder"), TextOf(before, "folder"));
}

TEST_F(DroppedFilesTest, TheFolderIsPrivateAndGoesWithTheServer) {
  std::string where;
  {
    DroppedFiles dropped;
    EXPECT_EQ(dropped.folder(), "");
    const auto whole = dropped.Add({"", "x.json", 2, 0, "{}"});
    ASSERT_TRUE(whole);
    where = dropped.folder();
    EXPECT_EQ(whole->path, where + "/x.json");
    const auto again = dropped.Add({"", "x.json", 2, 0, "{}"});
    EXPECT_EQ(again->path, where + "/x (2).json");
    struct stat status = {};
    ASSERT_EQ(stat(where.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0700u);
    ASSERT_EQ(stat(whole->path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u);
  }
  EXPECT_FALSE(fs::exists(where));
}

TEST_F(DroppedFilesTest, WhatIsNoTraceIsSaidAndNotKept) {
  const TestServer server(folder_.path());
  const std::string said = Drop(server, "a.txt", "hello, hello, hello");
  EXPECT_EQ(TextOf(said, "t"), "") << said;
  EXPECT_NE(TextOf(said, "why").find("not a trace"), std::string::npos);
  EXPECT_EQ(BodyOf(server.Api("runs")).find("a.txt"), std::string::npos);
}

TEST_F(DroppedFilesTest, NoBodyIsReadWithoutTheToken) {
  const TestServer server(folder_.path());
  const std::string host =
      " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n";
  const std::string target = "/api/v1/drop?name=a&bytes=5";
  const std::string length = "Content-Length: 5\r\n";
  const std::string heads[] = {
      "POST " + target + host + length + "\r\n",
      "POST " + target + host + length + "Authorization: Bearer x\r\n\r\n",
      "POST " + target + host + length + "X-Authorization: Bearer " +
          server.token() + "\r\n\r\n",
      // Another request, another method, a part that is too large.
      server.Head("POST", "/api/v1/open?t=x", length),
      server.Head("GET", target, length),
      server.Head("POST", target, "Content-Length: 1048577\r\n")};
  for (const std::string& head : heads) {
    // Answered although the body has not come.
    const RawClient client(server.port());
    client.Send(head);
    EXPECT_EQ(StatusOf(client.ReadAnswer()), 413) << head;
  }
}

TEST_F(DroppedFilesTest, OtherPagesAndHostsCannotDrop) {
  const TestServer server(folder_.path());
  const std::string text = ChromeTrace(2);
  const std::string query = "name=a.json&bytes=" + std::to_string(text.size());
  for (const std::string header :
       {"Origin: http://evil.example\r\n", "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n"})
    EXPECT_EQ(StatusOf(Part(server, query, text, header)), 403) << header;
  EXPECT_EQ(BodyOf(server.Api("runs")).find("Dropped"), std::string::npos);
}

TEST_F(DroppedFilesTest, ABodyThatEndsEarlyIsNoRequest) {
  const TestServer server(folder_.path());
  const std::string head = server.Head("POST", "/api/v1/drop?name=a&bytes=5",
                                       "Content-Length: 5\r\n");
  EXPECT_EQ(Ask(server.port(), head + "abcd"), "");
  // What follows the body is the next request, whatever the body looks like.
  const std::string smuggled = "GET / HTTP/1.1\r\n\r\n";
  const std::string both =
      Ask(server.port(),
          server.Head(
              "POST",
              "/api/v1/drop?name=a&bytes=" + std::to_string(smuggled.size()),
              "Content-Length: " + std::to_string(smuggled.size()) + "\r\n") +
              smuggled + server.Head("GET", "/api/v1/nothing"));
  EXPECT_EQ(StatusOf(both), 200);
  EXPECT_NE(both.find("HTTP/1.1 404"), std::string::npos);
  EXPECT_EQ(both.find("text/html"), std::string::npos);
}

TEST(DroppedFilesLimitsTest, PartsMustFollowEachOther) {
  DroppedFiles dropped;
  const auto begin = [&] { return dropped.Add({"", "a", 10, 0, "12345"})->id; };
  EXPECT_FALSE(dropped.Add({begin(), "a", 10, 4, "5"}));       // again
  EXPECT_FALSE(dropped.Add({begin(), "a", 10, 6, "7"}));       // a gap
  EXPECT_FALSE(dropped.Add({begin(), "a", 10, 5, "678901"}));  // too much
  EXPECT_FALSE(dropped.Add({begin(), "a", 10, 5, ""}));
  EXPECT_FALSE(dropped.Add({"", "a", 10, 3, "12345"}));  // not from its begin
  EXPECT_FALSE(dropped.Add({"", "a", 0, 0, ""}));
  for (const char* id : {"../x", "/etc/passwd", "0", "."})
    EXPECT_EQ(dropped.Add({id, "a", 10, 5, "67890"}).error().code,
              ErrorCode::kNotFound);
  // What failed left nothing behind: all of the places are free.
  EXPECT_TRUE(fs::is_empty(dropped.folder()));
  const std::string id = begin();
  EXPECT_EQ(dropped.Add({id, "a", 10, 5, "67890"})->bytes, 10u);
  EXPECT_FALSE(dropped.Add({id, "a", 10, 5, "67890"}));  // it is over
}

TEST(DroppedFilesLimitsTest, BytesFilesAndThoseAtOnceAreBounded) {
  DropLimits limits;
  limits.bytes = 30;
  limits.files = 3;
  limits.at_once = 2;
  DroppedFiles dropped(limits);
  EXPECT_FALSE(dropped.Add({"", "a", 31, 0, "1"}));
  EXPECT_FALSE(dropped.Add({"", "a", UINT64_MAX, 0, "1"}));
  const auto a = dropped.Add({"", "a", 20, 0, "1"});
  EXPECT_FALSE(dropped.Add({"", "b", 11, 0, "1"}));  // promised to the first
  ASSERT_TRUE(dropped.Add({"", "b", 2, 0, "1"}));
  EXPECT_FALSE(dropped.Add({"", "c", 1, 0, "1"}));  // two are on their way
  const auto whole = dropped.Add({a->id, "a", 20, 1, std::string(19, 'x')});
  ASSERT_TRUE(whole);
  const auto c = dropped.Add({"", "c", 1, 0, "1"});
  ASSERT_TRUE(c);
  EXPECT_FALSE(dropped.Add({"", "d", 1, 0, "1"}));  // three files
  // What is no trace gives its room back.
  dropped.Remove(whole->path);
  dropped.Remove("/etc/passwd");
  EXPECT_TRUE(dropped.Add({"", "d", 20, 0, "1"}));
}

TEST(DroppedFilesLimitsTest, WhoGoesAwayHoldsNothing) {
  DropLimits limits;
  limits.at_once = 1;
  limits.idle = std::chrono::milliseconds(-1);
  DroppedFiles dropped(limits);
  const auto first = dropped.Add({"", "a", 10, 0, "1"});
  ASSERT_TRUE(dropped.Add({"", "b", 10, 0, "1"}));
  EXPECT_FALSE(dropped.Add({first->id, "a", 10, 1, "2"}));
  limits.free_bytes = UINT64_MAX;
  DroppedFiles full(limits);
  EXPECT_FALSE(full.Add({"", "a", 1, 0, "1"}));
}

}  // namespace
}  // namespace stepscope::server
