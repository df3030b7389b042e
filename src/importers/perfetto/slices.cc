// SPDX-License-Identifier: Apache-2.0
#include "importers/perfetto/slices.h"

#include <algorithm>

namespace stepscope::pftrace {

void Slices::MakeLate(uint32_t index) {
  TrackInfo& info = tracks_.info(index);
  if (info.late) return;
  info.late = true;
  late_.push_back(index);
  for (const OpenSlice& slice : info.open)
    marks_.push_back({out_.builder().start_ns(slice.row), slice, index, {}});
  info.open.clear();
}

void Slices::CountBegin(const OpenSlice& slice, std::string_view repair) {
  out_.ledger().Repair(
      repair, slice.offset,
      out_.builder().strings().view(out_.builder().name_of(slice.row)));
}

void Slices::CloseOdd(const OpenSlice& slice, int64_t dur, uint64_t offset,
                      std::string_view lost) {
  const std::string_view name =
      out_.builder().strings().view(out_.builder().name_of(slice.row));
  if (dur >= proto::Recorder::kMaxTimeNs) {
    out_.ledger().Reject(proto::kTimeRange, offset, name);
    if (!slice.counted) CountBegin(slice, kNoEnd);
    return;
  }
  out_.builder().SetDuration(slice.row, dur);
  if (!slice.counted) ++kept_;
  out_.ledger().Repair(lost, offset, name);
}

void Slices::PairLate() {
  std::stable_sort(
      marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) {
        return a.index != b.index ? a.index < b.index : a.time_ns < b.time_ns;
      });
  for (const Mark& mark : marks_) {
    std::vector<OpenSlice>& open = tracks_.info(mark.index).open;
    if (mark.slice.row != kNoRow) {
      open.push_back(mark.slice);
    } else if (open.empty()) {
      out_.ledger().Reject(kNoBegin, mark.slice.offset);
    } else {
      const OpenSlice slice = open.back();
      open.pop_back();
      Close(slice, mark.time_ns, mark.slice.offset, mark.lost);
    }
  }
  marks_.clear();
}

void Slices::Finish(int64_t end_ns) {
  PairLate();
  TraceBuilder& builder = out_.builder();
  for (uint32_t i = 0; i < tracks_.size(); ++i) {
    std::vector<OpenSlice>& open = tracks_.info(i).open;
    for (const OpenSlice& slice : open) {
      const int64_t dur = end_ns - builder.start_ns(slice.row);
      builder.SetDuration(
          slice.row,
          std::clamp<int64_t>(dur, 0, proto::Recorder::kMaxTimeNs - 1));
      builder.AddFlags(slice.row, kEventOpenAtEnd);
      if (!slice.counted) CountBegin(slice, kNoEnd);
    }
    open.clear();
  }
}

}  // namespace stepscope::pftrace
