// SPDX-License-Identifier: Apache-2.0
#include "base/string_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/hash.h"

namespace stepscope {
namespace {

constexpr size_t kArenaBytes = size_t{64} << 10;
constexpr size_t kOwnBlockFrom = kArenaBytes / 4;
constexpr size_t kFirstSlots = 256;
constexpr size_t kRecent = 1024;
// Below this hashing is as cheap as anything.
constexpr size_t kLookFrom = 16;

uint64_t Load(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Names are short as a rule: a call would take longer. REQUIRES: eight bytes.
bool Same(std::string_view a, std::string_view b) {
  constexpr size_t kShort = 64;
  const size_t size = a.size();
  if (size != b.size()) return false;
  if (size > kShort) return a == b;
  for (size_t i = 0; i + 8 < size; i += 8)
    if (Load(a.data() + i) != Load(b.data() + i)) return false;
  return Load(a.data() + size - 8) == Load(b.data() + size - 8);
}

// Of the length and the bytes where names of one length differ as a rule.
size_t RecentSlot(std::string_view text) {
  const char* const p = text.data();
  const size_t size = text.size();
  const uint64_t mixed =
      MixHash(Load(p) ^ size * 0x9e3779b97f4a7c15u,
              (Load(p + size / 2 - 4) + Load(p + size - 8)) | 1);
  return static_cast<size_t>(mixed) % kRecent;
}

}  // namespace

StringPool::StringPool() : slots_(kFirstSlots, 0), recent_(kRecent, 0) {
  Intern({});
}
StringPool::~StringPool() = default;
StringPool::StringPool(StringPool&&) noexcept = default;
StringPool& StringPool::operator=(StringPool&&) noexcept = default;

StringId StringPool::Intern(std::string_view text) {
  if (text.size() < kLookFrom) return InternHashed(text);
  uint32_t& recent = recent_[RecentSlot(text)];
  if (Same(text, views_[recent])) return {recent};
  const StringId id = InternHashed(text);
  recent = id.v;
  return id;
}

StringId StringPool::InternHashed(std::string_view text) {
  const uint64_t hash = Hash64(text);
  const size_t mask = slots_.size() - 1;
  size_t at = static_cast<size_t>(hash) & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const uint32_t id = slots_[at] - 1;
    if (hashes_[id] == hash && views_[id] == text) return {id};
  }
  const auto id = static_cast<uint32_t>(views_.size());
  views_.push_back(Copy(text));
  hashes_.push_back(hash);
  slots_[at] = id + 1;
  if (views_.size() * 2 > slots_.size()) Grow();
  return {id};
}

StringPool StringPool::Borrow(std::vector<std::string_view> views,
                              std::vector<uint64_t> hashes) {
  StringPool pool;
  if (views.empty()) return pool;
  pool.views_ = std::move(views);
  pool.hashes_ = std::move(hashes);
  pool.FillSlots(
      std::max(kFirstSlots, std::bit_ceil(pool.views_.size() * 2 + 1)));
  return pool;
}

StringPool StringPool::Fork() const {
  StringPool fork;
  fork.views_ = views_;
  fork.hashes_ = hashes_;
  fork.slots_ = slots_;
  return fork;
}

StringId StringPool::Find(std::string_view text) const {
  const uint64_t hash = Hash64(text);
  const size_t mask = slots_.size() - 1;
  for (size_t at = static_cast<size_t>(hash) & mask; slots_[at] != 0;
       at = (at + 1) & mask) {
    const uint32_t id = slots_[at] - 1;
    if (hashes_[id] == hash && views_[id] == text) return {id};
  }
  return {};
}

std::string_view StringPool::Copy(std::string_view text) {
  if (text.empty()) return {};
  char* out;
  if (text.size() >= kOwnBlockFrom) {
    // A block of its own, put behind the one being filled.
    arena_.push_back(std::make_unique<char[]>(text.size()));
    out = arena_.back().get();
    if (arena_.size() > 1) std::swap(arena_.back(), arena_[arena_.size() - 2]);
    if (arena_.size() == 1) arena_left_ = 0;
  } else {
    if (arena_left_ < text.size()) {
      arena_.push_back(std::make_unique<char[]>(kArenaBytes));
      arena_left_ = kArenaBytes;
    }
    out = arena_.back().get() + (kArenaBytes - arena_left_);
    arena_left_ -= text.size();
  }
  std::memcpy(out, text.data(), text.size());
  return {out, text.size()};
}

void StringPool::Grow() { FillSlots(slots_.size() * 2); }

void StringPool::FillSlots(size_t count) {
  std::vector<uint32_t> slots(count, 0);
  const size_t mask = slots.size() - 1;
  for (uint32_t id = 0; id < hashes_.size(); ++id) {
    size_t at = static_cast<size_t>(hashes_[id]) & mask;
    while (slots[at] != 0) at = (at + 1) & mask;
    slots[at] = id + 1;
  }
  slots_.swap(slots);
}

}  // namespace stepscope
