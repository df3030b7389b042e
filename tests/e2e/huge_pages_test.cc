// SPDX-License-Identifier: Apache-2.0
//
// A cold event waits for the page of its slot: the ring lies in huge ones.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "recorded.h"

namespace stepscope::testing {
namespace {

// True if this system turns 2 MiB of a shared file into one page when asked.
bool MakesHugePages() {
  constexpr size_t kHuge = 2 << 20;
  constexpr int kCollapse = 25;  // MADV_COLLAPSE, not in every header
  const int fd = memfd_create("huge", MFD_CLOEXEC);
  if (fd < 0 || fallocate(fd, 0, 0, kHuge) != 0) return false;
  void* range =
      mmap(nullptr, 2 * kHuge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto start = reinterpret_cast<uintptr_t>(range);
  void* at = reinterpret_cast<void*>((start + kHuge - 1) / kHuge * kHuge);
  at = mmap(at, kHuge, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
  const bool made = at != MAP_FAILED && madvise(at, kHuge, kCollapse) == 0;
  munmap(range, 2 * kHuge);
  close(fd);
  return made;
}

// KiB of the live file that are mapped by huge pages.
uint64_t HugeKibOfRing() {
  std::ifstream smaps("/proc/self/smaps");
  bool live = false;
  uint64_t kib = 0;
  for (std::string line; std::getline(smaps, line);) {
    if (line.find(" rw-s ") != std::string::npos)
      live = line.find(".sscap.live") != std::string::npos;
    if (live && line.rfind("ShmemPmdMapped:", 0) == 0)
      kib += std::stoull(line.substr(15));
  }
  return kib;
}

TEST(HugePages, TheRingLiesInHugePagesWhereTheSystemMakesThem) {
  if (!MakesHugePages()) GTEST_SKIP() << "no MADV_COLLAPSE for shared memory";
  const TempFolder folder;
  const std::string path = folder / "huge.sscap";
  const auto options = Options(path, 32 << 20);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  char live[4096] = {};
  if (readlink((path + ".live").c_str(), live, sizeof(live) - 1) < 0) {
    stepscope_stop();
    GTEST_SKIP() << "no room for the ring in shared memory";
  }
  // The writer makes them behind our back; memory may be too scattered for all.
  uint64_t huge = 0;
  for (int i = 0; i < 60000 && huge < 8 << 10; ++i) {
    usleep(1000);
    huge = HugeKibOfRing();
  }
  EXPECT_GE(huge, 8u << 10);
  stepscope_stop();
  EXPECT_EQ(stepscope_wait(stepscope_session(), 60000), STEPSCOPE_OK);
}

}  // namespace
}  // namespace stepscope::testing
