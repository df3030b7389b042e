// SPDX-License-Identifier: Apache-2.0
//
// A pyramid as bytes: a head, a table of blocks and tops, the blocks, the tops.
// As this machine and this version have them in memory.
#include <cstring>
#include <utility>

#include "base/text.h"
#include "timeline/pyramid.h"

namespace stepscope {
namespace {

struct Head {
  char magic[8] = {'S', 'S', 'P', 'Y', 'R', 'A', 'M', 0};
  // Another for every change of what the bytes mean. Read as another number
  // where the order of bytes is another.
  uint32_t version = 2;
  uint32_t blocks = 0;
  uint32_t rows = 0;
  uint32_t tracks = 0;
  uint32_t names = 0;
  Row block_rows = 0;
};
static_assert(sizeof(Head) == 32);

struct Entry {
  Row first = 0;
  Row last = 0;
  PyramidBlock::Shape shape;
  uint32_t unused[3] = {};
};
static_assert(sizeof(Entry) % 16 == 0);
static_assert(std::is_trivially_copyable_v<Entry>);

Head HeadOf(const Trace& trace, size_t blocks, Row block_rows) {
  Head head;
  head.blocks = static_cast<uint32_t>(blocks);
  head.rows = trace.size();
  head.tracks = static_cast<uint32_t>(trace.tracks().size());
  head.names = static_cast<uint32_t>(trace.strings().size());
  head.block_rows = block_rows;
  return head;
}

Error Damaged(size_t offset, std::string_view what) {
  return Fail(ErrorCode::kCorrupt, Format("pyramid: byte %zu: ", offset) +
                                       std::string(what) + "; build it anew");
}

}  // namespace

void Pyramid::AppendTo(const Sink& sink) const {
  const Head head = HeadOf(trace_, blocks_.size(), block_rows_);
  sink(std::as_bytes(std::span(&head, 1)));
  const auto each = [this](const auto& use) {
    for (const PyramidBlock& block : blocks_) use(block);
    for (const PyramidTop& top : tops_) use(top.block);
  };
  each([&](const PyramidBlock& block) {
    const Entry entry = {block.first(), block.last(), block.shape(), {}};
    sink(std::as_bytes(std::span(&entry, 1)));
  });
  each([&](const PyramidBlock& block) {
    if (!block.bytes().empty()) sink(block.bytes());
  });
}

size_t Pyramid::serialized_bytes() const {
  size_t bytes = sizeof(Head) + (blocks_.size() + tops_.size()) * sizeof(Entry);
  for (const PyramidBlock& block : blocks_) bytes += block.bytes().size();
  for (const PyramidTop& top : tops_) bytes += top.block.bytes().size();
  return bytes;
}

Result<Pyramid> Pyramid::FromBytes(std::span<const std::byte> bytes,
                                   std::shared_ptr<const void> owner,
                                   const Trace& trace, PyramidClasses classes) {
  if (!classes.of_name.empty() &&
      classes.of_name.size() < trace.strings().size()) {
    return Fail(ErrorCode::kInvalidArgument,
                "pyramid: classes are of another trace");
  }
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 16 != 0)
    return Fail(ErrorCode::kInvalidArgument, "pyramid: bytes are not aligned");
  Head head;
  if (bytes.size() < sizeof head) return Damaged(bytes.size(), "cut short");
  std::memcpy(&head, bytes.data(), sizeof head);
  // So that a damaged number asks for no more memory than there are bytes.
  if (head.block_rows == 0 || head.block_rows > PyramidBlock::kMostRows ||
      trace.size() / head.block_rows > bytes.size() / sizeof(Entry)) {
    return Damaged(0, "of another version or another trace");
  }
  Pyramid pyramid(Empty{}, trace, std::move(classes), head.block_rows);
  const size_t blocks = pyramid.blocks_.size();
  const size_t all = blocks + pyramid.tops_.size();
  const size_t table = sizeof(Head) + all * sizeof(Entry);
  if (bytes.size() < table) return Damaged(bytes.size(), "cut short");
  const Head expected = HeadOf(trace, blocks, head.block_rows);
  if (std::memcmp(&head, &expected, sizeof expected) != 0)
    return Damaged(0, "of another version or another trace");
  size_t at = table;
  for (size_t i = 0; i < all; ++i) {
    PyramidBlock& block =
        i < blocks ? pyramid.blocks_[i] : pyramid.tops_[i - blocks].block;
    const size_t offset = sizeof(Head) + i * sizeof(Entry);
    Entry entry;
    std::memcpy(&entry, bytes.data() + offset, sizeof entry);
    const PyramidBlock::Shape& shape = entry.shape;
    // No row is deeper than the rows before it are many.
    const Track& track = trace.tracks()[trace.track()[block.first()]];
    if (entry.first != block.first() || entry.last != block.last() ||
        shape.lines() > block.last() - track.first ||
        shape.levels > kMaxLevel + 1 || shape.bytes() > bytes.size() - at) {
      return Damaged(offset, "a block does not fit");
    }
    block.Attach(shape, bytes.subspan(at, shape.bytes()));
    if (!block.TablesHold()) return Damaged(at, "a block contradicts itself");
    at += shape.bytes();
  }
  if (at != bytes.size()) return Damaged(at, "more bytes than blocks");
  pyramid.owner_ = std::move(owner);
  pyramid.MeasureDepths();
  return pyramid;
}

}  // namespace stepscope
