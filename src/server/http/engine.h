// SPDX-License-Identifier: Apache-2.0
//
// Engine: turns the head of one request into a call of a handler and its
// answer into bytes. cpp-httplib reads and writes HTTP; sockets are none of
// its business (connection_loop.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "server/http/exchange.h"
#include "server/http/http.h"

namespace stepscope::server {

class Engine : private httplib::Server {
 public:
  // `handler` answers every request; thread-safe.
  using Handler = std::function<void(const Request&, Response&)>;
  explicit Engine(Handler handler);

  // Answers through `exchange` and finishes it.
  void Serve(std::string_view head, std::string body, Exchange& exchange);
  // Answers that are streams end soon after.
  void Stop() { svr_sock_ = INVALID_SOCKET; }

  // A whole answer for what never became a request.
  static std::string Refusal(int status, std::string_view why);
};

}  // namespace stepscope::server
