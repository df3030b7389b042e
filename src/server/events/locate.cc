// SPDX-License-Identifier: Apache-2.0
#include "server/events/locate.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "analysis/kinds.h"
#include "analysis/op_shapes.h"
#include "analysis/process_name.h"
#include "analysis/step_choice.h"
#include "analysis/tables/accountable.h"
#include "analysis/tables/rows.h"
#include "analysis/views/event_argument.h"
#include "analysis/views/folded_steps.h"
#include "analysis/views/launch_operator.h"
#include "base/json_writer.h"
#include "server/events/event_json.h"
#include "server/events/same_name.h"
#include "trace/event_type.h"

namespace stepscope::server {
namespace {

constexpr TypeSet kAnything = ~TypeSet{0};

struct TableEvents {
  std::string_view table;
  TypeSet types;
};
constexpr TableEvents kTables[] = {
    {"", kAnything},
    {"advice", kAnything},
    {"operator", SetOf(STEPSCOPE_OPERATOR)},
    {"operator_shapes", SetOf(STEPSCOPE_OPERATOR)},
    {"operator_ranks", SetOf(STEPSCOPE_OPERATOR)},
    {"kernel", SetOf(STEPSCOPE_KERNEL)},
    {"kernel_launches", SetOf(STEPSCOPE_KERNEL)},
    {"memory_manipulation",
     kUserDefinedTypes | SetOf(STEPSCOPE_MEMCPY) | SetOf(STEPSCOPE_MEMSET)},
    {"user_defined", kUserDefinedTypes},
    {"folded_steps", kAnything},
    {"memory", kAnything},
};

class Locator {
 public:
  Locator(const EventTree& tree, const StepTable& steps,
          const LocateRequest& request)
      : tree_(tree),
        trace_(tree.trace()),
        steps_(steps),
        request_(request),
        raw_(trace_) {}

  std::vector<Row> Rows(TypeSet types) {
    if (request_.table == "memory") return OwnersOfMemory();
    if (request_.table == "folded_steps")
      return RowsOfFolded({tree_, steps_, {}}, request_.name,
                          request_.place.value_or(""),
                          static_cast<uint64_t>(request_.number.value_or(1)));
    if (request_.table == "operator" && request_.name == kNoLaunchName)
      return WorkWithoutLaunch();
    const StringId name = trace_.strings().Find(request_.name);
    // Not found is 0 too, which is the name of events without one.
    std::vector<Row> rows = name.v == 0 && !request_.name.empty()
                                ? std::vector<Row>()
                                : RowsNamed(trace_, name);
    // What is inside an operator may be of any kind.
    if (!request_.inside)
      std::erase_if(rows, [&](Row row) { return !Has(types, row); });
    FindWork(rows);
    std::erase_if(rows, [&](Row row) { return !Fits(row); });
    return rows;
  }

 private:
  bool Has(TypeSet types, Row row) const {
    const uint16_t type = trace_.type()[row];
    return types == kAnything || (types & SetOf(type)) != 0;
  }

  std::vector<Row> WorkWithoutLaunch() const {
    std::vector<Row> rows;
    for (const DeviceWork& work : tree_.work())
      if (work.launch == kNoRow) rows.push_back(work.row);
    return rows;
  }

  // Only what took most: that is what a row of memory is looked up for.
  std::vector<Row> OwnersOfMemory() {
    Accountable accountable(tree_);
    const ProcessFilter of_process(trace_, request_.process);
    Row best = kNoRow;
    int64_t most = -1;
    for (const MemoryEvent& event : trace_.memory()) {
      if (request_.place && trace_.str(event.place) != *request_.place)
        continue;
      if (!of_process(trace_.tracks()[event.track].process)) continue;
      const Row row = accountable.Of(event.owner);
      if (row == kNoRow || NameOfOwner(row) != request_.name) continue;
      if (event.bytes <= most) continue;
      most = event.bytes;
      best = row;
    }
    return best == kNoRow ? std::vector<Row>() : std::vector<Row>{best};
  }
  // Rows of live memory put all steps into one; others name each.
  std::string_view NameOfOwner(Row row) const {
    const bool all_steps =
        trace_.type()[row] == STEPSCOPE_PROFILE_STEP &&
        request_.name == EventTypeName(STEPSCOPE_PROFILE_STEP);
    return all_steps ? std::string_view(request_.name)
                     : trace_.str(trace_.name()[row]);
  }

  // Of those rows that are device work.
  void FindWork(const std::vector<Row>& rows) {
    if (!request_.inside && !request_.launched_by) return;
    for (const Row row : rows)
      if (Has(kDeviceWorkTypes, row)) work_.try_emplace(row, nullptr);
    for (const DeviceWork& work : tree_.work()) {
      const auto found = work_.find(work.row);
      if (found != work_.end()) found->second = &work;
    }
  }

  bool IsInside(Row row) const {
    const auto work = work_.find(row);
    const bool device = work != work_.end() && work->second != nullptr;
    Row around = device ? work->second->owner : tree_.parent(row);
    for (; around != kNoRow; around = tree_.parent(around))
      if (trace_.str(trace_.name()[around]) == *request_.inside) return true;
    return device && work->second->launch != kNoRow &&
           trace_.str(trace_.name()[work->second->launch]) == *request_.inside;
  }

  bool IsLaunchedBy(Row row) const {
    const auto work = work_.find(row);
    return work != work_.end() && work->second != nullptr &&
           LaunchingOperator(tree_, *work->second) == *request_.launched_by;
  }

  bool IsOfRank(Row row) const {
    const uint32_t process = trace_.tracks()[trace_.track()[row]].process;
    return trace_.processes()[process].rank == *request_.rank;
  }

  bool Fits(Row row) {
    if (request_.rank && !IsOfRank(row)) return false;
    if (request_.inside && !IsInside(row)) return false;
    if (request_.launched_by && !IsLaunchedBy(row)) return false;
    if (request_.shapes &&
        ShapesOf(trace_, row, raw_.Get(row)).text != *request_.shapes)
      return false;
    return HasText("grid", request_.grid, row) &&
           HasText("block", request_.block, row) &&
           HasNumber("registers per thread", request_.registers, row) &&
           HasNumber("shared memory", request_.shared_bytes, row);
  }
  bool HasText(std::string_view key, const std::optional<std::string>& wanted,
               Row row) {
    return !wanted || ArgumentText(trace_, row, raw_.Get(row), key) == *wanted;
  }
  bool HasNumber(std::string_view key, std::optional<int64_t> wanted, Row row) {
    if (!wanted) return true;
    const std::optional<double> number =
        ArgumentNumber(trace_, row, raw_.Get(row), key);
    return number && *number == static_cast<double>(*wanted);
  }

  const EventTree& tree_;
  const Trace& trace_;
  const StepTable& steps_;
  const LocateRequest& request_;
  RawArgReader raw_;
  std::unordered_map<Row, const DeviceWork*> work_;
};

// Events of a part of the trace in the whole one: by process, name, time and
// length.
std::vector<Row> InWhole(const Trace& part, const std::vector<Row>& rows,
                         const Trace& whole) {
  std::vector<Row> found;
  const auto process_of = [](const Trace& trace, Row row) {
    return trace.tracks()[trace.track()[row]].process;
  };
  for (const Row row : rows) {
    const StringId name = whole.strings().Find(part.str(part.name()[row]));
    for (const Row same : RowsNamed(whole, name)) {
      if (whole.start_ns()[same] == part.start_ns()[row] &&
          whole.dur_ns()[same] == part.dur_ns()[row] &&
          process_of(whole, same) == process_of(part, row) &&
          whole.type()[same] == part.type()[row]) {
        found.push_back(same);
        break;
      }
    }
  }
  return found;
}

Row LongestOf(const Trace& trace, const std::vector<Row>& rows) {
  return *std::max_element(rows.begin(), rows.end(), [&](Row a, Row b) {
    return trace.dur_ns()[a] < trace.dur_ns()[b];
  });
}

Row NearestOf(const Trace& trace, const std::vector<Row>& rows, int64_t time) {
  const auto distance = [&](Row row) {
    const int64_t start = trace.start_ns()[row];
    return start < time ? SaturatingSubtract(time, start)
                        : SaturatingSubtract(start, time);
  };
  return *std::min_element(rows.begin(), rows.end(), [&](Row a, Row b) {
    return distance(a) < distance(b);
  });
}

Row FirstOf(const Trace& trace, const std::vector<Row>& rows) {
  return *std::min_element(rows.begin(), rows.end(), [&](Row a, Row b) {
    return trace.start_ns()[a] < trace.start_ns()[b];
  });
}

Error NotThere() {
  return Fail(ErrorCode::kNotFound,
              "no event of the timeline belongs to this row");
}

struct Located {
  uint64_t count = 0;
  Row chosen = kNoRow;
  Row first = kNoRow;
};

Result<Located> ChooseFrom(const Trace& trace, const std::vector<Row>& rows,
                           const LocateRequest& request) {
  if (rows.empty()) return NotThere();
  return Located{rows.size(),
                 request.start_ns ? NearestOf(trace, rows, *request.start_ns)
                                  : LongestOf(trace, rows),
                 FirstOf(trace, rows)};
}

Result<Located> Locate(const OpenTrace& open, const LocateRequest& request,
                       TypeSet types) {
  const auto in_all = [&] {
    return ChooseFrom(open.trace(),
                      Locator(open.tree(), open.steps(), request).Rows(types),
                      request);
  };
  if (request.steps.empty()) return in_all();
  STEPSCOPE_TRY_ASSIGN(const StepChoice choice, ParseStepChoice(request.steps));
  STEPSCOPE_TRY_ASSIGN(const StepSelection selection,
                       SelectSteps(open.tree(), open.steps(), choice));
  if (selection.trace == nullptr) return in_all();
  const Trace& part = *selection.trace;
  const EventTree tree(part);
  const StepTable steps(tree, /*find_warmup=*/false);
  STEPSCOPE_TRY_ASSIGN(
      Located found,
      ChooseFrom(part, Locator(tree, steps, request).Rows(types), request));
  const std::vector<Row> rows =
      InWhole(part, {found.chosen, found.first}, open.trace());
  if (rows.size() != 2) return NotThere();
  found.chosen = rows[0];
  found.first = rows[1];
  return found;
}

}  // namespace

Result<std::string> LocateJson(const OpenTrace& open,
                               const LocateRequest& request) {
  const auto* const table = std::find_if(
      std::begin(kTables), std::end(kTables),
      [&](const TableEvents& t) { return t.table == request.table; });
  if (table == std::end(kTables)) {
    return Fail(ErrorCode::kInvalidArgument,
                "table: expected one whose rows are events, such as operator");
  }
  STEPSCOPE_TRY_ASSIGN(const Located found,
                       Locate(open, request, table->types));
  JsonWriter json;
  json.BeginObject().Field("count", found.count);
  WriteEventPlace(json, open, found.chosen);
  json.Key("first").BeginObject();
  WriteEventPlace(json, open, found.first);
  json.EndObject().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
