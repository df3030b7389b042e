// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <thread>

#include "base/terminal.h"
#include "cli/frame/output.h"
#include "cli/view.h"
#include "server/http/assets.h"
#include "server/server.h"

extern char** environ;

namespace stepscope {
namespace {

std::atomic<server::Server*> running{nullptr};

void StopRunning(int) {
  if (server::Server* const server = running.load()) server->Stop();
}

// Ctrl-C and kill end the server, not the process in the middle of something.
void StopOnSignals() {
  struct sigaction action = {};
  action.sa_handler = StopRunning;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESETHAND;  // the second one ends the process
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

// Whoever started this holds the other end, however it dies.
void EndWithStandardInput() {
  std::thread([] {
    char bytes[256];
    ssize_t count = 0;
    do {
      count = read(STDIN_FILENO, bytes, sizeof bytes);
    } while (count > 0 || (count < 0 && errno == EINTR));
    kill(getpid(), SIGTERM);
  }).detach();
}

// Where there is a desktop. The address holds the token, and arguments can be
// seen by others on the machine, so it is only done where the user looks on.
void OpenBrowser(const std::string& url) {
  if (getenv("DISPLAY") == nullptr && getenv("WAYLAND_DISPLAY") == nullptr)
    return;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  std::string program = "xdg-open";
  std::string address = url;
  char* arguments[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  (void)posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments,
                     environ);
  posix_spawn_file_actions_destroy(&actions);
}

bool IsLoopback(const std::string& host) {
  return host == "127.0.0.1" || host == "::1" || host == "localhost";
}

server::CacheOptions CacheOf(const ViewArguments& arguments) {
  server::CacheOptions cache;
  if (arguments.no_cache) return cache;
  cache.folder = arguments.cache;
  if (cache.folder.empty()) {
    const char* const chosen = getenv("STEPSCOPE_CACHE");
    cache.folder = chosen != nullptr && chosen[0] != '\0'
                       ? chosen
                       : server::UsualCacheFolder();
  }
  cache.most_bytes = arguments.cache_bytes;
  cache.note = [](const std::string& note) { PrintError(note); };
  return cache;
}

}  // namespace

ExitCode ServeView(const std::vector<std::string>& paths,
                   const ViewArguments& arguments) {
  server::ServerOptions options;
  options.path = paths[0];
  options.more_paths.assign(paths.begin() + 1, paths.end());
  options.host = arguments.host;
  options.port = arguments.port;
  options.frame_ancestors = arguments.frame_ancestors;
  options.allowed_hosts = arguments.allow_host;
  options.cache = CacheOf(arguments);
  options.peaks = {arguments.compute_peak, arguments.memory_peak};
  auto started = server::Server::Start(options);
  if (!started) {
    PrintError(started.error().message);
    const ErrorCode code = started.error().code;
    return code == ErrorCode::kInvalidArgument ? kExitUsage
           : code == ErrorCode::kCorrupt       ? kExitUnreadable
                                               : kExitIo;
  }
  server::Server& server = **started;
  const auto listing = server.folder().List();
  if (!listing->problem.empty()) PrintError(paths[0] + ": " + listing->problem);
  if (arguments.port != 0 && server.port() != arguments.port)
    PrintError("port " + std::to_string(arguments.port) + " is taken, using " +
               std::to_string(server.port()));
  if (!IsLoopback(arguments.host))
    PrintError(
        "warning: other machines can reach this server, and the "
        "connection is not encrypted; who sees the address below can "
        "see the traces");
  if (server::Assets().empty())
    PrintError(
        "warning: this build has no viewer: its web page was left out, because "
        "there was no Node.js 20.19 or newer; the server answers requests");
  // Before anybody knows the address, and so can want to end it.
  running = &server;
  StopOnSignals();
  if (arguments.end_with_stdin) EndWithStandardInput();
  const ExitCode written = WriteOutput(server.url() + "\n");
  if (written != kExitOk) {
    running = nullptr;
    return written;
  }
  if (!arguments.no_browser && IsTerminal(STDOUT_FILENO))
    OpenBrowser(server.url());
  server.Run();
  running = nullptr;
  return kExitOk;
}

}  // namespace stepscope
