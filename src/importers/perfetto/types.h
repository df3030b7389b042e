// SPDX-License-Identifier: Apache-2.0
//
// Types: what the categories and names of events say about them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "importers/categories.h"
#include "trace/build/trace_builder.h"

namespace stepscope::pftrace {

class Types {
 public:
  explicit Types(TraceBuilder& builder) : builder_(builder) {
    Add({});  // number 0: no category
  }

  // The number of a category.
  uint32_t Add(std::string_view category);
  bool IsDeviceWork(uint32_t category) const {
    return entries_[category].words.row == importers::TrackPlace::kStream;
  }
  // Whether it says more than that somebody defined it.
  bool IsKnown(uint32_t category) const { return entries_[category].known; }

  importers::TypeAndFlags Of(uint32_t category, StringId name) {
    const Entry& entry = entries_[category];
    if (entry.final) [[likely]]
      return {entry.words.type, 0};
    return importers::TypeOf(entry.words, KindOf(name));
  }

 private:
  struct Entry {
    importers::Category words;
    bool final = false;  // it is the name of a type: no name says better
    bool known = false;
  };

  importers::NameKind KindOf(StringId name);

  TraceBuilder& builder_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<uint8_t> name_kinds_;  // by StringId: 1 + NameKind, 0 unknown
};

}  // namespace stepscope::pftrace
