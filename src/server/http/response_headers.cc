// SPDX-License-Identifier: Apache-2.0
#include "server/http/response_headers.h"

namespace stepscope::server {
namespace {

constexpr HeaderLine kHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; "
     "img-src 'self' data:; font-src 'self'; connect-src 'self'; "
     "worker-src 'self'; base-uri 'none'; form-action 'none'; "
     "frame-ancestors 'none'; require-trusted-types-for 'script'; "
     "trusted-types stepscope"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Embedder-Policy", "require-corp"},
};

}  // namespace

std::span<const HeaderLine> SecurityHeaders() { return kHeaders; }

std::string PolicyFramedBy(std::string_view sources) {
  constexpr std::string_view kNobody = "'none'; require-trusted";
  static_assert(kHeaders[0].second.find(kNobody) != std::string_view::npos);
  std::string policy(kHeaders[0].second);
  return policy.replace(policy.find(kNobody), std::string_view("'none'").size(),
                        sources);
}

}  // namespace stepscope::server
