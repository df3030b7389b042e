// SPDX-License-Identifier: Apache-2.0
//
// The documents of the commands: summary, advise, whatif, compare. Each is
// made once of a trace, however often it is asked for.
#include "analysis/views/view_table.h"
#include "server/api.h"
#include "server/documents.h"
#include "server/timeline/critical.h"

namespace stepscope::server {
namespace {

// Kept under everything that it depends on.
Result<std::string> Kept(const OpenTrace& open, const std::string& key,
                         const OpenTrace::MakeText& make) {
  STEPSCOPE_TRY_ASSIGN(const std::shared_ptr<const std::string> text,
                       open.Document(key, make));
  return *text;
}

constexpr size_t kMostChanges = 32;

// What is asked of a summary, as the command takes it; peaks that are not given
// are those that the server was started with.
SummaryWords WordsOf(const Parameters& parameters, const PeakWords& usual) {
  const auto given = [&](const char* name, const std::string& otherwise) {
    std::string text = parameters.Text(name);
    return text.empty() ? otherwise : text;
  };
  return {.views = parameters.Text("views"),
          .steps = parameters.Text("steps"),
          .link_peak = parameters.Text("link-peak"),
          .compute_peak = given("compute-peak", usual.compute),
          .memory_peak = given("memory-peak", usual.memory)};
}

std::string KeyOf(const SummaryWords& words) {
  return words.views + "\n" + words.steps + "\n" + words.link_peak + "\n" +
         words.compute_peak + "\n" + words.memory_peak;
}

Result<std::string> AnswerSummary(const OpenTrace& open,
                                  const SummaryWords& words) {
  return Kept(open, "summary\n" + KeyOf(words),
              [&] { return SummaryDocument(open, words); });
}

Result<std::string> AnswerAdvise(const OpenTrace& open,
                                 const Parameters& parameters) {
  const std::string steps = parameters.Text("steps");
  return Kept(open, "advise\n" + steps,
              [&] { return AdviseDocument(open, steps); });
}

Result<std::string> AnswerWhatif(const OpenTrace& open,
                                 const Parameters& parameters) {
  const std::vector<std::string> changes = parameters.Texts("change");
  if (changes.empty() || changes.size() > kMostChanges)
    return Fail(ErrorCode::kInvalidArgument,
                "change: expected 1 to " + std::to_string(kMostChanges));
  const std::string steps = parameters.Text("steps");
  std::string key = "whatif\n" + steps;
  for (const std::string& change : changes) key += "\n" + change;
  return Kept(open, key, [&] { return WhatifDocument(open, changes, steps); });
}

Result<std::string> AnswerViewTable(const OpenTrace& open,
                                    const Parameters& parameters,
                                    KeptTexts& kept) {
  const std::string place = parameters.Text("place");
  const std::string process = parameters.Text("process");
  ViewQuery query{.place = place, .process = process};
  if (parameters.has("t0") || parameters.has("t1")) {
    STEPSCOPE_TRY_ASSIGN(const int64_t begin, parameters.Integer("t0"));
    STEPSCOPE_TRY_ASSIGN(const int64_t end, parameters.Integer("t1"));
    query.range = Interval{SaturatingAdd(begin, open.origin_ns()),
                           SaturatingAdd(end, open.origin_ns())};
  }
  return ViewTableDocument(open, parameters.Text("name"), query,
                           parameters.Text("steps"), kept);
}

Result<std::string> AnswerTable(const OpenTrace& open,
                                const Parameters& parameters,
                                SummaryWords words, KeptTexts& kept) {
  const std::string name = parameters.Text("name");
  if (FindViewTable(name) != nullptr)
    return AnswerViewTable(open, parameters, kept);
  words.views.clear();
  return Kept(open, "table\n" + name + "\n" + KeyOf(words),
              [&] { return TableJson(open, name, words); });
}

}  // namespace

void Api::AddDocuments() {
  AddOnTrace("summary", OfAllEvents([this](const OpenTrace& open,
                                           const Parameters& parameters) {
               return AnswerSummary(open, WordsOf(parameters, peaks_));
             }));
  AddOnTrace("advise", OfAllEvents(AnswerAdvise));
  AddOnTrace("whatif", OfAllEvents(AnswerWhatif));
  // Not kept: it is large, and asked for once.
  AddOnTrace(
      "report",
      OfAllEvents([](const OpenTrace& open, const Parameters& parameters) {
        return ReportDocument(open, parameters.Text("steps"));
      }),
      "text/html; charset=utf-8");
  AddOnTrace("table", OfAllEvents([this](const OpenTrace& open,
                                         const Parameters& parameters) {
               return AnswerTable(open, parameters, WordsOf(parameters, peaks_),
                                  view_tables_);
             }));
  AddOnTrace("critical", OfAllEvents([](const OpenTrace& open,
                                        const Parameters& parameters) {
               const std::string steps = parameters.Text("steps");
               return Kept(open, "critical\n" + steps,
                           [&] { return CriticalJson(open, steps); });
             }));
  Add("GET", "tables", [](const Parameters&, Response& response) {
    AnswerText(response, TablesJson());
  });
  Add("GET", "whatif_changes", [](const Parameters&, Response& response) {
    AnswerText(response, ChangesJson());
  });
  Add("GET", "compare",
      [this](const Parameters& parameters, Response& response) {
        const auto a = sessions_.Find(parameters.Text("a"));
        const auto b = sessions_.Find(parameters.Text("b"));
        if (a == nullptr || b == nullptr) {
          AnswerError(response, 409, "this trace is not open; open it first");
          return;
        }
        const std::string steps = parameters.Text("steps");
        // By their files; two that are not told apart so are A and B.
        const std::optional<Target> of_a = folder_.Find(parameters.Text("a"));
        const std::optional<Target> of_b = folder_.Find(parameters.Text("b"));
        const bool named = of_a && of_b && of_a->name != of_b->name;
        const std::string name_a = named ? of_a->name : "A";
        const std::string name_b = named ? of_b->name : "B";
        Result<std::string> text = Kept(
            *a,
            "compare\n" + std::to_string(b->serial()) + "\n" + steps + "\n" +
                name_a + "\n" + name_b,
            [&] { return CompareDocument(*a, *b, steps, name_a, name_b); });
        a->GiveBackMemory();
        b->GiveBackMemory();
        AnswerAbout(response, std::move(text));
      });
}

}  // namespace stepscope::server
