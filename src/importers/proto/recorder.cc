// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/recorder.h"

#include "base/text.h"

namespace stepscope::proto {

Row Recorder::AddOdd(const Span& span, bool in_range, int64_t start,
                     int64_t end, const uint8_t* at, std::string_view repair) {
  const std::string_view name = builder_.strings().view(span.name);
  if (!in_range) {
    Reject(kTimeRange, at, name);
    return kNoRow;
  }
  if (end < start) {
    end = start;
    if (repair.empty()) repair = kEndBeforeStart;
  }
  const Row row = builder_.AddEvent(
      {span.track, start, end - start, span.name, span.type, span.flags});
  if (row == kNoRow) {
    Reject(kNoMemory, at);
  } else {
    Repair(repair, at, name);
  }
  return row;
}

void Recorder::Expect(uint64_t events, uint64_t args, uint64_t links) {
  // Refused memory shows when it is needed.
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
