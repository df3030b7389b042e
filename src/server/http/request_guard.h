// SPDX-License-Identifier: Apache-2.0
//
// Who may ask: the page that this server has served, with the token that it
// has printed. Checked before anything else is looked at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/http/http.h"

namespace stepscope::server {

// What is wrong with a request; status 0: nothing.
struct Objection {
  int status = 0;
  std::string_view why = {};
};

// What is refused unless the user asked for it.
struct Allowances {
  bool frames = false;                  // the page in a frame of another origin
  std::vector<std::string> hosts = {};  // of a proxy in front
};

class RequestGuard {
 public:
  // `host`: where the server listens. A request must name that, this machine
  // or a plain address; any other name may have been rebound by an attacker.
  // Any port: it may be the other end of `ssh -L`.
  RequestGuard(std::string host, std::string token, Allowances allowed = {});

  const std::string& token() const { return token_; }

  // Of the page and its assets, which hold no secrets.
  Objection CheckShell(const Request& request) const;
  // Of everything that tells something about a trace.
  Objection CheckApi(const Request& request) const;
  // Before a body is read for a request: whether it has the token. The rest is
  // judged when the request is whole.
  bool MayBringBody(std::string_view head) const;

 private:
  bool IsAllowed(const std::string& host) const;
  bool KnowsHost(std::string_view authority) const;
  bool IsToken(std::string_view own, std::string_view authorization) const;
  bool HasToken(const Request& request) const;
  Objection CheckHost(const Request& request) const;

  const std::vector<std::string> hosts_;
  const bool any_address_;
  const std::string token_;
  Allowances allowed_;
};

// 64 hexadecimal digits that nobody can guess; empty: the system gave none.
std::string MakeToken();
// Takes as long wherever they differ.
bool SameToken(std::string_view a, std::string_view b);

}  // namespace stepscope::server
