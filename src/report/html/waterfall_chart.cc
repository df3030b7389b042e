// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "analysis/looks.h"
#include "analysis/stats.h"
#include "base/text.h"
#include "report/html/charts.h"
#include "report/html/html_text.h"

namespace stepscope::html {
namespace {

constexpr double kBarsWidth = 560;
constexpr double kBarsHeight = 150;
constexpr size_t kMostSteps = 140;

}  // namespace

std::string WaterfallHtml(const Summary& summary) {
  const Waterfall& waterfall = summary.waterfall;
  if (waterfall.step_ns <= 0) return "";
  const auto steps =
      static_cast<int64_t>(std::max<size_t>(1, waterfall.steps.size()));
  std::string out =
      "<table class=\"waterfall\"><thead><tr><th scope=\"col\">Part</th>"
      "<th></th><th scope=\"col\" class=\"num\">per step</th>"
      "<th scope=\"col\" class=\"num\">share</th></tr></thead><tbody>\n";
  double x = 0;
  for (size_t i = 0; i < kStepParts; ++i) {
    const int64_t ns = waterfall.part_ns[i];
    const double share = Ratio(ns, waterfall.step_ns);
    if (ns > 0 || i + 1 == kStepParts) {
      const PartLook& look = kStepPartLooks[i];
      const std::string style = "c-" + std::string(look.hue);
      out += "<tr title=\"" + Escape(look.formula) + "\"><th scope=\"row\">" +
             Swatch(look.hue) +
             Escape(StepPartTitle(static_cast<StepPart>(i),
                                  waterfall.device_events > 0)) +
             "</th><td class=\"bar\">" +
             Format(
                 "<svg viewBox=\"0 0 1000 14\" preserveAspectRatio=\"none\" "
                 "aria-hidden=\"true\"><rect class=\"rest\" y=\"6\" "
                 "width=\"1000\" height=\"2\"/><rect class=\"%s\" "
                 "x=\"%.1f\" width=\"%.1f\" height=\"14\"/></svg>",
                 style.c_str(), x * 1000,
                 ns > 0 ? std::max(2., share * 1000) : 0.) +
             "</td><td class=\"num\" data-v=\"" + std::to_string(ns) + "\">" +
             Time(ns / steps) + "</td><td class=\"num dim\">" + Share(share) +
             "</td></tr>\n";
    }
    x += share;
  }
  const bool window =
      waterfall.steps.size() == 1 && waterfall.steps[0].index < 0;
  std::string whole = "The recorded time";
  if (!window)
    whole = steps == 1 ? "The step" : "Step, mean of " + CountText(steps);
  return out + "</tbody><tfoot><tr><th scope=\"row\">" + whole +
         "</th><td></td><td class=\"num\" data-v=\"" +
         std::to_string(waterfall.step_ns) + "\">" +
         Time(waterfall.step_ns / steps) +
         "</td><td class=\"num dim\">100\u202f%</td></tr></tfoot></table>\n";
}

std::string StepBarsHtml(const Summary& summary) {
  const std::vector<StepParts>& all = summary.waterfall.steps;
  std::vector<const StepParts*> steps;
  size_t left_out = 0;
  for (const StepParts& step : all) {
    if (step.index < 0) continue;
    if (step.process == all[0].process && steps.size() < kMostSteps)
      steps.push_back(&step);
    else
      ++left_out;
  }
  if (steps.size() < 2) return "";
  int64_t most = 1;
  for (const StepParts* step : steps) most = std::max(most, step->length());
  const double pitch = kBarsWidth / static_cast<double>(steps.size());
  const double width = std::min(46., std::max(1., pitch * 0.78));
  const double scale = kBarsHeight / static_cast<double>(most);
  std::string body;
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepParts& step = *steps[i];
    const double x = pitch * (static_cast<double>(i) + 0.5) - width / 2;
    double y = kBarsHeight + 16;
    body += "<g><title>step " + std::to_string(step.index) + ": " +
            Time(step.length()) + "</title>";
    for (size_t p = 0; p < kStepParts; ++p) {
      if (step.part_ns[p] <= 0) continue;
      const double height = static_cast<double>(step.part_ns[p]) * scale;
      y -= height;
      body += "<rect class=\"c-" + std::string(kStepPartLooks[p].hue) +
              Format(
                  "\" x=\"%.1f\" y=\"%.2f\" width=\"%.1f\" "
                  "height=\"%.2f\"/>",
                  x, y, width, height);
    }
    const double middle = x + width / 2;
    if (pitch >= 44) {
      body +=
          Format("<text x=\"%.1f\" y=\"%.1f\" class=\"mid\">", middle, y - 4) +
          Time(step.length()) + "</text>";
    }
    if (pitch >= 18 || i % 10 == 0) {
      body += Format(
          "<text x=\"%.1f\" y=\"%.0f\" class=\"mid dim\">%lld"
          "</text>",
          middle, kBarsHeight + 30, static_cast<long long>(step.index));
    }
    body += "</g>\n";
  }
  std::string out =
      "<h3>Each step</h3>\n" +
      Format(
          "<svg class=\"chart\" role=\"img\" aria-label=\"time of each "
          "step\" viewBox=\"0 0 %.0f %.0f\">\n",
          kBarsWidth, kBarsHeight + 36) +
      body + "</svg>\n";
  out += "<p class=\"note\">The longest takes " + Time(most) + ".";
  if (left_out > 0)
    out += " " + CountText(left_out) + " more steps are not drawn.";
  return out + "</p>\n";
}

std::string StagesHtml(const Summary& summary) {
  if (!ShowsModel(summary.model)) return "";
  const auto steps = static_cast<int64_t>(std::max<uint64_t>(
      1, summary.model[0].name == "ProfileStep" ? summary.model[0].calls : 1));
  int64_t most = 1;
  for (const ModelRow& row : summary.model) {
    if (row.name == "ProfileStep") continue;
    most = std::max({most, row.cpu.total_ns, row.gpu.total_ns});
  }
  std::string out =
      "<table class=\"waterfall\"><thead><tr><th scope=\"col\">Stage</th>"
      "<th></th><th scope=\"col\" class=\"num\">" +
      Swatch("operator") + "CPU</th><th scope=\"col\" class=\"num\">" +
      Swatch("kernel") + "GPU</th></tr></thead><tbody>\n";
  for (const ModelRow& row : summary.model) {
    if (row.name == "ProfileStep") continue;
    out += "<tr><th scope=\"row\">" + Escape(TitleIn(kStageLooks, row.name)) +
           (row.inferred ? " <small>inferred</small>" : "") +
           "</th><td class=\"bar\">" +
           Format(
               "<svg viewBox=\"0 0 1000 14\" preserveAspectRatio=\"none\" "
               "aria-hidden=\"true\"><rect class=\"c-operator\" width=\"%.1f\" "
               "height=\"6\"/><rect class=\"c-kernel\" y=\"8\" "
               "width=\"%.1f\" height=\"6\"/></svg>",
               Ratio(row.cpu.total_ns, most) * 1000,
               Ratio(row.gpu.total_ns, most) * 1000) +
           "</td><td class=\"num\" data-v=\"" +
           std::to_string(row.cpu.total_ns) + "\">" +
           Time(row.cpu.total_ns / steps) + "</td><td class=\"num\" data-v=\"" +
           std::to_string(row.gpu.total_ns) + "\">" +
           Time(row.gpu.total_ns / steps) + "</td></tr>\n";
  }
  return out + "</tbody></table>\n";
}

}  // namespace stepscope::html
