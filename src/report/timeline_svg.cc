// SPDX-License-Identifier: Apache-2.0
#include "report/timeline_svg.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/looks.h"
#include "base/stable_sort.h"
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

// Of no type: marks of several are drawn so.
constexpr uint16_t kNoType = UINT16_MAX;

// So much of a box is its hue, the rest is the ground: text stands on it.
constexpr int kHuePercent = 47;

// `over` and `under` as "#rrggbb", mixed.
std::string Mixed(std::string_view over, std::string_view under, int percent) {
  const auto part = [](std::string_view colour, size_t at) {
    return std::stoi(std::string(colour.substr(at, 2)), nullptr, 16);
  };
  std::string out = "#";
  for (const size_t at : {1, 3, 5}) {
    out += Format("%02x", (part(over, at) * percent +
                           part(under, at) * (100 - percent) + 50) /
                              100);
  }
  return out;
}

std::string_view Ground(std::string_view key, std::string_view Colour::*theme) {
  for (const Colour& ground : kGrounds)
    if (ground.key == key) return ground.*theme;
  return {};
}

// Plain colours: not only browsers draw SVG. Names begin with ours, because a
// style in a drawing holds for the whole page.
std::string Fills(std::string_view Colour::*theme) {
  std::string out;
  const auto rule = [&](std::string_view what, std::string_view style,
                        std::string_view colour) {
    out.append(".stepscope-tl ").append(what).append("{").append(style);
    out.append(":").append(colour).append("}");
  };
  rule("text", "fill", Ground("text", theme));
  rule(".dim", "fill", Ground("text-3", theme));
  rule(".in", "fill", Ground("canvas-text", theme));
  rule("line", "stroke", Ground("line", theme));
  const std::string_view card = Ground("card", theme);
  for (const Hue& hue : kHues) {
    rule(".c-" + std::string(hue.key), "fill",
         Mixed(hue.*theme, card, kHuePercent));
  }
  return out + "\n";
}

std::string ClassOf(uint16_t type) {
  return "c-" + std::string(LookOf(EventClassOf(type)).hue);
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
    for (Row row = first - 1; row != kNoRow; row = nesting.parent[row])
      if (trace.end_ns(row) > begin) rows.push_back(row);
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
    std::string style;  // of all of them, else that of none
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
    std::string style = ClassOf(trace_.type()[row]);
    if (run.count == 0) {
      run.from = x;
      run.style = std::move(style);
    } else if (run.style != style) {
      run.style = ClassOf(kNoType);
    }
    run.to = std::max({run.to, to, x + 1});
    ++run.count;
  }
  for (size_t depth = 0; depth < runs.size(); ++depth)
    Flush(runs[depth], top + static_cast<double>(depth) * kRowHeight);
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
    StableSort(tracks.begin(), tracks.end(),
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
         (options_.own_style ? "<style>\n.stepscope-tl{font:11px "
                               "system-ui,sans-serif}\n" +
                                   TimelineStyle() + "</style>\n"
                             : "") +
         body_ + rows + "</svg>\n";
}

}  // namespace

std::string TimelineStyle() {
  return Fills(&Colour::light) + "@media (prefers-color-scheme:dark){" +
         Fills(&Colour::dark) + "}\n";
}

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
