// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/change.h"

#include <charconv>
#include <cmath>

namespace stepscope {
namespace {

using Kind = Change::Kind;

enum class Takes : uint8_t { kNothing, kMaybeFactor, kFactor };

struct Named {
  std::string_view name;
  Kind kind;
  Takes takes;
  std::optional<double> factor;  // where none is given
};

constexpr Named kChangeNames[] = {
    {"data_ready", Kind::kDataReady, Takes::kNothing, 0.0},
    {"no_sync", Kind::kNoSync, Takes::kNothing, 0.0},
    {"graph", Kind::kGraph, Takes::kNothing, 0.0},
    {"fuse_small", Kind::kFuseSmall, Takes::kNothing, 0.0},
    {"tensor_cores", Kind::kTensorCores, Takes::kMaybeFactor, std::nullopt},
    {"no_comm", Kind::kComm, Takes::kNothing, 0.0},
    {"comm", Kind::kComm, Takes::kFactor, std::nullopt},
    {"host", Kind::kHost, Takes::kFactor, std::nullopt},
};

Error Wrong(std::string_view text, const std::string& why) {
  return {ErrorCode::kInvalidArgument, "\"" + std::string(text) + "\": " + why};
}

// A share of the time: a number from 0 up.
std::optional<double> ParseFactor(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value) || value < 0)
    return std::nullopt;
  return value;
}

Result<Change> WithPattern(Change change, std::string_view pattern,
                           bool needs_factor) {
  if (pattern.empty())
    return Wrong(change.text, "a name or pattern must follow the colon");
  if (needs_factor && !change.factor) {
    return Wrong(change.text,
                 "needs a factor: " + change.text + "=0.5 is half the time");
  }
  if (!needs_factor && change.factor)
    return Wrong(change.text, "takes no factor");
  change.pattern = pattern;
  return change;
}

}  // namespace

const std::vector<ChangeForm>& ChangeForms() {
  static const std::vector<ChangeForm> forms = {
      {"data_ready", "the data loader is never waited for"},
      {"no_sync", "no call waits for the device"},
      {"graph", "the launches of a step become one, as with CUDA graphs"},
      {"fuse_small[:GLOB]",
       "small kernels in a row become one; with GLOB, only those launched "
       "under ranges of that name"},
      {"tensor_cores[=FACTOR]",
       "matrix kernels that do not use tensor cores use them"},
      {"no_comm", "communication takes no time"},
      {"comm=FACTOR", "communication takes FACTOR of its time"},
      {"host=FACTOR", "host work takes FACTOR of its time"},
      {"kernel:GLOB=FACTOR", "kernels of that name take FACTOR of their time"},
      {"op:GLOB=FACTOR",
       "operators of that name, with what is inside them and the device work "
       "they launch, take FACTOR of their time; 0 removes them"},
      {"self:GLOB=FACTOR",
       "operators, functions and ranges of that name take FACTOR of the time "
       "that they take by themselves; events inside them stay as they are"}};
  return forms;
}

Result<Change> ParseChange(std::string_view text) {
  Change change;
  change.text = text;
  std::string_view name = text;
  if (const size_t equals = text.rfind('='); equals != text.npos) {
    change.factor = ParseFactor(text.substr(equals + 1));
    if (!change.factor) {
      return Wrong(text,
                   "the factor must be a number from 0 up; 0.5 is half "
                   "the time");
    }
    name = text.substr(0, equals);
  }
  if (const size_t colon = name.find(':'); colon != name.npos) {
    const std::string_view pattern = name.substr(colon + 1);
    const std::string_view what = name.substr(0, colon);
    if (what == "kernel" || what == "op" || what == "self") {
      change.kind = what == "op"     ? Kind::kOperator
                    : what == "self" ? Kind::kSelf
                                     : Kind::kKernel;
      return WithPattern(std::move(change), pattern, true);
    }
    if (what == "fuse_small") {
      change.kind = Kind::kFuseSmall;
      return WithPattern(std::move(change), pattern, false);
    }
  }
  for (const Named& named : kChangeNames) {
    if (named.name != name) continue;
    change.kind = named.kind;
    if (named.takes == Takes::kNothing && change.factor)
      return Wrong(text, "takes no factor");
    if (named.takes == Takes::kFactor && !change.factor) {
      return Wrong(text, "needs a factor: " + std::string(name) +
                             "=0.5 is half the time");
    }
    if (!change.factor) change.factor = named.factor;
    return change;
  }
  std::string known;
  for (const ChangeForm& form : ChangeForms())
    known += (known.empty() ? "" : ", ") + std::string(form.form);
  return Wrong(text, "unknown change; choose from " + known);
}

}  // namespace stepscope
