// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/doctor.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/json_writer.h"
#include "base/visible_text.h"
#include "cli/frame/output.h"

namespace stepscope {
namespace doctor {
namespace {

constexpr size_t kVerdictWidth = 6;
constexpr size_t kNameWidth = 13;

const char* Word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kWarn:
      return "warn";
    case Verdict::kNo:
      return "no";
  }
  return "";
}

const char* Word(Part part) {
  switch (part) {
    case Part::kHost:
      return "host";
    case Part::kGpu:
      return "gpu";
    case Part::kTorch:
      return "torch";
    case Part::kSql:
      return "sql";
  }
  return "";
}

const char* Title(Part part) {
  switch (part) {
    case Part::kHost:
      return "Host";
    case Part::kGpu:
      return "GPU";
    case Part::kTorch:
      return "Operators of torch";
    case Part::kSql:
      return "SQL and Parquet";
  }
  return "";
}

const char* Colour(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "\033[32m";
    case Verdict::kWarn:
      return "\033[33m";
    case Verdict::kNo:
      return "\033[31m";
  }
  return "";
}

// `text` in lines of `width` columns, broken at blanks, each but the first
// behind `indent` blanks; the first begins at column `at`. A word that is
// longer than a line, a path say, stays whole.
void AddWrapped(std::string& out, const std::string& text, size_t at,
                size_t indent, size_t width) {
  size_t column = at;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const size_t columns = DisplayWidth(word);
    if (begin > 0 && column + 1 + columns > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (begin > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns;
    begin = end + 1;
  }
  out += '\n';
}

void AddCheck(std::string& out, const Check& check, bool colour, size_t width) {
  const std::string verdict = Padded(Word(check.verdict), kVerdictWidth);
  out += colour ? Colour(check.verdict) + verdict + "\033[0m" : verdict;
  out += Padded(check.name, kNameWidth);
  const size_t column = kVerdictWidth + kNameWidth;
  AddWrapped(out, VisibleText(check.text), column, column, width);
  if (check.remedy.empty()) return;
  out += std::string(column + 2, ' ');
  AddWrapped(out, VisibleText(check.remedy), column + 2, column + 2, width);
}

// Of standard output; 0 if it is no terminal.
size_t WidthToWrapAt() {
  winsize size = {};
  if (isatty(STDOUT_FILENO) == 0) return 0;
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60
             ? size.ws_col
             : 80;
}

}  // namespace

std::string DiagnosisText(const Diagnosis& diagnosis, bool colour,
                          size_t width) {
  std::string out;
  const Check* before = nullptr;
  for (const Check& check : diagnosis.checks) {
    if (before == nullptr || before->part != check.part) {
      const bool good = check.part == Part::kHost    ? diagnosis.host
                        : check.part == Part::kGpu   ? diagnosis.gpu
                        : check.part == Part::kTorch ? diagnosis.torch
                                                     : diagnosis.sql;
      if (before != nullptr) out += '\n';
      out += std::string(Title(check.part)) +
             (good ? ": can be " : ": cannot be ") +
             (check.part == Part::kSql ? "used\n" : "recorded\n");
    }
    AddCheck(out, check, colour, width);
    before = &check;
  }
  return out;
}

std::string DiagnosisJson(const Diagnosis& diagnosis) {
  JsonWriter json;
  json.BeginObject().Field("host", diagnosis.host);
  json.Field("gpu", diagnosis.gpu).Field("torch", diagnosis.torch);
  json.Field("sql", diagnosis.sql);
  json.Key("checks").BeginArray();
  for (const Check& check : diagnosis.checks) {
    json.BeginObject().Field("part", Word(check.part));
    json.Field("name", check.name).Field("verdict", Word(check.verdict));
    json.Field("text", check.text).Key("remedy");
    if (check.remedy.empty())
      json.Null();
    else
      json.String(check.remedy);
    json.EndObject();
  }
  json.EndArray().EndObject();
  return json.Take() + "\n";
}

}  // namespace doctor

ExitCode RunDoctor(const DoctorOptions& options) {
  if (options.format != "text" && options.format != "json") {
    return Complain(kExitUsage,
                    "--format: unknown format \"" + options.format + "\"",
                    "choose from text, json");
  }
  constexpr size_t kPipedWidth = 100;
  const doctor::Diagnosis diagnosis =
      doctor::Examine(doctor::LookAtMachine(options.out, options.python));
  const size_t terminal = doctor::WidthToWrapAt();
  const char* const plain = std::getenv("NO_COLOR");
  const bool colour = terminal > 0 && (plain == nullptr || plain[0] == '\0');
  const ExitCode written = WriteOutput(
      options.format == "json"
          ? doctor::DiagnosisJson(diagnosis)
          : doctor::DiagnosisText(diagnosis, colour,
                                  terminal > 0 ? terminal : kPipedWidth));
  if (written != kExitOk) return written;
  return diagnosis.host ? kExitOk : kExitNo;
}

}  // namespace stepscope
