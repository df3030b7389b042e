// SPDX-License-Identifier: Apache-2.0
//
// TileNames: names as they are met in an answer, numbered in that order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/tile_records.h"

namespace stepscope {

class TileNames {
 public:
  // Of so many string ids.
  explicit TileNames(size_t strings) : numbers_(strings) {}

  void Begin() {
    ++answer_;
    names_.clear();
  }
  const std::vector<uint32_t>& names() const { return names_; }

 private:
  struct Entry {
    uint32_t answer = 0;  // in which it is valid
    uint16_t number = 0;
  };

 public:
  // What a loop needs, so that the compiler need not fear that a record that
  // was written has changed it.
  class Lookup {
   public:
    explicit Lookup(TileNames& all)
        : all_(all),
          numbers_(all.numbers_.data()),
          strings_(all.numbers_.size()),
          answer_(all.answer_) {}

    uint16_t operator()(uint32_t name) const {
      if (name >= strings_) return kNoName;  // of a damaged box
      const Entry entry = numbers_[name];
      return entry.answer == answer_ ? entry.number : all_.Add(name);
    }

   private:
    TileNames& all_;
    const Entry* const numbers_;
    const size_t strings_;
    const uint32_t answer_;
  };

  uint16_t Number(uint32_t name) { return Lookup(*this)(name); }

 private:
  [[gnu::noinline]] uint16_t Add(uint32_t name) {
    const size_t number = names_.size();
    if (number >= kNoName) return kNoName;
    names_.push_back(name);
    numbers_[name] = {answer_, static_cast<uint16_t>(number)};
    return numbers_[name].number;
  }

  std::vector<Entry> numbers_;  // by string id
  std::vector<uint32_t> names_;
  uint32_t answer_ = 0;
};

}  // namespace stepscope
