// SPDX-License-Identifier: Apache-2.0
//
// The strings of a trace, escaped once each, on first use. Not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_pool.h"

namespace stepscope::chrome {

class EscapedNames {
 public:
  explicit EscapedNames(const StringPool& strings)
      : strings_(strings), entries_(strings.size()) {}

  struct Fragment {
    const char* data;  // kPutSlack bytes behind it may be read
    size_t size;
    bool valid;  // the string was UTF-8
    std::string_view view() const { return {data, size}; }
  };

  // `{"name":"` and the escaped string, the start of an event. Lasts until
  // the next call.
  Fragment EventStart(StringId id) {
    Entry& entry = entries_[id.v];
    if (entry.size == 0) [[unlikely]] Make(id, entry);
    return {arena_.data() + entry.offset, entry.size, entry.valid};
  }
  // The escaped string alone. Lasts until the next call.
  Fragment Text(StringId id);

 private:
  struct Entry {
    size_t offset = 0;
    size_t size = 0;  // 0: not made yet
    bool valid = true;
  };
  void Make(StringId id, Entry& entry);

  const StringPool& strings_;
  std::vector<Entry> entries_;
  std::string arena_;  // fragments, then kPutSlack bytes of nothing
};

}  // namespace stepscope::chrome
