// SPDX-License-Identifier: Apache-2.0
#include <stepscope/c.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/arrows.h"
#include "exporters/by_row.h"
#include "exporters/kineto/args.h"
#include "exporters/kineto/events.h"
#include "exporters/kineto/words.h"

namespace stepscope::kineto {
namespace {

constexpr std::string_view kOurStep = "ProfileStep#";
constexpr std::string_view kCollectionOff = "torch.profiler: collection off";

// Ours are "forward (net.py:12)", Kineto's "net.py(12): forward".
void AppendFunction(std::string& out, std::string_view name) {
  const size_t open = name.rfind(" (");
  const size_t colon = name.rfind(':');
  if (open == name.npos || colon == name.npos || colon < open ||
      name.back() != ')') {
    out += name;
    return;
  }
  out += name.substr(open + 2, colon - open - 2);
  out += '(';
  out += name.substr(colon + 1);
  out += ": ";
  out += name.substr(0, open);
}

// `{"name":"..."`, the steps under torch's word for them.
void AppendName(std::string& out, const Context& context, Row row) {
  const StringId name = context.trace.name()[row];
  if (context.trace.type()[row] == STEPSCOPE_PROFILE_STEP &&
      context.trace.str(name).starts_with(kOurStep)) {
    out += R"({"name":"ProfilerStep#)";
    out += context.names.Text(name).view().substr(kOurStep.size());
  } else if (context.ids != nullptr &&
             context.trace.type()[row] == STEPSCOPE_PYTHON_FUNCTION) {
    out += R"({"name":")";
    AppendFunction(out, context.names.Text(name).view());
  } else {
    out += context.names.EventStart(name).view();
  }
  out += '"';
}

void AppendCategory(std::string& out, std::string_view category) {
  if (category.empty()) return;
  out += R"(,"cat":")";
  out += category;
  out += '"';
}

std::vector<Row> InTrackOrder(const Trace& trace) {
  std::vector<Row> rows(trace.size());
  std::iota(rows.begin(), rows.end(), Row{0});
  return rows;
}

// As the file had them, which shows in where their arguments lie; one without
// any follows its neighbour. HTA rounds times, and leaves equal ones in the
// order that they had.
std::vector<Row> InFileOrder(const Trace& trace) {
  std::vector<RawRef> places(trace.size());
  for (const Track& track : trace.tracks()) {
    RawRef last = 0;
    for (Row row = track.first; row < track.last; ++row) {
      if (trace.raw_ref(row) != 0) last = trace.raw_ref(row);
      places[row] = last;
    }
  }
  std::vector<Row> rows = InTrackOrder(trace);
  std::ranges::stable_sort(rows, {}, [&](Row row) { return places[row]; });
  return rows;
}

bool HasDeviceRanges(const Trace& trace) {
  return std::ranges::any_of(trace.tracks(), [&](const Track& track) {
    return track.kind == TrackKind::kAsync && track.first < track.last &&
           WordOf(trace, track.first) == Word::kGpuUserAnnotation;
  });
}

// torch notes no node of a graph of calls: what was captured stands in the
// arguments of what it became.
std::vector<Link> LinksOf(const Trace& trace) {
  std::vector<Link> links = LinksByRow(trace);
  std::erase_if(links, [&](const Link& link) {
    return link.space == LinkSpace::kGraphNode && !IsDeviceRow(trace, link.row);
  });
  return links;
}

class SliceWriter {
 public:
  explicit SliceWriter(const Context& context)
      : context_(context),
        args_(context.trace, context.form, context.names, context.ids),
        links_(LinksOf(context.trace)),
        args_of_(context.trace.args()),
        links_of_(links_) {
    if (context.form.as_torch) FindPauses();
  }

  void Write(const std::vector<Row>& rows) {
    Row next = kNoRow;
    for (const Row row : rows) {
      if (context_.out.failed()) return;
      if (row != next) {
        args_of_.Seek(row);
        links_of_.Seek(row);
      }
      WriteRow(row);
      next = row + 1;
    }
  }

 private:
  // stepscope.torch marks when a program turned collection off; there is one
  // such range at a time.
  void FindPauses() {
    const Trace& trace = context_.trace;
    for (Row row = 0; row < trace.size(); ++row)
      if (trace.str(trace.name()[row]) == kCollectionOff)
        pauses_.emplace_back(trace.start_ns()[row], trace.end_ns(row));
  }
  bool IsInPause(Row row) const {
    const int64_t start = context_.trace.start_ns()[row];
    return std::ranges::any_of(pauses_, [&](const auto& pause) {
      return start >= pause.first && start <= pause.second;
    });
  }

  bool IsLeftOut(Row row) const {
    const Form& form = context_.form;
    if (!form.as_torch) return false;
    if (!pauses_.empty() && IsInPause(row)) return true;
    return IsOwnStage(context_.trace, row) ||
           (form.without_steps &&
            context_.trace.type()[row] == STEPSCOPE_PROFILE_STEP);
  }

  void WriteRow(Row row) {
    const Trace& trace = context_.trace;
    const auto args = args_of_.Take(row);
    const auto links = links_of_.Take(row);
    if (IsLeftOut(row)) return;
    const Word word = WordOf(trace, row);
    const bool instant = (trace.flags()[row] & kEventInstant) != 0;
    text_.clear();
    AppendName(text_, context_, row);
    AppendCategory(text_, CategoryOf(word, context_.form));
    const uint32_t track = trace.track()[row];
    if (instant)
      text_ += trace.tracks()[track].kind == TrackKind::kThread
                   ? R"(,"ph":"i","s":"t",)"
                   : R"(,"ph":"i","s":"g",)";
    else
      text_ += R"(,"ph":"X",)";
    text_ += context_.rows.place(track);
    text_ += R"(,"ts":)";
    AppendTime(text_, trace, context_.form, trace.start_ns()[row]);
    if (!instant) {
      text_ += R"(,"dur":)";
      AppendDuration(text_, context_.form, trace.dur_ns()[row]);
    }
    text_ += R"(,"args":{)";
    args_.Append(text_, row, word, args, links);
    text_ += "}},\n";
    context_.out.Append(text_);
  }

  const Context& context_;
  ArgWriter args_;
  std::vector<Link> links_;
  ByRow<Arg> args_of_;
  ByRow<Link> links_of_;
  std::vector<std::pair<int64_t, int64_t>> pauses_;
  std::string text_;
};

}  // namespace

void WriteSlices(const Context& context) {
  SliceWriter(context).Write(context.form.from_kineto
                                 ? InFileOrder(context.trace)
                                 : InTrackOrder(context.trace));
}

void WriteDeviceRanges(const Context& context) {
  if (context.ids == nullptr || HasDeviceRanges(context.trace)) return;
  std::string text;
  for (const DeviceRange& range :
       FindDeviceRanges(context.trace, *context.ids)) {
    text.clear();
    AppendName(text, context, range.annotation);
    AppendCategory(text, CategoryOf(Word::kGpuUserAnnotation, context.form));
    text += R"(,"ph":"X",)";
    text += context.rows.place(range.track);
    text += R"(,"ts":)";
    AppendTime(text, context.trace, context.form, range.start_ns);
    text += R"(,"dur":)";
    AppendDuration(text, context.form, range.end_ns - range.start_ns);
    text += R"(,"args":{"External id":)";
    text += std::to_string(
        context.ids->IdOf(range.annotation, Word::kUserAnnotation));
    text += "}},\n";
    context.out.Append(text);
  }
}

}  // namespace stepscope::kineto
