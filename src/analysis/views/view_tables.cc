// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/view_table.h"

namespace stepscope {

// A new view table is one line here.
#define STEPSCOPE_VIEW_TABLES(TABLE) \
  TABLE(DeviceUse)                   \
  TABLE(StepParts)                   \
  TABLE(PartSteps)                   \
  TABLE(StageMeans)                  \
  TABLE(StageSteps)                  \
  TABLE(TypeStages)                  \
  TABLE(OperatorShapes)              \
  TABLE(OperatorRanks)               \
  TABLE(KernelLaunches)              \
  TABLE(MemoryEvents)                \
  TABLE(MemoryOwners)                \
  TABLE(MemoryLive)                  \
  TABLE(OverlapParts)                \
  TABLE(FoldedSteps)

#define STEPSCOPE_DECLARATION(name) ViewTable Declare##name##ViewTable();
STEPSCOPE_VIEW_TABLES(STEPSCOPE_DECLARATION)
#undef STEPSCOPE_DECLARATION

std::span<const ViewTable> ViewTables() {
#define STEPSCOPE_ENTRY(name) Declare##name##ViewTable(),
  static const std::vector<ViewTable>* const tables =
      new std::vector<ViewTable>{STEPSCOPE_VIEW_TABLES(STEPSCOPE_ENTRY)};
#undef STEPSCOPE_ENTRY
  return *tables;
}

const ViewTable* FindViewTable(std::string_view key) {
  for (const ViewTable& table : ViewTables())
    if (table.key == key) return &table;
  return nullptr;
}

}  // namespace stepscope
