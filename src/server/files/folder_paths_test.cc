// SPDX-License-Identifier: Apache-2.0
#include "server/files/folder_paths.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "server/files/folder.h"
#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

// "folder/name" of all files, in order.
std::vector<std::string> PlacesIn(const FolderPaths& paths) {
  const auto scan = paths.Scan();
  std::vector<std::string> places;
  if (!scan) return {"error: " + scan.error().message};
  for (const FoundFile& file : scan->files)
    places.push_back(file.folder + "/" + file.name);
  return places;
}

using Places = std::vector<std::string>;

class FolderPathsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a/x.json", "a/deep/y.json", "b/x.json",
                             "b/a/z.json", "secret/k.json"})
      folder_.Write(name, ChromeTrace(1));
  }
  std::string At(const std::string& name) const {
    return (fs::canonical(folder_.path()) / name).string();
  }
  const TestFolder folder_;
};

TEST_F(FolderPathsTest, OneIsShownAsItIs) {
  EXPECT_EQ(PlacesIn(FolderPaths({At("a")})),
            (Places{"/x.json", "deep/y.json"}));
  EXPECT_EQ(PlacesIn(FolderPaths({At("a/x.json")})), (Places{"/x.json"}));
  EXPECT_EQ(FolderPaths({At("a")}).Name(), "a");
  EXPECT_TRUE(FolderPaths({At("a/x.json")}).is_one_file());
  // The same twice is one.
  EXPECT_EQ(PlacesIn(FolderPaths({At("a"), At("b/../a")})),
            (Places{"/x.json", "deep/y.json"}));
}

TEST_F(FolderPathsTest, SeveralNeverShareAPlace) {
  EXPECT_EQ(PlacesIn(FolderPaths({At("b/a/z.json"), At("a/x.json")})),
            (Places{"/z.json", "/x.json"}));
  EXPECT_EQ(PlacesIn(FolderPaths({At("a/x.json"), At("b/x.json")})),
            (Places{"a/x.json", "b/x.json"}));
  EXPECT_EQ(PlacesIn(FolderPaths({At("a"), At("b/a"), At("a/x.json")})),
            (Places{"/x.json", "a/x.json", "a (2)/z.json", "a/deep/y.json"}));
  EXPECT_EQ(FolderPaths({At("a"), At("b")}).Name(), "a and 1 more");
}

TEST_F(FolderPathsTest, NothingElseIsHeld) {
  const FolderPaths paths({At("a"), At("b/x.json")});
  EXPECT_TRUE(paths.Holds(At("a/deep/y.json")));
  EXPECT_TRUE(paths.Holds(At("b/x.json")));
  EXPECT_FALSE(paths.Holds(At("b/a/z.json")));
  EXPECT_FALSE(paths.Holds(At("secret/k.json")));
  // A file that becomes a link out of there.
  fs::remove(At("b/x.json"));
  fs::create_symlink(At("secret/k.json"), At("b/x.json"));
  EXPECT_FALSE(paths.Holds(At("b/x.json")));
  fs::remove(At("a/x.json"));
  fs::create_symlink(At("secret/k.json"), At("a/x.json"));
  EXPECT_FALSE(paths.Holds(At("a/x.json")));
  EXPECT_EQ(PlacesIn(paths), (Places{"a/deep/y.json"}));
}

TEST_F(FolderPathsTest, WhatIsGoneIsLeftOutUnlessAllIs) {
  const FolderPaths paths({At("a/x.json"), At("b/a/z.json")});
  fs::remove(At("a/x.json"));
  EXPECT_EQ(PlacesIn(paths), (Places{"/z.json"}));
  fs::remove(At("b/a/z.json"));
  EXPECT_NE(PlacesIn(paths)[0].find("x.json: No such file"), std::string::npos);
}

TEST_F(FolderPathsTest, AFolderOfSeveralListsRunsAndOpensTheirFiles) {
  Folder folder(std::vector{At("a"), At("b/x.json")});
  const auto listing = folder.List();
  ASSERT_EQ(listing->runs.size(), 3u);  // the top, a, a/deep
  for (const auto& run : listing->runs)
    for (const auto& worker : run.workers)
      for (const auto& window : worker.windows)
        EXPECT_TRUE(folder.Check(window)) << window.file;
}

}  // namespace
}  // namespace stepscope::server
