// SPDX-License-Identifier: Apache-2.0
#include "report/compare_columns.h"

#include <cmath>
#include <optional>
#include <string>

#include "analysis/compare/compare.h"

namespace stepscope {

std::vector<TableColumn> CompareColumns(bool bytes) {
  ColumnsOf<CompareRow> columns;
  const auto amount = [&](const char* name, const char* title,
                          const char* meaning, auto get) {
    if (bytes)
      columns.Bytes(std::string(name) + "_bytes", Adds::kNothing, meaning, get);
    else
      columns.Time(std::string(name) + "_ns", meaning, get);
    columns.As(title);
  };
  columns.Text(
      "name", "name in both traces",
      [](const CompareRow& row) -> std::string_view { return row.key.name; });
  columns
      .Text("shape", "shapes of the inputs, where known",
            [](const CompareRow& row) -> std::string_view {
              return row.key.shape;
            })
      .As("Shapes");
  amount("a", "A per step",
         "of a step of A: the median, or the mean of rare "
         "events",
         [](const CompareRow& row) { return Rounded(row.a()); });
  amount("b", "B per step",
         "of a step of B: the median, or the mean of rare "
         "events",
         [](const CompareRow& row) { return Rounded(row.b()); });
  amount("difference", "B − A", "what B takes more than A",
         [](const CompareRow& row) { return Rounded(row.difference()); });
  columns
      .Ratio("ratio", "difference as a share of A; empty: A has none",
             [](const CompareRow& row) -> std::optional<double> {
               if (!(row.a() > 0)) return std::nullopt;
               return row.ratio();
             })
      .As("Change");
  amount("noise", "Noise", "how far the difference would stray by chance",
         [](const CompareRow& row) -> std::optional<int64_t> {
           if (!row.noise) return std::nullopt;
           return Rounded(*row.noise);
         });
  columns
      .Number("p", "", "how often chance alone would show such a difference",
              [](const CompareRow& row) { return row.p; })
      .As("Chance (p)");
  columns
      .Bool("beyond_noise", "whether the difference is more than noise",
            &CompareRow::beyond_noise)
      .As("Verdict");
  columns.Count("calls_a", "calls in all steps of A", &CompareRow::calls_a)
      .As("Calls in A");
  columns.Count("calls_b", "calls in all steps of B", &CompareRow::calls_b)
      .As("Calls in B");
  amount("mean_a", "Mean of A", "mean over the steps of A",
         [](const CompareRow& row) { return Rounded(row.mean_a); });
  amount("mean_b", "Mean of B", "mean over the steps of B",
         [](const CompareRow& row) { return Rounded(row.mean_b); });
  return columns.Take();
}

}  // namespace stepscope
