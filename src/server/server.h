// SPDX-License-Identifier: Apache-2.0
//
// Server: the viewer of one folder over HTTP.
//
//   STEPSCOPE_TRY_ASSIGN(auto server, Server::Start({.path = "profiler_log"}));
//   puts(server->url().c_str());
//   server->Run();  // until Stop(), from another thread or a signal handler
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/files/dropped_files.h"
#include "server/files/folder.h"
#include "server/files/import_cache.h"
#include "server/http/connection_loop.h"
#include "server/peak_words.h"

namespace stepscope::server {

struct ServerOptions {
  std::string path;                          // a folder or a trace
  std::vector<std::string> more_paths = {};  // shown beside it
  std::string host = "127.0.0.1";            // where to listen
  int port = 8080;    // if that is taken, the next one that is free; 0: any
  size_t memory = 0;  // bytes for open traces; 0: half of the machine's
  // Origins whose pages may show the viewer in a frame: frame_ancestors.h.
  std::vector<std::string> frame_ancestors = {};
  // Names under which a proxy shows this server.
  std::vector<std::string> allowed_hosts = {};
  CacheOptions cache = {};  // where traces are kept for the next time
  PeakWords peaks = {};     // of devices, where the user states them
  LoopLimits limits = {};
  DropLimits drop = {};
};

class Sessions;

class Server {
 public:
  // Listens when it returns.
  static Result<std::unique_ptr<Server>> Start(const ServerOptions& options);
  ~Server();

  int port() const;
  const std::string& token() const;
  // With the token: "http://127.0.0.1:8080/#token=..."
  std::string url() const;
  Folder& folder();
  Sessions& sessions();

  void Run();
  void Stop();

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  const std::unique_ptr<Parts> parts_;
};

}  // namespace stepscope::server
