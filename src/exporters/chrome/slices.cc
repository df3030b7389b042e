// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/slices.h"

#include <stepscope/c.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "exporters/arrows.h"
#include "exporters/by_row.h"
#include "exporters/chrome/args.h"
#include "exporters/chrome/digits.h"
#include "exporters/chrome/json_text.h"
#include "exporters/chrome/visualdl_fit.h"
#include "trace/event_type.h"

namespace stepscope::chrome {
namespace {

// What our importer knows to leave out again.
constexpr std::string_view kOutsideSteps = " outside steps";
constexpr std::string_view kOuterRow = " lane 1000000";

// More than all numbers and literals of one entry take.
constexpr size_t kFixedBytes = 256;
static_assert(kPutSlack <= OutBuffer::kSlack);

bool IsDeviceWork(uint16_t type) {
  return type == STEPSCOPE_KERNEL || type == STEPSCOPE_MEMCPY ||
         type == STEPSCOPE_MEMSET;
}

// "[1.234 us]", or ms above one. Three decimals, rounded half up.
char* PutDuration(char* p, int64_t dur_ns) {
  const bool long_one = dur_ns > 1000000;
  *p++ = '[';
  p = PutMicros(p, long_one ? (dur_ns + 500) / 1000 : dur_ns);
  p = long_one ? PutLiteral(p, " ms") : PutLiteral(p, " us");
  *p++ = ']';
  return p;
}

// What stands between name and time, which is the same for all events of one
// type on one track. Made on first use.
class Middles {
 public:
  // `fit`: null, or what VisualDL needs. `outer`: of a row beside the track's.
  explicit Middles(const VisualDlFit* fit, bool outer = false)
      : fit_(fit), outer_(outer) {}

  void Start(uint32_t track) {
    track_ = track;
    for (auto& pair : known_)
      for (std::string& middle : pair) middle.clear();
    other_type_ = kNone;
  }

  // Padded by kPutSlack bytes.
  const std::string& Get(Rows& rows, uint16_t type, bool instant) {
    if (type >= known_.size()) [[unlikely]]
      return Other(rows, type, instant);
    std::string& middle = known_[type][instant];
    if (middle.empty()) [[unlikely]]
      Make(middle, rows, type, instant);
    return middle;
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  const std::string& Other(Rows& rows, uint16_t type, bool instant) {
    uint32_t wanted = type * 2u + (instant ? 1u : 0u);
    if (wanted != other_type_) Make(other_, rows, type, instant);
    other_type_ = wanted;
    return other_;
  }

  void Make(std::string& out, Rows& rows, uint16_t type, bool instant) {
    Side side = SideOf(type);
    rows.Use(track_, side);
    std::string_view name = EventTypeName(type);
    out = R"(","cat":")";
    out += name.empty() ? "Type" + std::to_string(type) : std::string(name);
    // On a stream VisualDL takes what it knows for a thread's and fails.
    if (fit_ != nullptr && rows.is_stream(track_) && !IsDeviceWork(type))
      out += " on device";
    else if (fit_ != nullptr && fit_->is_hidden(type))
      out += kOutsideSteps;
    out += instant ? R"(","ph":"i","s":"t","pid":)" : R"(","ph":"X","pid":)";
    AppendInt(out, rows.pid(track_));
    out += R"(,"tid":)";
    out += rows.Tid(track_, side);
    if (outer_) out.insert(out.size() - 1, kOuterRow);
    out += R"(,"ts":)";
    out.append(kPutSlack, '\0');
  }

  const VisualDlFit* fit_;
  bool outer_;
  uint32_t track_ = 0;
  std::array<std::array<std::string, 2>, 64> known_;
  std::string other_;
  uint32_t other_type_ = kNone;
};

class SliceWriter {
 public:
  SliceWriter(const Trace& trace, const TimeBase& base, ChromeStyle style,
              EscapedNames& names, Rows& rows, OutBuffer& out,
              MemoryWriter* memory)
      : trace_(trace),
        base_(base),
        paddle_(style == ChromeStyle::kPaddle),
        raw_args_(trace.has_raw_args()),
        names_(names),
        rows_(rows),
        out_(out),
        memory_(memory),
        arg_writer_(trace, names, style),
        links_(LinksByRow(trace)),
        args_of_(trace.args()),
        links_of_(links_),
        middles_(paddle_ ? &fit_.emplace(trace) : nullptr),
        outer_middles_(paddle_ ? &*fit_ : nullptr, true) {}

  void WriteTrack(uint32_t index) {
    const Track& track = trace_.tracks()[index];
    middles_.Start(index);
    outer_middles_.Start(index);
    if (paddle_ && fit_->made_up() && fit_->made_up()->track == index)
      WriteMadeUpStep();
    // Entries of streams always say more than their times.
    always_more_ = track.kind == TrackKind::kStream;
    args_of_.Seek(track.first);
    links_of_.Seek(track.first);
    FindNextMore();
    if (memory_ != nullptr) memory_->WriteUnowned(index);
    Row row = track.first;
    while (row < track.last) {
      if (out_.failed()) return;
      Row end = std::min<Row>(track.last - row, kRowsBetweenChecks) + row;
      for (; row < end; ++row) {
        WriteRow(row);
        if (memory_ != nullptr && row == memory_->next_owner())
          memory_->WriteOwned();
      }
    }
  }

 private:
  static constexpr Row kRowsBetweenChecks = 4096;

  void WriteRow(Row row) {
    uint16_t flags = trace_.flags()[row];
    bool instant = (flags & kEventInstant) != 0;
    const uint16_t type = trace_.type()[row];
    const bool outer = paddle_ && fit_->is_outer(row);
    const std::string& middle =
        (outer ? outer_middles_ : middles_).Get(rows_, type, instant);
    EscapedNames::Fragment name = names_.EventStart(trace_.name()[row]);
    int64_t start = trace_.start_ns()[row];
    int64_t dur = trace_.dur_ns()[row];
    int64_t end = Plus(start, dur);

    char* p = out_.Reserve(name.size + middle.size() + kFixedBytes);
    p = PutPadded(p, name.data, name.size);
    bool numbered = true;
    if (paddle_) {
      if (type == STEPSCOPE_PROFILE_STEP) [[unlikely]] {
        numbered = name.view().find('#') != std::string_view::npos;
        if (!numbered) {
          *p++ = '#';
          p = PutUint(p, unnumbered_steps_++);
        }
      }
      p = PutDuration(p, dur);
    }
    p = PutPadded(p, middle.data(), middle.size() - kPutSlack);
    const MicrosText ts(Since(start, base_.ts_ns));
    p = ts.Put(p);
    if (!instant) [[likely]] {
      p = PutLiteral(p, ",\"dur\":");
      p = MicrosText(dur).Put(p);
    }
    p = PutLiteral(p, ",\"args\":{\"start_time\":\"");
    if (base_.host_ns == base_.ts_ns) [[likely]] {
      p = ts.Put(p);
    } else {
      p = PutMicros(p, Since(start, base_.host_ns));
    }
    p = PutLiteral(p, " us\",\"end_time\":\"");
    p = MicrosText(Since(end, base_.host_ns)).Put(p);
    p = PutLiteral(p, " us\"");
    if (flags > kEventInstant || always_more_ || !name.valid || !numbered ||
        row == next_more_ || (raw_args_ && trace_.raw_ref(row) != 0) ||
        (paddle_ && type == STEPSCOPE_OPERATOR)) [[unlikely]] {
      out_.Commit(p);
      WriteMoreArgs(row, !numbered);
      p = out_.Reserve(0);
    }
    p = PutLiteral(p, "}},\n");
    out_.Commit(p);
  }

  void WriteMadeUpStep() {
    const VisualDlFit::Step& step = *fit_->made_up();
    const int64_t dur = step.end_ns - step.start_ns;
    std::string text = R"({"name":"ProfileStep#0)";
    char duration[64];
    text.append(duration, PutDuration(duration, dur));
    const std::string& middle =
        middles_.Get(rows_, STEPSCOPE_PROFILE_STEP, false);
    text.append(middle, 0, middle.size() - kPutSlack);
    AppendMicros(text, Since(step.start_ns, base_.ts_ns));
    text += R"(,"dur":)";
    AppendMicros(text, dur);
    text += R"(,"args":{"start_time":")";
    AppendMicros(text, Since(step.start_ns, base_.host_ns));
    text += R"( us","end_time":")";
    AppendMicros(text, Since(step.end_ns, base_.host_ns));
    text += " us\",\"made_up\":true}},\n";
    out_.Append(text);
  }

  void WriteMoreArgs(Row row, bool name_altered) {
    more_.clear();
    arg_writer_.Append(more_, row, args_of_.Take(row), links_of_.Take(row),
                       name_altered);
    FindNextMore();
    out_.Append(more_);
  }
  void FindNextMore() {
    next_more_ = std::min(args_of_.next_row(), links_of_.next_row());
  }

  const Trace& trace_;
  const TimeBase base_;
  const bool paddle_;
  const bool raw_args_;
  EscapedNames& names_;
  Rows& rows_;
  OutBuffer& out_;
  MemoryWriter* memory_;
  ArgWriter arg_writer_;
  std::vector<Link> links_;
  ByRow<Arg> args_of_;
  ByRow<Link> links_of_;
  std::optional<VisualDlFit> fit_;
  Middles middles_;
  Middles outer_middles_;
  uint64_t unnumbered_steps_ = 0;
  bool always_more_ = false;
  Row next_more_ = kNoRow;  // of those with arguments or links
  std::string more_;
};

}  // namespace

void WriteSlices(const Trace& trace, const TimeBase& base, ChromeStyle style,
                 EscapedNames& names, Rows& rows, OutBuffer& out,
                 MemoryWriter* memory) {
  SliceWriter writer(trace, base, style, names, rows, out, memory);
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) writer.WriteTrack(i);
}

}  // namespace stepscope::chrome
