// SPDX-License-Identifier: Apache-2.0
#include "report/timeline_svg.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/kinds.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/html/html_text.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

constexpr double kRowHeight = 16;
constexpr double kLabelHeight = 15;
constexpr double kAxisHeight = 22;
constexpr double kSmallest = 2;  // pixels: less is merged with its neighbours
constexpr double kCharWidth = 6.3;  // of the labels, about
constexpr double kTickWidth = 100;  // from one tick to the next, at least

// Styles, not colours, so that the page around can be light or dark. Names
// begin with ours: a style in a drawing holds for the whole page.
constexpr std::string_view kStyle = R"(<style>
.stepscope-tl{font:11px system-ui,sans-serif;--fg:#1f2328;--dim:#59636e;--line:#d1d9e0;--ink:#14171a}
.stepscope-tl text{fill:var(--fg)}.stepscope-tl .dim{fill:var(--dim)}
.stepscope-tl line{stroke:var(--line)}.stepscope-tl .in{fill:var(--ink)}
.stepscope-tl .op{fill:#8ab4f8}.stepscope-tl .gpu{fill:#7fc8a9}.stepscope-tl .mem{fill:#f3c178}
.stepscope-tl .user{fill:#c9a7eb}.stepscope-tl .step{fill:#c7ced6}.stepscope-tl .stage{fill:#f2a6a0}
.stepscope-tl .api{fill:#a9d3d8}.stepscope-tl .many{fill:#9aa5b1}
@media (prefers-color-scheme:dark){.stepscope-tl{--fg:#e6edf3;--dim:#9198a1;--line:#3d444d}
.stepscope-tl .step{fill:#8b949e}.stepscope-tl .many{fill:#6e7781}}
</style>
)";

std::string_view ClassOf(uint16_t type) {
  if (type == STEPSCOPE_KERNEL) return "gpu";
  if (IsDeviceWork(type)) return "mem";
  if (IsApiCall(type)) return "api";
  if (IsStage(type) || type == STEPSCOPE_COMMUNICATION) return "stage";
  if (type == STEPSCOPE_PROFILE_STEP) return "step";
  if (type == STEPSCOPE_OPERATOR || type == STEPSCOPE_OPERATOR_INNER ||
      type == STEPSCOPE_PYTHON_OP) {
    return "op";
  }
  return "user";
}

std::string Duration(int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns >= 1'000'000'000) return Format("%.3g s", value / 1e9);
  if (ns >= 1'000'000) return Format("%.3g ms", value / 1e6);
  if (ns >= 1'000) return Format("%.3g us", value / 1e3);
  return Format("%lld ns", static_cast<long long>(ns));
}

// The first of 1, 2, 5, 10, 20, 50, ... that is not below `least`.
int64_t RoundStep(double least) {
  constexpr int64_t kLastDecade = 1'000'000'000'000'000'000;
  for (int64_t decade = 1;; decade *= 10) {
    for (const int64_t step : {decade, 2 * decade, 5 * decade})
      if (static_cast<double>(step) >= least) return step;
    if (decade == kLastDecade) return INT64_MAX;
  }
}

// The rows of a track that are visible, by start.
std::vector<Row> VisibleRows(const Trace& trace, const Track& track,
                             int64_t begin, int64_t end) {
  const auto starts = trace.start_ns();
  const auto at = [&](int64_t time) {
    return static_cast<Row>(std::lower_bound(starts.begin() + track.first,
                                             starts.begin() + track.last,
                                             time) -
                            starts.begin());
  };
  const Row first = at(begin);
  const Row last = at(end);
  std::vector<Row> rows;
  // What began before and is not over is around the event before the part.
  if (first > track.first) {
    const Nesting& nesting = trace.nesting();
    for (Row row = first - 1; row != kNoRow; row = nesting.parent[row]) {
      if (trace.end_ns(row) > begin) rows.push_back(row);
    }
    std::reverse(rows.begin(), rows.end());
  }
  for (Row row = first; row < last; ++row) rows.push_back(row);
  return rows;
}

class Drawing {
 public:
  Drawing(const Trace& trace, const TimelineSvgOptions& options)
      : trace_(trace),
        options_(options),
        scale_(static_cast<double>(options.width) /
               static_cast<double>(options.end_ns - options.begin_ns)) {}

  std::string Draw();

 private:
  struct Run {  // of marks that are too small each
    double from = 0;
    double to = -1;
    size_t count = 0;
    std::string_view style;  // of all of them, else "many"
  };

  std::string Shown(std::string_view name) const {
    return options_.display_name ? options_.display_name(name)
                                 : std::string(name);
  }
  double X(int64_t time) const {
    const int64_t inside = std::clamp(time, options_.begin_ns, options_.end_ns);
    return static_cast<double>(inside - options_.begin_ns) * scale_;
  }
  void Text(double x, double y, std::string_view style, std::string_view text) {
    body_ += Format("<text x=\"%.1f\" y=\"%.1f\" class=\"%.*s\">", x, y,
                    static_cast<int>(style.size()), style.data()) +
             html::Escape(text) + "</text>\n";
  }
  void Rect(double x, double width, double y, std::string_view style,
            const std::string& title) {
    body_ += Format(
                 "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                 "height=\"%.0f\" rx=\"1.5\" class=\"%.*s\"><title>",
                 x, y, width, kRowHeight - 2, static_cast<int>(style.size()),
                 style.data()) +
             title + "</title></rect>\n";
  }
  void DrawAxis();
  void DrawTrack(const Track& track, const std::vector<Row>& rows);
  void DrawEvent(Row row, double x, double width, double y);
  void Flush(Run& run, double y);
  std::string Label(const Track& track) const;

  const Trace& trace_;
  const TimelineSvgOptions& options_;
  const double scale_;  // pixels per nanosecond
  std::string body_;
  double height_ = kAxisHeight;
};

void Drawing::DrawAxis() {
  const int64_t length = options_.end_ns - options_.begin_ns;
  const int64_t step = RoundStep(kTickWidth / scale_);
  for (int64_t at = 0;; at += step) {
    const double x = static_cast<double>(at) * scale_;
    body_ += Format("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%.0f\"/>\n", x,
                    x, height_);
    const std::string text = at == 0 ? "0" : "+" + Duration(at);
    const double text_width = static_cast<double>(text.size()) * kCharWidth;
    if (at == 0 || x + 3 + text_width <= static_cast<double>(options_.width))
      Text(x + 3, 12, "dim", text);
    if (length - at <= step) return;
  }
}

std::string Drawing::Label(const Track& track) const {
  const Process& process = trace_.processes()[track.process];
  std::string text = Format("pid %lld, ", static_cast<long long>(process.pid));
  if (track.kind == TrackKind::kStream) {
    text +=
        Format("device %lld, stream %lld", static_cast<long long>(track.device),
               static_cast<long long>(track.id));
  } else {
    text += Format("thread %lld", static_cast<long long>(track.id));
  }
  const std::string_view name = trace_.str(track.name);
  return name.empty() ? text : text + ", " + Shown(name);
}

void Drawing::DrawEvent(Row row, double x, double width, double y) {
  const std::string name = VisibleText(Shown(trace_.str(trace_.name()[row])));
  const std::string_view type = EventTypeName(trace_.type()[row]);
  std::string title =
      html::Escape(name) + ", " + Duration(trace_.dur_ns()[row]);
  if (!type.empty()) title += ", " + std::string(type);
  Rect(x, width, y, ClassOf(trace_.type()[row]), title);
  const auto fits = static_cast<size_t>(std::max(0., width - 6) / kCharWidth);
  if (fits >= 4) Text(x + 3, y + 11, "in", Shorten(name, fits));
}

void Drawing::Flush(Run& run, double y) {
  if (run.count > 0) {
    Rect(run.from, std::max(1., run.to - run.from), y, run.style,
         CountText(run.count, "short event"));
  }
  run = {};
}

void Drawing::DrawTrack(const Track& track, const std::vector<Row>& rows) {
  Text(2, height_ + 11, "dim", Label(track));
  const double top = height_ + kLabelHeight;
  const Nesting& nesting = trace_.nesting();
  std::vector<Run> runs(options_.max_depth);
  size_t deepest = 0;
  size_t hidden = 0;
  for (const Row row : rows) {
    const size_t depth = nesting.depth[row];
    if (depth >= options_.max_depth) {
      ++hidden;
      continue;
    }
    deepest = std::max(deepest, depth);
    const double y = top + static_cast<double>(depth) * kRowHeight;
    const double x = X(trace_.start_ns()[row]);
    const double to = X(trace_.end_ns(row));
    Run& run = runs[depth];
    if (to - x >= kSmallest) {
      Flush(run, y);
      DrawEvent(row, x, to - x, y);
      continue;
    }
    if (run.count > 0 && x > run.to + 1) Flush(run, y);
    const std::string_view style = ClassOf(trace_.type()[row]);
    if (run.count == 0) {
      run.from = x;
      run.style = style;
    } else if (run.style != style) {
      run.style = "many";
    }
    run.to = std::max({run.to, to, x + 1});
    ++run.count;
  }
  for (size_t depth = 0; depth < runs.size(); ++depth) {
    Flush(runs[depth], top + static_cast<double>(depth) * kRowHeight);
  }
  height_ = top + static_cast<double>(deepest + 1) * kRowHeight;
  if (hidden > 0) {
    Text(2, height_ + 11, "dim",
         CountText(hidden, "event lies deeper and is",
                   "events lie deeper and are") +
             " not drawn");
    height_ += kLabelHeight;
  }
  height_ += 4;
}

std::string Drawing::Draw() {
  struct Visible {
    const Track* track;
    std::vector<Row> rows;
  };
  std::vector<Visible> tracks;
  for (const Track& track : trace_.tracks()) {
    std::vector<Row> rows =
        VisibleRows(trace_, track, options_.begin_ns, options_.end_ns);
    if (!rows.empty()) tracks.push_back({&track, std::move(rows)});
  }
  const size_t all = tracks.size();
  if (all > options_.max_tracks) {
    // The busiest, in the order of the trace.
    std::stable_sort(tracks.begin(), tracks.end(),
                     [](const Visible& a, const Visible& b) {
                       return a.rows.size() > b.rows.size();
                     });
    tracks.resize(options_.max_tracks);
    std::sort(
        tracks.begin(), tracks.end(),
        [](const Visible& a, const Visible& b) { return a.track < b.track; });
  }
  for (const Visible& visible : tracks) DrawTrack(*visible.track, visible.rows);
  if (all == 0) {
    Text(2, height_ + 11, "dim", "no events in this part of the trace");
    height_ += kLabelHeight;
  }
  if (tracks.size() < all) {
    Text(2, height_ + 11, "dim",
         CountText(all - tracks.size(), "track with fewer events is",
                   "tracks with fewer events are") +
             " not drawn");
    height_ += kLabelHeight;
  }
  std::string rows = std::move(body_);
  body_.clear();
  DrawAxis();
  const auto width = static_cast<unsigned long long>(options_.width);
  return Format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" "
             "class=\"stepscope-tl\" role=\"img\" width=\"%llu\" "
             "height=\"%.0f\" viewBox=\"0 0 %llu %.0f\"%s>\n",
             width, height_, width, height_,
             options_.own_style ? " style=\"max-width:100%\"" : "") +
         std::string(options_.own_style ? kStyle : std::string_view()) + body_ +
         rows + "</svg>\n";
}

}  // namespace

Result<std::string> RenderTimelineSvg(const Trace& trace,
                                      const TimelineSvgOptions& options) {
  TimelineSvgOptions part = options;
  part.begin_ns = std::max(part.begin_ns, trace.begin_ns());
  part.end_ns = std::min(part.end_ns, trace.end_ns());
  if (part.width == 0 || part.max_depth == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "timeline: width and max_depth must be at least 1");
  }
  if (part.end_ns <= part.begin_ns) {
    if (options.begin_ns != INT64_MIN || options.end_ns != INT64_MAX) {
      return Fail(
          ErrorCode::kInvalidArgument,
          Format("timeline: nothing was recorded in this part; choose from "
                 "%lld to %lld ns",
                 static_cast<long long>(trace.begin_ns()),
                 static_cast<long long>(trace.end_ns())));
    }
    part.end_ns = part.begin_ns + 1;
  }
  return Drawing(trace, part).Draw();
}

}  // namespace stepscope
