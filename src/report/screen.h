// SPDX-License-Identifier: Apache-2.0
//
// The one screen: what `stepscope summary` prints where no table is asked for.
// What was recorded, where a step goes, the best findings, the names with the
// most self time, the kernels, and what to type next, in at most
// kScreenLines lines of kScreenWidth columns. All figures are those of the
// tables and of `stepscope advise`.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/summary.h"
#include "report/table_options.h"

namespace stepscope {

inline constexpr size_t kScreenLines = 45;
inline constexpr size_t kScreenWidth = 100;
// For TextStyle::top: as many rows as the screen has room for.
inline constexpr size_t kScreenRows = SIZE_MAX;

// What text looks like where the user does not say: the one screen, unless a
// table, or something that only tables show, is asked for.
TextLayout UsualLayout(const TableOptions& options);
// Which of these the user chose; the screen has its own choice of the others.
struct ChosenStyle {
  bool sort = false;
  bool unit = false;
  bool top = false;
};
void FillScreenStyle(const ChosenStyle& chosen, TableOptions& options);

// What to compute for it; steps are the settled ones unless others are chosen,
// as for `advise`.
SummaryOptions ScreenInputs(const TableOptions& options);

// REQUIRES: `summary` was computed with ScreenInputs().
std::string RenderScreen(const Summary& summary, const TableOptions& options);

}  // namespace stepscope
