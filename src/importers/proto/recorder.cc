// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/recorder.h"

#include "base/text.h"

namespace stepscope::proto {

void Recorder::SetEpoch(int64_t epoch_ns, bool known) {
  offset_ns_ = builder_.AlignEpoch(epoch_ns, known);
  epoch_set_ = true;
  // Bounds do not overflow: differences saturate.
  const auto less_offset = [this](int64_t time) {
    int64_t result = 0;
    if (__builtin_sub_overflow(time, offset_ns_, &result))
      return offset_ns_ > 0 ? INT64_MIN : INT64_MAX;
    return result;
  };
  lowest_ = less_offset(1 - kMaxTimeNs);
  const int64_t highest = less_offset(kMaxTimeNs - 1);
  in_range_ =
      static_cast<uint64_t>(highest) - static_cast<uint64_t>(lowest_) + 1;
}

Row Recorder::AddOdd(Span span, const uint8_t* at, std::string_view repair) {
  const std::string_view name = builder_.strings().view(span.name);
  int64_t start = span.start_ns;
  int64_t end = span.end_ns;
  if (!Shift(&start) || !Shift(&end) ||
      (end > start && end - start >= kMaxTimeNs)) {
    Reject(kTimeRange, at, name);
    return kNoRow;
  }
  if (end < start) {
    end = start;
    if (repair.empty()) repair = kEndBeforeStart;
  }
  const Row row = AddEvent(span, start, end - start);
  if (row == kNoRow) {
    Reject(kNoMemory, at);
  } else if (repair.empty()) {
    Keep();
  } else {
    Repair(repair, at, name);
  }
  return row;
}

void Recorder::Expect(uint64_t events, uint64_t args, uint64_t links) {
  // Refused memory shows when it is needed.
  if (order_ == Order::kMixed)
    builder_.ReserveStaged(events);
  else
    static_cast<void>(builder_.ReserveRows(events));
  builder_.ReserveSide(args, links);
}

void Recorder::FileEndsEarly(const std::string& path, const Message& last) {
  const uint64_t end = Offset(last.bytes().data() + last.bytes().size());
  builder_.AddNote(Format("%s: byte %llu: the file ends in a message",
                          path.c_str(), static_cast<unsigned long long>(end)));
  builder_.SetIncomplete();
}

}  // namespace stepscope::proto
