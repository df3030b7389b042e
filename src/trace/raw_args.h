// SPDX-License-Identifier: Apache-2.0
//
// Arguments of events as the file had them: the members of a JSON object,
// without its braces, byte for byte. Kept in packed blocks that the Trace
// owns; unpacked when asked for.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

class Trace;
using Row = uint32_t;

// Where a text lies in a RawArgs; 0: nowhere.
using RawRef = uint64_t;

// Adding is single-threaded; reading is thread-safe once adding is over.
class RawArgs {
 public:
  // Long enough to pack well, short enough to unpack for one event.
  static constexpr size_t kBlockBytes = size_t{64} << 10;

  struct Block {
    std::vector<uint8_t> bytes;
    // Instead: bytes that lie elsewhere, and who keeps them there.
    std::span<const uint8_t> elsewhere;
    std::shared_ptr<const void> owner;
    uint32_t plain_size = 0;
    bool packed = false;

    std::span<const uint8_t> stored() const {
      return bytes.empty() ? elsewhere : bytes;
    }
    void Pack();
    std::string Plain() const;
  };

  RawRef Add(std::string_view text) { return Add({&text, 1}); }
  // A text of parts, with ", " between them.
  RawRef Add(std::span<const std::string_view> parts);
  // Ends the block in work. Before reading, and before Append.
  void Seal();
  // Shares the blocks of another, which is sealed; its references grow by what
  // is returned.
  RawRef Append(const RawArgs& other);
  // Who packs a full block, instead of Add(); may do so later, on another
  // thread, but before anything is read. The block stays where it is.
  void set_packer(std::function<void(Block&)> packer) {
    packer_ = std::move(packer);
  }

  static uint32_t BlockOf(RawRef ref) {
    return static_cast<uint32_t>(ref >> 32) - 1;
  }
  std::string Unpack(uint32_t block) const { return blocks_[block]->Plain(); }
  // The text at `ref` within its unpacked block.
  static std::string_view At(std::string_view plain, RawRef ref);

  size_t block_count() const { return blocks_.size(); }

  // Blocks as they are, for who stores them elsewhere. AddBlock: the
  // references are those that the block had where it came from, if blocks are
  // added in the same order and nothing else is.
  const Block& block(uint32_t index) const { return *blocks_[index]; }
  void AddBlock(Block block) {
    blocks_.push_back(std::make_shared<Block>(std::move(block)));
  }

 private:
  std::vector<std::shared_ptr<Block>> blocks_;
  std::vector<uint8_t> open_;
  std::function<void(Block&)> packer_;
};

// Reads the raw arguments of many rows; keeps some blocks unpacked. Rows near
// each other in time are in the same block. Not thread-safe; refers to the
// trace.
class RawArgReader {
 public:
  explicit RawArgReader(const Trace& trace) : trace_(trace) {}

  // Valid until the next call. Empty if the row has none.
  std::string_view Get(Row row);

 private:
  struct Entry {
    uint32_t block = 0xffffffffu;
    std::string plain;
  };
  const Trace& trace_;
  std::array<Entry, 32> cache_;
};

}  // namespace stepscope
