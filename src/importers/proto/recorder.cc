// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/recorder.h"

#include "base/text.h"

namespace stepscope::proto {

Row Recorder::Add(const Span& span, const uint8_t* at,
                  std::string_view repair) {
  int64_t start = span.start_ns;
  int64_t end = span.end_ns;
  if (!Shift(&start) || !Shift(&end)) {
    Reject(kTimeRange, at, builder_.strings().view(span.name));
    return kNoRow;
  }
  EventSpec event{span.track, start,     end - start,
                  span.name,  span.type, span.flags};
  if (end < start) {
    event.dur_ns = 0;
    if (repair.empty()) repair = kEndBeforeStart;
  }
  const Row row = builder_.AddEvent(event);
  if (row == kNoRow) {
    Reject("no memory", at);  // Finish() fails
  } else if (repair.empty()) {
    Keep();
  } else {
    Repair(repair, at, builder_.strings().view(span.name));
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
