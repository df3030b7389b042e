// SPDX-License-Identifier: Apache-2.0
#include "collector/job_control.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/clock.h"
#include "collector/error.h"
#include "collector/paths.h"
#include "collector/process_info.h"
#include "collector/sync.h"
#include "format/job_control.h"

namespace stepscope::collector {
namespace {

constexpr int64_t kSecondNs = 1000000000;
// A process that has nothing new to say says it again, to be known alive.
constexpr int64_t kSayNs = kSecondNs / 4;
constexpr int64_t kSayAgainNs = 2 * kSecondNs;
// A request whose maker died while it wrote is passed over.
constexpr int64_t kTornNs = 5 * kSecondNs;

int64_t RealtimeNs() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * kSecondNs + now.tv_nsec;
}

void HostName(char* out, size_t room) {
  utsname system;
  std::snprintf(out, room, "%s", uname(&system) == 0 ? system.nodename : "");
  for (char* c = out; *c != '\0'; ++c)
    if (*c == '/' || *c == '\n' || *c == ' ') *c = '_';
}

bool WriteWhole(int fd, const char* text, size_t length) {
  size_t done = 0;
  while (done < length) {
    const ssize_t n =
        pwrite(fd, text + done, length - done, static_cast<off_t>(done));
    if (n <= 0 && !(n < 0 && errno == EINTR)) return false;
    if (n > 0) done += static_cast<size_t>(n);
  }
  return true;
}

// Of this process, of root or of whoever owns the job's folder.
bool IsOurs(const struct stat& file, uid_t owner) {
  return file.st_uid == geteuid() || file.st_uid == 0 || file.st_uid == owner;
}

// A line must stay one.
void OneLine(const char* from, char* out, size_t room) {
  std::snprintf(out, room, "%s", from);
  for (char* c = out; *c != '\0'; ++c)
    if (*c == '\n' || *c == '\r') *c = ' ';
}

}  // namespace

void ProcessLabel(char* out, size_t room) {
  const char* rank = RankText();
  if (rank != nullptr && rank[0] != '\0' &&
      std::strspn(rank, "0123456789") == std::strlen(rank))
    std::snprintf(out, room, "rank%.20s", rank);
  else
    std::snprintf(out, room, "%.60s", program_invocation_short_name);
}

void JobControl::RequestPath(int number, char* out, size_t room) const {
  const int n =
      std::snprintf(out, room, "%s/%s/", folder_, format::kControlFolder);
  if (n > 0 && static_cast<size_t>(n) < room)
    std::snprintf(out + n, room - static_cast<size_t>(n),
                  format::kRequestFormat, number);
}

bool JobControl::Open(const char* folder) {
  if (!AbsolutePath(folder, folder_, sizeof(folder_))) return false;
  char host[256];
  HostName(host, sizeof(host));
  std::snprintf(process_path_, sizeof(process_path_), "%s/%s/%.200s_%d%s",
                folder_, format::kControlFolder, host,
                static_cast<int>(getpid()), format::kProcessSuffix);
  if (!MakeFolderOf(process_path_)) return false;
  char path[4096];
  std::snprintf(path, sizeof(path), "%s/%s", folder_, format::kControlFolder);
  struct stat job;
  struct stat control;
  owner_ = stat(folder_, &job) == 0 ? job.st_uid : geteuid();
  if (lstat(path, &control) != 0 || !S_ISDIR(control.st_mode) ||
      !IsOurs(control, owner_)) {
    SetLastError("%s: expected a folder of yours; remove it", path);
    return false;
  }
  for (next_ = 1;; ++next_) {
    RequestPath(next_, path, sizeof(path));
    struct stat request;
    if (lstat(path, &request) != 0) break;
  }
  torn_since_ns_ = 0;
  last_[0] = '\0';
  open_ = true;
  return true;
}

void JobControl::Close() {
  const MutexLock lock(&mutex_);
  if (open_) unlink(process_path_);
  open_ = false;
}

void JobControl::Abandon() {
  mutex_ = PTHREAD_MUTEX_INITIALIZER;
  open_ = false;
}

void JobControl::Say(const ProcessState& state, bool urgent) {
  const int64_t now = MonotonicNs();
  if (!urgent && now - said_ns_ < kSayNs) return;
  char host[256];
  HostName(host, sizeof(host));
  char space[64] = "";
  const ssize_t n = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);
  space[n > 0 ? n : 0] = '\0';
  char detail[1024];
  OneLine(state.detail, detail, sizeof(detail));
  const char* rank = RankText();
  char text[format::kControlBytes];
  std::snprintf(text, sizeof(text),
                "host %s\npid %d\npid_start %lld\npid_space %s\nrank %s\n"
                "step %lld\nstep_ns %lld\nkeeps %s\nrequest %d\n"
                "answer %s\ndetail %s\n",
                host, static_cast<int>(getpid()), ProcessStart(), space,
                rank != nullptr ? rank : "", static_cast<long long>(state.step),
                static_cast<long long>(state.step_ns), state.keeps,
                state.request, state.answer, detail);
  if (std::strcmp(text, last_) == 0 && now - said_ns_ < kSayAgainNs) return;
  std::memcpy(last_, text, sizeof(last_));
  said_ns_ = now;
  char file[format::kControlBytes + 128];
  const int length = std::snprintf(
      file, sizeof(file), "%sbeat_ns %lld\n%send\n", format::kProcessTitle,
      static_cast<long long>(RealtimeNs()), text);
  // Renamed, so that nobody reads half of it; made anew, since others may have
  // put something in its place.
  char part[4096];
  std::snprintf(part, sizeof(part), "%s.part", process_path_);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  pthread_mutex_lock(&mutex_);
  if (open_) unlink(part);
  int fd = open_ ? open(part, kFlags, 0644) : -1;
  if (open_ && fd < 0 && errno == ENOENT && MakeFolderOf(part))
    fd = open(part, kFlags, 0644);
  if (fd >= 0) {
    const bool whole = WriteWhole(fd, file, static_cast<size_t>(length));
    close(fd);
    if (!whole || rename(part, process_path_) != 0) unlink(part);
  }
  pthread_mutex_unlock(&mutex_);
}

JobControl::Found JobControl::Read(int number, char* out, size_t room) const {
  char path[4096];
  RequestPath(number, path, sizeof(path));
  // Others may write into the folder: a pipe must not hold us up.
  const int fd =
      open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  // What is not there yet, or cannot be opened just now, may come.
  if (fd < 0)
    return errno == ELOOP || errno == EACCES ? Found::kOther : Found::kNothing;
  struct stat file;
  const bool ours =
      fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && IsOurs(file, owner_);
  const ssize_t n = ours ? read(fd, out, room - 1) : 0;
  close(fd);
  out[n > 0 ? n : 0] = '\0';
  return ours ? Found::kFile : Found::kOther;
}

// What is not a request took a number, and that is all.
bool JobControl::ReadNext(char* out, size_t room) {
  Found found = Read(next_, out, room);
  for (; found == Found::kOther; found = Read(next_, out, room)) ++next_;
  return found == Found::kFile;
}

bool JobControl::Next(JobRequest* request) {
  char text[format::kControlBytes];
  if (!open_ || !ReadNext(text, sizeof(text))) return false;
  if (!format::IsWholeControl(text, format::kRequestTitle)) {
    const int64_t now = MonotonicNs();
    if (torn_since_ns_ == 0) torn_since_ns_ = now;
    if (now - torn_since_ns_ < kTornNs) return false;
    torn_since_ns_ = 0;
    ++next_;
    return false;
  }
  torn_since_ns_ = 0;
  *request = JobRequest();
  request->number = next_++;
  char kind[16];
  format::ControlText(text, "kind", kind, sizeof(kind));
  request->kind = std::strcmp(kind, "steps") == 0     ? RequestKind::kSteps
                  : std::strcmp(kind, "seconds") == 0 ? RequestKind::kSeconds
                                                      : RequestKind::kSave;
  request->first = format::ControlNumber(text, "first", 0);
  request->last = format::ControlNumber(text, "last", 0);
  request->length_ns = format::ControlNumber(text, "length_ns", 0);
  format::ControlText(text, "folder", request->folder, sizeof(request->folder));
  format::ControlText(text, "reason", request->reason, sizeof(request->reason));
  // A name in the job's folder, and nothing else.
  return request->folder[0] != '\0' && request->folder[0] != '.' &&
         std::strchr(request->folder, '/') == nullptr;
}

bool JobControl::AskToSave(const char* what, int64_t step, const char* reason) {
  char other[format::kControlBytes];
  if (ReadNext(other, sizeof(other))) return false;
  char path[4096];
  RequestPath(next_, path, sizeof(path));
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  int fd = open(path, kFlags, 0644);
  // The folder was deleted: then nobody has asked there.
  if (fd < 0 && errno == ENOENT && MakeFolderOf(path))
    fd = open(path, kFlags, 0644);
  if (fd < 0) return false;
  char line[256];
  OneLine(reason, line, sizeof(line));
  char where[32] = "";
  if (step >= 0)
    std::snprintf(where, sizeof(where), "_step_%lld",
                  static_cast<long long>(step));
  char text[1024];
  const int length =
      std::snprintf(text, sizeof(text),
                    "%skind save\nfolder window_%03d_%s%s\nreason %s\nend\n",
                    format::kRequestTitle, next_, what, where, line);
  const bool whole = WriteWhole(fd, text, static_cast<size_t>(length));
  close(fd);
  // Half a request would make all processes wait for the rest.
  if (!whole) unlink(path);
  return whole;
}

}  // namespace stepscope::collector
