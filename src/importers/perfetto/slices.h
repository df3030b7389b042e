// SPDX-License-Identifier: Apache-2.0
//
// Slices: pairs begins and ends of a track. In order of time, as they come as
// a rule, an end closes what was opened last. Where several writers share a
// track, an end may stand in the file before its begin: from there on the
// begins and ends of that track are paired last, sorted by time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "importers/perfetto/track_table.h"
#include "importers/proto/recorder.h"

namespace stepscope::pftrace {

class Slices {
 public:
  static constexpr std::string_view kNoBegin = "end without a begin";
  static constexpr std::string_view kNoEnd = "begin without an end";

  Slices(proto::Recorder& out, TrackTable& tracks)
      : out_(out), tracks_(tracks) {}

  // An event that has been added and is open. Times are the builder's.
  // `repair`: why it was repaired, if it was; then it counts at once.
  void Begin(uint32_t index, int64_t time_ns, Row row, uint64_t offset,
             std::string_view repair = {}) {
    TrackInfo& info = tracks_.info(index);
    const OpenSlice slice = {row, offset, !repair.empty()};
    if (slice.counted) [[unlikely]]
      CountBegin(slice, repair);
    if (time_ns < info.last_ns || info.late) [[unlikely]] {
      MakeLate(index);
      marks_.push_back({time_ns, slice, index, {}});
      return;
    }
    info.last_ns = time_ns;
    info.open.push_back(slice);
  }
  // The event that ends here; kNoRow if that is not known yet or there is
  // none. `lost`: what of the end is lost if its begin is not at hand.
  Row End(uint32_t index, int64_t time_ns, uint64_t offset,
          std::string_view lost = {}) {
    TrackInfo& info = tracks_.info(index);
    if (time_ns < info.last_ns || info.late || info.open.empty()) [[unlikely]] {
      MakeLate(index);
      marks_.push_back({time_ns, {kNoRow, offset, false}, index, lost});
      return kNoRow;
    }
    info.last_ns = time_ns;
    const OpenSlice slice = info.open.back();
    info.open.pop_back();
    Close(slice, time_ns, offset, {});
    return slice.row;
  }
  // Whether the next end of the track finds its begin at once.
  bool IsLate(uint32_t index, int64_t time_ns) {
    const TrackInfo& info = tracks_.info(index);
    return time_ns < info.last_ns || info.late || info.open.empty();
  }

  // Ends what is open at `end_ns`, and counts it.
  void Finish(int64_t end_ns);
  uint64_t kept() const { return kept_; }  // packets, not yet in the ledger

 private:
  struct Mark {
    int64_t time_ns;
    OpenSlice slice;  // without a row: an end
    uint32_t index;
    std::string_view lost;
  };

  void MakeLate(uint32_t index);
  void Close(const OpenSlice& slice, int64_t time_ns, uint64_t offset,
             std::string_view lost) {
    const int64_t dur = time_ns - out_.builder().start_ns(slice.row);
    if (dur >= proto::Recorder::kMaxTimeNs || !lost.empty()) [[unlikely]] {
      CloseOdd(slice, dur, offset, lost);
      return;
    }
    out_.builder().SetDuration(slice.row, dur);
    kept_ += slice.counted ? 1 : 2;
  }
  void CountBegin(const OpenSlice& slice, std::string_view repair);
  void CloseOdd(const OpenSlice& slice, int64_t dur, uint64_t offset,
                std::string_view lost);
  void PairLate();

  proto::Recorder& out_;
  TrackTable& tracks_;
  std::vector<Mark> marks_;
  std::vector<uint32_t> late_;
  uint64_t kept_ = 0;
};

}  // namespace stepscope::pftrace
