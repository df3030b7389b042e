// SPDX-License-Identifier: Apache-2.0
#include "analysis/nested_calls.h"

#include <vector>

#include "analysis/flat_map.h"
#include "analysis/stats.h"

namespace stepscope {
namespace {

// The outermost call that goes on, by name and kind, of one line at a time.
class OpenCalls {
 public:
  explicit OpenCalls(const Trace& trace) : trace_(trace) {}

  void StartLine() { ++line_; }
  // Whether it is inside a call of its name and kind.
  bool Enter(Row row, const Interval& span) {
    const uint64_t key =
        uint64_t{trace_.name()[row].v} << 16 | KindOfCall(trace_.type()[row]);
    uint32_t slot = slots_.Insert(key);
    if (slot == FlatMap::kNew) {
      slot = static_cast<uint32_t>(open_.size());
      open_.emplace_back();
    }
    Open& open = open_[slot];
    if (open.line != line_) open = {{}, line_};
    return !open.span.Enter(span.begin, span.end);
  }

 private:
  struct Open {
    OpenSpan span;
    uint64_t line = 0;
  };
  const Trace& trace_;
  FlatMap slots_;
  std::vector<Open> open_;
  uint64_t line_ = 0;
};

}  // namespace

NestedCalls::NestedCalls(const EventTree& tree) {
  const Trace& trace = tree.trace();
  if (!bits_.Resize((size_t{trace.size()} + 63) / 64)) return;
  OpenCalls open(trace);
  const auto look = [&](Row row, const Interval& span) {
    if (open.Enter(row, span)) bits_[row / 64] |= uint64_t{1} << (row % 64);
  };
  for (size_t thread = 0; thread < tree.threads().size(); ++thread) {
    open.StartLine();
    tree.ForEachNested(thread, look);
  }
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    if (tree.threads().of_track(i) != kNoThread) continue;
    open.StartLine();
    const Track& track = trace.tracks()[i];
    for (Row row = track.first; row < track.last; ++row)
      look(row, {trace.start_ns()[row], tree.end_ns(row)});
  }
}

}  // namespace stepscope
