// SPDX-License-Identifier: Apache-2.0
#include "read/request.h"

#include <charconv>
#include <limits>

namespace stepscope {
namespace {

template <typename T>
std::optional<T> ParseInteger(const std::string& text) {
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

}  // namespace

ReadRequest::ReadRequest(const char* const* options) {
  if (options == nullptr) return;
  for (; options[0] != nullptr && options[1] != nullptr; options += 2) {
    given_.emplace(options[0], options[1]);
  }
}

std::optional<std::string> ReadRequest::Text(const std::string& name) {
  known_.insert(name);
  const auto at = given_.find(name);
  if (at == given_.end()) return std::nullopt;
  return at->second;
}

std::vector<std::string> ReadRequest::List(const std::string& name) {
  known_.insert(name);
  std::vector<std::string> values;
  const auto [first, last] = given_.equal_range(name);
  for (auto at = first; at != last; ++at) values.push_back(at->second);
  return values;
}

Result<size_t> ReadRequest::Count(const std::string& name, size_t otherwise) {
  const std::optional<std::string> text = Text(name);
  if (!text) return otherwise;
  const std::optional<size_t> value = ParseInteger<size_t>(*text);
  if (value) return *value;
  return Fail(ErrorCode::kInvalidArgument,
              name + ": expected a whole number of at least 0, not " + *text);
}

Result<int64_t> ReadRequest::Nanoseconds(const std::string& name,
                                         int64_t otherwise) {
  const std::optional<std::string> text = Text(name);
  if (!text) return otherwise;
  const std::optional<int64_t> value = ParseInteger<int64_t>(*text);
  if (value) return *value;
  return Fail(ErrorCode::kInvalidArgument,
              name + ": expected whole nanoseconds, not " + *text);
}

Result<bool> ReadRequest::Flag(const std::string& name) {
  const std::optional<std::string> text = Text(name);
  if (!text || *text == "0") return false;
  if (*text == "1") return true;
  return Chosen<bool>(name, *text, std::nullopt, "0, 1");
}

Result<std::optional<StepChoice>> ReadRequest::Steps() {
  return StepsOf(Text("steps").value_or(""));
}

Result<std::optional<int64_t>> ReadRequest::Unprofiled() {
  return UnprofiledOf("", Text("unprofiled").value_or(""));
}

Result<std::string> ReadRequest::Choice(
    const std::string& name, const std::vector<std::string>& choices) {
  const std::optional<std::string> text = Text(name);
  if (!text) return choices.front();
  std::string list;
  for (const std::string& choice : choices) {
    if (choice == *text) return *text;
    list += (list.empty() ? "" : ", ") + choice;
  }
  return Chosen<std::string>(name, *text, std::nullopt, list);
}

Status ReadRequest::ReadSummary(SummaryOptions& options) {
  STEPSCOPE_TRY(ReadWords({.steps = Text("steps").value_or(""),
                           .unprofiled = Text("unprofiled").value_or(""),
                           .sort = Text("sort").value_or("")},
                          options));
  STEPSCOPE_TRY_ASSIGN(options.thread_sep, Flag("thread_sep"));
  STEPSCOPE_TRY_ASSIGN(options.flops, Flag("flops"));
  STEPSCOPE_TRY_ASSIGN(const bool plain, Flag("no_op_detail"));
  options.op_detail = !plain;
  return Ok();
}

Status ReadRequest::ReadStyle(TableOptions& options) {
  if (const std::optional<std::string> text = Text("unit")) {
    STEPSCOPE_TRY_ASSIGN(
        options.unit,
        Chosen("unit", *text, ParseTimeUnit(*text), TimeUnitChoices()));
  }
  STEPSCOPE_TRY_ASSIGN(options.style.top, Count("top", 0));
  options.style.how_to_see_more = "top=0 shows all";
  return Ok();
}

Status ReadRequest::Finish() const {
  for (const auto& [name, value] : given_) {
    if (known_.contains(name)) continue;
    return Fail(ErrorCode::kInvalidArgument, "unknown option \"" + name +
                                                 "\"; see help() of this "
                                                 "method");
  }
  return Ok();
}

}  // namespace stepscope
