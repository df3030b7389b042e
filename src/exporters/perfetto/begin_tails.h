// SPDX-License-Identifier: Apache-2.0
//
// What packets of events of one name and type have in common, ready made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "exporters/perfetto/fields.h"
#include "exporters/perfetto/packets.h"
#include "exporters/perfetto/short_packets.h"
#include "exporters/proto/wire.h"
#include "trace/trace.h"

namespace stepscope::perfetto {

// The tails of events by name and type, for one track and the upper bits of
// one time. As many as stay in the cache; another of the same place takes it.
class BeginTails {
 public:
  struct alignas(64) Entry {
    uint64_t key = 0;
    TimedTail tail;
  };
  static_assert(sizeof(Entry) == 64);

  BeginTails() : entries_(kCount) {}

  // From here on; what was made so far is for none of it.
  void Set(uint64_t uuid, uint64_t upper) {
    uuid_ = uuid;
    upper_ = upper;
    // Names and types take 48 bits of a key.
    if (++generation_ >> 15 != 0) {
      std::fill(entries_.begin(), entries_.end(), Entry());
      generation_ = 1;
    }
  }
  // What keys have in common.
  uint64_t first_key() const { return generation_ << 49; }
  static uint64_t KeyOf(uint64_t first, StringId name, uint16_t type,
                        uint64_t instant) {
    return first | uint64_t{name.v} << 17 | uint64_t{type} << 1 | instant;
  }
  // Where the entry of such an event is, if its key says so.
  Entry& At(StringId name, uint16_t type) {
    return entries_[(name.v * 2 + type) % kCount];
  }

  void Make(Entry& entry, uint64_t key, uint64_t name_iid, uint64_t category) {
    Tail event;
    event.Add(proto::Tag(kType, proto::kVarint));
    event.Add((key & 1) != 0 ? kInstant : kSliceBegin);
    event.Add(proto::Tag(kNameIid, proto::kVarint));
    event.Add(name_iid);
    event.Add(proto::Tag(kCategoryIids, proto::kVarint));
    event.Add(category);
    event.Add(proto::Tag(kTrackUuid, proto::kVarint));
    event.Add(uuid_);
    Tail tail;
    tail.Add(proto::Tag(kSequenceId, proto::kVarint));
    tail.Add(kSequence);
    tail.Add(proto::Tag(kSequenceFlags, proto::kVarint));
    tail.Add(kNeedsState);
    tail.Add(proto::Tag(kTrackEvent, proto::kBytes));
    tail.Add(event.size);
    tail.AddBytes(event);
    entry.tail.Set(upper_, tail);
    entry.key = key;
  }

 private:
  static constexpr size_t kCount = 4096;

  std::vector<Entry> entries_;
  uint64_t uuid_ = 0;
  uint64_t upper_ = 0;
  uint64_t generation_ = 0;
};

}  // namespace stepscope::perfetto
