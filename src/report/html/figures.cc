// SPDX-License-Identifier: Apache-2.0
#include "report/html/figures.h"

#include <algorithm>
#include <string_view>

#include "analysis/counters/measured_work.h"
#include "analysis/headline.h"
#include "analysis/stats.h"
#include "analysis/views/view_table.h"
#include "base/text.h"
#include "report/html/html_text.h"

namespace stepscope::html {
namespace {

constexpr const char* kUnknown = "\u2013";

// A cell of one device in the view table of devices: the first that has
// kernels, as the viewer has it, else the first.
class DeviceUse {
 public:
  explicit DeviceUse(const Summary& summary)
      : tree_(*summary.trace), steps_(tree_, summary.chosen_steps == nullptr) {
    rows_ = FindViewTable("device_use")
                ->rows({.tree = tree_, .steps = steps_, .query = {}})
                .rows;
    for (size_t row = rows_.size(); row-- > 0;)
      if (RatioOf(row, "tensor_core")) shown_ = row;
  }
  std::optional<double> Ratio(std::string_view column) const {
    if (rows_.size() == 0) return std::nullopt;
    return RatioOf(shown_, column);
  }
  // How busy its tensor cores were, as counters measured it.
  std::optional<double> TensorCoresActive(const Summary& summary) const {
    if (rows_.size() == 0) return std::nullopt;
    const Cell cell =
        FindViewTable("device_use")->columns.front().cell(rows_[shown_]);
    const auto* const name = std::get_if<std::string_view>(&cell);
    for (const DeviceRow& row : summary.device)
      if (name != nullptr && *name == row.name && row.measured != nullptr)
        return row.measured->ActiveRatio(CounterMeasure::kTensorCores);
    return std::nullopt;
  }

 private:
  std::optional<double> RatioOf(size_t row, std::string_view column) const {
    for (const TableColumn& c : FindViewTable("device_use")->columns) {
      if (c.name != column) continue;
      const Cell cell = c.cell(rows_[row]);
      if (const auto* ratio = std::get_if<double>(&cell)) return *ratio;
    }
    return std::nullopt;
  }

  EventTree tree_;
  StepTable steps_;
  RowList rows_;
  size_t shown_ = 0;
};

Figure StepFigure(const Summary& summary) {
  const StepTime& time = summary.step_time;
  if (time.steps == 0)
    return {"Step time", kUnknown, "no steps were recorded", {}};
  // No speed: that is of other steps, and would not fit the median.
  return {"Step time, median",
          Time(time.p50_ns),
          Time(time.min_ns) + " \u2013 " + Time(time.max_ns) +
              " \u00b7 start to start",
          {}};
}

Figure BusyFigure(const Summary& summary) {
  const double busy = summary.advice.device_busy;
  if (busy < 0) return {"GPU busy", kUnknown, "no device was recorded", {}};
  const Waterfall& waterfall = summary.waterfall;
  const auto part = [&](StepPart p) {
    return Share(Ratio(waterfall.part(p), waterfall.step_ns));
  };
  return {"GPU busy", Share(busy),
          "kernels " + part(StepPart::kKernel) + " \u00b7 copies " +
              part(StepPart::kCopy),
          busy};
}

Figure TensorFigure(const Summary& summary, const DeviceUse& use) {
  if (const auto active = use.TensorCoresActive(summary))
    return {"Tensor cores active", Share(*active),
            "measured by counters while kernels ran", active};
  const auto share = use.Ratio("tensor_core");
  if (!share)
    return {"Tensor-core time", kUnknown, "no kernels were recorded", {}};
  return {"Tensor-core time", Share(*share),
          "of kernel time \u00b7 estimated from names of kernels", share};
}

Figure OccupancyFigure(const DeviceUse& use) {
  const auto share = use.Ratio("occupancy");
  const auto known = use.Ratio("occupancy_known");
  if (!share || !known)
    return {"Achieved occupancy", kUnknown, "the trace does not state it", {}};
  return {"Achieved occupancy", Share(*share),
          "known for " + Share(*known) + " of kernel time", share};
}

Figure MemoryFigure(const Summary& summary, const Redactor& redactor) {
  const MemoryPlace* place = PeakPlace(summary);
  if (place == nullptr)
    return {"Peak memory", kUnknown, "memory was not recorded", {}};
  std::string detail = PlaceName(redactor.Place(place->place));
  if (place->peak_reserved_bytes > 0)
    detail += " \u00b7 reserved " + Bytes(place->peak_reserved_bytes);
  return {"Peak memory", Bytes(place->peak_allocated_bytes), detail, {}};
}

}  // namespace

const MemoryPlace* PeakPlace(const Summary& summary) {
  const MemoryPlace* best = nullptr;
  const auto on_device = [](const MemoryPlace& place) {
    return place.place.find("cpu") == std::string_view::npos &&
           place.place.find("CPU") == std::string_view::npos;
  };
  for (const MemoryPlace& place : summary.memory) {
    const auto weight = [&](const MemoryPlace& p) {
      return std::pair(on_device(p), p.peak_allocated_bytes);
    };
    if (best == nullptr || weight(place) > weight(*best)) best = &place;
  }
  return best;
}

std::string Headline(const Summary& summary, const Redactor& redactor) {
  std::string text;
  for (const std::string& sentence : HeadlineOf(summary))
    text += (text.empty() ? "" : " ") + redactor.Sentence(sentence);
  return text;
}

std::vector<Figure> FiveFigures(const Summary& summary,
                                const Redactor& redactor) {
  const DeviceUse use(summary);
  return {StepFigure(summary), BusyFigure(summary), TensorFigure(summary, use),
          OccupancyFigure(use), MemoryFigure(summary, redactor)};
}

std::string FiguresHtml(const std::vector<Figure>& figures) {
  std::string out = "<div class=\"figures\">\n";
  for (const Figure& figure : figures) {
    out += "<div class=\"card figure\"><div class=\"label\">" +
           Escape(figure.title) + "</div><div class=\"value\">" +
           Escape(figure.value) + "</div><div class=\"detail\">" +
           Escape(figure.detail) + "</div>";
    if (figure.share) {
      out += Format(
          "<svg class=\"meter\" viewBox=\"0 0 100 4\" "
          "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
          "class=\"rest\" width=\"100\" height=\"4\"/><rect class=\"c-kernel\" "
          "width=\"%.1f\" height=\"4\"/></svg>",
          std::clamp(*figure.share, 0., 1.) * 100);
    }
    out += "</div>\n";
  }
  return out + "</div>\n";
}

}  // namespace stepscope::html
