// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/command.h"

namespace stepscope {

const Command* FindCommand(const std::vector<Command>& commands,
                           std::string_view name) {
  for (const Command& command : commands)
    if (command.name == name) return &command;
  return nullptr;
}

const Option* FindOption(const Command& command, std::string_view name) {
  for (const Option& option : command.options)
    if (option.name == name ||
        (!option.short_name.empty() && option.short_name == name))
      return &option;
  return nullptr;
}

std::string Synopsis(const Command& command) {
  std::string text = "stepscope " + command.name;
  for (const Operand& operand : command.operands)
    text += (operand.optional ? " [" : " ") + operand.name +
            (operand.many ? "..." : "") + (operand.optional ? "]" : "");
  bool any = false;
  for (const Option& option : command.options) {
    if (!option.required) {
      any = true;
      continue;
    }
    text += " " +
            (option.short_name.empty() ? option.name : option.short_name) +
            " " + option.value;
  }
  if (any) text += " [options]";
  if (!command.rest.empty()) text += " " + command.rest;
  return text;
}

std::string Spelling(const Option& option) {
  std::string text = option.short_name.empty()
                         ? option.name
                         : option.short_name + ", " + option.name;
  if (!option.value.empty()) text += " " + option.value;
  return text;
}

std::string FullMeaning(const Option& option) {
  std::string text = option.meaning;
  if (!option.choices.empty()) text += ": " + OrList(option.choices);
  if (!option.fallback.empty()) text += " (default: " + option.fallback + ")";
  return text;
}

std::string OrList(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace stepscope
