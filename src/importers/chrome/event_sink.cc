// SPDX-License-Identifier: Apache-2.0
#include "importers/chrome/event_sink.h"

#include <stepscope/c.h>

#include <algorithm>

#include "base/text.h"
#include "importers/chrome/event_time.h"
#include "importers/json/json_string.h"
#include "importers/json/number.h"
#include "importers/kineto/device_tracks.h"
#include "importers/stated_peaks.h"
#include "trace/request_events.h"

namespace stepscope::json {
namespace {

// Seven days: longer device work is an overflow of the device's clock.
constexpr int64_t kLongestWorkNs = int64_t{7} * 24 * 3600 * 1000000000;

constexpr int64_t kSecondNs = 1000000000;

ArgSet ArgsOf(const Category& category) {
  switch (category.type) {
    case STEPSCOPE_KERNEL:
    case STEPSCOPE_MEMCPY:
    case STEPSCOPE_MEMSET:
      return ArgSet::kDevice;
    case STEPSCOPE_CUDA_RUNTIME:
    case STEPSCOPE_GRAPH_LAUNCH:
      return ArgSet::kApi;
    default:
      return category.row == TrackPlace::kHost ? ArgSet::kHost : ArgSet::kNone;
  }
}

// TensorFlow and JAX mark a step by its number, whatever the name of the range.
bool MarksStep(const Category& category, uint16_t type, int64_t number) {
  return number >= 0 && category.row == TrackPlace::kHost &&
         type == STEPSCOPE_USER_DEFINED;
}

}  // namespace

EventSink::EventSink(TraceBuilder& builder)
    : builder_(builder), rows_(builder), args_(builder) {}

std::string_view EventSink::format() const {
  if (header_.by_paddle()) return "paddle";
  return kineto_ || header_.by_kineto() ? "kineto" : "chrome";
}

void EventSink::OnMember(std::string_view key, std::string_view value) {
  header_.Add(builder_, TrackMap::kMainProcess, key, value);
}

void EventSink::OnRejected(std::string_view reason, uint64_t offset,
                           std::string_view text) {
  builder_.ledger().Reject(reason, offset, text);
}

void EventSink::OnEvent(const Tokens& tokens, const EventText& text,
                        std::string_view wrong_bytes, uint64_t offset) {
  // Some writers end the array with {} so that they need not count commas.
  if (text.empty()) {
    builder_.ledger().Keep();
    return;
  }
  Current event{tokens, text, offset, wrong_bytes};
  const Outcome outcome = Dispatch(event);
  if (!outcome.rejected.empty()) {
    builder_.ledger().Reject(outcome.rejected, offset, text.name);
  } else if (!outcome.deferred) {
    if (event.repaired.empty())
      builder_.ledger().Keep();
    else
      builder_.ledger().Repair(event.repaired, offset, text.name);
  }
}

EventSink::Outcome EventSink::Dispatch(Current& event) {
  const std::string_view ph = event.text.ph;
  if (ph.size() != 1) return {ph.empty() ? "no phase" : "unknown phase"};
  // Both read more than a time.
  if (ph[0] == 'M') return AddMetadata(event);
  if (ph[0] == 'X') return AddComplete(event);
  if (const std::string_view wrong = ReadTime(event); !wrong.empty())
    return {wrong};
  switch (ph[0]) {
    case 'B':
      return AddBegin(event);
    case 'E':
      return AddEnd(event);
    case 'C':
      return AddCounter(event);
    case 's':
    case 't':
    case 'f':
      return AddFlow(event);
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'T':
    case 'p':
    case 'F':
    case 'N':
    case 'O':
    case 'D':
      return AddAsync(event);
    case 'i':
    case 'I':
      if (event.text.name == "[memory]") return AddMemory(event);
      return AddInstant(event);
    case 'R':  // mark
    case 'P':  // sample
    case 'V':  // memory dump
    case 'v':
    case 'c':  // clock synchronisation
    case '(':  // context
    case ')':
    case '=':  // linked id
      return AddInstant(event);
    default:
      return {"unknown phase"};
  }
}

const Category& EventSink::CategoryOf(std::string_view cat) {
  size_t slot = cat.size();
  if (!cat.empty())
    slot = slot * 5 + static_cast<unsigned char>(cat.front()) * 3u +
           static_cast<unsigned char>(cat.back());
  const CategoryEntry*& recent = recent_categories_[slot % 64];
  if (recent != nullptr && recent->first == cat) return recent->second;
  const auto [it, fresh] = categories_.try_emplace(std::string(cat));
  if (fresh) it->second = FindCategory(Unescaped(cat, buffer_));
  recent = &*it;
  kineto_ |= it->second.dialect == Dialect::kKineto;
  return it->second;
}

StringId EventSink::NameOf(std::string_view name) {
  if (header_.by_paddle()) name = WithoutDuration(name);
  return builder_.Intern(Unescaped(name, buffer_));
}

NameKind EventSink::KindOf(StringId name) {
  if (name.v >= name_kinds_.size()) name_kinds_.resize(name.v + 1024, 0);
  uint8_t& known = name_kinds_[name.v];
  if (known == 0)
    known = static_cast<uint8_t>(
        1 + static_cast<int>(KindOfName(builder_.strings().view(name))));
  return static_cast<NameKind>(known - 1);
}

// Microseconds since 1970 are told from others by their size. They are
// counted from the second of the first event, like those of other files.
void EventSink::FromOrigin(int64_t& time_ns) {
  constexpr int64_t kYear2001Ns = kSecondNs * kSecondNs;
  if (!has_origin_) {
    has_origin_ = true;
    if (time_ns >= kYear2001Ns) origin_ns_ = time_ns / kSecondNs * kSecondNs;
  }
  time_ns -= origin_ns_;
}

std::string_view EventSink::ReadTime(Current& event) {
  if (event.text.ts.empty()) return "no time";
  const std::string_view wrong = ReadMicros(event.text.ts, event.time_ns);
  if (wrong.empty()) FromOrigin(event.time_ns);
  return wrong;
}

std::string_view EventSink::ReadDuration(Current& event) {
  const std::string_view dur = event.text.dur;
  if (dur.empty() || event.text.ts.empty()) {
    event.repaired = "no duration";
    return ReadTime(event);
  }
  const std::string_view wrong =
      ReadSpan(event.text.ts, dur, event.time_ns, event.dur_ns);
  if (!wrong.empty()) return wrong;
  FromOrigin(event.time_ns);
  if (event.dur_ns < 0) {
    event.dur_ns = 0;
    event.repaired = "negative duration";
  }
  return {};
}

// Paddle states whole microseconds; our own files have all of it.
void EventSink::KeepOwnTimes(const Current& event, const Category& category,
                             Row row, uint32_t track) {
  PaddleTimes::Stated stated;
  if (row == kNoRow || !ReadOwnTime(args_.start_time(), stated.own_ns)) return;
  // 18 years; what is beyond stays as it is, and sums do not overflow.
  constexpr int64_t kFarthest = int64_t{1} << 59;
  if (std::abs(stated.own_ns) > kFarthest || event.dur_ns > kFarthest ||
      std::abs(event.time_ns) > kFarthest)
    return;
  stated.is_exact = event.text.ts.find('.') != event.text.ts.npos;
  stated.row = row;
  stated.track = track;
  stated.ts_ns = event.time_ns;
  stated.dur_ns = event.dur_ns;
  // Old files round it to microseconds.
  int64_t end_ns = 0;
  if (event.text.dur.find('.') == event.text.dur.npos &&
      ReadOwnTime(args_.end_time(), end_ns) &&
      std::abs(end_ns - stated.own_ns - event.dur_ns) <= 1000) {
    stated.dur_ns = end_ns - stated.own_ns;
    builder_.SetDuration(row, stated.dur_ns);
  }
  stated.is_call = category.type == STEPSCOPE_CUDA_RUNTIME && !stated.is_exact;
  stated.name = builder_.name_of(row);
  const std::string_view name = builder_.strings().view(stated.name);
  stated.word = builder_.Intern(name.substr(0, name.find(' ')));
  paddle_times_.Add(stated);
}

uint32_t EventSink::TrackOf(const EventText& event, const Category& category) {
  // Rows of torch that are no process.
  const bool aside = event.pid == "\"Traces\"" || event.pid == "\"Spans\"" ||
                     event.pid == "\"\"";
  return rows_.Find(aside ? TrackPlace::kAside : category.row, event.pid,
                    event.tid, args_.device(), args_.stream());
}

Row EventSink::AddRow(const Current& event, const Category& category,
                      uint32_t track, uint16_t flags) {
  const StringId name = args_.has_name() ? builder_.Intern(args_.name())
                                         : NameOf(event.text.name);
  const NameKind kind = KindOf(name);
  TypeAndFlags type = TypeOf(category, kind);
  const bool is_step = MarksStep(category, type.type, args_.step_number());
  if (is_step) type.type = STEPSCOPE_PROFILE_STEP;
  if (args_.is_request()) type.type = kRequestType;
  const auto all_flags =
      static_cast<uint16_t>(type.flags | flags | args_.flags());
  const Row row = builder_.AddEvent(
      {track, event.time_ns, event.dur_ns, name, type.type, all_flags});
  if (row == kNoRow) return row;
  first_time_ns_ = std::min(first_time_ns_, event.time_ns);
  last_time_ns_ = std::max(last_time_ns_, event.time_ns + event.dur_ns);
  args_.AddTyped(row);
  if (is_step) builder_.AddInt(row, "step", args_.step_number());
  AddLinks(row, category);
  return row;
}

void EventSink::AddLinks(Row row, const Category& category) {
  const auto link = [&](LinkSpace space, int64_t id) {
    builder_.AddLink(
        {TrackMap::kMainProcess, space, static_cast<uint64_t>(id), row});
  };
  if (args_.correlation() > 0) {
    link(LinkSpace::kCorrelation, args_.correlation());
    if (category.row == TrackPlace::kHost)
      external_.AddCall(args_.correlation());
  }
  if (args_.sequence() >= 0) link(LinkSpace::kSequence, args_.sequence());
  if (args_.graph_node() > 0) link(LinkSpace::kGraphNode, args_.graph_node());
  if (category.row == TrackPlace::kStream) {
    external_.AddDevice(row, args_.correlation(), args_.external_id());
  } else if (args_.external_id() > 0) {
    external_.AddHost(row, args_.external_id());
  }
}

EventSink::Outcome EventSink::AddComplete(Current& event) {
  // torch without Kineto states no category, but a row of its operators.
  const bool by_torch =
      event.text.cat.empty() && event.text.pid == "\"CPU functions\"";
  const Category& category = CategoryOf(by_torch ? "Operator" : event.text.cat);
  if (const std::string_view wrong = ReadDuration(event); !wrong.empty())
    return {wrong};
  args_.Read(event.tokens, event.text, ArgsOf(category),
             header_.has_paddle_keys());
  if (args_.made_up()) return {};
  if (category.row == TrackPlace::kStream && event.dur_ns > kLongestWorkNs)
    return {"device work of more than 7 days"};
  const uint32_t track = TrackOf(event.text, category);
  const Row row = AddRow(event, category, track, 0);
  if (header_.by_paddle()) KeepOwnTimes(event, category, row, track);
  if (row != kNoRow) args_.AddRest(row);
  return {};
}

EventSink::Outcome EventSink::AddInstant(Current& event) {
  const Category& category = CategoryOf(event.text.cat);
  args_.Read(event.tokens, event.text, ArgSet::kInstant,
             header_.has_paddle_keys());
  const Row row =
      AddRow(event, category, TrackOf(event.text, category), kEventInstant);
  if (row != kNoRow) args_.AddRest(row);
  return {};
}

EventSink::Outcome EventSink::AddBegin(Current& event) {
  const Category& category = CategoryOf(event.text.cat);
  args_.Read(event.tokens, event.text, ArgsOf(category), false);
  const uint32_t track = TrackOf(event.text, category);
  const Row row = AddRow(event, category, track, kEventOpenAtEnd);
  if (row != kNoRow) open_[track].push_back({row, event.offset, args_.rest()});
  return {{}, true};
}

EventSink::Outcome EventSink::AddEnd(Current& event) {
  // The end belongs to the last begin of its row; it may have no category.
  args_.Read(event.tokens, event.text, ArgSet::kNone, false);
  for (const TrackPlace kind : {CategoryOf(event.text.cat).row,
                                TrackPlace::kHost, TrackPlace::kStream}) {
    const uint32_t track = rows_.Find(kind, event.text.pid, event.text.tid);
    const auto it = open_.find(track);
    if (it == open_.end() || it->second.empty()) continue;
    if (event.time_ns < builder_.start_ns(it->second.back().row))
      return {"end before its begin"};
    Close(it->second.back(), event.time_ns, args_.rest());
    it->second.pop_back();
    builder_.ledger().Keep();  // of the begin
    return {};
  }
  return {"end without a begin"};
}

void EventSink::Close(const AsyncEvents::Open& open, int64_t end_ns,
                      std::string_view args) {
  builder_.SetDuration(open.row, end_ns - builder_.start_ns(open.row));
  builder_.ClearFlags(open.row, kEventOpenAtEnd);
  last_time_ns_ = std::max(last_time_ns_, end_ns);
  std::string all = open.args;
  if (!all.empty() && !args.empty()) all += ", ";
  all += args;
  builder_.AddRawArgs(open.row, all);
}

EventSink::Outcome EventSink::AddAsync(Current& event) {
  const EventText& text = event.text;
  const char phase = text.ph[0];
  const bool object = phase == 'N' || phase == 'O' || phase == 'D';
  if (text.id.empty()) return {"no id"};
  args_.Read(event.tokens, text, ArgSet::kNone, false);
  const uint32_t process = rows_.ProcessOf(text.pid);
  const char family = object ? 'N' : phase == 'b' || phase == 'e' ? 'b' : 'S';
  // Objects are told apart by name, old asynchronous events too.
  const std::string key =
      AsyncEvents::Key(process, family, text.cat, text.id,
                       family == 'b' ? text.scope : text.name);
  const bool ends = phase == 'e' || phase == 'F' || phase == 'D';
  const AsyncEvents::Open open =
      ends ? async_.End(key) : AsyncEvents::Open{kNoRow, 0, {}};
  // An object that is deleted may have been there before the recording: then
  // this is an instant.
  if (ends && !(open.row == kNoRow && phase == 'D')) {
    if (open.row == kNoRow) return {"end without a begin"};
    if (event.time_ns < builder_.start_ns(open.row)) {
      async_.Begin(key, open);
      return {"end before its begin"};
    }
    Close(open, event.time_ns, args_.rest());
    builder_.ledger().Keep();  // of the begin
    return {};
  }
  const Category& category = CategoryOf(text.cat);
  const Category aside = {category.name, category.type, TrackPlace::kAside,
                          category.dialect};
  const uint32_t track =
      rows_.Named(TrackKind::kAsync, process, Unescaped(text.cat, buffer_));
  const bool begins = phase == 'b' || phase == 'S' || phase == 'N';
  const Row row =
      AddRow(event, aside, track, begins ? kEventOpenAtEnd : kEventInstant);
  if (row == kNoRow) return {};
  std::string args = args_.rest();
  if (!args.empty()) args += ", ";
  args += "\"id\": ";
  args += text.id;
  if (begins) {
    async_.Begin(key, {row, event.offset, std::move(args)});
    return {{}, true};
  }
  builder_.AddRawArgs(row, args);
  return {};
}

void EventSink::FinishOpen() {
  std::vector<AsyncEvents::Open> rest = async_.TakeRest();
  for (auto& [track, stack] : open_)
    for (AsyncEvents::Open& open : stack) rest.push_back(std::move(open));
  open_.clear();
  for (const AsyncEvents::Open& open : rest) {
    const int64_t start = builder_.start_ns(open.row);
    builder_.SetDuration(open.row, std::max(last_time_ns_, start) - start);
    builder_.AddRawArgs(open.row, open.args);
    builder_.ledger().Repair("begin without an end", open.offset);
  }
}

void EventSink::Finish() {
  FinishOpen();
  rows_.Finish();
  first_time_ns_ = std::min(
      first_time_ns_, paddle_times_.Finish(builder_, header_.stated_peaks()));
  MarkDeviceTracks(builder_);
  external_.Finish(builder_, TrackMap::kMainProcess);
  if (rows_.has_owners()) builder_.GiveLinksToTracks();
  if (first_time_ns_ <= last_time_ns_)
    for (uint32_t i = 0; i < builder_.process_count(); ++i)
      builder_.process(i).start_ns = first_time_ns_;
  importers::AddStatedPeaks(builder_);
  header_.AddWindow(builder_, origin_ns_);
  bool known = header_.has_base() ? header_.epoch_known() : origin_ns_ != 0;
  int64_t epoch_ns = 0;
  if (__builtin_add_overflow(header_.base_ns(), origin_ns_, &epoch_ns))
    known = false;
  builder_.AlignEpoch(epoch_ns, known);
  if (first_time_ns_ < 0 && origin_ns_ != 0 && known)
    earliest_epoch_ = {
        epoch_ns - (kSecondNs - 1 - first_time_ns_) / kSecondNs * kSecondNs,
        true};
}

}  // namespace stepscope::json
