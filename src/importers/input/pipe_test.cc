// SPDX-License-Identifier: Apache-2.0
//
// Sources that are no plain files: pipes, standard input, bytes in memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "importers/input/input_source.h"
#include "importers/input/input_test_support.h"
#include "importers/input/temporary_copy.h"

namespace stepscope {
namespace {

std::span<const uint8_t> AsBytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// A pipe with these bytes in it, written by a thread in small portions, that
// can be opened by its path.
class Pipe {
 public:
  explicit Pipe(std::string bytes) {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    writer_ = std::thread([this, bytes = std::move(bytes)] {
      std::string_view rest = bytes;
      for (size_t n = 1; !rest.empty(); n = n * 3 % 5000 + 1) {
        const ssize_t wrote =
            write(ends_[1], rest.data(), std::min(n, rest.size()));
        if (wrote <= 0) break;
        rest.remove_prefix(static_cast<size_t>(wrote));
      }
      close(ends_[1]);
    });
  }
  ~Pipe() {
    close(ends_[0]);
    writer_.join();
  }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2];
  std::thread writer_;
};

class PipeTest : public testing::Test {
 protected:
  // A reader that goes before the end must not end the test.
  void SetUp() override { signal(SIGPIPE, SIG_IGN); }
};

TEST_F(PipeTest, LookingAtTheHeadUsesNothingUp) {
  const std::string plain = Sample(300'000);
  for (const std::string& bytes : {plain, Gzip(plain)}) {
    for (const size_t piece : {size_t{7}, size_t{1000}, size_t{1} << 20}) {
      const Pipe pipe(bytes);
      const auto input = InputSource::Open(pipe.path());
      ASSERT_TRUE(input) << input.error().message;
      EXPECT_TRUE((*input)->is_pipe());
      EXPECT_FALSE((*input)->is_path());
      EXPECT_EQ((*input)->source_size(), 0u);
      const auto head = (*input)->Head(5000);
      ASSERT_TRUE(head);
      EXPECT_EQ(Text(*head), plain.substr(0, 5000));
      EXPECT_TRUE(ReadAll(**input, piece) == plain);
      EXPECT_EQ((*input)->damage(), "");
    }
  }
}

TEST_F(PipeTest, AllSizesComeWhole) {
  for (const size_t size : {0, 1, 2, 3, 4, 5, 4096, 3'000'000}) {
    const std::string plain = Sample(size);
    const Pipe pipe(plain);
    const auto input = InputSource::Open(pipe.path());
    ASSERT_TRUE(input);
    ASSERT_TRUE((*input)->Head(4096));
    const auto whole = (*input)->WholeBytes();
    ASSERT_TRUE(whole);
    EXPECT_TRUE(Text(*whole) == plain) << size;
  }
}

TEST_F(PipeTest, WhatEndsEarlyIsKeptAsFarAsItGoes) {
  const std::string plain = Sample(900'000);
  const std::string bytes = Gzip(plain);
  const Pipe pipe(bytes.substr(0, bytes.size() / 2));
  const auto input = InputSource::Open(pipe.path());
  ASSERT_TRUE(input);
  const std::string got = ReadAll(**input, 4096);
  EXPECT_GT(got.size(), 300'000u);
  EXPECT_EQ(got, plain.substr(0, got.size()));
  EXPECT_NE((*input)->damage().find("cut short"), std::string::npos);
}

TEST_F(PipeTest, PositionsAreThoseOfATemporaryCopy) {
  const std::string plain = Sample(200'000);
  for (const std::string& bytes : {plain, Gzip(plain)}) {
    const Pipe pipe(bytes);
    const auto input = InputSource::Open(pipe.path());
    ASSERT_TRUE(input);
    const auto file = (*input)->PlainFile();
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->path(), pipe.path());
    std::vector<uint8_t> some(100);
    ASSERT_EQ(*file->ReadAt(150'000, some), 100u);
    EXPECT_EQ(Text(some), plain.substr(150'000, 100));
  }
}

// A limit on the size of files stands for a disk that is full.
TEST_F(PipeTest, NoRoomForACopySaysWhatToDo) {
  signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 100'000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string plain = Sample(3'000'000);
  const auto input = InputSource::FromBytes(AsBytes(plain), "trace");
  const auto file = (*input)->PlainFile();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kIo);
  EXPECT_TRUE(file.error().message.starts_with("trace: needs a temporary copy"))
      << file.error().message;
  EXPECT_NE(file.error().message.find("set TMPDIR"), std::string::npos);
}

TEST_F(PipeTest, CopiesLeaveNoNameBehind) {
  const std::string plain = Sample(1000);
  const auto input = InputSource::FromBytes(AsBytes(plain), "trace");
  std::string path;
  {
    const auto copy = TemporaryCopy::Make(**input);
    ASSERT_TRUE(copy);
    path = (*copy)->path();
    EXPECT_EQ(*ReadFile(path), plain);
  }
  EXPECT_FALSE(FileExists(path));
}

TEST_F(PipeTest, BytesInMemory) {
  const std::string plain = Sample(300'000);
  const std::string packed = Gzip(plain);
  for (const std::string* bytes : {&plain, &packed}) {
    const auto input = InputSource::FromBytes(AsBytes(*bytes), "memory");
    ASSERT_TRUE(input);
    EXPECT_EQ((*input)->path(), "memory");
    EXPECT_EQ((*input)->source_size(), bytes->size());
    ASSERT_TRUE((*input)->Head(100));
    EXPECT_TRUE(ReadAll(**input, 1000) == plain);
    const auto again = InputSource::FromBytes(AsBytes(*bytes), "memory");
    const auto whole = (*again)->WholeBytes();
    ASSERT_TRUE(whole);
    EXPECT_TRUE(Text(*whole) == plain);
  }
}

// Puts `fd` in the place of standard input for the time of the test.
class StandardInput {
 public:
  explicit StandardInput(int fd) : before_(dup(STDIN_FILENO)) {
    EXPECT_EQ(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    close(fd);
  }
  ~StandardInput() {
    if (before_ < 0) {
      close(STDIN_FILENO);
    } else {
      dup2(before_, STDIN_FILENO);
      close(before_);
    }
  }

 private:
  int before_;
};

TEST_F(PipeTest, StandardInputIsAPipeOrAFile) {
  const std::string plain = Sample(50'000);
  {
    const Pipe pipe(plain);
    const StandardInput in(open(pipe.path().c_str(), O_RDONLY));
    const auto input = InputSource::Open("-");
    ASSERT_TRUE(input);
    EXPECT_EQ((*input)->path(), "standard input");
    EXPECT_TRUE(ReadAll(**input, 999) == plain);
  }
  char name[] = "/tmp/stepscope_pipe_XXXXXX";
  const int fd = mkstemp(name);
  ASSERT_TRUE(WriteAll(fd, plain, name));
  close(fd);
  for (const off_t from : {0, 1000}) {
    const StandardInput in(open(name, O_RDONLY));
    ASSERT_EQ(lseek(STDIN_FILENO, from, SEEK_SET), from);
    const auto input = InputSource::Open("-");
    ASSERT_TRUE(input);
    EXPECT_FALSE((*input)->is_path());
    EXPECT_EQ((*input)->is_pipe(), from > 0);
    EXPECT_TRUE(ReadAll(**input, 999) ==
                plain.substr(static_cast<size_t>(from)));
  }
  unlink(name);
  const StandardInput in(open("/tmp", O_RDONLY | O_DIRECTORY));
  const auto folder = InputSource::Open("-");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, "standard input: Is a directory");
}

TEST_F(PipeTest, StandardInputHasManyNames) {
  EXPECT_TRUE(IsStandardInput("-"));
  EXPECT_TRUE(IsStandardInput("/dev/stdin"));
  EXPECT_TRUE(IsStandardInput("/dev/fd/0"));
  EXPECT_FALSE(IsStandardInput("./-"));
  EXPECT_EQ(ShownPath("-"), "standard input");
  EXPECT_EQ(ShownPath("a/b"), "a/b");
}

TEST_F(PipeTest, ReadingStopsWhenItIsCancelled) {
  const std::string plain = Sample(300'000);
  const std::string packed = Gzip(plain);
  for (const std::string* bytes : {&plain, &packed}) {
    CancelToken cancel;
    const auto input = InputSource::FromBytes(AsBytes(*bytes), "memory");
    (*input)->set_cancel(&cancel);
    std::vector<uint8_t> buffer(1000);
    ASSERT_TRUE((*input)->Read(buffer));
    cancel.Cancel();
    // What is in the decoder may still come.
    Result<size_t> got = size_t{1};
    size_t more = 0;
    while (got && *got > 0 && more < 400) {
      got = (*input)->Read(buffer);
      ++more;
    }
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::kCancelled);
  }
}

}  // namespace
}  // namespace stepscope
