// SPDX-License-Identifier: Apache-2.0
//
// A user who opens, writes, dups and closes, by number, whatever is his; and,
// as daemons and shells do, numbers that he believes to be free.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <map>

#include "guest/troubles.h"
#include "guest/user_files.h"

namespace stepscope::guest {
namespace {

constexpr int kLastClosed = 1023;
std::atomic<bool> descriptors_in_use{false};

class User {
 public:
  User(const Scenario& scenario, Rng* rng) : scenario_(scenario), rng_(rng) {}

  void Act() {
    switch ((*rng_)() % 8) {
      case 0:
      case 1:
        Open();
        break;
      case 2:
      case 3:
      case 4:
        Write();
        break;
      case 5:
        Close();
        break;
      case 6:
        if (scenario_.Has(kTakeNumbers))
          TakeNumber(3 + static_cast<int>((*rng_)() % 8));
        break;
      default:
        if (scenario_.Has(kCloseAll)) CloseAll();
    }
    for (const auto& [fd, file] : open_) CheckDescriptor(file, fd);
  }

  void CloseAll() {
    CloseAllDescriptors(rng_);
    open_.clear();
    for (int i = 0; i < 6; ++i) Open();
  }

  void Open() {
    // Programs that are executed need some too.
    if (scenario_.Has(kFewDescriptors) && open_.size() >= 6) return;
    int fd = -1;
    const int flags =
        ((*rng_)() % 2 ? O_APPEND : 0) | ((*rng_)() % 2 ? O_CLOEXEC : 0);
    const int file = CreateUserFile(flags, &fd);
    if (file < 0) return;
    open_[fd] = file;
    WriteUserFile(file, fd, 1 + (*rng_)() % 100);
  }

  // `exec 4> log` of a shell: whatever was there is replaced.
  void TakeNumber(int number) {
    const auto it = Any();
    if (it == open_.end() || it->first == number) return;
    const int file = it->second;
    if (dup2(it->first, number) != number) return;
    open_.erase(number);
    close(it->first);
    open_.erase(it);
    open_[number] = file;
  }

 private:
  std::map<int, int>::iterator Any() {
    auto it = open_.begin();
    if (it != open_.end()) std::advance(it, (*rng_)() % open_.size());
    return it;
  }
  void Write() {
    const auto it = Any();
    if (it != open_.end())
      WriteUserFile(it->second, it->first, 1 + (*rng_)() % 2000);
  }
  void Close() {
    const auto it = Any();
    if (it == open_.end()) return;
    close(it->first);
    open_.erase(it);
  }

  const Scenario& scenario_;
  Rng* rng_;
  std::map<int, int> open_;  // descriptor to number of the file
};

}  // namespace

void CloseAllDescriptors(Rng* rng) {
  // Three ways that are in use.
  switch ((*rng)() % 3) {
    case 0:
      for (int fd = 3; fd <= kLastClosed; ++fd) close(fd);
      break;
    case 1:
#ifdef SYS_close_range
      if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0) break;
#endif
      [[fallthrough]];
    default:
      for (int fd = kLastClosed; fd >= 3; --fd) close(fd);
  }
}

void UseDescriptors(const Scenario& scenario, Rng* rng) {
  User user(scenario, rng);
  if (scenario.Has(kCloseAll)) user.CloseAll();
  for (int number = 3; number < 9; ++number) {
    user.Open();
    if (scenario.Has(kTakeNumbers)) user.TakeNumber(number);
  }
  descriptors_in_use.store(true);
  while (RecordersAtWork()) {
    user.Act();
    usleep(static_cast<useconds_t>((*rng)() % 3000));
  }
  for (int i = 0; i < 20; ++i) user.Act();
}

void AwaitDescriptorsInUse() {
  while (!descriptors_in_use.load()) usleep(1000);
}

void CheckStandardClosed() {
  struct stat info;
  for (int fd = 0; fd < 3; ++fd)
    if (fstat(fd, &info) == 0)
      Find(
          "descriptor %d was closed and now leads to inode %llu of device "
          "%llu: what the program prints goes there",
          fd, static_cast<unsigned long long>(info.st_ino),
          static_cast<unsigned long long>(info.st_dev));
}

}  // namespace stepscope::guest
