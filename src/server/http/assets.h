// SPDX-License-Identifier: Apache-2.0
//
// The files of the viewer, inside the binary.
#pragma once

#include <span>
#include <string_view>

namespace stepscope::server {

struct Asset {
  std::string_view path;  // "index.html", "assets/index-BvQ3.js"
  std::string_view type;  // Content-Type
  std::string_view bytes;
  bool immutable = false;  // its name changes with its content
};

// Empty in a build without the viewer.
std::span<const Asset> Assets();
// By the path of a request: "/" is the page. Null: there is none.
const Asset* FindAsset(std::string_view request_path);

}  // namespace stepscope::server
