// SPDX-License-Identifier: Apache-2.0
//
// A JSON list in the making, within the longest argument of a capture: the
// shapes or types of an operator's inputs. Takes no memory; what does not fit
// is left out at the end, and the list then ends in "...".
#pragma once

#include <stepscope/c.h>

#include <charconv>
#include <cstring>
#include <string_view>

namespace stepscope {

class InputList {
 public:
  InputList() { Put("["); }

  // For one more entry, if it is short.
  bool HasRoom() const { return !full_ && used_ <= kRoom - 64; }
  // For so many sizes in an entry that has begun.
  bool HasRoomFor(size_t sizes) const {
    constexpr size_t kDigits = 21;  // with a comma
    return sizes < kRoom / kDigits && sizes * kDigits + 24 <= kRoom - used_;
  }

  // Everything until the next call is one entry; false if the list is full.
  // Lists that tell of the same inputs end together: not `fits` if another one
  // has no room.
  bool Next(bool fits = true) {
    if (full_) return false;
    if (!fits || !HasRoom()) {
      full_ = true;
      Put(first_ ? "..." : ",\"...\"");
      return false;
    }
    if (!first_) Put(",");
    first_ = false;
    return true;
  }
  void Put(std::string_view text) {
    if (text.size() > kRoom - used_) return;
    std::memcpy(text_ + used_, text.data(), text.size());
    used_ += text.size();
  }
  void Put(int64_t number) {
    const auto [end, error] =
        std::to_chars(text_ + used_, text_ + kRoom, number);
    if (error == std::errc()) used_ = static_cast<size_t>(end - text_);
  }
  // "[2,3]"
  void PutSizes(const int64_t* sizes, size_t count) {
    Put("[");
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) Put(",");
      Put(sizes[i]);
    }
    Put("]");
  }
  void PutQuoted(std::string_view text) {
    Put("\"");
    Put(text);
    Put("\"");
  }
  // The entry that has begun, and back to this length of it.
  size_t size() const { return used_; }
  void CutTo(size_t size) { used_ = size; }
  // Of an empty list nothing.
  void Attach(stepscope_scope scope, const char* key) {
    if (first_) return;
    Put("]");
    stepscope_arg_text(scope, key, text_, used_);
  }

 private:
  static constexpr size_t kRoom = 1024;
  char text_[kRoom];
  size_t used_ = 0;
  bool first_ = true;
  bool full_ = false;
};

}  // namespace stepscope
