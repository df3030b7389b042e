// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/operators_at.h"

#include <stepscope/c.h>

#include <algorithm>

namespace stepscope::capture {

OperatorsAt::OperatorsAt(const TraceBuilder& builder, Row first, Row last)
    : builder_(builder) {
  for (Row row = first; row < last; ++row)
    sweeps_[builder.track_of(row)].rows.push_back(row);
  const auto before = [&](Row a, Row b) {
    if (builder.start_ns(a) != builder.start_ns(b))
      return builder.start_ns(a) < builder.start_ns(b);
    return builder.dur_ns(a) > builder.dur_ns(b);
  };
  for (auto& [track, sweep] : sweeps_)
    if (!std::is_sorted(sweep.rows.begin(), sweep.rows.end(), before))
      std::stable_sort(sweep.rows.begin(), sweep.rows.end(), before);
}

Row OperatorsAt::At(Sweep& sweep, int64_t time_ns) {
  const auto close = [&](int64_t now) {
    while (!sweep.open.empty() && builder_.start_ns(sweep.open.back()) +
                                          builder_.dur_ns(sweep.open.back()) <=
                                      now)
      sweep.open.pop_back();
  };
  for (; sweep.next < sweep.rows.size() &&
         builder_.start_ns(sweep.rows[sweep.next]) <= time_ns;
       ++sweep.next) {
    close(builder_.start_ns(sweep.rows[sweep.next]));
    sweep.open.push_back(sweep.rows[sweep.next]);
  }
  close(time_ns);
  return sweep.open.empty() ? kNoRow : sweep.open.back();
}

bool OperatorsAt::IsOperator(Row row) const {
  const uint16_t type = builder_.type_of(row);
  return type == STEPSCOPE_OPERATOR || type == STEPSCOPE_COMMUNICATION;
}

Row OperatorsAt::OnTrack(uint32_t track, int64_t time_ns) {
  const auto sweep = sweeps_.find(track);
  return sweep == sweeps_.end() ? kNoRow : At(sweep->second, time_ns);
}

// A thread that waits for autograd's is in the backward pass, too, but in no
// operator: of ranges that contain a time the one that began last counts.
Row OperatorsAt::OnAny(int64_t time_ns) {
  Row op = kNoRow;
  Row range = kNoRow;
  int operators = 0;
  for (auto& [track, sweep] : sweeps_) {
    const Row row = At(sweep, time_ns);
    if (row == kNoRow) continue;
    if (IsOperator(row)) {
      ++operators;
      op = row;
    } else if (range == kNoRow ||
               builder_.start_ns(row) > builder_.start_ns(range)) {
      range = row;
    }
  }
  return operators > 1 ? kNoRow : operators == 1 ? op : range;
}

}  // namespace stepscope::capture
