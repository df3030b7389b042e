// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "base/text.h"
#include "report/html/charts.h"
#include "report/html/figures.h"
#include "report/html/html_text.h"

namespace stepscope::html {
namespace {

constexpr double kWidth = 560;
constexpr double kHeight = 130;
constexpr double kTop = 16;

struct Curve {
  std::vector<std::pair<int64_t, double>> points;  // by time; hold until next
  double most = 0;
};

// What is allocated: what the file states or, where it states none, the sum
// since recording began.
Curve CurveOf(const Trace& trace, const MemoryPlace& place) {
  Curve stated;
  Curve sums;
  double sum = 0;
  for (const MemoryEvent& event : trace.memory()) {
    if (event.kind == MemoryKind::kReservedAllocate ||
        event.kind == MemoryKind::kReservedFree ||
        trace.tracks()[event.track].process != place.process ||
        trace.str(event.place) != place.place) {
      continue;
    }
    const auto add = [&](Curve& curve, double value) {
      curve.points.emplace_back(event.time_ns, value);
      curve.most = std::max(curve.most, value);
    };
    sum += static_cast<double>(event.bytes);
    add(stated, static_cast<double>(event.total_allocated));
    add(sums, sum);
  }
  return stated.most > 0 ? stated : sums;
}

}  // namespace

std::string MemoryCurveHtml(const Summary& summary, const Redactor& redactor) {
  const MemoryPlace* place = PeakPlace(summary);
  if (place == nullptr) return "";
  const Trace& trace = *summary.trace;
  const Curve curve = CurveOf(trace, *place);
  if (curve.most <= 0) return "";
  const int64_t begin = std::min(trace.begin_ns(), curve.points.front().first);
  const int64_t end =
      std::max({trace.end_ns(), curve.points.back().first, begin + 1});
  const auto x_of = [&](int64_t time) {
    return static_cast<double>(time - begin) * kWidth /
           static_cast<double>(end - begin);
  };
  const auto y_of = [&](double value) {
    return kTop + kHeight * (1 - std::max(0., value) / curve.most);
  };
  // The highest value of each half pixel: no peak is lost.
  std::string line;
  double last_x = -1;
  double peak = 0;
  double y = y_of(curve.points.front().second);
  const auto flush = [&] {
    if (last_x < 0) return;
    line += Format("V%.1fH%.1fV%.1f", y_of(peak), last_x + 0.5, y);
  };
  for (const auto& [time, value] : curve.points) {
    const double x = x_of(time);
    if (last_x < 0 || x - last_x >= 0.5) {
      flush();
      line += line.empty() ? Format("M%.1f %.1f", x, y_of(value))
                           : Format("H%.1f", x);
      last_x = x;
      peak = value;
    }
    peak = std::max(peak, value);
    y = y_of(value);
  }
  flush();
  line += Format("H%.1f", kWidth);
  const double bottom = kTop + kHeight;
  const double from = x_of(curve.points.front().first);
  std::string out = "<p class=\"note\">allocated on " +
                    Escape(PlaceName(redactor.Place(place->place)));
  if (!place->process_name.empty())
    out += ", of the process with the highest peak";
  out += "; " + Time(end - begin) + " from left to right</p>\n" +
         Format(
             "<svg class=\"chart\" role=\"img\" aria-label=\"allocated "
             "memory over time\" viewBox=\"0 0 %.0f %.0f\">\n",
             kWidth, bottom + 4);
  std::string texts;  // above the curve, to be read
  for (const double share : {1., 0.5}) {
    const double at = y_of(curve.most * share);
    out += Format("<line x1=\"0\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>",
                  kWidth, at, at);
    texts += Format("<text x=\"2\" y=\"%.1f\" class=\"dim\">", at - 3) +
             Bytes(static_cast<int64_t>(curve.most * share)) + "</text>\n";
  }
  return out + "<path class=\"area\" d=\"" + line +
         Format("V%.1fH%.1fZ\"/>", bottom, from) + "<path class=\"line\" d=\"" +
         line + "\"/>\n" + texts + "</svg>\n";
}

}  // namespace stepscope::html
