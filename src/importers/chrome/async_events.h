// SPDX-License-Identifier: Apache-2.0
//
// AsyncEvents: pairs begins and ends that no thread nests (b/e, S/F, N/D), by
// process, category, id and scope. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/build/trace_builder.h"

namespace stepscope::json {

class AsyncEvents {
 public:
  struct Open {
    Row row = kNoRow;
    uint64_t offset = 0;
    std::string args;  // of the begin, until the end is known
  };

  static std::string Key(uint32_t process, char family, std::string_view cat,
                         std::string_view id, std::string_view scope);

  void Begin(const std::string& key, Open open) {
    open_[key].push_back(std::move(open));
  }
  // The innermost open one; row kNoRow if there is none.
  Open End(const std::string& key);
  // All that never ended.
  std::vector<Open> TakeRest();

 private:
  std::unordered_map<std::string, std::vector<Open>> open_;
};

}  // namespace stepscope::json
