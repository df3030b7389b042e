// SPDX-License-Identifier: Apache-2.0
#include "server/server.h"

#include <sys/resource.h>

#include <algorithm>

#include "report/table_options.h"
#include "server/api.h"
#include "server/files/sessions.h"
#include "server/http/engine.h"
#include "server/http/frame_ancestors.h"
#include "server/http/host_name.h"
#include "server/http/listen.h"
#include "server/http/request_guard.h"
#include "server/http/response_headers.h"
#include "server/http/work_pool.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostThreads = 64;
constexpr size_t kMostWaiting = 1024;
// One is read at a time.
constexpr size_t kImportThreads = 2;

// Whether the answer to this head waits for news and so holds a thread. What
// is not sure to wait is not said to: it may be an honest request.
bool WaitsForNews(std::string_view head) {
  std::string_view target = head.substr(std::min(head.find(' '), head.size()));
  target = target.substr(0, target.find_first_of("? ", 1));
  return target == " /api/v1/changes" || target == " /api/v1/progress";
}

// The one request with a body.
bool IsDrop(std::string_view head) {
  return head.starts_with("POST /api/v1/drop?");
}

// A connection is a descriptor, and a thousand may be slow.
void AllowManyFiles() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 8192);
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::vector<std::string> PathsOf(const ServerOptions& options) {
  std::vector<std::string> paths = {options.path};
  paths.insert(paths.end(), options.more_paths.begin(),
               options.more_paths.end());
  return paths;
}

}  // namespace

struct Server::Parts {
  Parts(const ServerOptions& options, const FrameAncestors& frames,
        std::string secret)
      : host(options.host),
        guard(options.host, std::move(secret),
              {.frames = frames.others(), .hosts = options.allowed_hosts}),
        folder(PathsOf(options)),
        importers(kImportThreads, kMostWaiting),
        sessions(folder, importers,
                 options.memory != 0 ? options.memory : Sessions::UsualMemory(),
                 options.cache),
        reader(folder, sessions, options.cache),
        dropped(options.drop),
        api(guard, folder, sessions, reader, dropped,
            PolicyFramedBy(frames.sources()), options.peaks),
        engine([this](const Request& request, Response& response) {
          api.Handle(request, response);
        }),
        pool(kMostThreads, kMostWaiting),
        waiters(kMostThreads, kMostWaiting),
        loop(
            [this](std::string head, std::string body,
                   std::shared_ptr<Exchange> exchange) {
              Answer(std::move(head), std::move(body), std::move(exchange));
            },
            Engine::Refusal,
            [this](std::string_view head) {
              return IsDrop(head) && guard.MayBringBody(head)
                         ? DroppedFiles::kMostPart
                         : 0;
            },
            options.limits) {}

  void Answer(std::string head, std::string body,
              std::shared_ptr<Exchange> exchange) {
    WorkPool& threads = WaitsForNews(head) ? waiters : pool;
    const bool taken =
        threads.Run([this, head = std::move(head), body = std::move(body),
                     exchange] { engine.Serve(head, body, *exchange); });
    if (taken) return;
    exchange->Write(Engine::Refusal(503, "the server is busy; try again"));
    exchange->Finish(false);
  }

  // So that no thread waits for anything when the pool is joined.
  void Stop() {
    api.Stop();
    engine.Stop();
    folder.Stop();
    loop.Stop();
  }

  const std::string host;
  int port = 0;
  RequestGuard guard;
  Folder folder;
  // Three, so that neither those that wait for news nor a queue of imports
  // hold up an answer that only has to be made. Threads that answer end
  // before what they answer with: they are declared behind it.
  WorkPool importers;
  Sessions sessions;
  TraceReader reader;
  DroppedFiles dropped;
  Api api;
  Engine engine;
  WorkPool pool;
  WorkPool waiters;
  ConnectionLoop loop;
};

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Server::~Server() { parts_->Stop(); }

Result<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  STEPSCOPE_TRY_ASSIGN(const FrameAncestors frames,
                       FrameAncestors::Parse(options.frame_ancestors));
  for (const std::string& name : options.allowed_hosts)
    if (!IsHostName(Lower(name)))
      return Fail(ErrorCode::kInvalidArgument,
                  "\"" + name +
                      "\" is not the name of a host; give it without scheme "
                      "and port, as in hub.example.com");
  if (const auto peaks =
          StatedPeaksOf("--", options.peaks.compute, options.peaks.memory);
      !peaks)
    return peaks.error();
  std::string token = MakeToken();
  if (token.empty())
    return Fail(ErrorCode::kIo, "the system gives no random numbers");
  auto parts = std::make_unique<Parts>(options, frames, std::move(token));
  // A folder may get its first trace later; a file that was named is there.
  if (std::string why = parts->folder.WrongFile(); !why.empty())
    return Fail(ErrorCode::kCorrupt, std::move(why));
  STEPSCOPE_TRY_ASSIGN(const ListeningSocket socket,
                       ListenOn(options.host, options.port));
  AllowManyFiles();
  parts->port = socket.port;
  STEPSCOPE_TRY(parts->loop.Listen(socket.fd));
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

int Server::port() const { return parts_->port; }
const std::string& Server::token() const { return parts_->guard.token(); }
Folder& Server::folder() { return parts_->folder; }
Sessions& Server::sessions() { return parts_->sessions; }

std::string Server::url() const {
  const bool everywhere = parts_->host == "0.0.0.0" || parts_->host == "::";
  std::string host = everywhere ? "127.0.0.1" : parts_->host;
  if (host.find(':') != host.npos) host = "[" + host + "]";
  return "http://" + host + ":" + std::to_string(parts_->port) +
         "/#token=" + token();
}

void Server::Run() { parts_->loop.Run(); }
void Server::Stop() { parts_->loop.Stop(); }

}  // namespace stepscope::server
