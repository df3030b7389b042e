// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/man_page.h"

#include "cli/frame/exit_code.h"

namespace stepscope {
namespace {

// Text for roff: a backslash and a minus have a meaning, and so has a dot or
// an apostrophe at the beginning of a line.
std::string Roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool begins = result.empty() || result.back() == '\n';
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::string Bold(const std::string& text) {
  return "\\fB" + Roff(text) + "\\fR";
}

class Manual {
 public:
  void Section(const std::string& name) { text_ += ".SH " + name + "\n"; }
  void Part(const std::string& name) {
    text_ += ".SS \"" + Roff(name) + "\"\n";
  }
  void Text(const std::string& text) { text_ += Roff(text) + "\n"; }
  void Paragraph() { text_ += ".PP\n"; }
  void Entry(const std::string& term, const std::string& meaning) {
    text_ += ".TP\n" + term + "\n" + Roff(meaning) + "\n";
  }
  void Lines(const std::string& lines) {
    text_ += ".PP\n.nf\n" + Roff(lines) + "\n.fi\n";
  }
  std::string text_;
};

void AddCommand(const Command& command, Manual& manual) {
  manual.Part(Synopsis(command));
  manual.Text(command.description);
  for (const Operand& operand : command.operands)
    manual.Entry("\\fI" + Roff(operand.name) + "\\fR", operand.meaning);
  for (const Option& option : command.options) {
    std::string term = Bold(option.name);
    if (!option.short_name.empty())
      term = Bold(option.short_name) + ", " + term;
    if (!option.value.empty()) term += " \\fI" + Roff(option.value) + "\\fR";
    manual.Entry(term, FullMeaning(option));
  }
  if (!command.more.empty()) manual.Lines(command.more);
  manual.Paragraph();
  manual.Text("Example: " + command.example_title);
  manual.Lines("    " + command.example);
}

std::string Markdown(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<') result += '\\';
    result += c;
  }
  return result;
}

std::string OptionTable(const Command& command) {
  std::string text = "```\n" + Synopsis(command) + "\n```\n\n";
  if (command.operands.empty() && command.options.empty()) return text;
  text += "| argument | meaning |\n|---|---|\n";
  for (const Operand& operand : command.operands)
    text += "| `" + operand.name + "` | " + Markdown(operand.meaning) + " |\n";
  for (const Option& option : command.options)
    text += "| `" + Spelling(option) + "` | " + Markdown(FullMeaning(option)) +
            " |\n";
  return text;
}

// What belongs between a marker and its end; false: no marker of ours.
bool Generated(const std::vector<Command>& commands, const std::string& marker,
               std::string& text) {
  if (marker == "commands") {
    text = "| command | |\n|---|---|\n";
    for (const Command& command : commands)
      text += "| [`" + command.name + "`](#" + command.name + ") | " +
              Markdown(command.summary) + " |\n";
    return true;
  }
  if (marker == "exit codes") {
    text = "| code | meaning |\n|---|---|\n";
    for (const ExitMeaning& exit : kExitMeanings)
      text += "| " + std::to_string(exit.code) + " | " +
              Markdown(std::string(exit.meaning)) + " |\n";
    return true;
  }
  const std::string options = "options: ";
  if (!marker.starts_with(options)) return false;
  const Command* const command =
      FindCommand(commands, marker.substr(options.size()));
  if (command == nullptr) return false;
  text = OptionTable(*command);
  return true;
}

}  // namespace

std::string ManPage(const std::vector<Command>& commands) {
  Manual manual;
  manual.text_ =
      ".\\\" Made from the declarations in src/cli/frame/commands.cc.\n"
      ".TH STEPSCOPE 1\n";
  manual.Section("NAME");
  manual.Text("stepscope - where the time of a deep-learning program goes");
  manual.Section("SYNOPSIS");
  manual.text_ += ".B stepscope\n\\fICOMMAND\\fR [\\fIoptions\\fR]\n";
  manual.Section("DESCRIPTION");
  manual.Text(
      "stepscope records what a deep-learning program does on the host and on "
      "the GPU, and shows where the time goes. It reads the traces of other "
      "profilers as well: a file's format is detected from its content.");
  manual.Paragraph();
  manual.Text(
      "On a terminal, tables show their first rows and shortened names, "
      "and say so. Written to a file or a pipe, they are whole.");
  manual.Section("COMMANDS");
  for (const Command& command : commands) AddCommand(command, manual);
  manual.Section("OPTIONS");
  manual.Entry(Bold("-h") + ", " + Bold("--help"),
               "show help, of the program or of a command");
  manual.Entry(Bold("-V") + ", " + Bold("--version"), "show the version");
  manual.Section("EXIT STATUS");
  for (const ExitMeaning& exit : kExitMeanings)
    manual.Entry(Bold(std::to_string(exit.code)), std::string(exit.meaning));
  manual.Paragraph();
  manual.Text("stepscope run ends with the exit code of its command.");
  manual.Section("ENVIRONMENT");
  manual.Entry(Bold("COLUMNS"), "width of the output on a terminal");
  manual.Entry(Bold("NO_COLOR"), "if not empty: no colours");
  return manual.text_;
}

std::string FillGuide(const std::vector<Command>& commands,
                      const std::string& guide) {
  std::string result;
  for (size_t at = 0; at < guide.size();) {
    const size_t end = std::min(guide.find('\n', at), guide.size());
    const std::string line = guide.substr(at, end - at);
    result += line + "\n";
    at = end + 1;
    if (!line.starts_with("<!-- ") || !line.ends_with(" -->")) continue;
    std::string text;
    if (!Generated(commands, line.substr(5, line.size() - 9), text)) continue;
    const size_t stop = guide.find("<!-- end -->", at);
    if (stop == guide.npos) continue;
    result += text;
    at = stop;
  }
  return result;
}

}  // namespace stepscope
