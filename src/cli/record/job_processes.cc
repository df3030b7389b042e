// SPDX-License-Identifier: Apache-2.0
#include "cli/record/job_processes.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <tuple>

#include "base/file.h"
#include "base/shared_folder.h"
#include "base/text.h"
#include "format/job_control.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// A process says that it is there every two seconds. One on another machine
// that has been silent for so long is taken for dead.
constexpr int64_t kSilentNs = 30'000'000'000;

std::string ReadText(const Result<File>& file, size_t most) {
  if (!file) return "";
  std::vector<uint8_t> bytes(most);
  const Result<size_t> got = file->ReadAt(0, bytes);
  return got ? std::string(reinterpret_cast<const char*>(bytes.data()), *got)
             : "";
}

std::string TextOf(const std::string& file, const char* key) {
  std::string out(format::kControlBytes, '\0');
  format::ControlText(file.c_str(), key, out.data(), out.size());
  out.resize(std::strlen(out.c_str()));
  return out;
}

// When a process of this machine started, in clock ticks after boot; -1: there
// is none.
int64_t StartOf(pid_t pid) {
  const std::string stat = ReadText(
      File::OpenForReading("/proc/" + std::to_string(pid) + "/stat"), 1024);
  size_t at = stat.rfind(')');  // the name may hold anything
  for (int field = 2; at != stat.npos && field < 22; ++field)
    at = stat.find(' ', at + 1);
  if (at == stat.npos) return -1;
  return std::atoll(stat.c_str() + at + 1);
}

// What tells whether a pid means the same to them as to us.
std::string PidSpace() {
  char text[64] = "";
  const ssize_t n = readlink("/proc/self/ns/pid", text, sizeof(text) - 1);
  return std::string(text, n > 0 ? static_cast<size_t>(n) : 0);
}

bool IsGone(const std::string& file, const JobProcess& process) {
  utsname system = {};
  uname(&system);
  if (process.host == system.nodename &&
      TextOf(file, "pid_space") == PidSpace())
    return StartOf(process.pid) !=
           format::ControlNumber(file.c_str(), "pid_start", 0);
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t now_ns = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  return now_ns - format::ControlNumber(file.c_str(), "beat_ns", 0) > kSilentNs;
}

JobProcess Parse(const fs::path& path, const std::string& file) {
  const auto number = [&](const char* key, int64_t otherwise) {
    return format::ControlNumber(file.c_str(), key, otherwise);
  };
  JobProcess process;
  process.file = path.string();
  process.host = TextOf(file, "host");
  process.pid = static_cast<pid_t>(number("pid", 0));
  process.rank = TextOf(file, "rank");
  process.step = number("step", -1);
  process.step_ns = number("step_ns", 0);
  process.keeps = TextOf(file, "keeps");
  process.request = number("request", 0);
  process.answer = TextOf(file, "answer");
  process.detail = TextOf(file, "detail");
  process.gone = IsGone(file, process);
  return process;
}

int64_t RankNumber(const std::string& rank) {
  int64_t value = INT64_MAX;
  std::from_chars(rank.data(), rank.data() + rank.size(), value);
  return value;
}

}  // namespace

std::string JobProcess::Name() const {
  std::string name = rank.empty() ? "" : "rank " + rank + " (";
  name += "process " + std::to_string(pid);
  utsname system = {};
  uname(&system);
  if (host != system.nodename) name += " on " + host;
  return rank.empty() ? name : name + ")";
}

Result<std::vector<JobProcess>> ReadJob(const std::string& folder) {
  const fs::path control = fs::path(folder) / format::kControlFolder;
  const Result<SharedFolder> shared = SharedFolder::Open(control.string());
  std::error_code error;
  fs::directory_iterator entries(control, error);
  if (!shared || error)
    return Fail(ErrorCode::kNotFound,
                folder + ": no job runs here: it has no folder " +
                    format::kControlFolder);
  std::vector<JobProcess> processes;
  for (; !error && entries != fs::directory_iterator();
       entries.increment(error)) {
    if (entries->path().extension() != format::kProcessSuffix) continue;
    const std::string file =
        ReadText(shared->OpenToRead(entries->path().filename().string()),
                 2 * format::kControlBytes);
    if (format::IsWholeControl(file.c_str(), format::kProcessTitle))
      processes.push_back(Parse(entries->path(), file));
  }
  std::sort(processes.begin(), processes.end(),
            [](const JobProcess& a, const JobProcess& b) {
              return std::tuple(RankNumber(a.rank), a.host, a.pid) <
                     std::tuple(RankNumber(b.rank), b.host, b.pid);
            });
  return processes;
}

Result<PostedRequest> PostRequest(const std::string& folder,
                                  const TriggerRequest& request) {
  const fs::path control = fs::path(folder) / format::kControlFolder;
  STEPSCOPE_TRY_ASSIGN(const SharedFolder shared,
                       SharedFolder::Open(control.string()));
  PostedRequest posted;
  int fd = -1;
  std::string number;
  std::string path;
  while (fd < 0) {
    number = Format(format::kRequestFormat, ++posted.number);
    path = (control / number).string();
    fd = openat(shared.fd(), number.c_str(),
                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 && errno != EEXIST) return FileError(path, errno);
  }
  std::string name = Format("window_%03d_trigger", posted.number);
  std::string text = format::kRequestTitle;
  if (request.by_time) {
    text += "kind seconds\nlength_ns " + std::to_string(request.length_ns);
  } else {
    name += "_step_" + std::to_string(request.first);
    text += "kind steps\nfirst " + std::to_string(request.first) + "\nlast " +
            std::to_string(request.last);
  }
  text += "\nfolder " + name + "\nreason trigger\nend\n";
  const Status written = WriteAll(fd, text, path);
  close(fd);
  if (!written) {
    unlinkat(shared.fd(), number.c_str(), 0);
    return written.error();
  }
  posted.folder = (fs::path(folder) / name).string();
  return posted;
}

}  // namespace stepscope
