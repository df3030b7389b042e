// SPDX-License-Identifier: Apache-2.0
//
// Tables that a viewer asks for one at a time: finer than those of a summary,
// and as long as the trace. Declared like those, by typed columns with their
// meaning. A view table is one file here with a function
// Declare<Name>ViewTable(), and one line in view_tables.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/interval.h"
#include "analysis/schema.h"
#include "analysis/steps.h"

namespace stepscope {

// What a table may be limited to. Tables take what applies to them.
struct ViewQuery {
  std::string_view place = {};  // of memory; empty: all
  // As NameAmongSeveral() has it, of memory; empty: all.
  std::string_view process = {};
  std::optional<Interval> range = {};  // on the clock of the trace
};

struct ViewInput {
  const EventTree& tree;
  const StepTable& steps;
  ViewQuery query;
};

// A number about all rows, in whole units.
struct ViewFact {
  std::string_view key;  // "peak_bytes"
  int64_t value = 0;
};

struct ViewRows {
  // Most tables have no facts.
  ViewRows(RowList list)  // NOLINT(google-explicit-constructor)
      : rows(std::move(list)) {}
  ViewRows(RowList list, std::vector<ViewFact> about)
      : rows(std::move(list)), facts(std::move(about)) {}

  RowList rows;
  std::vector<ViewFact> facts;
};

struct ViewTable {
  std::string_view key;      // "operator_shapes"
  std::string_view title;    // "Operators by shape"
  std::string_view meaning;  // the question that it answers
  std::vector<TableColumn> columns;
  // The rows live as long as the list, the texts in them as the trace.
  std::function<ViewRows(const ViewInput&)> rows;
};

std::span<const ViewTable> ViewTables();
// Null if there is none of that key.
const ViewTable* FindViewTable(std::string_view key);

}  // namespace stepscope
