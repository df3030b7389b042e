// SPDX-License-Identifier: Apache-2.0
//
// The only file that includes CLI11, which costs seconds to compile.
#include "cli/frame/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace stepscope {
namespace {

struct Adder {
  CLI::App& app;
  const std::string& names;

  CLI::Option* operator()(std::monostate) const {
    return app.add_option(names);
  }
  CLI::Option* operator()(bool* target) const {
    return app.add_flag(names, *target);
  }
  // An option that may come several times, with one value each time.
  CLI::Option* operator()(std::vector<std::string>* target) const {
    CLI::Option* const added = app.add_option(names, *target);
    if (names.starts_with('-')) added->allow_extra_args(false);
    return added;
  }
  template <typename T>
  CLI::Option* operator()(T* target) const {
    return app.add_option(names, *target);
  }
};

}  // namespace

Status ParseWords(const Command& command,
                  const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();  // --help is ours
  for (const Operand& operand : command.operands)
    std::visit(Adder{app, operand.name}, operand.target)
        ->required(!operand.optional);
  for (const Option& option : command.options) {
    const std::string names = option.short_name.empty()
                                  ? option.name
                                  : option.short_name + "," + option.name;
    std::visit(Adder{app, names}, option.target)->required(option.required);
  }
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return Fail(ErrorCode::kInvalidArgument, std::string(error.what()) +
                                                 "; see stepscope " +
                                                 command.name + " --help");
  }
  return Ok();
}

}  // namespace stepscope
