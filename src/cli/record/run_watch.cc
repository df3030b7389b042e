// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace stepscope {
namespace {

#ifndef SYS_pidfd_open
constexpr long SYS_pidfd_open = 434;  // the same on all architectures
#endif

// struct pidfd_info of <linux/pidfd.h>, in its first version: the headers of
// today's distributions are older than the kernels that they run on.
struct PidfdInfo {
  uint64_t mask;
  uint64_t cgroup;
  uint32_t ids[11];
  int32_t exit_code;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr unsigned long kGetInfo = _IOWR(0xff, 11, PidfdInfo);
constexpr uint64_t kInfoExit = 1u << 3;

std::string DescribeStatus(int status) {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "exit " + std::to_string(WEXITSTATUS(status));
}

// Fields of /proc/<pid>/stat from the third on ("state"): the second may have
// blanks in it.
std::vector<std::string> StatFields(pid_t pid) {
  const Result<std::string> text =
      ReadFile("/proc/" + std::to_string(pid) + "/stat");
  std::vector<std::string> fields;
  const size_t name_end = text ? text->rfind(") ") : std::string::npos;
  if (name_end == std::string::npos) return fields;
  for (size_t at = name_end + 2; at < text->size();) {
    const size_t end = std::min(text->find(' ', at), text->size());
    fields.push_back(text->substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

// Of a process that nobody has waited for yet.
std::optional<std::string> EndingOfZombie(pid_t pid) {
  constexpr size_t kExitCode = 52 - 3;
  const std::vector<std::string> fields = StatFields(pid);
  if (fields.size() <= kExitCode || fields[0] != "Z" || IsRunning(pid))
    return std::nullopt;
  struct stat owner;
  // The kernel shows others a zero.
  if (stat(("/proc/" + std::to_string(pid)).c_str(), &owner) != 0 ||
      (geteuid() != 0 && owner.st_uid != geteuid()))
    return std::nullopt;
  int status = 0;
  const std::string& text = fields[kExitCode];
  std::from_chars(text.data(), text.data() + text.size(), status);
  return DescribeStatus(status);
}

bool HasEnded(int pidfd) {
  pollfd wait = {pidfd, POLLIN, 0};
  return poll(&wait, 1, 0) == 1;
}

}  // namespace

pid_t PidOfCapture(const std::string& name) {
  size_t end = name.rfind(".sscap");
  for (int field = 0; field < 2 && end != name.npos && end > 0; ++field)
    end = name.rfind('_', end - 1);
  const size_t begin =
      end == name.npos || end == 0 ? name.npos : name.rfind('_', end - 1);
  if (begin == name.npos) return 0;
  pid_t pid = 0;
  const auto [stop, error] =
      std::from_chars(name.data() + begin + 1, name.data() + end, pid);
  return error == std::errc() && stop == name.data() + end ? pid : 0;
}

bool IsRunning(pid_t pid) {
  constexpr size_t kThreads = 20 - 3;
  if (pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH)) return false;
  const std::vector<std::string> fields = StatFields(pid);
  if (fields.size() <= kThreads) return true;
  // The first thread may end before the others do.
  const bool others = fields[kThreads] != "0" && fields[kThreads] != "1";
  return others || (fields[0] != "Z" && fields[0] != "X");
}

ProcessWatch::ProcessWatch(const std::string& folder)
    : inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (inotify_ < 0) return;
  if (inotify_add_watch(inotify_, folder.c_str(), IN_CREATE) < 0) {
    close(inotify_);
    inotify_ = -1;
  }
}

ProcessWatch::~ProcessWatch() {
  for (const auto& [pid, descriptor] : descriptors_) close(descriptor);
  if (inotify_ >= 0) close(inotify_);
}

void ProcessWatch::Look() {
  alignas(inotify_event) char buffer[4096];
  for (;;) {
    const ssize_t n = inotify_ < 0 ? 0 : read(inotify_, buffer, sizeof(buffer));
    if (n <= 0) break;
    for (ssize_t at = 0; at < n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      const std::string_view name = event->len > 0 ? event->name : "";
      if (name.ends_with(".sscap")) Watch(PidOfCapture(std::string(name)));
      at += static_cast<ssize_t>(sizeof(inotify_event)) + event->len;
    }
  }
  std::vector<pid_t> gone;
  for (const auto& [pid, descriptor] : descriptors_)
    if (HasEnded(descriptor)) gone.push_back(pid);
  for (const pid_t pid : gone) Settle(pid);
}

void ProcessWatch::Watch(pid_t pid) {
  if (pid <= 0 || descriptors_.contains(pid)) return;
  const long descriptor = syscall(SYS_pidfd_open, pid, 0);
  if (descriptor < 0) return;
  ended_.erase(pid);  // an earlier process of that number
  descriptors_[pid] = static_cast<int>(descriptor);
}

// Notes how a process ended, if that can be told by now.
void ProcessWatch::Settle(pid_t pid) {
  const int descriptor = descriptors_[pid];
  std::optional<std::string> ending = EndingOfZombie(pid);
  // Told from when it was waited for, which may be this very moment.
  PidfdInfo info = {};
  info.mask = kInfoExit;
  const bool told = ioctl(descriptor, kGetInfo, &info) == 0;
  if (!ending && told && (info.mask & kInfoExit) != 0)
    ending = DescribeStatus(info.exit_code);
  if (!ending) return;
  ended_[pid] = *ending;
  close(descriptor);
  descriptors_.erase(pid);
}

void ProcessWatch::SetEnding(const Ending& ending) {
  if (const auto open = descriptors_.find(ending.pid);
      open != descriptors_.end()) {
    close(open->second);
    descriptors_.erase(open);
  }
  ended_[ending.pid] = ending.signal != 0
                           ? "signal " + std::to_string(ending.signal)
                           : "exit " + std::to_string(ending.code);
}

std::string ProcessWatch::EndedOf(pid_t pid) {
  if (descriptors_.contains(pid)) Settle(pid);
  const auto found = ended_.find(pid);
  return found != ended_.end() ? found->second : "unknown";
}

}  // namespace stepscope
