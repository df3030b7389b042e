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
  // `one_line`: names of events are never empty and have one line, as VisualDL
  // needs it; those that were altered are not `valid`.
  explicit EscapedNames(const StringPool& strings, bool one_line = false)
      : strings_(strings),
        one_line_(one_line),
        entries_(strings.size()),
        one_line_entries_(one_line ? strings.size() : 0) {}

  struct Fragment {
    const char* data;  // kPutSlack bytes behind it may be read
    size_t size;
    bool valid;  // it is the string: that was UTF-8
    std::string_view view() const { return {data, size}; }
  };

  // `{"name":"` and the escaped string, the start of an event. Lasts until
  // the next call.
  Fragment EventStart(StringId id) {
    return Get(id, one_line_ ? one_line_entries_ : entries_);
  }
  // The escaped string alone. Lasts until the next call.
  Fragment Text(StringId id);

 private:
  struct Entry {
    size_t offset = 0;
    size_t size = 0;  // 0: not made yet
    bool valid = true;
  };
  Fragment Get(StringId id, std::vector<Entry>& entries) {
    Entry& entry = entries[id.v];
    if (entry.size == 0) [[unlikely]]
      Make(id, entry, &entries != &entries_);
    return {arena_.data() + entry.offset, entry.size, entry.valid};
  }
  void Make(StringId id, Entry& entry, bool one_line);

  const StringPool& strings_;
  const bool one_line_;
  std::vector<Entry> entries_;
  std::vector<Entry> one_line_entries_;
  std::string arena_;  // fragments, then kPutSlack bytes of nothing
};

}  // namespace stepscope::chrome
