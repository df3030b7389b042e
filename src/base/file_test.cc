// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <gtest/gtest.h>
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
  for (const char* path :
       {"real/deep/link", "real/folder/a", "real/deep", "real/deep/a/",
        "real/pipe", "real/gone", "gone/a"})
    EXPECT_FALSE(opens(path)) << path;
  EXPECT_FALSE(File::OpenWithoutLinks("/"));
  EXPECT_FALSE(File::OpenWithoutLinks("/proc/self/cwd/x"));
  fs::remove_all(folder);
}

TEST(FileTest, SpecialFilesAreReadToTheirEnd) {
  const Result<std::string> text = ReadFile("/proc/self/stat");
  ASSERT_TRUE(text);
  EXPECT_FALSE(text->empty());
}

}  // namespace
}  // namespace stepscope
