// SPDX-License-Identifier: Apache-2.0
//
// Shares: curves of a device that are means over a pixel, not values at a
// time: how much of it the device works, how full its kernels keep it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace stepscope::server {

// Two step functions as their integrals; a share is that of the one divided by
// that of the other.
struct Shares {
  struct Point {
    int64_t time_ns = 0;
    // From here on, until the next point.
    double part = 0;
    double whole = 0;
    // From the first point to here.
    double part_before = 0;
    double whole_before = 0;
  };
  std::vector<Point> points;  // by time
  bool of_all_time = false;   // the whole is all time, busy or not
};

// Time in which anything runs on the device of a stream.
Shares BusyShares(const Trace& trace, uint32_t stream);
// Occupancy of the kernels that state it, by their time; kernels that run at
// once count each.
Shares OccupancyShares(const Trace& trace, uint32_t stream);
// Whether one of its first kernels states it.
bool AnyOccupancy(const Trace& trace, uint32_t stream);

// Where the pixels of [begin, end) begin, and where the last of them ends;
// those shorter than a nanosecond are left out.
std::vector<int64_t> PixelEdges(int64_t begin_ns, int64_t end_ns,
                                uint32_t pixels);

// A curve of shares. One that is as the one before is left out.
class ShareList {
 public:
  // Nothing: not known.
  void Add(int64_t time, std::optional<double> share);
  std::string Json() const;

 private:
  std::vector<int64_t> times_;
  std::vector<std::optional<double>> shares_;
};

// As CurveJson; an entry for each pixel in which the share is another one than
// in the pixel before. 0 where nothing is known.
std::string SharesJson(const Shares& shares, int64_t origin_ns,
                       int64_t begin_ns, int64_t end_ns, uint32_t pixels);

}  // namespace stepscope::server
