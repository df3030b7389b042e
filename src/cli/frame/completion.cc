// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/completion.h"

#include "cli/frame/commands.h"
#include "cli/frame/output.h"

namespace stepscope {
namespace {

constexpr const char* kHead =
    "# Completion of stepscope's commands, options and values; made by\n"
    "# `stepscope completion SHELL`.\n";

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> Names(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

// For within single quotes of sh; `also` are further characters that the
// shell's completion takes for its own.
std::string Escaped(const std::string& text, std::string_view also = "") {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (also.find(c) != also.npos) result += '\\';
    result += c;
  }
  return result;
}

std::string Quoted(const std::string& text, std::string_view also = "") {
  return "'" + Escaped(text, also) + "'";
}

// What to offer behind an option, as words.
const std::vector<std::string>& OfferedWords(const Option& option) {
  return option.kind == ValueKind::kText ? option.offers : option.choices;
}

// What bash offers behind an option; sets `values`, or the kind of files.
std::string BashValues(ValueKind kind,
                       const std::vector<std::string>& choices) {
  switch (kind) {
    case ValueKind::kText:
    case ValueKind::kChoice:
      return choices.empty() ? "any=1" : "values='" + Joined(choices) + "'";
    case ValueKind::kList:
      return "values='" + Joined(choices) + "' list=1";
    case ValueKind::kFile:
      return "files=-f";
    case ValueKind::kFolder:
      return "files=-d";
    default:
      return "any=1";
  }
}

}  // namespace

std::string BashCompletion(const std::vector<Command>& commands) {
  std::string options;
  std::string values;
  std::string operands;
  for (const Command& command : commands) {
    std::string names;
    for (const Option& option : command.options) {
      names += option.name + " ";
      if (!option.short_name.empty()) names += option.short_name + " ";
      if (option.value.empty()) continue;
      values += "    " + command.name + ':' + option.name;
      if (!option.short_name.empty())
        values += "|" + command.name + ":" + option.short_name;
      values += ") " + BashValues(option.kind, OfferedWords(option)) + " ;;\n";
    }
    options += "    " + command.name + ") options='" + names + "--help' ;;\n";
    if (command.operands.empty()) continue;
    const Operand& operand = command.operands.front();
    operands += "    " + command.name + ") " +
                BashValues(operand.kind, operand.choices) + " ;;\n";
  }
  return std::string(kHead) + R"(_stepscope() {
  local word=${COMP_WORDS[COMP_CWORD]} before= command=${COMP_WORDS[1]}
  local options= values= list= files= any= first= i
  (( COMP_CWORD > 0 )) && before=${COMP_WORDS[COMP_CWORD-1]}
  # --name=value comes as three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]] && (( COMP_CWORD > 1 )); then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=( $(compgen -W ')" +
         Joined(Names(commands)) + R"( --help --version' -- "$word") )
    return
  fi
  for (( i = 2; i < COMP_CWORD; ++i )); do
    [[ ${COMP_WORDS[i]} == -- ]] || continue
    # What follows is a command of its own.
    if (( i + 1 == COMP_CWORD )); then
      COMPREPLY=( $(compgen -c -- "$word") )
    else
      compopt -o filenames 2>/dev/null
      COMPREPLY=( $(compgen -f -- "$word") )
    fi
    return
  done
  case $command in
)" + options +
         R"(    *) return ;;
  esac
  case $command:$before in
)" + values +
         R"(    *)
      if [[ $word == -* ]]; then
        COMPREPLY=( $(compgen -W "$options" -- "$word") )
        return
      fi
      case $command in
)" + operands +
         R"(      *) values='--' ;;
      esac
      ;;
  esac
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=( $(compgen $files -- "$word") )
  elif [[ -n $list && $word == *,* ]]; then
    first=${word%,*},
    COMPREPLY=( $(compgen -P "$first" -W "$values" -- "${word##*,}") )
  elif [[ -z $any ]]; then
    COMPREPLY=( $(compgen -W "$values" -- "$word") )
  fi
}
complete -F _stepscope stepscope
)";
}

namespace {

// In an argument of _arguments, these have a meaning of their own.
constexpr std::string_view kZshSpecial = "[]:\\";

// ":FORMAT:(text json)", what zsh offers behind an option.
std::string ZshValue(const std::string& name, ValueKind kind,
                     const std::vector<std::string>& choices) {
  const std::string begin = ":" + name + ":";
  switch (kind) {
    case ValueKind::kText:
    case ValueKind::kChoice:
      return choices.empty()
                 ? begin + " "
                 : begin + "(" + Escaped(Joined(choices), kZshSpecial) + ")";
    case ValueKind::kList:
      return begin + "_values -s , " + name + " " + Joined(choices);
    case ValueKind::kFile:
      return begin + "_files";
    case ValueKind::kFolder:
      return begin + "_files -/";
    case ValueKind::kNone:
      return "";
    default:
      return begin + " ";
  }
}

void AddZshOption(const Option& option, const std::string& name,
                  std::string& text) {
  // The value's name may hold the same characters.
  std::string value;
  for (const char c : option.value)
    if (kZshSpecial.find(c) == kZshSpecial.npos) value += c;
  text += "        '" + name + (option.value.empty() ? "" : "=") + "[" +
          Escaped(option.meaning, kZshSpecial) + "]" +
          ZshValue(value, option.kind, OfferedWords(option)) + "' \\\n";
}

}  // namespace

std::string ZshCompletion(const std::vector<Command>& commands) {
  std::string names;
  std::string cases;
  for (const Command& command : commands) {
    names += "    " + Quoted(command.name + ":" + command.summary) + "\n";
    cases += "    " + command.name + ")\n      _arguments \\\n";
    for (const Option& option : command.options) {
      AddZshOption(option, option.name, cases);
      if (!option.short_name.empty())
        AddZshOption(option, option.short_name, cases);
    }
    cases += "        '--help[show this help]'";
    for (const Operand& operand : command.operands)
      cases += " \\\n        '" + std::string(operand.many ? "*" : "") +
               ZshValue(operand.name, operand.kind, operand.choices) + "'";
    if (!command.rest.empty()) cases += " \\\n        '*::command:_normal'";
    cases += "\n      ;;\n";
  }
  return "#compdef stepscope\n" + std::string(kHead) + R"(_stepscope() {
  local -a commands
  commands=(
)" + names +
         R"(  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
)" + cases +
         R"(  esac
}
if [[ $funcstack[1] == _stepscope ]]; then
  _stepscope "$@"
else
  compdef _stepscope stepscope
fi
)";
}

std::string FishCompletion(const std::vector<Command>& commands) {
  std::string text = kHead;
  text += "complete -c stepscope -f\n";
  const std::string none = "__fish_use_subcommand";
  for (const Command& command : commands) {
    text += "complete -c stepscope -n " + none + " -a " + command.name +
            " -d " + Quoted(command.summary, "\\") + "\n";
  }
  text += "complete -c stepscope -n " + none + " -s V -l version -d " +
          Quoted("show the version") + "\n";
  text += "complete -c stepscope -s h -l help -d " + Quoted("show help") + "\n";
  for (const Command& command : commands) {
    const std::string begin =
        "complete -c stepscope -n " +
        Quoted("__fish_seen_subcommand_from " + command.name);
    for (const Option& option : command.options) {
      text += begin + " -l " + option.name.substr(2);
      if (!option.short_name.empty())
        text += " -s " + option.short_name.substr(1);
      text += " -d " + Quoted(option.meaning, "\\");
      switch (option.kind) {
        case ValueKind::kNone:
          break;
        case ValueKind::kText:
        case ValueKind::kChoice:
          text += " -x";
          if (!OfferedWords(option).empty())
            text += " -a " + Quoted(Joined(OfferedWords(option)));
          break;
        case ValueKind::kList:
          text +=
              " -x -a " + Quoted("(__fish_complete_list , 'printf %s\\\\n " +
                                 Joined(option.choices) + "')");
          break;
        case ValueKind::kFile:
          text += " -r -F";
          break;
        case ValueKind::kFolder:
          text += " -x -a '(__fish_complete_directories)'";
          break;
        default:
          text += " -x";
      }
      text += "\n";
    }
    for (const Operand& operand : command.operands) {
      text += begin +
              (operand.kind == ValueKind::kChoice
                   ? " -a " + Quoted(Joined(operand.choices))
                   : std::string(" -F")) +
              "\n";
      break;  // the same for all places
    }
    if (!command.rest.empty())
      text += begin + " -a '(__fish_complete_subcommand --fcs-skip=2)'\n";
  }
  return text;
}

ExitCode RunCompletion(const CompletionArguments& arguments) {
  Arguments unused;
  const std::vector<Command> commands = MakeCommands(unused);
  if (arguments.shell == "bash") return WriteOutput(BashCompletion(commands));
  if (arguments.shell == "zsh") return WriteOutput(ZshCompletion(commands));
  return WriteOutput(FishCompletion(commands));
}

}  // namespace stepscope
