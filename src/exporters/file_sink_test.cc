// SPDX-License-Identifier: Apache-2.0
#include "exporters/file_sink.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "exporters/chrome/chrome.h"
#include "exporters/pipelined_sink.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

class FileSinkTest : public testing::Test {
 protected:
  FileSinkTest() {
    char name[] = "/tmp/stepscope_sink_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~FileSinkTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const {
    return folder_ + "/" + name;
  }
  size_t FileCount() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_),
                                             fs::directory_iterator()));
  }

  std::string folder_;
};

void WriteText(Sink& sink, std::string_view text) {
  Block block(text.size());
  std::memcpy(block.data.get(), text.data(), text.size());
  block.size = text.size();
  Status status = sink.Write(block);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(block.size, 0u);
}

// Enough blocks for the second thread to take part.
std::string WriteMuch(Sink& sink) {
  std::string all;
  for (int i = 0; i < 40; ++i) {
    std::string text;
    while (text.size() < 100000) text += std::to_string(i * i) + ",";
    WriteText(sink, text);
    all += text;
  }
  return all;
}

std::string Gunzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string text(8 << 20, '\0');
  int size = gzread(file, text.data(), static_cast<unsigned>(text.size()));
  EXPECT_EQ(gzclose(file), Z_OK);
  text.resize(static_cast<size_t>(std::max(size, 0)));
  return text;
}

TEST_F(FileSinkTest, AppearsOnlyWhenClosed) {
  auto sink = OpenFileSink(Path("a.json"));
  ASSERT_TRUE(sink);
  std::string want = WriteMuch(**sink);
  EXPECT_FALSE(FileExists(Path("a.json")));
  ASSERT_TRUE((*sink)->Close());
  EXPECT_EQ(FileCount(), 1u);
  auto got = ReadFile(Path("a.json"));
  ASSERT_TRUE(got);
  EXPECT_TRUE(*got == want);
}

TEST_F(FileSinkTest, LeavesNothingWhenGivenUp) {
  {
    auto sink = OpenFileSink(Path("a.json"));
    ASSERT_TRUE(sink);
    WriteMuch(**sink);
  }
  EXPECT_EQ(FileCount(), 0u);
}

TEST_F(FileSinkTest, GzipByName) {
  auto sink = OpenFileSink(Path("a.json.gz"));
  ASSERT_TRUE(sink);
  std::string want = WriteMuch(**sink);
  ASSERT_TRUE((*sink)->Close());
  EXPECT_TRUE(Gunzip(Path("a.json.gz")) == want);
  EXPECT_LT(fs::file_size(Path("a.json.gz")), want.size() / 4);
}

TEST_F(FileSinkTest, GzipOfNothing) {
  auto sink = OpenFileSink(Path("a.gz"), 9);
  ASSERT_TRUE(sink);
  ASSERT_TRUE((*sink)->Close());
  EXPECT_GT(fs::file_size(Path("a.gz")), 0u);
  EXPECT_EQ(Gunzip(Path("a.gz")), "");
}

TEST_F(FileSinkTest, BadGzipLevelIsRefused) {
  auto sink = OpenFileSink(Path("a.gz"), 77);
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(FileCount(), 0u);
}

TEST_F(FileSinkTest, SymbolicLinkStays) {
  fs::create_symlink("target.json", Path("link.json"));
  ASSERT_TRUE(ReplaceFile(Path("target.json"), "old"));
  auto sink = OpenFileSink(Path("link.json"));
  ASSERT_TRUE(sink);
  WriteText(**sink, "new");
  ASSERT_TRUE((*sink)->Close());
  EXPECT_TRUE(fs::is_symlink(Path("link.json")));
  EXPECT_EQ(*ReadFile(Path("target.json")), "new");
}

TEST_F(FileSinkTest, LongestName) {
  std::string path = Path(std::string(255, 'n'));
  auto sink = OpenFileSink(path);
  ASSERT_TRUE(sink) << sink.error().message;
  WriteText(**sink, "x");
  ASSERT_TRUE((*sink)->Close());
  EXPECT_TRUE(FileExists(path));
}

TEST_F(FileSinkTest, ErrorsNameThePath) {
  std::string path = Path("missing/a.json");
  auto missing = OpenFileSink(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message.find(path), 0u) << missing.error().message;
  auto folder = OpenFileSink(folder_);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message.find(folder_), 0u);
}

TEST_F(FileSinkTest, FullDiskIsAnError) {
  auto trace = TraceFromText("thread 7 m\n 0..5 a\n");
  Status status = ExportChrome(*trace, "/dev/full");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
  EXPECT_EQ(status.error().message.find("/dev/full: "), 0u)
      << status.error().message;
  struct stat info;
  ASSERT_EQ(stat("/dev/full", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

// The limit on file size stands for a disk that fills up on the way, also
// while the second thread writes.
TEST_F(FileSinkTest, DiskThatFillsUpLeavesTheOldFile) {
  ASSERT_TRUE(ReplaceFile(Path("a.json"), "old"));
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  for (rlim_t limit : {rlim_t{1000}, rlim_t{3000000}}) {
    struct rlimit limited = before;
    limited.rlim_cur = limit;
    setrlimit(RLIMIT_FSIZE, &limited);
    Status status = Ok();
    {
      auto sink = OpenFileSink(Path("a.json"));
      ASSERT_TRUE(sink);
      for (int i = 0; i < 100 && status; ++i) {
        Block block(100000);
        std::memset(block.data.get(), 'x', block.capacity);
        block.size = block.capacity;
        status = (*sink)->Write(block);
      }
      if (status) status = (*sink)->Close();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message.find(Path("a.json")), 0u);
    EXPECT_EQ(*ReadFile(Path("a.json")), "old");
    EXPECT_EQ(FileCount(), 1u);
  }
}

TEST_F(FileSinkTest, ExporterIsFoundByName) {
  const Exporter* chrome = FindExporter("chrome");
  ASSERT_NE(chrome, nullptr);
  EXPECT_EQ(FindExporter("chrom"), nullptr);
  auto trace = TraceFromText("thread 7 m\n 0..5 a\n");
  ASSERT_TRUE(ExportFile(*trace, *chrome, Path("t.json.gz")));
  EXPECT_EQ(Gunzip(Path("t.json.gz")), ChromeJson(*trace));
}

}  // namespace
}  // namespace stepscope
