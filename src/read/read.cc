// SPDX-License-Identifier: Apache-2.0
//
// The C interface over the rest of this folder. Nothing is thrown across it.
#include "read/read.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <span>

#include "analysis/ranks/align_set.h"
#include "importers/input/input_source.h"
#include "importers/load_inputs.h"
#include "importers/registry.h"
#include "query/duckdb_library.h"
#include "read/answers.h"
#include "read/query_table.h"
#include "read/table.h"

using stepscope::CancelToken;
using stepscope::Error;
using stepscope::ErrorCode;
using stepscope::Fail;
using stepscope::ImportOptions;
using stepscope::ReadRequest;
using stepscope::ReadTable;
using stepscope::Result;
using stepscope::Trace;
using stepscope::TraceFolder;

struct stepscope_watch {
  CancelToken cancel;
  std::atomic<uint64_t> done{0};
  std::atomic<uint64_t> total{0};
};
struct stepscope_trace {
  std::shared_ptr<const Trace> trace;
};
struct stepscope_table {
  ReadTable table;
};

namespace {

int CodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
      return STEPSCOPE_READ_NOT_FOUND;
    case ErrorCode::kIo:
      return STEPSCOPE_READ_IO;
    case ErrorCode::kCancelled:
      return STEPSCOPE_READ_CANCELLED;
    default:
      return STEPSCOPE_READ_INVALID;
  }
}

int Say(stepscope_reply reply, int code, const std::string& text) {
  if (reply.text != nullptr) reply.text(reply.user, text.data(), text.size());
  return code;
}

// Runs `work`, which gives a Result<std::string>.
template <typename Work>
int Guarded(stepscope_reply reply, Work work) {
  try {
    const Result<std::string> answer = work();
    if (answer) return Say(reply, STEPSCOPE_READ_OK, *answer);
    return Say(reply, CodeOf(answer.error().code), answer.error().message);
  } catch (const std::bad_alloc&) {
    return Say(reply, STEPSCOPE_READ_NO_MEMORY, "not enough memory");
  } catch (const std::exception& error) {
    return Say(reply, STEPSCOPE_READ_INVALID, error.what());
  }
}

Error WithRemedy(const Error& error) {
  const std::string remedy = stepscope::InputRemedy(error);
  return Fail(error.code,
              remedy.empty() ? error.message : error.message + "; " + remedy);
}

ImportOptions OptionsFor(stepscope_watch* watch, std::string step_range = {}) {
  ImportOptions options;
  options.step_range = std::move(step_range);
  if (watch == nullptr) return options;
  options.cancel = &watch->cancel;
  options.progress = [watch](uint64_t done, uint64_t total) {
    watch->done.store(done, std::memory_order_relaxed);
    watch->total.store(total, std::memory_order_relaxed);
  };
  return options;
}

// What is wrong with the trace although it could be read, a line each.
std::string WarningsOfTrace(const Trace& trace) {
  std::string lines;
  for (const std::string& note : trace.notes()) lines += note + "\n";
  for (const stepscope::Source& source : trace.sources()) {
    if (!source.complete && source.notes.empty())
      lines += source.path + ": cut short; what was recorded is here\n";
  }
  return lines;
}

Error SeveralJobs(const std::string& path, const TraceFolder& folder) {
  constexpr size_t kShown = 3;
  std::string list;
  for (size_t i = 0; i < folder.jobs.size() && i < kShown; ++i) {
    const std::vector<std::string>& files = folder.jobs[i].files;
    list += (i > 0 ? "; job " : " job ") + std::to_string(i + 1) + ": " +
            (files.empty() ? "" : files.front());
    if (files.size() > 1)
      list += " and " + std::to_string(files.size() - 1) + " more";
  }
  if (folder.jobs.size() > kShown) list += "; ...";
  return Fail(ErrorCode::kInvalidArgument,
              path + ": " + std::to_string(folder.jobs.size()) +
                  " jobs in this folder, expected one; load the files of one "
                  "job as a list:" +
                  list);
}

Result<std::shared_ptr<const Trace>> LoadFiles(
    const std::vector<std::string>& paths, stepscope::Alignment how,
    const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(TraceFolder folder,
                       stepscope::ImportInputs(paths, options));
  if (folder.jobs.size() > 1) return SeveralJobs(paths.front(), folder);
  stepscope::TraceSet& set = folder.jobs.front().traces;
  const stepscope::SetClocks clocks = stepscope::AlignSet(set, how);
  // Who asked for it knows that clocks are as recorded, and files without ranks
  // need not lie beside each other.
  const auto ranks = std::count_if(
      clocks.members.begin(), clocks.members.end(),
      [](const stepscope::MemberClock& member) { return member.rank >= 0; });
  if (how == stepscope::Alignment::kByEvents && ranks > 1)
    for (const std::string& note : clocks.notes) set.AddNote(note);
  return stepscope::JoinInputs(std::move(folder), paths.front());
}

Result<std::shared_ptr<const Trace>> LoadBytes(std::span<const uint8_t> bytes,
                                               const std::string& name,
                                               const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(auto input,
                       stepscope::InputSource::FromBytes(bytes, name));
  STEPSCOPE_TRY_ASSIGN(auto trace, stepscope::ImportSource(*input, options));
  STEPSCOPE_TRY(stepscope::CheckContent(*trace, name));
  return trace;
}

Result<std::string> Keep(Result<std::shared_ptr<const Trace>> loaded,
                         stepscope_trace** trace) {
  if (!loaded) return WithRemedy(loaded.error());
  const std::string warnings = WarningsOfTrace(**loaded);
  *trace = new stepscope_trace{*std::move(loaded)};
  return warnings;
}

}  // namespace

int stepscope_read_version(void) { return STEPSCOPE_READ_VERSION; }

stepscope_watch* stepscope_watch_new(void) {
  return new (std::nothrow) stepscope_watch;
}
void stepscope_watch_free(stepscope_watch* watch) { delete watch; }
void stepscope_watch_cancel(stepscope_watch* watch) { watch->cancel.Cancel(); }
void stepscope_watch_progress(const stepscope_watch* watch, uint64_t* done,
                              uint64_t* total) {
  *done = watch->done.load(std::memory_order_relaxed);
  *total = watch->total.load(std::memory_order_relaxed);
}

int stepscope_read_files(const char* const* paths, size_t count,
                         stepscope_read_options options, stepscope_watch* watch,
                         stepscope_trace** trace, stepscope_reply reply) {
  *trace = nullptr;
  return Guarded(reply, [&]() -> Result<std::string> {
    if (count == 0)
      return Fail(ErrorCode::kInvalidArgument, "give at least one path");
    ReadRequest request(options);
    STEPSCOPE_TRY_ASSIGN(const std::string align,
                         request.Choice("align", {"yes", "no"}));
    const std::string range = request.Text("step_range").value_or("");
    STEPSCOPE_TRY(request.Finish());
    return Keep(
        LoadFiles({paths, paths + count}, stepscope::AlignmentOf(align == "no"),
                  OptionsFor(watch, range)),
        trace);
  });
}

int stepscope_read_bytes(const void* bytes, size_t size, const char* name,
                         stepscope_read_options options, stepscope_watch* watch,
                         stepscope_trace** trace, stepscope_reply reply) {
  *trace = nullptr;
  return Guarded(reply, [&]() -> Result<std::string> {
    ReadRequest request(options);
    const std::string range = request.Text("step_range").value_or("");
    STEPSCOPE_TRY(request.Finish());
    return Keep(LoadBytes({static_cast<const uint8_t*>(bytes), size}, name,
                          OptionsFor(watch, range)),
                trace);
  });
}

void stepscope_trace_free(stepscope_trace* trace) { delete trace; }

int stepscope_trace_ask(const stepscope_trace* trace,
                        const stepscope_trace* other, const char* question,
                        stepscope_read_options options, stepscope_reply reply) {
  return Guarded(reply, [&] {
    ReadRequest request(options);
    return stepscope::Answer(trace->trace,
                             other != nullptr ? other->trace.get() : nullptr,
                             question, request);
  });
}

int stepscope_trace_table(const stepscope_trace* trace, const char* key,
                          stepscope_read_options options,
                          stepscope_table** table, stepscope_reply reply) {
  *table = nullptr;
  return Guarded(reply, [&]() -> Result<std::string> {
    ReadRequest request(options);
    STEPSCOPE_TRY_ASSIGN(ReadTable made,
                         stepscope::MakeTable(trace->trace, key, request));
    *table = new stepscope_table{std::move(made)};
    return std::string();
  });
}

int stepscope_query(const char* const* paths, size_t count,
                    stepscope_read_options options, stepscope_watch* watch,
                    stepscope_table** table, stepscope_reply reply) {
  *table = nullptr;
  bool no_library = false;
  const int code = Guarded(reply, [&]() -> Result<std::string> {
    // Before minutes are spent on reading traces.
    if (const auto library = stepscope::duckdb::LoadLibrary(); !library) {
      no_library = true;
      return library.error();
    }
    if (count == 0)
      return Fail(ErrorCode::kInvalidArgument, "give at least one path");
    ReadRequest request(options);
    ImportOptions import = OptionsFor(watch);
    const auto load = [&](const std::vector<std::string>& files,
                          const std::string& step_range) {
      import.step_range = step_range;
      return LoadFiles(files, stepscope::Alignment::kByEvents, import);
    };
    STEPSCOPE_TRY_ASSIGN(
        stepscope::QueryAnswer answer,
        stepscope::AnswerQuery({paths, paths + count}, request,
                               {import.cancel, import.progress, load}));
    *table = new stepscope_table{
        {std::move(answer.rows), nullptr, nullptr, nullptr}};
    return answer.warnings;
  });
  return no_library ? STEPSCOPE_READ_NO_LIBRARY : code;
}

void stepscope_table_free(stepscope_table* table) { delete table; }

int64_t stepscope_table_rows(const stepscope_table* table) {
  return table->table.arrow->array.length;
}

int stepscope_table_ask(const stepscope_table* table, const char* question,
                        stepscope_read_options options, stepscope_reply reply) {
  return Guarded(reply, [&] {
    ReadRequest request(options);
    return stepscope::AskTable(table->table, question, request);
  });
}

int stepscope_table_stream(const stepscope_table* table, void* stream,
                           stepscope_reply reply) {
  return Guarded(reply, [&]() -> Result<std::string> {
    stepscope::ShareStream(table->table.arrow,
                           static_cast<ArrowArrayStream*>(stream));
    return std::string();
  });
}
