// SPDX-License-Identifier: Apache-2.0
//
// TfTexts: the texts of nodes, each kept once as a rule. Not thread-safe.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "importers/tensorflow/step.h"

namespace stepscope::proto::tf {

class TfTexts {
 public:
  TfTexts() : slots_(kFewest) {}

  // Texts from now on are of another device, and so other texts.
  void NextDevice() { ++device_; }

  // Where the text lies, from now on to the end.
  TfText* Add(std::string_view name, std::string_view label) {
    const uint64_t hash = HashOf(name, label);
    for (size_t i = 0; i < kTries; ++i) {
      Slot& slot = SlotAt(hash + i);
      if (slot.device != device_) return Fill(slot, hash, name, label);
      if (slot.hash == hash && slot.text->label == label &&
          slot.text->name == name) [[likely]]
        return slot.text;
    }
    if (slots_.size() < kMost) Grow();
    return Fill(SlotAt(hash), hash, name, label);
  }

  std::deque<TfText> Take() { return std::move(texts_); }

 private:
  static constexpr uint64_t kOdd = 0xd1342543de82ef95u;
  static constexpr size_t kTries = 4;
  // A table that the cache can hold. A text that had to give up its place is
  // there twice if it comes again, which is no harm.
  static constexpr size_t kFewest = 1024;
  static constexpr size_t kMost = size_t{1} << 16;

  struct Slot {
    TfText* text = nullptr;
    uint64_t hash = 0;
    uint64_t device = 0;  // another than device_: free
  };

  Slot& SlotAt(uint64_t hash) { return slots_[hash & (slots_.size() - 1)]; }
  TfText* Fill(Slot& slot, uint64_t hash, std::string_view name,
               std::string_view label) {
    TfText& text = texts_.emplace_back();
    text.name = name;
    text.label = label;
    slot = {&text, hash, device_};
    return &text;
  }
  void Grow() {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    for (const Slot& slot : old) {
      if (slot.device != device_) continue;
      size_t i = 0;
      while (i < kTries && SlotAt(slot.hash + i).device == device_) ++i;
      if (i < kTries) SlotAt(slot.hash + i) = slot;
    }
  }

  static uint64_t Load(const char* p) {
    uint64_t word;
    std::memcpy(&word, p, sizeof(word));
    return word;
  }
  // Of the lengths and of bytes in which texts differ as a rule: a label
  // begins with the name and ends with the inputs.
  static uint64_t HashOf(std::string_view name, std::string_view label) {
    if (name.size() < 8 || label.size() < 8)
      return MixHash(Hash64(name), Hash64(label) | 1);
    return MixHash(
        Load(name.data() + name.size() - 8) ^ name.size() * 0x9e3779b97f4a7c15u,
        (Load(label.data() + label.size() - 8) * kOdd +
         Load(label.data() + label.size() / 2 - 4)) |
            1);
  }

  std::deque<TfText> texts_;
  std::vector<Slot> slots_;
  uint64_t device_ = 1;
};

}  // namespace stepscope::proto::tf
