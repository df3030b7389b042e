// SPDX-License-Identifier: Apache-2.0
#include "memory/replay.h"

#include <algorithm>

namespace stepscope::memory {
namespace {

class Run {
 public:
  Run(const Script& script, const ReplayOptions& options)
      : script_(script),
        options_(options),
        allocator_(options.settings, options.limit),
        blocks_(script.allocations, CachingAllocator::kNone) {}

  ReplayResult All() {
    SetUp();
    Note(ReplayResult::kNoOp);
    for (uint32_t i = 0; i < script_.ops.size(); ++i) Do(i);
    result_.reserved = allocator_.reserved();
    result_.allocated = allocator_.allocated();
    result_.retries = allocator_.retries();
    return std::move(result_);
  }

 private:
  void SetUp() {
    const bool place =
        options_.as_recorded && !options_.settings.expandable_segments;
    if (place)
      for (const FoundSegment& segment : script_.segments)
        allocator_.AddSegment(segment.stream, segment.address, segment.bytes);
    for (const FoundBlock& found : script_.blocks) {
      uint32_t block = CachingAllocator::kNone;
      if (place)
        block = allocator_.AddBlock(found.stream, found.address, found.bytes);
      if (block == CachingAllocator::kNone)
        block = allocator_.Allocate(found.stream, found.requested);
      blocks_[found.id] = block;
    }
    // A smaller device would have had no room for what was kept unused.
    if (allocator_.reserved() > options_.limit) allocator_.ReleaseFree();
    result_.short_bytes =
        std::max<int64_t>(0, allocator_.reserved() - options_.limit);
  }

  void Do(uint32_t i) {
    const Op& op = script_.ops[i];
    switch (op.kind) {
      case OpKind::kAllocate:
        Allocate(op, i);
        break;
      case OpKind::kFree: {
        uint32_t& block = blocks_[op.id];
        if (block == CachingAllocator::kNone) return;
        allocator_.Free(block);
        block = CachingAllocator::kNone;
        break;
      }
      case OpKind::kNothing:
        return;
      case OpKind::kReserve:
        hint_ = op;
        break;
      case OpKind::kRelease:
        if (!releasing_ && !allocator_.ReleaseSegment(op.address))
          allocator_.ReleaseFree();  // as the program asked for then
        else if (releasing_)
          allocator_.ReleaseSegment(op.address);
        break;
    }
    releasing_ = op.kind == OpKind::kRelease;
  }

  void Allocate(const Op& op, uint32_t i) {
    const int64_t reserved = allocator_.reserved();
    const uint32_t block =
        allocator_.Allocate(op.stream, op.bytes, HintFor(op));
    blocks_[op.id] = block;
    if (allocator_.address(block) != op.address) ++result_.misplaced;
    if (allocator_.new_segment().bytes > 0)
      result_.forced.push_back({i, allocator_.new_segment()});
    if (allocator_.short_bytes() > 0) {
      if (allocator_.short_bytes() > result_.short_bytes) {
        result_.short_bytes = allocator_.short_bytes();
        result_.worst_op = i;
      }
    }
    Note(i);
    if (allocator_.reserved() != reserved) hint_.address = 0;
  }

  // The segment that was made for this allocation when it was recorded.
  uint64_t HintFor(const Op& op) const {
    return options_.as_recorded && hint_.address != 0 &&
                   hint_.stream == op.stream &&
                   hint_.bytes ==
                       SegmentSize(RoundSize(op.bytes, options_.settings))
               ? hint_.address
               : 0;
  }

  void Note(uint32_t op) {
    if (allocator_.reserved() > result_.peak_reserved) {
      result_.peak_reserved = allocator_.reserved();
      result_.peak_reserved_op = op;
    }
    if (allocator_.allocated() > result_.peak_allocated) {
      result_.peak_allocated = allocator_.allocated();
      result_.peak_allocated_op = op;
    }
    // Only where more was reserved: that is when holes cost something.
    if (allocator_.new_segment().bytes > 0 &&
        allocator_.new_segment().free_bytes > result_.most_free) {
      result_.most_free = allocator_.new_segment().free_bytes;
      result_.largest_hole = allocator_.new_segment().largest_free;
    }
  }

  const Script& script_;
  const ReplayOptions& options_;
  CachingAllocator allocator_;
  std::vector<uint32_t> blocks_;  // by id
  Op hint_;
  bool releasing_ = false;
  ReplayResult result_;
};

}  // namespace

ReplayResult Replay(const Script& script, const ReplayOptions& options) {
  return Run(script, options).All();
}

}  // namespace stepscope::memory
