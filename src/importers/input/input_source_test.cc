// SPDX-License-Identifier: Apache-2.0
#include "importers/input/input_source.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef STEPSCOPE_HAVE_ZSTD
#include <zstd.h>
#endif

#include <string>
#include <vector>

#include "importers/input/input_test_support.h"

namespace stepscope {
namespace {

// A file that goes with the object.
class TempFile {
 public:
  explicit TempFile(const std::string& bytes) {
    char name[] = "/tmp/stepscope_input_XXXXXX";
    const int fd = mkstemp(name);
    EXPECT_GE(fd, 0);
    EXPECT_TRUE(WriteAll(fd, bytes, name));
    close(fd);
    path_ = name;
  }
  ~TempFile() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::unique_ptr<InputSource> Open(const TempFile& file,
                                  InputLimits limits = {}) {
  auto input = InputSource::Open(file.path(), limits);
  EXPECT_TRUE(input);
  return std::move(*input);
}

void ExpectReads(const std::string& bytes, const std::string& plain) {
  const TempFile file(bytes);
  for (const size_t piece : {size_t{1000}, size_t{1} << 20}) {
    const auto input = Open(file);
    const auto head = input->Head(100);
    ASSERT_TRUE(head);
    EXPECT_EQ(Text(*head), plain.substr(0, 100));
    EXPECT_EQ(ReadAll(*input, piece), plain);
    EXPECT_EQ(input->offset(), plain.size());
    EXPECT_EQ(input->source_offset(), bytes.size());
    EXPECT_EQ(input->damage(), "");
  }
  for (const size_t head : {0, 5000}) {
    const auto input = Open(file);
    ASSERT_TRUE(input->Head(head));
    const auto whole = input->WholeBytes();
    ASSERT_TRUE(whole);
    EXPECT_TRUE(Text(*whole) == plain);
  }
}

TEST(InputSourceTest, PlainBytes) {
  ExpectReads(Sample(300000), Sample(300000));
  ExpectReads("", "");
  ExpectReads("x", "x");
}

TEST(InputSourceTest, GzipOfOneAndManyMembers) {
  const std::string plain = Sample(900000);
  ExpectReads(Gzip(plain), plain);
  ExpectReads(Gzip("first,") + Gzip("") + Gzip(plain), "first," + plain);
  ExpectReads(Gzip(plain) + std::string(5000, '\0'), plain);
}

#ifdef STEPSCOPE_HAVE_ZSTD
std::string Zstd(const std::string& plain) {
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  out.resize(
      ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
  return out;
}

TEST(InputSourceTest, ZstdOfOneAndManyFrames) {
  const std::string plain = Sample(900000);
  ExpectReads(Zstd(plain), plain);
  const std::string skippable("\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
  ExpectReads(skippable + Zstd("first,") + Zstd(plain), "first," + plain);
}

TEST(InputSourceTest, ZstdCutShortGivesTheReadablePart) {
  const std::string bytes = Zstd(Sample(900000));
  const TempFile file(bytes.substr(0, bytes.size() / 2));
  const auto input = Open(file);
  const std::string got = ReadAll(*input, 4096);
  EXPECT_GT(got.size(), 100000u);
  EXPECT_EQ(got, Sample(900000).substr(0, got.size()));
  EXPECT_NE(input->damage().find("cut short"), std::string::npos);
}
#endif

TEST(InputSourceTest, GzipCutShortGivesTheReadablePart) {
  const std::string plain = Sample(900000);
  const std::string bytes = Gzip(plain);
  const TempFile file(bytes.substr(0, bytes.size() / 2));
  const auto input = Open(file);
  const std::string got = ReadAll(*input, 4096);
  EXPECT_GT(got.size(), 300000u);
  EXPECT_EQ(got, plain.substr(0, got.size()));
  EXPECT_EQ(input->damage(), "byte " + std::to_string(bytes.size() / 2) +
                                 ": compressed data are cut short; " +
                                 std::to_string(got.size()) +
                                 " bytes could be read");
}

TEST(InputSourceTest, GzipCutAtEveryByteOfASmallFile) {
  const std::string plain = Sample(200);
  const std::string bytes = Gzip(plain);
  for (size_t size = 2; size < bytes.size(); ++size) {
    const TempFile file(bytes.substr(0, size));
    const auto input = Open(file);
    const std::string got = ReadAll(*input, 64);
    EXPECT_EQ(got, plain.substr(0, got.size()));
    EXPECT_NE(input->damage(), "") << size;
  }
}

TEST(InputSourceTest, DamagedGzipIsAPrefixAndSaysWhere) {
  std::string bytes = Gzip(Sample(900000));
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  const TempFile file(bytes);
  const auto input = Open(file);
  EXPECT_GT(ReadAll(*input, 4096).size(), 300000u);
  EXPECT_NE(input->damage().find("damaged"), std::string::npos);
}

TEST(InputSourceTest, TrailingRubbishIsDamage) {
  const TempFile file(Gzip("plain") + "rubbish");
  const auto input = Open(file);
  EXPECT_EQ(ReadAll(*input, 64), "plain");
  EXPECT_NE(input->damage().find("not gzip"), std::string::npos);
}

void ExpectRefused(const std::string& bomb) {
  const TempFile file(bomb);
  InputLimits limits;
  limits.ratio_from = 1 << 20;
  EXPECT_NE(ReadAll(*Open(file, limits), 65536).find("more than 400 times"),
            std::string::npos);
  EXPECT_FALSE(Open(file, limits)->WholeBytes());
  limits = {};
  limits.max_bytes = 4 << 20;
  EXPECT_NE(ReadAll(*Open(file, limits), 65536).find("more than 4194304 bytes"),
            std::string::npos);
  limits = {};
  limits.max_whole_bytes = 1 << 20;
  const auto whole = Open(file, limits)->WholeBytes();
  ASSERT_FALSE(whole);
  EXPECT_NE(whole.error().message.find("1048576 bytes in memory"),
            std::string::npos);
}

TEST(InputSourceTest, BombsAreRefused) {
  const std::string plain(8 << 20, ' ');
  ExpectRefused(Gzip(plain));
#ifdef STEPSCOPE_HAVE_ZSTD
  ExpectRefused(Zstd(plain));
#endif
}

TEST(InputSourceTest, WhatCannotBeOpenedSaysWhy) {
  EXPECT_FALSE(InputSource::Open("/nonexistent/file"));
  const auto folder = InputSource::Open("/tmp");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "/tmp: Is a directory");
}

}  // namespace
}  // namespace stepscope
