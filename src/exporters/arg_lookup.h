// SPDX-License-Identifier: Apache-2.0
//
// The arguments of one event by key.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

class ArgLookup {
 public:
  ArgLookup(const Trace& trace, Row row)
      : trace_(trace), args_(trace.args_of(row)) {}

  const Arg* Find(std::string_view key) const {
    for (const Arg& arg : args_)
      if (trace_.str(arg.key) == key) return &arg;
    return nullptr;
  }
  std::optional<int64_t> Int(std::string_view key) const {
    const Arg* const arg = Find(key);
    if (arg == nullptr) return std::nullopt;
    if (arg->kind == ArgKind::kInt) return arg->int_value;
    if (arg->kind == ArgKind::kDouble && arg->double_value >= -9e18 &&
        arg->double_value <= 9e18)
      return static_cast<int64_t>(arg->double_value);
    return std::nullopt;
  }
  std::optional<double> Double(std::string_view key) const {
    const Arg* const arg = Find(key);
    if (arg == nullptr) return std::nullopt;
    if (arg->kind == ArgKind::kDouble) return arg->double_value;
    if (arg->kind == ArgKind::kInt) return static_cast<double>(arg->int_value);
    return std::nullopt;
  }
  // "" where there is none, or it is no text.
  std::string_view Text(std::string_view key) const {
    const Arg* const arg = Find(key);
    const bool text = arg != nullptr && (arg->kind == ArgKind::kText ||
                                         arg->kind == ArgKind::kJson);
    return text ? trace_.str(arg->text) : std::string_view();
  }
  std::span<const int64_t> List(std::string_view key) const {
    const Arg* const arg = Find(key);
    if (arg == nullptr || arg->kind != ArgKind::kIntList) return {};
    return {trace_.arg_ints().data() + arg->list_first, arg->list_count};
  }

 private:
  const Trace& trace_;
  std::span<const Arg> args_;
};

}  // namespace stepscope
