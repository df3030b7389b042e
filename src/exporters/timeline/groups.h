// SPDX-License-Identifier: Apache-2.0
//
// The processes of a timeline file: numbers from 0 in order of appearance.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stepscope::timeline {

class Groups {
 public:
  // The number of the process called `name`.
  int64_t Pid(const std::string& name) {
    const auto [it, fresh] = pids_.try_emplace(name, names_.size());
    if (fresh) names_.push_back(name);
    return it->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, int64_t> pids_;
  std::vector<std::string> names_;
};

}  // namespace stepscope::timeline
