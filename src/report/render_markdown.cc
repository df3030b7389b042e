// SPDX-License-Identifier: Apache-2.0
#include "report/render_markdown.h"

#include "analysis/tables/all_tables.h"
#include "base/markdown.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/table_grid.h"

namespace stepscope {

std::string RenderTableMarkdown(const TableSchema& table,
                                const Summary& summary,
                                const TableOptions& options) {
  const std::vector<Grid> grids =
      InSuitableUnit(options.unit, [&](const Cells& cells) {
        return TableGrids(table, summary, options, cells);
      });
  std::string out;
  for (const Grid& grid : grids) {
    if (!out.empty()) out += '\n';
    out += "## " + EscapeMarkdown(grid.title) + "\n\n";
    PrintMarkdown(grid, out);
  }
  return out;
}

std::string RenderMarkdown(const Summary& summary,
                           const TableOptions& options) {
  TableOptions markdown = options;
  markdown.format = TableFormat::kMarkdown;
  std::string out;
  for (const TableSchema& table : AllTables()) {
    if (!(options.chosen_views() & table.view)) continue;
    // What has nothing to show is named in the notes.
    if (table.rows(summary).size() == 0) continue;
    if (table.nothing && table.nothing(summary)) continue;
    const std::string text = RenderTableMarkdown(table, summary, markdown);
    if (!out.empty() && !text.empty()) out += '\n';
    out += text;
  }
  if (!summary.notes.empty()) {
    out += "\n## About this summary\n\n";
    for (const std::string& note : summary.notes) out += "* " + note + "\n";
  }
  return out;
}

}  // namespace stepscope
