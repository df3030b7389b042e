// SPDX-License-Identifier: Apache-2.0
#include "report/html/timeline_part.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "analysis/looks.h"
#include "analysis/stats.h"
#include "report/html/html_text.h"
#include "report/timeline_svg.h"

namespace stepscope::html {
namespace {

struct Part {
  Interval range;
  std::string about;
};

int64_t EndOf(const StepRow& step) {
  const int64_t host = SaturatingAdd(step.start_ns, step.dur_ns);
  return std::max(host, step.device_end_ns.value_or(host));
}

// The settled step whose length is nearest to the median.
const StepRow* UsualStep(const Summary& summary) {
  const StepRow* best = nullptr;
  const auto distance = [&](const StepRow& step) {
    const int64_t off =
        SaturatingSubtract(step.period_ns, summary.step_time.p50_ns);
    return off < 0 ? -std::max(off, -INT64_MAX) : off;
  };
  for (const StepRow& step : summary.steps) {
    if (step.warmup) continue;
    if (best == nullptr || distance(step) < distance(*best)) best = &step;
  }
  return best;
}

Part ChoosePart(const Trace& trace, const Summary& summary,
                const HtmlReportOptions& options) {
  if (options.from_ns || options.to_ns) {
    const int64_t from =
        SaturatingAdd(trace.begin_ns(), options.from_ns.value_or(0));
    const int64_t to = options.to_ns
                           ? SaturatingAdd(trace.begin_ns(), *options.to_ns)
                           : trace.end_ns();
    return {{from, to},
            "from " + Time(options.from_ns.value_or(0)) + " to " +
                Time(SaturatingSubtract(std::min(to, trace.end_ns()),
                                        trace.begin_ns())) +
                " after the start"};
  }
  const StepChoice* chosen = options.steps ? &*options.steps : nullptr;
  if (chosen != nullptr && chosen->kind == StepChoice::Kind::kRange) {
    Part part{{INT64_MAX, INT64_MIN}, ""};
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
    for (const StepRow& step : summary.steps) {
      if (step.index < chosen->begin || step.index >= chosen->end) continue;
      part.range.begin = std::min(part.range.begin, step.start_ns);
      part.range.end = std::max(part.range.end, EndOf(step));
      first = std::min(first, step.index);
      last = std::max(last, step.index);
    }
    if (first <= last) {
      part.about = first == last ? "step " + std::to_string(first)
                                 : "steps " + std::to_string(first) + " to " +
                                       std::to_string(last);
      return part;
    }
  }
  if (const StepRow* step = UsualStep(summary)) {
    return {{step->start_ns, EndOf(*step)},
            "step " + std::to_string(step->index) +
                ", a settled step of usual length"};
  }
  return {{trace.begin_ns(), trace.end_ns()}, "everything that was recorded"};
}

}  // namespace

Result<TimelinePart> DrawTimelinePart(const Trace& trace,
                                      const Summary& summary,
                                      const HtmlReportOptions& options,
                                      const Redactor& redactor) {
  if (trace.size() == 0) return TimelinePart{};
  const Part part = ChoosePart(trace, summary, options);
  // In the reader's count of time, which is not that of the drawing.
  if (part.range.begin >= trace.end_ns() ||
      part.range.end <= trace.begin_ns()) {
    if (!options.from_ns && !options.to_ns) return TimelinePart{};
    return Fail(ErrorCode::kInvalidArgument,
                "--from and --to: nothing was recorded in this part; the "
                "recording lasts " +
                    Time(SaturatingSubtract(trace.end_ns(), trace.begin_ns())));
  }
  TimelineSvgOptions drawing;
  drawing.begin_ns = part.range.begin;
  drawing.end_ns = part.range.end;
  drawing.width = 1190;
  drawing.own_style = false;
  if (redactor.hides()) {
    drawing.display_name = [&redactor](std::string_view name) {
      return redactor.Name(name);
    };
  }
  STEPSCOPE_TRY_ASSIGN(std::string svg, RenderTimelineSvg(trace, drawing));
  svg += "<p class=\"legend\">";
  for (const Hue& hue : kHues) {
    if (hue.title.empty()) continue;
    svg += "<span>" + Swatch(hue.key) + std::string(hue.title) + "</span>";
  }
  svg += "</p>\n";
  return TimelinePart{part.about, std::move(svg)};
}

}  // namespace stepscope::html
