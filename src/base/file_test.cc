// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

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

TEST(FileTest, SpecialFilesAreReadToTheirEnd) {
  const Result<std::string> text = ReadFile("/proc/self/stat");
  ASSERT_TRUE(text);
  EXPECT_FALSE(text->empty());
}

}  // namespace
}  // namespace stepscope
