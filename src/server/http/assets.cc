// SPDX-License-Identifier: Apache-2.0
#include "server/http/assets.h"

namespace stepscope::server {
namespace {

constexpr Asset kNoViewer = {
    "index.html", "text/html; charset=utf-8",
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
    "<title>stepscope</title>"
    "<h1>This build has no viewer</h1>"
    "<p>The server works, but the web pages were left out when it was built, "
    "because there was no Node.js. Install Node.js 20.19 or newer and build "
    "stepscope again.</p></html>\n",
    false};

}  // namespace

const Asset* FindAsset(std::string_view request_path) {
  if (request_path.starts_with('/')) request_path.remove_prefix(1);
  if (request_path.empty()) request_path = "index.html";
  for (const Asset& asset : Assets())
    if (asset.path == request_path) return &asset;
  return Assets().empty() && request_path == kNoViewer.path ? &kNoViewer
                                                            : nullptr;
}

}  // namespace stepscope::server
