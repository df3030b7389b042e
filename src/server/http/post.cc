// SPDX-License-Identifier: Apache-2.0
#include "server/http/post.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>

#include "base/file.h"
#include "base/text.h"
#include "server/http/http.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostBody = size_t{16} << 10;
// More than TLS and an answer take.
constexpr rlim_t kRoom = rlim_t{128} << 20;

// What the process that posts says to the one that waits, behind it the texts.
struct Outcome {
  int status = 0;  // 0: there is no answer, and the body is the reason
  uint32_t location = 0;
  uint32_t body = 0;
};

const char* ReasonOf(httplib::Error error) {
  using httplib::Error;
  switch (error) {
    case Error::Connection:
      return "cannot connect: nothing listens there, or the host is not known";
    case Error::ConnectionTimeout:
      return "cannot connect in time";
    case Error::Write:
      return "the connection was closed, or stalled, while it was written to";
    case Error::Read:
      return "no answer, or none that is HTTP";
    case Error::SSLConnection:
      return "no TLS there";
    case Error::SSLLoadingCerts:
    case Error::SSLServerVerification:
      return "its certificate is not trusted";
    default:
      return "no answer";
  }
}

// Of the memory that this process has mapped by now.
rlim_t MappedBytes() {
  const Result<std::string> text = ReadFile("/proc/self/statm");
  const uint64_t pages = text ? std::strtoull(text->c_str(), nullptr, 10) : 0;
  return static_cast<rlim_t>(pages) *
         static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

// The kernel ends this process when the time is over, or the caller is gone.
void SetLimits(pid_t caller, int timeout_ms) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != caller) _exit(1);
  // Those of a terminal are for the caller.
  sigset_t all;
  sigfillset(&all);
  sigdelset(&all, SIGALRM);
  signal(SIGALRM, SIG_DFL);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  const timeval after = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
  const itimerval once = {{0, 0}, after};
  setitimer(ITIMER_REAL, &once, nullptr);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const rlim_t most = MappedBytes() + kRoom;
  const rlimit memory = {most, most};
  setrlimit(RLIMIT_AS, &memory);
}

PostAnswer PostHere(const PostTarget& target, const std::string& content_type,
                    const std::string& body, int timeout_ms,
                    std::string* reason) {
  const bool is_v6 = target.host.find(':') != target.host.npos;
  httplib::Client client(std::string(target.tls ? "https://" : "http://") +
                         (is_v6 ? "[" + target.host + "]" : target.host) + ":" +
                         std::to_string(target.port));
  const std::chrono::milliseconds limit(timeout_ms);
  client.set_connection_timeout(limit);
  client.set_read_timeout(limit);
  client.set_write_timeout(limit);
  client.set_tcp_nodelay(true);
  client.set_follow_location(false);
  client.set_url_encode(false);
  httplib::Request request;
  request.method = "POST";
  request.path = target.path;
  request.body = body;
  request.headers.emplace("Content-Type", content_type);
  for (const auto& [name, value] : target.headers)
    request.headers.emplace(name, value);
  PostAnswer answer;
  request.response_handler = [&](const httplib::Response& response) {
    answer.status = response.status;
    answer.location = response.get_header_value("Location");
    return true;
  };
  request.content_receiver = [&](const char* data, size_t size, uint64_t,
                                 uint64_t) {
    answer.body.append(data, std::min(size, kMostBody - answer.body.size()));
    return answer.body.size() < kMostBody;
  };
  const httplib::Result result = client.send(request);
  // What is wrong behind the status does not matter.
  if (answer.status == 0) *reason = ReasonOf(result.error());
  return answer;
}

[[noreturn]] void PostAndEnd(const PostTarget& target,
                             const std::string& content_type,
                             const std::string& body, int timeout_ms,
                             int report) {
  PostAnswer answer;
  std::string reason;
  try {
    answer = PostHere(target, content_type, body, timeout_ms, &reason);
  } catch (const std::exception&) {
    reason = "its answer cannot be read, or is too large";
  }
  answer.location.resize(std::min(answer.location.size(), kMostBody));
  const std::string& text = answer.status == 0 ? reason : answer.body;
  const Outcome outcome = {answer.status,
                           static_cast<uint32_t>(answer.location.size()),
                           static_cast<uint32_t>(text.size())};
  std::string bytes(reinterpret_cast<const char*>(&outcome), sizeof(outcome));
  bytes += answer.location + text;
  _exit(WriteAll(report, bytes, "pipe") ? 0 : 1);
}

// All that comes until the other end is closed or the time is over.
std::string ReadUntilEnd(int fd, int timeout_ms) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  std::string bytes;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - Clock::now());
    pollfd wait = {fd, POLLIN, 0};
    const int ready =
        left.count() > 0 ? poll(&wait, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    char buffer[4096];
    const ssize_t n = ready > 0 ? read(fd, buffer, sizeof(buffer)) : 0;
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.append(buffer, static_cast<size_t>(n));
  }
}

Result<PostAnswer> AnswerIn(const std::string& bytes) {
  Outcome outcome;
  if (bytes.size() < sizeof(outcome)) return Fail(ErrorCode::kIo, "");
  std::memcpy(&outcome, bytes.data(), sizeof(outcome));
  const std::string texts = bytes.substr(sizeof(outcome));
  if (texts.size() != size_t{outcome.location} + outcome.body)
    return Fail(ErrorCode::kIo, "");
  if (outcome.status == 0)
    return Fail(ErrorCode::kIo, texts.substr(outcome.location));
  return PostAnswer{outcome.status, texts.substr(0, outcome.location),
                    texts.substr(outcome.location)};
}

}  // namespace

Result<PostAnswer> Post(const PostTarget& target,
                        const std::string& content_type,
                        const std::string& body, int timeout_ms) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return FileError("pipe", errno);
  const pid_t caller = getpid();
  const pid_t child = fork();
  if (child < 0) {
    const int why = errno;
    close(report[0]);
    close(report[1]);
    return FileError("fork", why);
  }
  if (child == 0) {
    close(report[0]);
    SetLimits(caller, timeout_ms);
    PostAndEnd(target, content_type, body, timeout_ms, report[1]);
  }
  close(report[1]);
  // The kernel's timer is first, unless the machine stands still.
  constexpr int kMore = 1000;
  const std::string bytes = ReadUntilEnd(report[0], timeout_ms + kMore);
  close(report[0]);
  kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  Result<PostAnswer> answer = AnswerIn(bytes);
  if (answer || !answer.error().message.empty()) return answer;
  const bool late = WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM ||
                                            WTERMSIG(status) == SIGKILL);
  return Fail(ErrorCode::kIo,
              late ? Format("no answer within %g s", timeout_ms / 1000.0)
                   : "its answer cannot be read");
}

}  // namespace stepscope::server
