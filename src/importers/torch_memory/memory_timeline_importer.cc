// SPDX-License-Identifier: Apache-2.0
#include "importers/torch_memory/memory_timeline_importer.h"

#include <stepscope/c.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "importers/input/input_source.h"
#include "importers/torch_memory/int_lists.h"
#include "trace/memory_levels.h"

namespace stepscope {
namespace {

using torch_memory::IntLists;
using Token = IntLists::Token;

// torch's order; by the words of MemoryCategoryName() where these have one.
constexpr std::string_view kCategories[] = {
    "parameters",  "optimizer state", "inputs",           "temporary",
    "activations", "gradients",       "autograd details", "unknown",
};
constexpr size_t kCount = std::size(kCategories);
using Levels = std::array<int64_t, kCount>;

// Amounts and times beyond these are of a damaged file.
constexpr int64_t kMostBytes = int64_t{1} << 50;
constexpr int64_t kMostNs = int64_t{1} << 62;

// Makes events of levels: each category is one block, which is freed and made
// anew where its size changes, so that sums at each time are those of the file.
class LevelWriter {
 public:
  LevelWriter(TraceBuilder& builder, int64_t unit_ns)
      : builder_(builder), unit_ns_(unit_ns) {
    const uint32_t process = builder.AddProcess({});
    Track track;
    track.process = process;
    track.id = 1;
    track.name = builder.Intern("Memory by category");
    track_ = builder.AddTrack(track);
    place_ = builder.Intern(kMemoryLevelsPlace);
    rows_.fill(kNoRow);
  }

  // `time`: in the file's unit; negative: before all that has one, and shown
  // with the first.
  void Set(int64_t time, const Levels& levels) {
    wanted_ = levels;
    Begin(time);
    if (!begun_) return;
    if (time >= 0) now_ns_ = std::max(now_ns_, time * unit_ns_ - first_ns_);
    Write();
  }
  // The first time with a number is the begin of the recording.
  void Begin(int64_t time) {
    if (begun_ || time < 0) return;
    begun_ = true;
    first_ns_ = time * unit_ns_;
    shift_ns_ = builder_.AlignEpoch(first_ns_, time > 0);
  }
  void Finish() {
    Begin(0);
    Write();
    builder_.AddWindow(shift_ns_, shift_ns_ + now_ns_);
    if (below_zero_)
      builder_.AddNote(
          "more was freed than the file says was allocated: what was there "
          "before is not in it, so amounts are those since the recording "
          "began");
  }

 private:
  void Write() {
    for (size_t i = 0; i < kCount; ++i)
      if (wanted_[i] != levels_[i]) Emit(i, MemoryKind::kFree);
    for (size_t i = 0; i < kCount; ++i) {
      if (wanted_[i] == levels_[i]) continue;
      levels_[i] = wanted_[i];
      Emit(i, MemoryKind::kAllocate);
    }
  }

  void Emit(size_t category, MemoryKind kind) {
    below_zero_ |= levels_[category] < 0;
    const int64_t bytes = std::max<int64_t>(0, levels_[category]);
    if (bytes == 0) return;
    MemoryEvent event;
    event.time_ns = shift_ns_ + now_ns_;
    event.address = category + 1;
    event.kind = kind;
    event.bytes = kind == MemoryKind::kFree ? -bytes : bytes;
    event.place = place_;
    event.track = track_;
    event.owner = RowOf(category);
    event.owner_stated = true;
    builder_.AddMemory(event);
  }
  Row RowOf(size_t category) {
    if (rows_[category] != kNoRow) return rows_[category];
    EventSpec event;
    event.track = track_;
    event.start_ns = shift_ns_ + now_ns_;
    event.name = builder_.Intern(kCategories[category]);
    event.type = STEPSCOPE_OPERATOR;
    event.flags = kEventInstant;
    return rows_[category] = builder_.AddEvent(event);
  }

  TraceBuilder& builder_;
  const int64_t unit_ns_;
  uint32_t track_ = 0;
  StringId place_;
  std::array<Row, kCount> rows_;
  Levels levels_{};  // as written
  Levels wanted_{};
  bool begun_ = false;
  bool below_zero_ = false;
  int64_t first_ns_ = 0;
  int64_t shift_ns_ = 0;
  int64_t now_ns_ = 0;
};

class Reader {
 public:
  Reader(InputSource& input, const ImportOptions& options,
         TraceBuilder& builder)
      : input_(input), options_(options), builder_(builder), lists_(input) {}

  Status Read() {
    STEPSCOPE_TRY(Expect(Token::kOpen));
    STEPSCOPE_TRY_ASSIGN(const Token first, lists_.Next());
    if (first == Token::kClose) return Ok();  // no event
    if (first != Token::kOpen) return lists_.Bad("expected a list of lists");
    std::vector<int64_t> head;
    STEPSCOPE_TRY(lists_.ReadList(head));
    STEPSCOPE_TRY_ASSIGN(Token next, lists_.Next());
    if (next == Token::kClose) return ReadChanges(head, next);
    if (next != Token::kOpen) return lists_.Bad("expected a list");
    STEPSCOPE_TRY_ASSIGN(next, lists_.Next());
    // Times and a list of sizes; else changes, of which the second began.
    if (next == Token::kOpen || (next == Token::kClose && head.empty()))
      return ReadTotals(head, next);
    return ReadChanges(head, next);
  }

 private:
  Status Expect(Token token) {
    STEPSCOPE_TRY_ASSIGN(const Token next, lists_.Next());
    return next == token ? Ok() : Status(lists_.Bad("expected a list"));
  }
  Status Pulse() {
    options_.Report(input_.source_offset(), input_.source_size());
    return options_.cancelled() ? Status(Cancelled(input_.path())) : Ok();
  }
  void Reject(std::string_view why) { builder_.ledger().Reject(why, 0); }

  // Sizes by category at each time, which is in microseconds. `token` is what
  // came behind the begin of their list.
  Status ReadTotals(const std::vector<int64_t>& times, Token token) {
    LevelWriter writer(builder_, 1000);
    std::vector<int64_t> row;
    size_t at = 0;
    for (; token == Token::kOpen; ++at) {
      STEPSCOPE_TRY(lists_.ReadList(row));
      if (at % 4096 == 0) STEPSCOPE_TRY(Pulse());
      if (at < times.size()) AddTotals(times[at], row, writer);
      STEPSCOPE_TRY_ASSIGN(token, lists_.Next());
    }
    if (token != Token::kClose) return lists_.Bad("expected a list of sizes");
    STEPSCOPE_TRY(Expect(Token::kClose));
    if (at != times.size())
      builder_.ledger().Reject(
          "times and sizes that are not as many", 0, {},
          at < times.size() ? times.size() - at : at - times.size());
    writer.Finish();
    return Ok();
  }

  void AddTotals(int64_t time_us, const std::vector<int64_t>& row,
                 LevelWriter& writer) {
    // The first is zero: the others are stacked on it.
    if (row.size() != kCount + 1) return Reject("not nine sizes");
    Levels levels;
    for (size_t i = 0; i < kCount; ++i) levels[i] = row[i + 1];
    if (!Sound(time_us, kMostNs / 1000, levels))
      return Reject("size or time out of range");
    builder_.ledger().Keep();
    writer.Set(time_us, levels);
  }

  // Each change as (time in nanoseconds, action, bytes, category). `next` is
  // what came behind the begin of the second one, or the end of all.
  Status ReadChanges(std::vector<int64_t> row, Token next) {
    LevelWriter writer(builder_, 1);
    Levels levels{};
    AddChange(row, levels, writer);
    if (next == Token::kClose) {  // there was one
      writer.Finish();
      return Ok();
    }
    for (size_t n = 0;; ++n) {
      row.clear();
      if (next != Token::kNumber) return lists_.Bad("expected four numbers");
      const int64_t time = lists_.number();
      STEPSCOPE_TRY(lists_.ReadList(row));
      row.insert(row.begin(), time);
      if (n % 4096 == 0) STEPSCOPE_TRY(Pulse());
      AddChange(row, levels, writer);
      STEPSCOPE_TRY_ASSIGN(next, lists_.Next());
      if (next != Token::kOpen) break;
      STEPSCOPE_TRY_ASSIGN(next, lists_.Next());
    }
    if (next != Token::kClose) return lists_.Bad("the file ends in the middle");
    writer.Finish();
    return Ok();
  }

  void AddChange(const std::vector<int64_t>& row, Levels& levels,
                 LevelWriter& writer) {
    constexpr int64_t kNewVersion = 3;
    if (row.size() != 4 || row[3] < 0 || row[3] >= int64_t{kCount})
      return Reject("not a time, an action, an amount and a category");
    Levels next = levels;
    if (row[2] > kMostBytes || row[2] < -kMostBytes)
      return Reject("size or time out of range");
    next[static_cast<size_t>(row[3])] += row[2];
    if (!Sound(row[0], kMostNs, next))
      return Reject("size or time out of range");
    builder_.ledger().Keep();
    levels = next;
    // A tensor that goes from one category to another is two changes.
    if (row[1] == kNewVersion && row[2] < 0)
      writer.Begin(row[0]);
    else
      writer.Set(row[0], levels);
  }

  static bool Sound(int64_t time, int64_t most, const Levels& levels) {
    return time <= most && time >= -1 &&
           std::all_of(levels.begin(), levels.end(), [](int64_t bytes) {
             return bytes <= kMostBytes && bytes >= -kMostBytes;
           });
  }

  InputSource& input_;
  const ImportOptions& options_;
  TraceBuilder& builder_;
  IntLists lists_;
};

class MemoryTimeline : public Importer {
 public:
  std::string_view format() const override { return "torch_memory_timeline"; }

  // A list that begins with a list of numbers: no other format has no names. Or
  // the page with a picture, so that who gives it learns why it is not read.
  bool Sniff(std::span<const uint8_t> head) const override {
    constexpr std::string_view kTitle = "<title>GPU Memory Timeline HTML</";
    const std::string_view text(reinterpret_cast<const char*>(head.data()),
                                std::min<size_t>(head.size(), 200));
    if (text.starts_with("<html>") && text.find(kTitle) != text.npos)
      return true;
    int open = 0;
    for (const uint8_t c : head) {
      if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
      if (c == '[' && open < 2)
        ++open;
      else
        return open == 2 && ((c >= '0' && c <= '9') || c == '-' || c == ']');
    }
    return false;
  }

  Status Import(InputSource& input, const ImportOptions& options,
                TraceBuilder& builder) const override {
    builder.AddSource(format(), input.path());
    STEPSCOPE_TRY(Reader(input, options, builder).Read());
    if (builder.memory().empty())
      builder.AddNote(input.path() +
                      ": the memory timeline has no event: the profiler saw no "
                      "memory of its device");
    return Ok();
  }
};

}  // namespace

const Importer& MemoryTimelineImporter() {
  // Never destroyed: files may be read while the process ends.
  static const MemoryTimeline& importer = *new MemoryTimeline;
  return importer;
}

}  // namespace stepscope
