// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/usage.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <span>

#include "cli/frame/suggest.h"
#include "importers/input/input_source.h"

namespace stepscope {
namespace {

Error Usage(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

// A word, taken apart as the parser does it.
struct GivenWord {
  std::string text;                  // as given
  std::string name;                  // of an option, else empty
  std::optional<std::string> value;  // behind "=", or stuck to "-o"
};

GivenWord TakeApart(const std::string& text) {
  GivenWord word{text, "", std::nullopt};
  if (text.size() < 2 || text[0] != '-') return word;  // "-" is an operand
  if (text[1] != '-') {
    word.name = text.substr(0, 2);
    if (text.size() > 2) word.value = text.substr(2);
    return word;
  }
  const size_t equals = text.find('=');
  word.name = text.substr(0, equals);
  if (equals != text.npos) word.value = text.substr(equals + 1);
  return word;
}

bool IsNumber(const std::string& text, bool whole) {
  if (whole) {
    int value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() &&
           value >= 0;
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value) && value >= 0;
}

bool IsChoice(const Option& option, const std::string& value) {
  if (option.accepts) return option.accepts(value);
  return std::find(option.choices.begin(), option.choices.end(), value) !=
         option.choices.end();
}

// "a, b, c"
std::string Listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

// The nearest choice, if any, and always the whole list.
Error UnknownValue(const std::string& name, const std::string& value,
                   const std::vector<std::string>& choices) {
  const std::string nearest = NearestWord(value, choices);
  std::string message = name + ": unknown value \"" + value + "\"; ";
  if (!nearest.empty()) message += "did you mean \"" + nearest + "\"? ";
  return Usage(message + "choose from " + Listed(choices));
}

Status CheckChoice(const Option& option, const std::string& value) {
  if (IsChoice(option, value)) return Ok();
  return UnknownValue(option.name, value, option.choices);
}

Status CheckValue(const Option& option, const std::string& value) {
  switch (option.kind) {
    case ValueKind::kChoice:
      return CheckChoice(option, value);
    case ValueKind::kList:
      for (size_t at = 0; at <= value.size();) {
        const size_t comma = std::min(value.find(',', at), value.size());
        STEPSCOPE_TRY(CheckChoice(option, value.substr(at, comma - at)));
        at = comma + 1;
      }
      return Ok();
    case ValueKind::kCount:
    case ValueKind::kNumber: {
      const bool whole = option.kind == ValueKind::kCount;
      if (IsNumber(value, whole)) return Ok();
      return Usage(option.name + ": expected a " + (whole ? "whole " : "") +
                   "number of 0 or more, not \"" + value + "\"");
    }
    default:
      if (!value.empty()) return Ok();
      return Usage(option.name + ": expected " + option.value +
                   ", not an empty text");
  }
}

// Without their dashes, which every option has: they are no likeness.
std::vector<std::string> OptionNames(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options)
    names.push_back(option.name.substr(2));
  names.push_back("help");
  return names;
}

Error UnknownOption(const Command& command, const GivenWord& word) {
  std::string message = "unknown option \"" + word.name + "\"";
  const size_t begin = word.name.find_first_not_of('-');
  const std::string nearest =
      begin == word.name.npos
          ? ""
          : NearestWord(word.name.substr(begin), OptionNames(command));
  if (!nearest.empty())
    return Usage(message + "; did you mean \"--" + nearest + "\"?");
  return Usage(message + "; see stepscope " + command.name + " --help");
}

Status CheckOperand(const Operand& operand, const std::string& value) {
  if (operand.kind != ValueKind::kChoice) return Ok();
  for (const std::string& choice : operand.choices)
    if (choice == value) return Ok();
  return UnknownValue(operand.name, value, operand.choices);
}

// `words` from the one that is too much on.
Error TooMany(const Command& command, std::span<const std::string> words) {
  if (command.rest.empty())
    return Usage("unexpected argument \"" + words[0] + "\"; expected " +
                 Synopsis(command));
  std::string message =
      "put -- before the command: stepscope " + command.name + " --";
  for (const std::string& word : words) message += " " + word;
  return Usage(std::move(message));
}

}  // namespace

Status CheckWords(const Command& command,
                  const std::vector<std::string>& words) {
  size_t operands = 0;
  std::set<std::string> given;
  bool only_operands = false;  // after "--"
  for (size_t i = 0; i < words.size(); ++i) {
    const GivenWord word = TakeApart(words[i]);
    if (words[i] == "--" && !only_operands) {
      only_operands = true;
      continue;
    }
    if (word.name.empty() || only_operands) {
      const bool fits = operands < command.operands.size() ||
                        (operands > 0 && command.operands.back().many);
      if (!fits) return TooMany(command, std::span(words).subspan(i));
      const size_t place = std::min(operands, command.operands.size() - 1);
      STEPSCOPE_TRY(CheckOperand(command.operands[place], words[i]));
      ++operands;
      continue;
    }
    const Option* const option = FindOption(command, word.name);
    if (option == nullptr) return UnknownOption(command, word);
    if (option->value.empty()) {
      if (word.value)
        return Usage(option->name +
                     ": takes no value; leave out \"=" + *word.value + "\"");
      continue;
    }
    const bool may_repeat =
        std::holds_alternative<std::vector<std::string>*>(option->target);
    if (!given.insert(option->name).second && !may_repeat)
      return Usage(option->name + " is given twice; give it once");
    if (!word.value && i + 1 == words.size()) {
      return Usage(
          option->name + " needs a value; expected " +
          (option->choices.empty() ? option->value : OrList(option->choices)));
    }
    STEPSCOPE_TRY(CheckValue(*option, word.value ? *word.value : words[++i]));
  }
  if (operands < command.operands.size() &&
      !command.operands[operands].optional) {
    return Usage(command.operands[operands].name + " is required; expected " +
                 Synopsis(command));
  }
  for (const Option& option : command.options) {
    if (option.required && !given.contains(option.name))
      return Usage(option.name + " is required; expected " + Synopsis(command));
  }
  return Ok();
}

bool AsksForHelp(const Command& command,
                 const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") return false;
    if (words[i] == "--help" || words[i] == "-h") return true;
    const GivenWord word = TakeApart(words[i]);
    const Option* const option =
        word.name.empty() ? nullptr : FindOption(command, word.name);
    if (option != nullptr && !option->value.empty() && !word.value) ++i;
  }
  return false;
}

Status CheckStandardInputOnce(const std::vector<std::string>& inputs) {
  if (std::count_if(inputs.begin(), inputs.end(), IsStandardInput) < 2)
    return Ok();
  return Usage(
      "standard input is given twice and can be read only once; give a file "
      "for the other");
}

}  // namespace stepscope
