// SPDX-License-Identifier: Apache-2.0
//
// Files that are not shown are named, with the reason.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "server/files/folder.h"
#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

TEST(SkippedFilesTest, AreNamedWithTheReason) {
  const TestFolder folder;
  const TestFolder elsewhere;
  elsewhere.Write("other.json", ChromeTrace(3));
  folder.Write("good.json", ChromeTrace(3));
  folder.Write("empty.json", "");
  folder.Write("sub/garbage.pb", "no trace at all");
  folder.Write("tables/_stepscope_dataset.json", "{}");
  folder.Write("tables/events/part-1.parquet", "no trace either");
  std::filesystem::create_symlink(elsewhere.path() / "other.json",
                                  folder.path() / "out.json");
  std::filesystem::create_symlink("nowhere", folder.path() / "broken.json");
  std::filesystem::create_symlink("good.json", folder.path() / "inside.json");
  std::map<std::string, std::string> skipped;
  Folder shown(folder.path().string());
  for (const SkippedFile& file : shown.List()->skipped)
    skipped[file.file] = file.why;
  EXPECT_EQ(skipped,
            (std::map<std::string, std::string>{
                {"empty.json", "is empty"},
                {"sub/garbage.pb", "is not a trace that stepscope can read"},
                {"tables", "is a dataset; show it by itself to ask it in SQL"},
                {"out.json", "is a link that leads out of the folder"},
                {"broken.json", "is a link to nothing"}}));
  EXPECT_EQ(shown.WrongFile(), "");
}

TEST(SkippedFilesTest, OneFileThatIsNoTraceStartsNoServer) {
  const TestFolder folder;
  folder.Write("garbage.pb", "no trace at all");
  folder.Write("empty.json", "");
  const auto why = [&](const char* file) {
    const auto server =
        Server::Start({.path = (folder.path() / file).string(), .port = 0});
    return server ? "" : server.error().message;
  };
  EXPECT_EQ(why("garbage.pb"),
            "garbage.pb is not a trace that stepscope can read");
  EXPECT_EQ(why("empty.json"), "empty.json is empty");
  EXPECT_NE(why("missing.json"), "");
  if (geteuid() == 0) return;  // may read anything
  folder.Write("closed.json", ChromeTrace(3));
  std::filesystem::permissions(folder.path() / "closed.json",
                               std::filesystem::perms::none);
  EXPECT_EQ(why("closed.json"),
            "closed.json cannot be read; check its permissions");
}

}  // namespace
}  // namespace stepscope::server
