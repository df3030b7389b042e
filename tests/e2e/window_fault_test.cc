// SPDX-License-Identifier: Apache-2.0
//
// Windows where something goes wrong: a full disk, a folder that is deleted, a
// disk that does not answer, a process that ends. The C library's functions are
// replaced, so that a fault comes when the test says so.
#include <errno.h>
#include <gtest/gtest.h>
#include <stepscope/c.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "recorded.h"

namespace {

std::atomic<bool> disk_full{false};  // for files that end in `full_name`
std::atomic<const char*> full_name{""};
std::atomic<int> failed_writes{0};
std::atomic<bool> rename_waits{false};
std::atomic<bool> rename_is_waiting{false};
std::atomic<const char*> folder_to_delete{nullptr};  // before a rename

bool Hits(int fd) {
  char link[64];
  std::snprintf(link, sizeof(link), "/proc/thread-self/fd/%d", fd);
  char path[4096] = "";
  const ssize_t n = readlink(link, path, sizeof(path) - 1);
  return n > 0 && std::string_view(path, static_cast<size_t>(n))
                      .ends_with(full_name.load());
}

}  // namespace

extern "C" ssize_t write(int fd, const void* bytes, size_t count) {
  if (disk_full.load() && Hits(fd)) {
    failed_writes.fetch_add(1);
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_write, fd, bytes, count);
}

extern "C" int rename(const char* from, const char* to) noexcept {
  while (rename_waits.load()) {
    rename_is_waiting.store(true);
    usleep(1000);
  }
  const char* folder = folder_to_delete.exchange(nullptr);
  if (folder != nullptr) std::filesystem::remove_all(folder);
  return static_cast<int>(syscall(SYS_rename, from, to));
}

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using testing::CountByName;
using testing::Load;
using testing::Options;
using testing::TempFolder;

uint64_t RecordStep() {
  const stepscope_scope scope = stepscope_begin("step", STEPSCOPE_PROFILE_STEP);
  for (int i = 0; i < 300; ++i)
    stepscope_end(stepscope_begin("op", STEPSCOPE_OPERATOR));
  stepscope_end(scope);
  return scope.begin;
}

int Save(const std::string& path, uint64_t from, int timeout_ms = 60000) {
  return stepscope_save_window(path.c_str(), from, "", timeout_ms);
}

std::string Error() { return stepscope_last_error(); }

class WindowFault : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_ / "log");
    path_ = folder_ / "log/x.sscap";
    const stepscope_options options = Options(path_);
    ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK) << Error();
    begin_ = RecordStep();
  }
  void TearDown() override {
    disk_full.store(false);
    rename_waits.store(false);
    stepscope_stop();
    EXPECT_EQ(stepscope_wait(stepscope_session(), 60000), STEPSCOPE_OK);
  }
  std::string Window(int i) const {
    return folder_ / ("windows/" + std::to_string(i) + ".sscap");
  }
  void ExpectSaves(int i) const {
    ASSERT_EQ(Save(Window(i), begin_), STEPSCOPE_OK) << Error();
    const auto window = Load(Window(i));
    ASSERT_NE(window, nullptr);
    EXPECT_TRUE(window->complete());
    EXPECT_EQ(CountByName(*window)["op"], 300u);
    EXPECT_FALSE(fs::exists(Window(i) + ".part"));
  }

  TempFolder folder_;
  std::string path_;
  uint64_t begin_ = 0;
};

TEST_F(WindowFault, AFullDiskIsSaidAndNothingIsLeftBehind) {
  full_name.store("1.sscap.part");
  disk_full.store(true);
  EXPECT_EQ(Save(Window(1), begin_), STEPSCOPE_IO);
  EXPECT_NE(Error().find("No space left"), std::string::npos) << Error();
  EXPECT_FALSE(fs::exists(Window(1)));
  EXPECT_FALSE(fs::exists(Window(1) + ".part"));
  disk_full.store(false);
  ExpectSaves(2);
}

TEST_F(WindowFault, AFileThatFindsNoRoomIsNotWrittenAnewAllTheTime) {
  full_name.store("x.sscap.part");
  disk_full.store(true);
  failed_writes.store(0);
  while (fs::file_size(path_) < 64 * 1024) begin_ = RecordStep();
  // Longer than the limit; each save is one look at it.
  stepscope_keep_window(begin_, 32 * 1024);
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(Save(Window(i), begin_), STEPSCOPE_OK) << Error();
  EXPECT_LE(failed_writes.load(), 4);
}

TEST_F(WindowFault, AFolderThatIsDeletedDuringASaveIsSaid) {
  const std::string windows = folder_ / "windows";
  folder_to_delete.store(windows.c_str());
  EXPECT_EQ(Save(Window(1), begin_), STEPSCOPE_IO);
  EXPECT_NE(Error().find("No such file"), std::string::npos) << Error();
  ExpectSaves(2);
}

TEST_F(WindowFault, AWindowIsSavedThoughItsCaptureWasDeleted) {
  fs::remove_all(folder_ / "log");
  ExpectSaves(1);
}

TEST_F(WindowFault, ADeletedCaptureComesBackWhenItIsWrittenAnew) {
  fs::remove_all(folder_ / "log");
  // Only the test's own timeout ends this.
  while (!fs::exists(path_)) stepscope_keep_window(RecordStep(), 0);
  begin_ = RecordStep();
  ExpectSaves(1);
}

TEST_F(WindowFault, ADiskThatDoesNotAnswerHoldsNobodyUpForLonger) {
  rename_waits.store(true);
  std::thread first(
      [&] { EXPECT_EQ(Save(Window(1), begin_), STEPSCOPE_OK) << Error(); });
  while (!rename_is_waiting.load()) usleep(1000);
  EXPECT_EQ(Save(Window(2), begin_, 10), STEPSCOPE_TIMEOUT);
  rename_waits.store(false);
  first.join();
  EXPECT_TRUE(fs::exists(Window(1)));
  EXPECT_FALSE(fs::exists(Window(2)));
  ExpectSaves(3);

  rename_is_waiting.store(false);
  rename_waits.store(true);
  EXPECT_EQ(Save(Window(4), begin_, 10), STEPSCOPE_TIMEOUT);
  EXPECT_EQ(Save(Window(5), begin_, 10), STEPSCOPE_TIMEOUT);
  rename_waits.store(false);
  ExpectSaves(6);
}

TEST_F(WindowFault, ManyThreadsSaveAtOnce) {
  std::thread threads[8];
  for (int i = 0; i < 8; ++i)
    threads[i] = std::thread([this, i] { ExpectSaves(i); });
  for (std::thread& thread : threads) thread.join();
}

// ThreadSanitizer does not follow a fork of a process with threads.
#if !defined(__SANITIZE_THREAD__)
TEST(WindowExit, AProcessThatEndsDuringASaveLeavesWholeFiles) {
  const TempFolder folder;
  const std::string path = folder / "x.sscap";
  const std::string saved = folder / "w.sscap";
  const pid_t child = fork();
  if (child == 0) {
    const stepscope_options options = Options(path);
    if (stepscope_start(&options) != STEPSCOPE_OK) _exit(3);
    const uint64_t begin = RecordStep();
    rename_is_waiting.store(false);
    rename_waits.store(true);
    std::thread([&] { Save(saved, begin); }).detach();
    while (!rename_is_waiting.load()) usleep(1000);
    std::atexit([] { rename_waits.store(false); });
    std::exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (const std::string& file : {path, saved}) {
    const auto trace = Load(file);
    ASSERT_NE(trace, nullptr);
    EXPECT_TRUE(trace->complete()) << file;
    EXPECT_EQ(CountByName(*trace)["op"], 300u) << file;
  }
  EXPECT_FALSE(fs::exists(saved + ".part"));
}
#endif

}  // namespace
}  // namespace stepscope
