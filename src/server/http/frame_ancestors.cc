// SPDX-License-Identifier: Apache-2.0
#include "server/http/frame_ancestors.h"

#include "server/http/host_name.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostOrigins = 16;

// Nothing that means something to a header or a policy gets through: what is
// left are letters, digits, dots, dashes and a colon.
bool IsOrigin(const std::string& text) {
  const size_t scheme = text.find("://");
  if (scheme == text.npos) return false;
  const std::string_view name = std::string_view(text).substr(0, scheme);
  if (name != "http" && name != "https") return false;
  const std::string_view authority = std::string_view(text).substr(scheme + 3);
  // The grammar of policies has no IPv6 addresses, and browsers ignore them.
  return !authority.starts_with('[') && IsHostName(HostOf(authority));
}

}  // namespace

Result<FrameAncestors> FrameAncestors::Parse(
    const std::vector<std::string>& origins) {
  FrameAncestors ancestors;
  std::string sources;
  if (origins.size() > kMostOrigins)
    return Fail(ErrorCode::kInvalidArgument,
                "at most " + std::to_string(kMostOrigins) +
                    " origins may frame the viewer");
  for (const std::string& given : origins) {
    const std::string origin = Lower(given);
    if (!sources.empty()) sources += ' ';
    if (origin == "self") {
      sources += "'self'";
      continue;
    }
    if (!IsOrigin(origin))
      return Fail(ErrorCode::kInvalidArgument,
                  "\"" + given +
                      "\" is not an origin; give scheme, host and port, as "
                      "in http://localhost:8888");
    sources += origin;
    ancestors.others_ = true;
  }
  if (!sources.empty()) ancestors.sources_ = std::move(sources);
  return ancestors;
}

}  // namespace stepscope::server
