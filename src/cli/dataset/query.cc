// SPDX-License-Identifier: Apache-2.0
#include "cli/dataset/query.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/terminal.h"
#include "cli/dataset/convert_dataset.h"
#include "cli/dataset/query_output.h"
#include "cli/dataset/temporary_dataset.h"
#include "cli/frame/output.h"
#include "cli/frame/output_file.h"
#include "cli/frame/progress.h"
#include "cli/frame/verbs.h"
#include "cli/load.h"
#include "cli/table_style.h"
#include "exporters/output_file.h"
#include "query/dataset.h"
#include "query/named_query.h"
#include "query/query_session.h"
#include "query/scratch_folder.h"
#include "query/summary_tables.h"

namespace stepscope {
namespace {

// More than anybody reads; a table has to hold its rows before it prints them.
constexpr uint64_t kTableRows = 1000;

ExitCode ListQueries() {
  std::string text;
  for (const NamedQuery& query : NamedQueries()) {
    text += query.name + "\n    " + query.meaning + "\n";
    for (const QueryParameter& parameter : query.parameters)
      text += "    --param " + parameter.name + "=" + parameter.fallback +
              "  " + parameter.meaning + "\n";
  }
  return WriteOutput(text);
}

Result<std::map<std::string, std::string>> ParseParameters(
    const std::vector<std::string>& given) {
  std::map<std::string, std::string> values;
  for (const std::string& text : given) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return Fail(ErrorCode::kInvalidArgument,
                  "--param: \"" + text + "\", expected NAME=VALUE");
    values[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return values;
}

// The SQL to run, from the one place that was given.
Result<std::string> ChooseSql(const QueryArguments& arguments) {
  const int places = int{!arguments.sql.empty()} +
                     int{!arguments.named.empty()} +
                     int{!arguments.file.empty()};
  if (places != 1)
    return Fail(ErrorCode::kInvalidArgument,
                places == 0 ? "no query; give SQL, --named NAME or --file FILE "
                              "(--list shows the names)"
                            : "give one of SQL, --named and --file");
  if (arguments.named.empty() && !arguments.parameters.empty())
    return Fail(ErrorCode::kInvalidArgument, "--param goes with --named");
  if (!arguments.named.empty()) {
    STEPSCOPE_TRY_ASSIGN(const auto values,
                         ParseParameters(arguments.parameters));
    STEPSCOPE_TRY_ASSIGN(const NamedQuery* const query,
                         FindNamedQuery(arguments.named));
    return FillParameters(*query, values);
  }
  const std::string file = arguments.sql == "-" ? "-" : arguments.file;
  if (file.empty()) return arguments.sql;
  return ReadFile(file == "-" ? "/dev/stdin" : file);
}

std::optional<RowFormat> StreamedFormat(const std::string& name) {
  if (name == "table") return RowFormat::kTable;
  if (name == "csv") return RowFormat::kCsv;
  if (name == "json") return RowFormat::kJson;
  if (name == "arrow") return RowFormat::kArrow;
  return std::nullopt;
}

uint64_t LimitOf(const QueryArguments& arguments) {
  if (arguments.limit >= 0) return static_cast<uint64_t>(arguments.limit);
  return arguments.format == "table" ? kTableRows : 0;
}

ExitCode ComplainOfQuery(const Error& error) {
  PrintError(error.message);
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnsupported:
      return kExitUsage;
    default:
      return kExitIo;
  }
}

Status Answer(const QueryArguments& arguments, QuerySession& session,
              const std::string& sql) {
  if (arguments.format == "parquet") return session.WriteParquet(sql);
  std::optional<QueryResult> rows;
  {
    const Progress progress("asking");
    Result<QueryResult> result = session.Query(sql);
    if (!result) return result.error();
    rows.emplace(*std::move(result));
  }
  STEPSCOPE_TRY_ASSIGN(auto sink, OpenOutput(arguments.output));
  const size_t width =
      arguments.output == "-" ? StyleOfTables(0, true).width : 0;
  return WriteRows(
      *rows, {*StreamedFormat(arguments.format), LimitOf(arguments), width},
      *sink);
}

ExitCode RunOn(const QueryArguments& arguments, const std::string& dataset,
               const std::string& spill, const std::string& sql,
               TemporaryDataset& temporary, bool is_trace) {
  QueryLimits limits;
  limits.memory = arguments.memory;
  limits.spill_folder = spill;
  // A file that somebody else may be reading appears whole.
  if (arguments.format == "parquet") {
    const Result<std::string> name = NameBeside(arguments.output);
    if (!name) return ComplainOfOutput(name.error());
    limits.output = *name;
  }
  Result<std::unique_ptr<QuerySession>> session =
      QuerySession::Open(dataset, limits);
  if (!session) return ComplainOfQuery(session.error());
  if (const SummaryTables named = SummaryTables::In(sql); is_trace && named) {
    ExitCode code = kExitOk;
    auto trace = LoadTrace({arguments.input}, code);
    if (trace == nullptr) return code;
    const Status added =
        AddSummaryTables(std::move(trace), named, (*session)->database());
    if (!added) return ComplainOfQuery(added.error());
  }
  std::atomic<bool> interrupted = false;
  temporary.OnSignal([&] {
    interrupted = true;
    (*session)->Interrupt();
  });
  Status answered = Answer(arguments, **session, sql);
  temporary.OnSignal(nullptr);
  if (interrupted) {
    std::remove(limits.output.c_str());
    PrintError("interrupted");
    return kExitIo;
  }
  if (!answered) {
    std::remove(limits.output.c_str());
    return ComplainOfQuery(answered.error());
  }
  if (!limits.output.empty() &&
      std::rename(limits.output.c_str(), arguments.output.c_str()) != 0)
    return ComplainOfOutput(FileError(arguments.output, errno));
  return kExitOk;
}

}  // namespace

std::vector<std::string> QueryNames() {
  std::vector<std::string> names;
  for (const NamedQuery& query : NamedQueries()) names.push_back(query.name);
  return names;
}

ExitCode RunQuery(const QueryArguments& arguments) {
  if (arguments.list) return ListQueries();
  if (arguments.input.empty())
    return Complain(kExitUsage, "no trace and no dataset given",
                    "stepscope query TRACE 'SELECT ...'");
  if (arguments.input == "-")
    return Complain(kExitUsage, "-: a query reads files only",
                    "save it to a file first");
  if (arguments.format == "parquet" && arguments.output == "-")
    return Complain(kExitUsage, "--format parquet writes a file",
                    "give its name to -o");
  if (arguments.format == "arrow" && arguments.output == "-" &&
      IsTerminal(STDOUT_FILENO))
    return Complain(kExitUsage,
                    "--format arrow is binary, and standard output is a "
                    "terminal",
                    "give a file to -o, or pipe it");
  const Result<std::string> sql = ChooseSql(arguments);
  if (!sql) return ComplainOfQuery(sql.error());
  if (const ExitCode code = CheckOutput(arguments.output); code != kExitOk)
    return code;
  // Before minutes are spent on reading traces.
  if (const ExitCode code = NeedDuckdb(); code != kExitOk) return code;
  const Result<std::string> folder = MakeScratchFolder();
  if (!folder) return ComplainOfOutput(folder.error());
  TemporaryDataset temporary(*folder);
  const std::string spill = *folder + "/spill";
  if (IsDataset(arguments.input))
    return RunOn(arguments, arguments.input, spill, *sql, temporary, false);
  const std::string dataset = *folder + "/dataset";
  ConvertOptions convert;
  convert.inputs = {arguments.input};
  convert.output = dataset;
  convert.to = kParquet;
  const ExitCode code = RunConvertDataset(convert);
  if (code != kExitOk) return code;
  return RunOn(arguments, dataset, spill, *sql, temporary, true);
}

}  // namespace stepscope
