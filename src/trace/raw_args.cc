// SPDX-License-Identifier: Apache-2.0
#include "trace/raw_args.h"

#include <cstring>
#include <utility>

#include "base/lz.h"
#include "trace/trace.h"

namespace stepscope {
namespace {

// Each text stands behind its length, 4 bytes.
constexpr size_t kLengthBytes = sizeof(uint32_t);

}  // namespace

void RawArgs::Block::Pack() {
  std::vector<uint8_t> smaller = LzPack(bytes);
  if (smaller.size() < bytes.size()) {
    bytes.swap(smaller);
    packed = true;
  }
}

std::string RawArgs::Block::Plain() const {
  std::string plain(plain_size, '\0');
  auto* const out = reinterpret_cast<uint8_t*>(plain.data());
  if (!packed) {
    if (plain_size > 0) std::memcpy(out, stored().data(), plain_size);
  } else if (!LzUnpack(stored(), {out, plain_size})) {
    plain.clear();
  }
  return plain;
}

RawRef RawArgs::Add(std::span<const std::string_view> parts) {
  constexpr std::string_view kBetween = ", ";
  size_t size = parts.empty() ? 0 : (parts.size() - 1) * kBetween.size();
  for (const std::string_view part : parts) size += part.size();
  if (!open_.empty() && open_.size() + kLengthBytes + size > kBlockBytes)
    Seal();
  if (open_.empty()) open_.reserve(kBlockBytes);
  const RawRef ref = (RawRef{blocks_.size()} + 1) << 32 | open_.size();
  const auto append = [this](const char* bytes, size_t count) {
    const auto* const first = reinterpret_cast<const uint8_t*>(bytes);
    open_.insert(open_.end(), first, first + count);
  };
  const auto length = static_cast<uint32_t>(size);
  append(reinterpret_cast<const char*>(&length), kLengthBytes);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) append(kBetween.data(), kBetween.size());
    append(parts[i].data(), parts[i].size());
  }
  return ref;
}

void RawArgs::Seal() {
  if (open_.empty()) return;
  auto block = std::make_shared<Block>();
  block->plain_size = static_cast<uint32_t>(open_.size());
  block->bytes = std::exchange(open_, {});
  blocks_.push_back(std::move(block));
  if (packer_)
    packer_(*blocks_.back());
  else
    blocks_.back()->Pack();
}

RawRef RawArgs::Append(const RawArgs& other) {
  Seal();
  const RawRef grown = RawRef{blocks_.size()} << 32;
  blocks_.insert(blocks_.end(), other.blocks_.begin(), other.blocks_.end());
  return grown;
}

std::string_view RawArgs::At(std::string_view plain, RawRef ref) {
  const size_t at = static_cast<uint32_t>(ref);
  uint32_t length = 0;
  if (at + kLengthBytes > plain.size()) return {};
  std::memcpy(&length, plain.data() + at, kLengthBytes);
  return plain.substr(at + kLengthBytes, length);
}

std::string_view RawArgReader::Get(Row row) {
  const RawRef ref = trace_.raw_ref(row);
  if (ref == 0) return {};
  const uint32_t block = RawArgs::BlockOf(ref);
  Entry& entry = cache_[block % cache_.size()];
  if (entry.block != block) {
    entry.plain = trace_.raw_args().Unpack(block);
    entry.block = block;
  }
  return RawArgs::At(entry.plain, ref);
}

}  // namespace stepscope
