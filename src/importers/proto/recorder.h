// SPDX-License-Identifier: Apache-2.0
//
// Recorder: what every protobuf importer does with a record once it is read:
// checks its times, adds it to the builder, and puts it into exactly one bin
// of the ledger. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "importers/proto/wire.h"
#include "trace/build/trace_builder.h"

namespace stepscope::proto {

// Reasons that the formats share.
inline constexpr std::string_view kCutShort = "record cut short";
inline constexpr std::string_view kUnreadable = "bytes that are no message";
inline constexpr std::string_view kWrongType = "field with a wrong wire type";
inline constexpr std::string_view kNoTime = "no time";
inline constexpr std::string_view kTimeRange = "time out of range";
inline constexpr std::string_view kEndBeforeStart = "end before start";
inline constexpr std::string_view kNoMemory = "no memory";

// Unix nanoseconds of the year 2000. Times above are taken for such, times
// below for those of a clock that began somewhere else.
inline constexpr int64_t kPlausibleEpochNs = 946'684'800'000'000'000;

// Of a time that is stored unsigned; what does not fit is out of range.
inline int64_t ToTime(uint64_t value) {
  return value > INT64_MAX ? INT64_MAX : static_cast<int64_t>(value);
}

// One event as a file states it.
struct Span {
  uint32_t track = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  StringId name;
  uint16_t type = 0;
  uint16_t flags = 0;
};

class Recorder {
 public:
  // What TraceBuilder takes are times, positive or negative, and durations
  // below this. The difference of two such times fits, but may be longer.
  static constexpr int64_t kMaxTimeNs = int64_t{1} << 62;

  // How records of several tracks come: those of each together, or mixed.
  enum class Order { kByTrack, kMixed };

  // Offsets in the ledger count from the beginning of `file`. Where records
  // are mixed, rows are for arguments and links until the builder has placed
  // them; see TraceBuilder::StageEvent.
  Recorder(Bytes file, TraceBuilder& builder, Order order = Order::kByTrack)
      : file_(file.data()),
        builder_(builder),
        ledger_(builder.ledger()),
        order_(order) {}

  // The same for a part of the file, which goes into a builder of its own.
  Recorder(const Recorder& whole, TraceBuilder& builder)
      : file_(whole.file_),
        builder_(builder),
        ledger_(builder.ledger()),
        order_(whole.order_),
        offset_ns_(whole.offset_ns_),
        lowest_(whole.lowest_),
        in_range_(whole.in_range_),
        epoch_set_(whole.epoch_set_) {}

  TraceBuilder& builder() { return builder_; }
  Ledger& ledger() { return ledger_; }
  StringId Intern(std::string_view text) { return builder_.Intern(text); }

  // What time 0 of the file is; see TraceBuilder::AlignEpoch. Where nobody
  // says so, the first time that is added decides whether times are Unix
  // times.
  void SetEpoch(int64_t epoch_ns, bool known);

  bool epoch_set() const { return epoch_set_; }

  // Adds the record that begins at `at` and counts it: as kept, as repaired
  // for `repair` if there is one, or as rejected; then kNoRow. An end before
  // the start is a repair and leaves a point in time.
  Row Add(const Span& span, const uint8_t* at, std::string_view repair = {}) {
    // Neither negative nor too long.
    const bool lasts = static_cast<uint64_t>(span.end_ns) -
                           static_cast<uint64_t>(span.start_ns) <
                       static_cast<uint64_t>(kMaxTimeNs);
    if (!InRange(span.start_ns) || !InRange(span.end_ns) || !lasts ||
        !repair.empty()) [[unlikely]]
      return AddOdd(span, at, repair);
    const Row row =
        AddEvent(span, span.start_ns + offset_ns_, span.end_ns - span.start_ns);
    if (row == kNoRow) [[unlikely]]
      Reject(kNoMemory, at);  // Finish() fails
    else
      Keep();
    return row;
  }

  // Room for so many more records, arguments and links, so that tables do not
  // grow step by step. What the file cannot hold is not asked for.
  void Expect(uint64_t events, uint64_t args, uint64_t links);

  // Moves a time to the builder's epoch. False if it is out of range.
  bool Shift(int64_t* time_ns) {
    if (!epoch_set_) [[unlikely]]
      SetEpoch(0, *time_ns >= kPlausibleEpochNs);
    return !__builtin_add_overflow(*time_ns, offset_ns_, time_ns) &&
           *time_ns > -kMaxTimeNs && *time_ns < kMaxTimeNs;
  }

  void Keep() { ledger_.Keep(); }
  void Repair(std::string_view reason, const uint8_t* at,
              std::string_view what = {}) {
    ledger_.Repair(reason, Offset(at), what);
  }
  void Reject(std::string_view reason, const uint8_t* at,
              std::string_view what = {}) {
    ledger_.Reject(reason, Offset(at), what);
  }
  // Counts the end of a walk that was not the end of its message. Not to be
  // called where the last field was handed out clipped: it counts itself.
  void RejectRest(const Message& message) {
    if (!message.ok() && !message.cut()) Reject(kUnreadable, message.field());
  }
  // Rejects a record that cannot be used, for the first of these reasons.
  // `ok`: its bytes could be read; `cut`: they end early; `wrong`: a known
  // field had a wrong wire type; `timed`: it has the times it must have. False
  // if nothing is the matter.
  bool RejectIfBroken(bool ok, bool cut, bool wrong, bool timed, Bytes record) {
    if (!cut && ok && !wrong && timed) [[likely]]
      return false;
    Reject(cut     ? kCutShort
           : !ok   ? kUnreadable
           : wrong ? kWrongType
                   : kNoTime,
           record.data());
    return true;
  }
  // Says that the file ends before its last message does.
  void FileEndsEarly(const std::string& path, const Message& last);

  uint64_t Offset(const uint8_t* at) const {
    return static_cast<uint64_t>(at - file_);
  }

 private:
  Row AddEvent(const Span& span, int64_t start_ns, int64_t dur_ns) {
    const EventSpec event = {span.track, start_ns,  dur_ns,
                             span.name,  span.type, span.flags};
    return order_ == Order::kMixed ? builder_.StageEvent(event)
                                   : builder_.AddEvent(event);
  }
  // Add for the first record, and those that are repaired or rejected.
  Row AddOdd(Span span, const uint8_t* at, std::string_view repair);
  // Whether a time of the file can be shifted. False before the epoch is set.
  bool InRange(int64_t time_ns) const {
    return static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(lowest_) <
           in_range_;
  }

  const uint8_t* file_;
  TraceBuilder& builder_;
  Ledger& ledger_;
  Order order_;
  int64_t offset_ns_ = 0;
  int64_t lowest_ = 0;     // time of the file that is in range
  uint64_t in_range_ = 0;  // how many are, from there on
  bool epoch_set_ = false;
};

}  // namespace stepscope::proto
