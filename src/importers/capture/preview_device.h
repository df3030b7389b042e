// SPDX-License-Identifier: Apache-2.0
//
// PreviewStreams: the work in Device blocks, folded into boxes stream by
// stream. Records come in any order of time, so every bucket of a stream is
// kept open to the end.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "importers/capture/preview_stretch.h"

namespace stepscope::capture {

class PreviewStreams {
 public:
  // What begins after `stop_tick` is left out: whether it counts is not known
  // without the calls.
  PreviewStreams(const PreviewScale& scale, uint64_t stop_tick)
      : scale_(scale), stop_tick_(stop_tick) {}

  // The payload of one block, whose CRC was right. Trusts nothing in it.
  void AddBlock(std::span<const uint8_t> payload);

  struct Key {
    uint32_t type_site = 0;  // name of the type of the device
    uint32_t device = 0;
    uint32_t context = 0;
    uint32_t stream = 0;
    auto operator<=>(const Key&) const = default;
  };
  // By time. Boxes of several of these add up.
  std::map<Key, PreviewLine> Take();
  uint64_t events() const { return events_; }
  size_t box_count() const { return boxes_; }

 private:
  struct Stream {
    std::map<int64_t, PreviewFold> buckets;
    PreviewLine longer;
  };
  const PreviewScale& scale_;
  const uint64_t stop_tick_;
  std::map<Key, Stream> streams_;
  uint64_t events_ = 0;
  size_t boxes_ = 0;
};

}  // namespace stepscope::capture
