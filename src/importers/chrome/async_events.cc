// SPDX-License-Identifier: Apache-2.0
#include "importers/chrome/async_events.h"

#include <algorithm>
#include <utility>

namespace stepscope::json {

std::string AsyncEvents::Key(uint32_t process, char family,
                             std::string_view cat, std::string_view id,
                             std::string_view scope) {
  std::string key = std::to_string(process);
  key += family;
  for (const std::string_view part : {cat, id, scope}) {
    key += '\0';
    key += part;
  }
  return key;
}

AsyncEvents::Open AsyncEvents::End(const std::string& key) {
  const auto it = open_.find(key);
  if (it == open_.end()) return {};
  Open open = std::move(it->second.back());
  it->second.pop_back();
  if (it->second.empty()) open_.erase(it);
  return open;
}

std::vector<AsyncEvents::Open> AsyncEvents::TakeRest() {
  std::vector<Open> rest;
  for (auto& [key, stack] : open_)
    for (Open& open : stack) rest.push_back(std::move(open));
  open_.clear();
  std::sort(rest.begin(), rest.end(),
            [](const Open& a, const Open& b) { return a.row < b.row; });
  return rest;
}

}  // namespace stepscope::json
