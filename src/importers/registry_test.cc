// SPDX-License-Identifier: Apache-2.0
#include "importers/registry.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "importers/capture/sample_capture.h"

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
            folder.path("x.sscap") +
                ": byte 0: not a trace in a known format");
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

TEST(RegistryTest, SeveralFilesAreOneTraceInTheirOrder) {
  const TempFolder folder;
  std::vector<std::string> paths;
  for (int i = 0; i < 7; ++i)
    paths.push_back(
        folder.Write(std::to_string(9 - i), EndedSample().bytes));
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
    EXPECT_EQ((*trace)->str((*trace)->processes()[i].source), paths[i]);
  EXPECT_LE(last, total);
  paths.push_back(folder.path("absent"));
  EXPECT_FALSE(ImportFiles(paths));
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
