// SPDX-License-Identifier: Apache-2.0
//
// Which other pages may show the viewer in a frame, as a notebook does: exact
// origins, never a pattern. None unless the user named them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace stepscope::server {

class FrameAncestors {
 public:
  // Of origins such as "http://localhost:8888"; "self" stands for pages of the
  // viewer's own origin, which a proxy shares with others.
  static Result<FrameAncestors> Parse(const std::vector<std::string>& origins);

  // Whether a page of another origin may be among them.
  bool others() const { return others_; }
  // The value of the directive: "'none'", "http://localhost:8888 'self'".
  const std::string& sources() const { return sources_; }

 private:
  std::string sources_ = "'none'";
  bool others_ = false;
};

}  // namespace stepscope::server
