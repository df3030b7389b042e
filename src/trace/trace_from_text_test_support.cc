// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_from_text_test_support.h"

#include <stepscope/c.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

constexpr uint16_t kUserDefined = STEPSCOPE_USER_DEFINED;

class Reader {
 public:
  explicit Reader(TraceBuilder& builder) : b_(builder) {}

  void Line(std::string_view line) {
    line_ = line;
    Split();
    if (words_.empty()) return;
    const std::string& verb = words_[0];
    if (verb == "process") return AddProcess();
    if (verb == "thread" || verb == "stream" || verb == "async")
      return AddTrack();
    if (verb == "counter") return AddCounter();
    if (verb == "memory") return AddMemory();
    if (verb == "flow") return AddFlow();
    if (verb == "window") return b_.AddWindow(Int(Word(1)), Int(Word(2)));
    if (verb == "cpu") return AddCpuUsage();
    AddEvent();
  }

 private:
  [[noreturn]] void Refuse(const char* why) const {
    std::fprintf(stderr, "TraceFromText: %s: %.*s\n", why,
                 static_cast<int>(line_.size()), line_.data());
    std::abort();
  }

  // Words are parted by blanks; "..." keeps blanks, # begins a comment that
  // follows a blank.
  void Split() {
    words_.clear();
    quoted_.clear();
    size_t i = 0;
    while (i < line_.size()) {
      if (line_[i] == ' ' || line_[i] == '\t') {
        ++i;
        continue;
      }
      if (line_[i] == '#') return;
      std::string word;
      bool quotes = false;
      bool inside = false;
      for (; i < line_.size() && (inside || (line_[i] != ' ')); ++i) {
        if (line_[i] == '"') {
          inside = !inside;
          quotes = true;
        } else {
          word += line_[i];
        }
      }
      words_.push_back(word);
      quoted_.push_back(quotes);
    }
  }

  const std::string& Word(size_t i) const {
    if (i >= words_.size()) Refuse("a word is missing");
    return words_[i];
  }

  int64_t Int(const std::string& text) const {
    char* end = nullptr;
    const int64_t value = std::strtoll(text.c_str(), &end, 0);
    if (text.empty() || *end != '\0') Refuse("not a number");
    return value;
  }

  // "key=value" -> value, if word `i` has that key.
  std::optional<std::string> Value(size_t i, std::string_view key) const {
    const std::string& word = words_[i];
    if (word.size() <= key.size() || word[key.size()] != '=' ||
        word.compare(0, key.size(), key) != 0)
      return std::nullopt;
    return word.substr(key.size() + 1);
  }

  void AddProcess() {
    Process process;
    process.pid = Int(Word(1));
    for (size_t i = 2; i < words_.size(); ++i) {
      if (const auto rank = Value(i, "rank")) {
        process.rank = Int(*rank);
      } else if (const auto name = Value(i, "name")) {
        process.name = b_.Intern(*name);
      } else if (const auto host = Value(i, "host")) {
        process.host = b_.Intern(*host);
      } else if (!AddFact(i, process)) {
        Refuse("unknown key");
      }
    }
    b_.AddProcess(process);
    track_.reset();
    counters_.clear();
  }

  // What the recorder noted of the process.
  bool AddFact(size_t i, Process& process) {
    for (const char* key : {"cpus", "cpus_usable", "first_chosen_step", "saved",
                            "step_range", "unprofiled_times_ns"}) {
      if (const auto value = Value(i, key)) {
        process.metadata.emplace_back(b_.Intern(key), b_.Intern(*value));
        return true;
      }
    }
    return false;
  }

  uint32_t CurrentProcess() {
    if (b_.process_count() == 0) {
      Process process;
      process.pid = 1;
      b_.AddProcess(process);
    }
    return b_.process_count() - 1;
  }

  void AddTrack() {
    Track track;
    track.process = CurrentProcess();
    track.kind = Word(0) == "thread"   ? TrackKind::kThread
                 : Word(0) == "stream" ? TrackKind::kStream
                                       : TrackKind::kAsync;
    track.id = Int(Word(1));
    if (words_.size() > 2) {
      const std::string& what = words_[2];
      const size_t colon = what.find(':');
      if (track.kind == TrackKind::kStream && colon != std::string::npos) {
        track.device_type = b_.Intern(what.substr(0, colon));
        track.device = Int(what.substr(colon + 1));
      } else {
        track.name = b_.Intern(what);
      }
    }
    track_ = b_.AddTrack(track);
  }

  uint32_t CurrentTrack() {
    if (!track_) {
      Track track;
      track.process = CurrentProcess();
      track.id = 1;
      track_ = b_.AddTrack(track);
    }
    return *track_;
  }

  void AddEvent() {
    const std::string& range = Word(0);
    const size_t dots = range.find("..");
    if (dots == std::string::npos) Refuse("not start..end");
    EventSpec event;
    event.track = CurrentTrack();
    event.start_ns = Int(range.substr(0, dots));
    event.dur_ns = Int(range.substr(dots + 2)) - event.start_ns;
    if (event.dur_ns < 0) Refuse("ends before it starts");
    event.name = b_.Intern(Word(1));
    event.type = kUserDefined;
    size_t i = 2;
    for (; i < words_.size() && !quoted_[i]; ++i) {
      if (words_[i].find('=') != std::string::npos) break;
      if (!Flag(words_[i], event)) Refuse("neither type nor flag");
    }
    const Row row = b_.AddEvent(event);
    for (; i < words_.size(); ++i) AddArg(row, words_[i], quoted_[i]);
  }

  static bool Flag(const std::string& word, EventSpec& event) {
    const auto set = [&](EventFlag flag) {
      event.flags = static_cast<uint16_t>(event.flags | flag);
      return true;
    };
    if (word == "instant") return set(kEventInstant);
    if (word == "open") return set(kEventOpenAtEnd);
    if (word == "clipped") return set(kEventNameClipped);
    if (word == "inferred") return set(kEventInferred);
    const std::optional<uint16_t> type = EventTypeByName(word);
    if (type) event.type = *type;
    return type.has_value();
  }

  void AddArg(Row row, const std::string& word, bool quoted) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) Refuse("not key=value");
    const std::string key = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    static const std::map<std::string, LinkSpace, std::less<>> kSpaces = {
        {"correlation", LinkSpace::kCorrelation},
        {"external", LinkSpace::kExternal},
        {"graph_node", LinkSpace::kGraphNode},
        {"sequence", LinkSpace::kSequence}};
    if (const auto it = kSpaces.find(key); it != kSpaces.end()) {
      b_.AddLink({b_.process_count() - 1, it->second,
                  static_cast<uint64_t>(Int(value)), row});
    } else if (!quoted && value.starts_with('[')) {
      std::vector<int64_t> values;
      for (size_t i = 1; i < value.size() && value[i] != ']';) {
        const size_t end = value.find_first_of(",]", i);
        values.push_back(Int(value.substr(i, end - i)));
        i = end == std::string::npos ? value.size() : end + 1;
      }
      Arg arg;
      arg.row = row;
      arg.key = b_.Intern(key);
      b_.AddListArg(arg, values);
    } else if (!quoted && !value.empty() &&
               value.find_first_not_of("-0123456789") == std::string::npos) {
      b_.AddInt(row, key, Int(value));
    } else if (!quoted && !value.empty() &&
               value.find_first_not_of("-.e+0123456789") == std::string::npos) {
      b_.AddDouble(row, key, std::strtod(value.c_str(), nullptr));
    } else {
      b_.AddText(row, key, value);
    }
  }

  void AddCounter() {
    const std::string& name = Word(2);
    if (!counters_.contains(name)) {
      Track track;
      track.process = CurrentProcess();
      track.kind = TrackKind::kCounter;
      track.name = b_.Intern(name);
      counters_[name] = b_.AddTrack(track);
    }
    CounterSample sample;
    sample.time_ns = Int(Word(1));
    sample.track = counters_[name];
    sample.integer = Word(3).find_first_of(".en") == std::string::npos;
    sample.value = std::strtod(Word(3).c_str(), nullptr);
    if (sample.integer) sample.int_value = Int(Word(3));
    b_.AddCounter(sample);
  }

  void AddMemory() {
    MemoryEvent event;
    event.time_ns = Int(Word(1));
    event.bytes = Int(Word(2));
    event.kind = event.bytes < 0 ? MemoryKind::kFree : MemoryKind::kAllocate;
    event.place = b_.Intern(Word(3));
    event.address = static_cast<uint64_t>(Int(Word(4)));
    event.track = CurrentTrack();
    for (size_t i = 5; i < words_.size(); ++i) {
      if (const auto total = Value(i, "total")) {
        event.total_allocated = static_cast<uint64_t>(Int(*total));
      } else if (const auto reserved = Value(i, "reserved")) {
        event.total_reserved = static_cast<uint64_t>(Int(*reserved));
      } else if (words_[i] == "reserve") {
        event.kind = event.bytes < 0 ? MemoryKind::kReservedFree
                                     : MemoryKind::kReservedAllocate;
      } else {
        Refuse("unknown key");
      }
    }
    b_.AddMemory(event);
  }

  void AddCpuUsage() {
    b_.MergeCpuUsage({std::strtod(Word(1).c_str(), nullptr),
                      std::strtod(Word(2).c_str(), nullptr)});
  }

  void AddFlow() {
    Flow flow;
    flow.time_ns = Int(Word(1));
    flow.id = static_cast<uint64_t>(Int(Word(2)));
    flow.phase = Word(3) == "begin"  ? FlowPhase::kBegin
                 : Word(3) == "step" ? FlowPhase::kStep
                                     : FlowPhase::kEnd;
    flow.name = b_.Intern(Word(4));
    flow.track = CurrentTrack();
    b_.AddFlow(flow);
  }

  TraceBuilder& b_;
  std::string_view line_;
  std::vector<std::string> words_;
  std::vector<bool> quoted_;
  std::optional<uint32_t> track_;
  std::map<std::string, uint32_t, std::less<>> counters_;
};

}  // namespace

void BuildFromText(std::string_view text, TraceBuilder& builder) {
  Reader reader(builder);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    reader.Line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

std::shared_ptr<const Trace> TraceFromText(std::string_view text) {
  TraceBuilder builder;
  BuildFromText(text, builder);
  Result<std::shared_ptr<const Trace>> trace = builder.Finish();
  if (!trace) {
    std::fprintf(stderr, "TraceFromText: %s\n", trace.error().message.c_str());
    std::abort();
  }
  return *trace;
}

std::string TraceToText(const Trace& trace) {
  static constexpr const char* kKinds[] = {"thread", "stream", "counter",
                                           "async"};
  std::string text;
  for (const Track& track : trace.tracks()) {
    if (track.kind == TrackKind::kCounter) continue;
    text += Format("%s %lld", kKinds[static_cast<size_t>(track.kind)],
                   static_cast<long long>(track.id));
    if (track.lane > 0) text += Format(" lane %u", track.lane);
    text += '\n';
    for (Row row = track.first; row < track.last; ++row) {
      text.append(2 + 2 * size_t{trace.nesting().depth[row]}, ' ');
      text +=
          Format("%lld..%lld ", static_cast<long long>(trace.start_ns()[row]),
                 static_cast<long long>(trace.end_ns(row)));
      text += trace.str(trace.name()[row]);
      if (trace.type()[row] != kUserDefined) {
        text += ' ';
        text += EventTypeName(trace.type()[row]);
      }
      const uint16_t flags = trace.flags()[row];
      if ((flags & kEventInstant) != 0) text += " instant";
      if ((flags & kEventOpenAtEnd) != 0) text += " open";
      if ((flags & kEventNameClipped) != 0) text += " clipped";
      if ((flags & kEventInferred) != 0) text += " inferred";
      text += '\n';
    }
  }
  return text;
}

}  // namespace stepscope
