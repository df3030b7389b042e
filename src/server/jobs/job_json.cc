// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_json.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "analysis/tables/all_tables.h"
#include "base/json_writer.h"
#include "report/table_options.h"
#include "report/view_table_json.h"

namespace stepscope::server {
namespace {

// Whose ranks are compared without being asked for.
constexpr size_t kMostUnasked = 64;

std::string_view StateOf(const ListedTrace& trace) {
  switch (trace.state) {
    case CardState::kWaiting:
      return "waiting";
    case CardState::kReading:
      return "reading";
    case CardState::kUnread:
      return "unread";
    case CardState::kFailed:
      return "unreadable";
    case CardState::kRead:
      break;
  }
  if (trace.card.complete) return "whole";
  return trace.window.recording ? "recording" : "cut";
}

void WriteTexts(JsonWriter& json, std::string_view key,
                const std::vector<std::string>& texts) {
  json.Key(key).BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

void WriteOptional(JsonWriter& json, std::string_view key,
                   const std::optional<int64_t>& value) {
  json.Key(key);
  if (value)
    json.Int(*value);
  else
    json.Null();
}

void WriteTrace(JsonWriter& json, const ListedTrace& trace) {
  const Window& window = trace.window;
  json.BeginObject().Field("t", window.id).Field("run", trace.run);
  json.Field("worker", trace.worker).Field("file", window.file);
  json.Field("format", window.format).Field("bytes", window.identity.bytes);
  json.Field("modified_ns", std::to_string(window.identity.changed_ns));
  json.Field("state", StateOf(trace)).Field("why", trace.why);
  json.Field("events", trace.card.events).Field("steps", trace.card.steps);
  json.Field("rejected", trace.card.rejected);
  WriteOptional(json, "step_ns", trace.card.step_ns);
  json.Key("ranks").BeginArray();
  for (const int64_t rank : trace.card.ranks) json.Int(rank);
  json.EndArray();
  WriteTexts(json, "headline", trace.card.headline);
  json.EndObject();
}

std::set<int64_t> RanksOf(const TraceJob& job) {
  std::set<int64_t> ranks;
  for (const ListedTrace& one : job.traces)
    ranks.insert(one.card.ranks.begin(), one.card.ranks.end());
  return ranks;
}

// `made`: null, or its tables.
void WriteJob(JsonWriter& json, const TraceJob& job,
              const ReducedTraces* made) {
  uint64_t bytes = 0;
  int64_t changed_ns = 0;
  uint64_t steps = 0;
  for (const ListedTrace& one : job.traces) {
    bytes += one.window.identity.bytes;
    changed_ns = std::max(changed_ns, one.window.identity.changed_ns);
    steps = std::max(steps, one.card.steps);
  }
  json.BeginObject().Field("id", job.id).Field("run", job.run);
  json.Field("name", job.traces.front().window.file);
  json.Field("traces", uint64_t{job.traces.size()});
  json.Field("bytes", bytes);
  json.Field("modified_ns", std::to_string(changed_ns));
  const std::set<int64_t> ranks = RanksOf(job);
  const uint64_t stated = made != nullptr && made->ranks().several()
                              ? made->ranks().ranks.size()
                              : ranks.size();
  json.Field("ranks", stated).Field("steps", steps);
  WriteOptional(json, "step_ns",
                made != nullptr && made->ranks().step_ns > 0
                    ? std::optional(made->ranks().step_ns)
                    : std::nullopt);
  WriteTexts(json, "headline",
             made != nullptr ? made->headline : std::vector<std::string>());
  json.Key("windows").BeginArray();
  for (const ListedTrace& one : job.traces) json.String(one.window.id);
  json.EndArray().EndObject();
}

// "key": {"columns": [..], "rows": [[..]]}, without rows inside rows.
void WriteFlat(JsonWriter& json, const TableSchema& table,
               const RowList& rows) {
  std::vector<TableColumn> columns = table.columns;
  std::erase_if(columns, [](const TableColumn& column) {
    return column.type == CellType::kRows || column.type == CellType::kList;
  });
  json.Key(table.key).BeginObject();
  WriteFlatTable(json, columns, rows);
  json.EndObject();
}

bool IsMeasure(const TableColumn& column) {
  return column.type == CellType::kTime;
}

void WriteMeasures(JsonWriter& json) {
  json.Key("measures").BeginArray();
  for (const TableColumn& column : FindTable("rank_steps")->columns) {
    if (!IsMeasure(column)) continue;
    json.BeginObject().Field("key", column.name).Field("title", column.title);
    json.Field("meaning", column.meaning).EndObject();
  }
  json.EndArray();
}

Error NotRead() {
  return Fail(ErrorCode::kUnsupported,
              "the traces of this job are not read yet");
}

}  // namespace

std::string TracesJson(Folder& folder, TraceReader& reader, JobTables& jobs) {
  const std::vector<ListedTrace> list = reader.List();
  uint64_t done = 0;
  uint64_t unread = 0;
  std::string reading;
  for (const ListedTrace& one : list) {
    done += one.state == CardState::kRead || one.state == CardState::kFailed;
    unread += one.state == CardState::kUnread;
    if (one.state == CardState::kReading) reading = one.window.file;
  }
  JsonWriter json;
  json.BeginObject().Field("generation", folder.List()->generation);
  json.Field("done", done).Field("total", uint64_t{list.size()});
  json.Field("unread", unread).Field("reading", reading);
  json.Key("traces").BeginArray();
  for (const ListedTrace& one : list) WriteTrace(json, one);
  json.EndArray().Key("jobs").BeginArray();
  for (const TraceJob& job : jobs.Jobs(list)) {
    if (job.traces.size() < 2) continue;
    std::shared_ptr<const ReducedTraces> made = jobs.Made(job);
    if (made == nullptr && job.traces.size() <= kMostUnasked) {
      auto reduced = jobs.Reduce(job);
      if (reduced) made = *std::move(reduced);
    }
    WriteJob(json, job, made.get());
  }
  json.EndArray().EndObject();
  return json.Take();
}

Result<ChosenJob> ChooseJob(Folder& folder, TraceReader& reader,
                            JobTables& jobs, const std::string& t) {
  const std::optional<Target> target = folder.Find(t);
  if (!target)
    return Fail(ErrorCode::kNotFound,
                "this trace is no longer in the folder; choose another one");
  std::set<std::string_view> ids;
  for (const Window& one : target->windows) ids.insert(one.id);
  const auto is_wanted = [&](const Window& window) {
    return ids.contains(window.id);
  };
  std::vector<ListedTrace> list = reader.List();
  std::set<std::string> runs;
  for (const ListedTrace& one : list)
    if (is_wanted(one.window)) runs.insert(one.run);
  std::erase_if(
      list, [&](const ListedTrace& one) { return !runs.contains(one.run); });
  ChosenJob chosen;
  std::vector<Window> unread;
  for (const ListedTrace& one : list) {
    chosen.done +=
        one.state == CardState::kRead || one.state == CardState::kFailed;
    if (one.state == CardState::kWaiting || one.state == CardState::kUnread)
      unread.push_back(one.window);
  }
  chosen.total = list.size();
  if (chosen.done < chosen.total) {
    if (!unread.empty()) reader.Want(unread);
    return chosen;
  }
  chosen.others = jobs.Jobs(list);
  const auto has = [&](const TraceJob& job) {
    return std::any_of(
        job.traces.begin(), job.traces.end(),
        [&](const ListedTrace& one) { return is_wanted(one.window); });
  };
  // Of a whole run: the largest.
  const TraceJob* best = nullptr;
  for (const TraceJob& job : chosen.others)
    if (has(job) &&
        (best == nullptr || job.traces.size() > best->traces.size()))
      best = &job;
  if (best == nullptr)
    return Fail(ErrorCode::kCorrupt, "no trace of this run could be read");
  chosen.job = *best;
  STEPSCOPE_TRY_ASSIGN(chosen.tables, jobs.Reduce(chosen.job));
  return chosen;
}

Result<std::string> JobJson(const ChosenJob& chosen,
                            const Parameters& parameters) {
  double peak = 0;
  if (const std::string text = parameters.Text("link-peak"); !text.empty()) {
    STEPSCOPE_TRY_ASSIGN(peak, LinkPeakOf("", text));
  }
  JsonWriter json;
  json.BeginObject();
  json.Field("state", chosen.tables == nullptr ? "reading" : "ready");
  json.Field("done", chosen.done).Field("total", chosen.total);
  if (chosen.tables == nullptr) {
    json.EndObject();
    return json.Take();
  }
  const ReducedTraces& tables = *chosen.tables;
  const RankJob& ranks = tables.ranks();
  json.Key("job");
  WriteJob(json, chosen.job, &tables);
  json.Key("jobs").BeginArray();
  for (const TraceJob& job : chosen.others) WriteJob(json, job, nullptr);
  json.EndArray();
  json.Field("step_count", ranks.step_count);
  json.Field("matched", ranks.matched);
  std::vector<CollectiveRow> collectives = ranks.collectives;
  std::vector<std::string> notes = tables.notes;
  if (std::string note = ComparePeak(peak, collectives); !note.empty())
    notes.push_back(std::move(note));
  WriteTexts(json, "notes", notes);
  WriteMeasures(json);
  const Summary& summary = tables.reduced->summary;
  for (const std::string_view key : {"stragglers", "ranks"}) {
    const TableSchema& table = *FindTable(key);
    WriteFlat(json, table, table.rows(summary));
  }
  WriteFlat(json, *FindTable("collectives"), RowList::Of(collectives));
  json.EndObject();
  return json.Take();
}

Result<std::string> JobStepsJson(const ChosenJob& chosen,
                                 const Parameters& parameters) {
  if (chosen.tables == nullptr) return NotRead();
  const std::vector<RankStepRow>& all = chosen.tables->ranks().steps;
  std::vector<RankStepRow> rows;
  if (parameters.has("rank")) {
    STEPSCOPE_TRY_ASSIGN(const int64_t rank, parameters.Integer("rank"));
    std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
                 [&](const RankStepRow& row) { return row.rank == rank; });
  } else {
    rows = all;
  }
  JsonWriter json;
  json.BeginObject();
  WriteFlat(json, *FindTable("rank_steps"), RowList::Of(rows));
  json.EndObject();
  return json.Take();
}

Result<std::string> HeatJson(const ChosenJob& chosen,
                             const Parameters& parameters) {
  if (chosen.tables == nullptr) return NotRead();
  STEPSCOPE_TRY_ASSIGN(const int64_t most_columns,
                       parameters.Integer("columns", 400, 1, 4000));
  const std::string measure = parameters.Text("measure");
  const TableSchema& table = *FindTable("rank_steps");
  const auto column = std::find_if(
      table.columns.begin(), table.columns.end(), [&](const TableColumn& one) {
        return one.name == measure && IsMeasure(one);
      });
  if (column == table.columns.end())
    return Fail(ErrorCode::kInvalidArgument,
                "measure: there is no \"" + measure + "\"");
  const std::vector<RankStepRow>& rows = chosen.tables->ranks().steps;
  std::vector<int64_t> ranks;
  for (const RankRow& rank : chosen.tables->ranks().ranks)
    ranks.push_back(rank.rank);
  std::vector<int64_t> steps;  // rows are by step
  for (const RankStepRow& row : rows)
    if (steps.empty() || steps.back() != row.step) steps.push_back(row.step);
  const size_t each = std::max<size_t>(
      1, (steps.size() + static_cast<size_t>(most_columns) - 1) /
             static_cast<size_t>(most_columns));
  const size_t columns = (steps.size() + each - 1) / each;
  // By rank, then by column; -1: not recorded.
  std::vector<int64_t> cells(ranks.size() * columns, -1);
  int64_t most = 0;
  size_t step = 0;
  for (const RankStepRow& row : rows) {
    while (steps[step] != row.step) ++step;
    const auto rank = std::lower_bound(ranks.begin(), ranks.end(), row.rank);
    const Cell cell = column->cell(&row);
    const int64_t* const ns = std::get_if<int64_t>(&cell);
    if (ns == nullptr || rank == ranks.end() || *rank != row.rank) continue;
    int64_t& to = cells[static_cast<size_t>(rank - ranks.begin()) * columns +
                        step / each];
    to = std::max(to, *ns);
    most = std::max(most, *ns);
  }
  JsonWriter json;
  json.BeginObject().Field("measure", measure).Field("most", most);
  const auto numbers = [&](std::string_view key, auto get, size_t count) {
    json.Key(key).BeginArray();
    for (size_t i = 0; i < count; ++i) json.Int(get(i));
    json.EndArray();
  };
  numbers(
      "ranks", [&](size_t i) { return ranks[i]; }, ranks.size());
  numbers(
      "first", [&](size_t i) { return steps[i * each]; }, columns);
  numbers(
      "last",
      [&](size_t i) {
        return steps[std::min(steps.size(), (i + 1) * each) - 1];
      },
      columns);
  json.Key("cells").BeginArray();
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    json.BeginArray();
    for (size_t i = 0; i < columns; ++i) json.Int(cells[rank * columns + i]);
    json.EndArray();
  }
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
