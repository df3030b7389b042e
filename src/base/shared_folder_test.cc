// SPDX-License-Identifier: Apache-2.0
#include "base/shared_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace stepscope {
namespace {

namespace fs = std::filesystem;

class SharedFolderTest : public testing::Test {
 protected:
  SharedFolderTest() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "shared");
    EXPECT_TRUE(ReplaceFile((root_ / "elsewhere").string(), "kept"));
  }
  ~SharedFolderTest() override { fs::remove_all(root_); }

  SharedFolder Open() const {
    Result<SharedFolder> folder =
        SharedFolder::Open((root_ / "shared").string());
    EXPECT_TRUE(folder);
    return *std::move(folder);
  }

  const fs::path root_ = fs::path(testing::TempDir()) /
                         ("stepscope_shared_" + std::to_string(getpid()));
};

TEST_F(SharedFolderTest, OrdinaryFilesAreOpened) {
  const SharedFolder folder = Open();
  EXPECT_FALSE(folder.OpenToRead("a"));
  const Result<File> made = folder.OpenToChange("a");
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(WriteAll(made->fd(), "text", "a"));
  EXPECT_TRUE(folder.OpenToChange("a"));
  const Result<File> read = folder.OpenToRead("a");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read->Size(), 4u);
}

// What would hold up or misled who opens it.
TEST_F(SharedFolderTest, NothingElseIs) {
  const fs::path shared = root_ / "shared";
  fs::create_symlink(root_ / "elsewhere", shared / "link");
  fs::create_symlink(root_ / "gone", shared / "dangling");
  fs::create_directory(shared / "folder");
  ASSERT_EQ(mkfifo((shared / "pipe").c_str(), 0666), 0);
  const SharedFolder folder = Open();
  for (const char* name : {"link", "dangling", "folder", "pipe"}) {
    EXPECT_FALSE(folder.OpenToRead(name)) << name;
    EXPECT_FALSE(folder.OpenToChange(name)) << name;
  }
  EXPECT_EQ(*ReadFile((root_ / "elsewhere").string()), "kept");
  EXPECT_FALSE(fs::exists(root_ / "gone"));
}

TEST_F(SharedFolderTest, AFileWithASecondNameIsNotChanged) {
  fs::create_hard_link(root_ / "elsewhere", root_ / "shared/a");
  const SharedFolder folder = Open();
  EXPECT_TRUE(folder.OpenToRead("a"));
  const Result<File> file = folder.OpenToChange("a");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("second name"), std::string::npos);
}

TEST_F(SharedFolderTest, AFileOfAnotherUserIsNotOpened) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const std::string path = (root_ / "shared/a").string();
  ASSERT_TRUE(ReplaceFile(path, "text"));
  ASSERT_EQ(chown(path.c_str(), 4242, 4242), 0);
  EXPECT_FALSE(Open().OpenToRead("a"));
  EXPECT_FALSE(Open().OpenToChange("a"));
  // Unless the folder is theirs: then it is their job.
  ASSERT_EQ(chown((root_ / "shared").c_str(), 4242, 4242), 0);
  EXPECT_TRUE(Open().OpenToRead("a"));
}

TEST_F(SharedFolderTest, TheFolderItselfIsNotALink) {
  fs::create_directory_symlink("shared", root_ / "other");
  EXPECT_FALSE(SharedFolder::Open((root_ / "other").string()));
  EXPECT_FALSE(SharedFolder::Open((root_ / "elsewhere").string()));
}

}  // namespace
}  // namespace stepscope
