// SPDX-License-Identifier: Apache-2.0
//
// Random pickles: mostly lists of dicts under a few keys, as snapshots have
// them, with things in between that no snapshot has.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "importers/torch_memory/pickle_writer_test_support.h"

namespace stepscope::torch_memory {

class RandomPickle {
 public:
  // One thing in `odd_one_in` is odd; 0: none.
  RandomPickle(uint64_t seed, int protocol, uint64_t odd_one_in)
      : random_(seed), protocol_(protocol), odd_one_in_(odd_one_in) {
    text_ = "\x80";
    text_ += static_cast<char>(protocol);
  }

  std::string Write(int records) {
    for (uint64_t i = 0; i < kKeys; ++i) {
      InlineText("key" + std::to_string(i));
      Put("0");
    }
    // Its texts are what a longer file has, of which memo numbers are wider.
    for (uint64_t i = Below(2) * 280; i > 0; --i) {
      Put("]");
      Memoize();
      Put("0");
    }
    Put("]");
    Memoize();
    Put("(");
    const uint64_t first = Below(kKeys);
    for (int i = 0; i < records; ++i) Record(first, 1 + Below(9));
    Put("e.");
    return text_;
  }

 private:
  static constexpr uint64_t kKeys = 20;

  uint64_t Below(uint64_t limit) { return random_() % limit; }
  bool Odd() { return odd_one_in_ > 0 && Below(odd_one_in_) == 0; }
  void Put(std::string_view bytes) { text_ += bytes; }
  void Number(uint64_t value, size_t bytes) {
    text_ += PickleWriter::Little(value, bytes);
  }

  void Memoize() {
    if (protocol_ >= 4) {
      Put("\x94");
    } else {
      const bool wide = memo_ > 255 || Below(8) == 0;
      Put(wide ? "r" : "q");
      Number(memo_, wide ? 4 : 1);
    }
    ++memo_;
  }
  void Get(uint64_t index) {
    const bool wide = index > 255 || Below(50) == 0;
    Put(wide ? "j" : "h");
    Number(index, wide ? 4 : 1);
  }
  void InlineText(std::string_view text) {
    if (protocol_ >= 4 && text.size() < 256) {
      Put("\x8c");
      Number(text.size(), 1);
    } else {
      Put("X");
      Number(text.size(), 4);
    }
    Put(text);
    Memoize();
  }

  void Record(uint64_t first, uint64_t count) {
    Put("}");
    if (Below(10) != 0) Memoize();
    if (Odd()) Oddity();
    Put("(");
    for (uint64_t i = 0; i < count; ++i) {
      if (Odd()) Oddity();
      Get((first + i) % kKeys);
      if (Odd()) Oddity();
      Plain();
    }
    if (Odd()) Oddity();
    Put("u");
    if (Odd()) Oddity();
  }

  void Plain() {
    switch (Below(10)) {
      case 0:
        Put("K");
        return Number(random_(), 1);
      case 1:
        Put("M");
        return Number(random_(), 2);
      case 2:
        Put("J");
        return Number(random_(), 4);
      case 3:
      case 4: {
        const uint64_t size = 1 + Below(8);
        Put("\x8a");
        Number(size, 1);
        return Number(random_(), size);
      }
      case 5:
        return InlineText(Below(3) == 0 ? std::string(Below(300), 'a') : "N/A");
      case 6:
        Put("]");
        return Memoize();
      case 7:
        return Put(Below(3) == 0 ? "N" : Below(2) == 0 ? "\x88" : "\x89");
      default:
        return Get(Below(memo_));
    }
  }

  void Oddity() {
    switch (Below(16)) {
      case 0:  // may stand between any two opcodes
      case 1:
        Put("\x95");
        return Number(random_(), 8);
      case 2:  // what a key is called changes
        InlineText("other");
        if (protocol_ >= 4) --memo_;
        Put("q");
        Number(Below(kKeys), 1);
        return Put("0");
      case 3:  // ... and is a list, which is filled
        Put("]q");
        Number(Below(kKeys), 1);
        return Put(
            "K\x01"
            "a0");
      case 4:
        return Put(std::string_view("\x8a\0", 2));
      case 5:
        Put("\x8a\x09");
        return Put("123456789");
      case 6:
        return Put(
            "]K\x01"
            "a");
      case 7:
        return Put("K\x01K\x02\x86");
      case 8:
        return Put("G12345678");
      case 9:
        return Get(memo_ + Below(3));
      case 10:
        return Put("2");
      case 11:
        return Put("0");
      case 12:
        Put("}");
        Memoize();
        return;
      case 13:
        return Record(Below(kKeys), 17 + Below(3));
      case 14:
        return InlineText(std::string(300, 'b'));
      default:
        return Number(random_(), 1);
    }
  }

  std::mt19937_64 random_;
  const int protocol_;
  const uint64_t odd_one_in_;
  std::string text_;
  uint64_t memo_ = 0;
};

}  // namespace stepscope::torch_memory
