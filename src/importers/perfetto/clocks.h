// SPDX-License-Identifier: Apache-2.0
//
// Clocks: brings times of any clock of a file to the file's own one, by the
// snapshots that state several clocks at one instant. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "importers/proto/wire.h"

namespace stepscope::pftrace {

class Clocks {
 public:
  static constexpr uint64_t kRealtime = 1;
  static constexpr uint64_t kMonotonic = 3;
  static constexpr uint64_t kBoottime = 6;

  // A ClockSnapshot of that sequence.
  void Learn(uint64_t sequence, proto::Bytes snapshot);

  // The clock of packets that name none.
  uint64_t primary() const { return primary_; }
  bool empty() const { return clocks_.empty(); }
  bool Knows(uint64_t sequence, uint64_t clock) const {
    return clock == primary_ || clocks_.contains(KeyOf(sequence, clock));
  }
  // Time of the primary clock; what does not fit is out of any range. A clock
  // that no snapshot names is taken for the primary one. Packets of a clock
  // that counts from packet to packet must come in the order of the file.
  int64_t Convert(uint64_t sequence, uint64_t clock, uint64_t time);

  // Unix time at time 0 of the primary clock, if a snapshot says so.
  std::optional<int64_t> epoch_ns() const { return epoch_ns_; }

 private:
  // Sequence (0: of all) and number.
  using Key = std::pair<uint64_t, uint64_t>;
  struct Point {
    int64_t time_ns = 0;
    int64_t primary_ns = 0;
  };
  struct Clock {
    uint64_t unit_ns = 1;
    bool incremental = false;
    int64_t last_ns = 0;
    std::vector<Point> points;  // ascending
  };
  struct Reading {
    Key key;
    uint64_t unit_ns = 1;
    bool incremental = false;
    int64_t time_ns = 0;
  };

  static Key KeyOf(uint64_t sequence, uint64_t clock);
  static int64_t ToPrimary(const Clock& clock, int64_t time_ns);

  std::map<Key, Clock> clocks_;
  uint64_t primary_ = kBoottime;
  std::optional<int64_t> epoch_ns_;
};

}  // namespace stepscope::pftrace
