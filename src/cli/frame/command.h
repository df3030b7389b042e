// SPDX-License-Identifier: Apache-2.0
//
// What a command of the program is: its name, its arguments and what they mean.
// Declared once (commands.cc); the parser, --help, usage errors, completion,
// the manual page and docs/guide/cli.md are all made from this.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stepscope {

// What a value is, for checks and for completion.
enum class ValueKind {
  kNone,    // a flag
  kText,    // anything
  kCount,   // a whole number, 0 or more
  kNumber,  // 0 or more
  kFile,
  kFolder,
  kChoice,  // one of `choices`
  kList,    // some of `choices`, separated by commas
};

// Where the parser puts a value. Nothing: the program takes it by other means.
using Target = std::variant<std::monostate, bool*, int*, double*, std::string*,
                            std::vector<std::string>*>;

// An argument that is given by its place: TRACE.
struct Operand {
  std::string name;
  std::string meaning;
  ValueKind kind = ValueKind::kFile;
  Target target = {};
  std::vector<std::string> choices = {};
  bool many = false;      // one or more
  bool optional = false;  // only the last may be
};

// An argument that is given by its name: --format json, or -o FILE.
struct Option {
  std::string name;             // "--format"
  std::string short_name = {};  // "-o"
  std::string value = {};       // "FORMAT"; empty: a flag
  ValueKind kind = ValueKind::kNone;
  std::string meaning;        // a phrase, without its default and its choices
  std::string fallback = {};  // the default, as people read it
  std::vector<std::string> choices = {};
  // Whether a value is one of the choices, where these have other spellings.
  std::function<bool(const std::string&)> accepts = {};
  // Of kText: what completion offers, though any text will do.
  std::vector<std::string> offers = {};
  std::string group = "Options";  // the heading under which it stands
  bool required = false;
  Target target = {};
};

struct Command {
  std::string name;
  std::string group;    // the heading under which it stands
  std::string summary;  // a line, for lists of commands
  std::string description;
  std::vector<Operand> operands = {};
  std::string rest = {};  // what follows everything else: "-- COMMAND"
  std::vector<Option> options = {};
  std::string more = {};  // lines below the options, kept as they are
  std::string example_title;
  std::string example;
  std::function<int()> run = {};  // after parsing; returns the exit code
};

// Null: there is none of that name. An option is found by either name.
const Command* FindCommand(const std::vector<Command>& commands,
                           std::string_view name);
const Option* FindOption(const Command& command, std::string_view name);

// "stepscope summary TRACE [options]"
std::string Synopsis(const Command& command);
// "-o, --output FILE"
std::string Spelling(const Option& option);
// The meaning with choices and default: what a reader needs to know.
std::string FullMeaning(const Option& option);
// "a, b or c"
std::string OrList(const std::vector<std::string>& words);

}  // namespace stepscope
