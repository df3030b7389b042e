// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace stepscope {
namespace {

std::string TempPath(const char* name) {
  return testing::TempDir() + "stepscope_file_" + std::to_string(getpid()) +
         "_" + name;
}

TEST(FileTest, ReplaceThenRead) {
  const std::string path = TempPath("replace");
  ASSERT_TRUE(ReplaceFile(path, "old"));
  std::string data(100'000, 'x');
  data[5] = '\0';
  ASSERT_TRUE(ReplaceFile(path, data));
  const Result<std::string> read = ReadFile(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, data);
  unlink(path.c_str());
}

TEST(FileTest, ReadAtStopsAtTheEnd) {
  const std::string path = TempPath("read_at");
  ASSERT_TRUE(ReplaceFile(path, "0123456789"));
  const Result<File> file = File::OpenForReading(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(*file->Size(), 10u);
  std::array<uint8_t, 8> buffer{};
  EXPECT_EQ(*file->ReadAt(0, buffer), 8u);
  EXPECT_EQ(*file->ReadAt(6, buffer), 4u);
  EXPECT_EQ(buffer[0], '6');
  EXPECT_EQ(*file->ReadAt(10, buffer), 0u);
  unlink(path.c_str());
}

TEST(FileTest, FailuresNameThePath) {
  const Result<std::string> missing = ReadFile("/nonexistent/x.sscap");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message,
            "/nonexistent/x.sscap: No such file or directory");
  const Result<File> folder = File::OpenForReading("/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::kIo);
  const Status status = ReplaceFile("/nonexistent/x", "data");
  EXPECT_FALSE(status);
}

TEST(FileTest, NoPartOfAPathMayBeALink) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::canonical(testing::TempDir()) / "without_links";
  fs::remove_all(folder);
  fs::create_directories(folder / "real/deep");
  ASSERT_TRUE(ReplaceFile((folder / "real/deep/a").string(), "text"));
  fs::create_symlink("a", folder / "real/deep/link");
  fs::create_directory_symlink("deep", folder / "real/folder");
  ASSERT_EQ(mkfifo((folder / "real/pipe").c_str(), 0600), 0);
  const auto opens = [&](const char* path) {
    return static_cast<bool>(File::OpenWithoutLinks((folder / path).string()));
  };
  EXPECT_TRUE(opens("real/deep/a"));
  EXPECT_TRUE(opens("real//deep/./a"));
  for (const char* path : {"real/deep/link", "real/folder/a", "real/deep",
                           "real/deep/a/", "real/pipe", "real/gone", "gone/a"})
    EXPECT_FALSE(opens(path)) << path;
  EXPECT_FALSE(File::OpenWithoutLinks("/"));
  EXPECT_FALSE(File::OpenWithoutLinks("/proc/self/cwd/x"));
  fs::remove_all(folder);
}

// A pipe without a writer would hold up whoever opens it.
TEST(FileTest, OnlyRegularFilesAreOpenedByANameThatNobodyGave) {
  namespace fs = std::filesystem;
  const fs::path folder = TempPath("regular");
  fs::create_directory(folder);
  ASSERT_TRUE(ReplaceFile((folder / "a").string(), "text"));
  fs::create_symlink("a", folder / "link");
  fs::create_symlink("/dev/zero", folder / "device");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(*ReadRegularFile((folder / "a").string()), "text");
  EXPECT_EQ(*ReadRegularFile((folder / "link").string()), "text");
  for (const char* name : {"device", "pipe", "gone", "."})
    EXPECT_FALSE(File::OpenRegular((folder / name).string())) << name;
  const auto at = [&](const char* name) {
    const std::string path = (folder / name).string();
    return static_cast<bool>(
        File::OpenRegularAt(AT_FDCWD, path, path, O_RDONLY));
  };
  EXPECT_TRUE(at("a"));
  for (const char* name : {"link", "device", "pipe", "gone", "."})
    EXPECT_FALSE(at(name)) << name;
  fs::remove_all(folder);
}

TEST(FileTest, AReplacementIsNotWrittenThroughWhatWasPrepared) {
  namespace fs = std::filesystem;
  const fs::path folder = TempPath("prepared");
  fs::create_directory(folder);
  ASSERT_TRUE(ReplaceFile((folder / "victim").string(), "kept"));
  fs::create_symlink("victim", folder / ("a.tmp" + std::to_string(getpid())));
  fs::create_symlink("victim", folder / "a");
  ASSERT_TRUE(ReplaceFile((folder / "a").string(), "new"));
  EXPECT_EQ(*ReadFile((folder / "victim").string()), "kept");
  EXPECT_EQ(*ReadFile((folder / "a").string()), "new");
  const std::string longest(NAME_MAX, 'n');
  EXPECT_TRUE(ReplaceFile((folder / longest).string(), "new"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 4);
  fs::remove_all(folder);
}

TEST(FileTest, WhatOthersMayHavePutThereIsNotOurs) {
  namespace fs = std::filesystem;
  const fs::path folder = TempPath("ours");
  fs::create_directory(folder);
  const std::string path = (folder / "code.so").string();
  ASSERT_TRUE(ReplaceFile(path, "code"));
  EXPECT_TRUE(IsOurs(path));
  EXPECT_FALSE(IsOurs(path + ".gone"));
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  EXPECT_FALSE(IsOurs(path));
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  EXPECT_FALSE(IsOurs(path));
  ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
  if (geteuid() == 0) {  // only root gives files away
    ASSERT_EQ(chown(path.c_str(), 4242, 4242), 0);
    EXPECT_FALSE(IsOurs(path));
  }
  fs::remove_all(folder);
}

TEST(FileTest, SpecialFilesAreReadToTheirEnd) {
  const Result<std::string> text = ReadFile("/proc/self/stat");
  ASSERT_TRUE(text);
  EXPECT_FALSE(text->empty());
}

}  // namespace
}  // namespace stepscope
