// SPDX-License-Identifier: Apache-2.0
#include "importers/registry.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "importers/capture/sample_capture_test_support.h"
#include "importers/import_many.h"

namespace stepscope {
namespace {

using capture::EndedSample;
using capture::TempFolder;

TEST(RegistryTest, FormatsAreToldByContent) {
  const TempFolder folder;
  const auto trace =
      ImportFile(folder.Write("looks_like.json", EndedSample().bytes));
  ASSERT_TRUE(trace);
  EXPECT_EQ((*trace)->format(), "capture");
  const auto other = ImportFile(folder.Write("x.sscap", "{\"a\": 1}"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(other.error().message,
            folder.path("x.sscap") + ": byte 0: not a trace in a known format");
}

TEST(RegistryTest, EitherMagicIsEnough) {
  std::string bytes = EndedSample().bytes;
  bytes[0] ^= 1;
  const TempFolder folder;
  EXPECT_TRUE(ImportFile(folder.Write("a", bytes)));
}

TEST(RegistryTest, FolderIsOneTraceOfManyProcesses) {
  const TempFolder folder;
  const TempFolder elsewhere;
  folder.Write("a.sscap", EndedSample().bytes);
  std::filesystem::create_symlink(
      elsewhere.Write("b.sscap", EndedSample().bytes), folder.path("b.sscap"));
  folder.Write("a.sscap.live", capture::MakeKilledSample().live);
  // Of a flight recorder that was killed while it wrote its file anew.
  folder.Write("a.sscap.part", EndedSample().bytes);
  folder.Write("notes.txt", "not a trace");
  folder.Write("c.sscap", EndedSample().bytes.substr(0, 80));  // unreadable
  const auto trace = ImportPath(folder.root());
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ((*trace)->processes().size(), 2u);
  EXPECT_EQ((*trace)->size(), 2 * capture::kSampleEvents);
  EXPECT_EQ((*trace)->files().size(), 2u);
  EXPECT_EQ((*trace)->ledger().seen(),
            2 * (capture::kSampleEvents + capture::kSampleSideRecords));
  bool noted = false;
  for (const std::string& note : (*trace)->notes())
    noted |= note.find("c.sscap: byte 64") != std::string::npos;
  EXPECT_TRUE(noted);
}

TEST(RegistryTest, CompressedCapturesAreExpandedFirst) {
  const TempFolder folder;
  const std::string path = folder.path("x.sscap.gz");
  const std::string plain = EndedSample().bytes;
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, plain.data(), static_cast<unsigned>(plain.size())),
            static_cast<int>(plain.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
  const auto trace = ImportFile(path);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ((*trace)->size(), capture::kSampleEvents);
  EXPECT_EQ((*trace)->files()[0], path);
  EXPECT_EQ((*trace)->source_of((*trace)->processes()[0]).path, path);
  EXPECT_TRUE((*trace)->complete());
  // Cut short: the readable part, and a note.
  const std::string bytes = *ReadFile(path);
  const auto part = ImportFile(
      folder.Write("part.gz", bytes.substr(0, bytes.size() * 3 / 4)));
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_FALSE((*part)->complete());
}

TEST(RegistryTest, SeveralFilesAreOneTraceInTheirOrder) {
  const TempFolder folder;
  std::vector<std::string> paths;
  for (int i = 0; i < 7; ++i)
    paths.push_back(folder.Write(std::to_string(9 - i), EndedSample().bytes));
  std::mutex mutex;
  uint64_t last = 0;
  uint64_t total = 0;
  ImportOptions options;
  options.progress = [&](uint64_t done, uint64_t all) {
    const std::lock_guard lock(mutex);
    EXPECT_GE(done, last);
    last = done;
    total = all;
  };
  const auto trace = ImportFiles(paths, options);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ((*trace)->files(), paths);
  EXPECT_EQ((*trace)->size(), 7 * capture::kSampleEvents);
  ASSERT_EQ((*trace)->processes().size(), 7u);
  for (size_t i = 0; i < 7; ++i)
    EXPECT_EQ((*trace)->source_of((*trace)->processes()[i]).path, paths[i]);
  EXPECT_LE(last, total);
  paths.push_back(folder.path("absent"));
  EXPECT_FALSE(ImportFiles(paths));
}

// Cancels at the first report, and counts how many come after it.
class Canceller {
 public:
  explicit Canceller(ImportOptions& options) {
    options.cancel = &token_;
    options.progress = [this](uint64_t done, uint64_t total) {
      ++reports_;
      last_ = done;
      total_ = total;
      token_.Cancel();
    };
  }
  int reports() const { return reports_; }
  bool at_the_end() const { return total_ > 0 && last_ == total_; }

 private:
  CancelToken token_;
  int reports_ = 0;
  uint64_t last_ = 0;
  uint64_t total_ = 0;
};

[[maybe_unused]] std::string LongJson() {
  std::string text = "[";
  for (int i = 0; i < 40'000; ++i)
    text += Format(R"(%s{"ph":"X","name":"op%d","pid":1,"tid":1,"ts":%d,)"
                   R"("dur":1})",
                   i > 0 ? "," : "", i % 9, i);
  return text + "]";
}

TEST(RegistryTest, AnImportThatIsCancelledStopsBeforeTheEnd) {
  const TempFolder folder;
  std::vector<std::string> paths = {
      folder.Write("a.sscap", EndedSample().bytes)};
#ifdef STEPSCOPE_TEST_JSON
  paths.push_back(folder.Write("b.json", LongJson()));
#endif
  for (const std::string& path : paths) {
    for (const size_t threads : {1, 2}) {
      Executor executor(threads);
      ImportOptions options;
      options.executor = &executor;
      const Canceller canceller(options);
      const auto trace = ImportFile(path, options);
      ASSERT_FALSE(trace) << path;
      EXPECT_EQ(trace.error().code, ErrorCode::kCancelled);
      EXPECT_EQ(trace.error().message, path + ": cancelled while it was read");
      EXPECT_FALSE(canceller.at_the_end()) << path;
    }
  }
  // Before it begins.
  CancelToken token;
  token.Cancel();
  ImportOptions options;
  options.cancel = &token;
  const auto trace = ImportFiles(paths, options);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, ErrorCode::kCancelled);
}

TEST(RegistryTest, BytesInMemoryAreReadLikeFiles) {
  const std::string bytes = EndedSample().bytes;
  const auto input = InputSource::FromBytes(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "mine");
  ASSERT_TRUE(input);
  const auto trace = ImportSource(**input);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ((*trace)->size(), capture::kSampleEvents);
  EXPECT_EQ((*trace)->files()[0], "mine");
}

TEST(RegistryTest, OptionsOfAFormatAreFoundByTheirType) {
  struct One {
    int value = 1;
  };
  struct Two {
    int value = 2;
  };
  FormatOptions options;
  EXPECT_EQ(options.Get<One>().value, 1);
  options.Set(One{7});
  EXPECT_EQ(options.Get<One>().value, 7);
  EXPECT_EQ(options.Get<Two>().value, 2);
}

// Leaves nothing out silently: what may not be opened is named.
TEST(RegistryTest, UnreadableFilesOfAFolderAreNoted) {
  const TempFolder folder;
  folder.Write("a.sscap", EndedSample().bytes);
  const std::string closed = folder.Write("b.sscap", EndedSample().bytes);
  std::filesystem::permissions(folder.root(), std::filesystem::perms(0755));
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  const uid_t self = geteuid();
  // Root may open anything.
  ASSERT_TRUE(self != 0 || seteuid(65534) == 0);
  const auto trace = ImportPath(folder.root());
  ASSERT_TRUE(self != 0 || seteuid(self) == 0);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ((*trace)->size(), capture::kSampleEvents);
  bool noted = false;
  for (const std::string& note : (*trace)->notes())
    noted |= note.find("b.sscap: Permission denied") != std::string::npos;
  EXPECT_TRUE(noted);
}

TEST(RegistryTest, FolderWithoutATraceFails) {
  const TempFolder folder;
  folder.Write("notes.txt", "not a trace");
  const auto trace = ImportPath(folder.root());
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace stepscope
