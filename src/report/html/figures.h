// SPDX-License-Identifier: Apache-2.0
//
// What stands first in a report: the answer in a sentence, and five figures.
// Nothing is computed here: the figures are those of the summary's tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/summary.h"
#include "report/html/redactor.h"

namespace stepscope::html {

struct Figure {
  std::string title;
  std::string value;  // "51.6 ms"
  std::string detail;
  std::optional<double> share;  // 0..1: draws a bar
};

// "The GPU works 24.9 % of a step. The device waits for the host."
std::string Headline(const Summary& summary, const Redactor& redactor);
// Step time, GPU busy, tensor-core time, achieved occupancy, peak memory.
std::vector<Figure> FiveFigures(const Summary& summary,
                                const Redactor& redactor);

// Of the devices, if any has memory events; else of all. Null: there are none.
const MemoryPlace* PeakPlace(const Summary& summary);

std::string FiguresHtml(const std::vector<Figure>& figures);

}  // namespace stepscope::html
