// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/help.h"

#include <algorithm>

#include "base/terminal.h"
#include "base/visible_text.h"

namespace stepscope {
namespace {

constexpr size_t kWidestText = 100;  // longer lines are hard to read
constexpr size_t kTermIndent = 2;
constexpr size_t kWidestTerm = 24;  // longer ones stand on a line of their own

constexpr const char* kFirstExample = "stepscope run -- python train.py";
constexpr const char* kNextExample = "stepscope summary";

class Page {
 public:
  explicit Page(const HelpStyle& style) : style_(style) {}

  void Line(const std::string& text) { text_ += text + "\n"; }
  void Heading(const std::string& text) {
    Line("");
    Line(style_.colour ? "\x1b[1m" + text + "\x1b[0m" : text);
  }
  void Paragraph(const std::string& text) {
    Line(WrapText(text, 0, style_.width));
  }
  // A term and what it means beside it.
  void Entry(const std::string& term, const std::string& meaning,
             size_t column) {
    text_ += std::string(kTermIndent, ' ') + term;
    const size_t used = kTermIndent + DisplayWidth(term);
    if (used + 2 > column) {
      text_ += "\n" + std::string(column, ' ');
    } else {
      text_.append(column - used, ' ');
    }
    Line(WrapText(meaning, column, style_.width));
  }
  std::string Take() { return std::move(text_); }

 private:
  const HelpStyle style_;
  std::string text_;
};

struct Term {
  std::string term;
  std::string meaning;
};

size_t ColumnFor(const std::vector<Term>& terms) {
  size_t widest = 0;
  for (const Term& term : terms) {
    const size_t width = DisplayWidth(term.term);
    if (width <= kWidestTerm) widest = std::max(widest, width);
  }
  return kTermIndent + widest + 2;
}

// Groups in the order in which they first appear.
template <typename T>
std::vector<std::string> GroupsOf(const std::vector<T>& items) {
  std::vector<std::string> groups;
  for (const T& item : items)
    if (std::find(groups.begin(), groups.end(), item.group) == groups.end())
      groups.push_back(item.group);
  return groups;
}

void AddCommands(const std::vector<Command>& commands, Page& page) {
  std::vector<Term> all;
  for (const Command& command : commands)
    all.push_back({command.name, command.summary});
  const size_t column = ColumnFor(all);
  for (const std::string& group : GroupsOf(commands)) {
    page.Heading(group);
    for (const Command& command : commands)
      if (command.group == group)
        page.Entry(command.name, command.summary, column);
  }
}

}  // namespace

HelpStyle StyleForOutput(int fd) {
  HelpStyle style;
  if (!IsTerminal(fd)) return style;
  style.width = std::min(TerminalWidth(fd), kWidestText);
  style.colour = ColourAllowed(fd);
  return style;
}

std::string WrapText(const std::string& text, size_t indent, size_t width) {
  const size_t room = width > indent + 20 ? width - indent : 20;
  std::string result;
  size_t used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const size_t columns = DisplayWidth(word);
    if (used > 0 && used + 1 + columns > room) {
      result += "\n" + std::string(indent, ' ');
      used = 0;
    } else if (used > 0) {
      result += ' ';
      ++used;
    }
    result += word;
    used += columns;
    at = end + 1;
  }
  return result;
}

std::string FirstHelp(const std::vector<Command>& commands,
                      const HelpStyle& style) {
  Page page(style);
  page.Line("stepscope shows where the time of a deep-learning program goes.");
  page.Line("");
  page.Line("  " + std::string(kFirstExample) + "  record a program");
  page.Line("  " + std::string(kNextExample) +
            "                 see where its time went");
  page.Line("");
  std::string names;
  for (const Command& command : commands)
    names += (names.empty() ? "" : ", ") + command.name;
  page.Paragraph("Commands: " + names + ".");
  page.Paragraph("See stepscope --help, and stepscope COMMAND --help.");
  return page.Take();
}

std::string ProgramHelp(const std::vector<Command>& commands,
                        const HelpStyle& style) {
  Page page(style);
  page.Line("stepscope - where the time of a deep-learning program goes");
  page.Line("");
  page.Line("usage: stepscope COMMAND [options]");
  AddCommands(commands, page);
  page.Heading("Options");
  page.Entry("-h, --help", "show this help, or that of a command", 17);
  page.Entry("-V, --version", "show the version", 17);
  page.Heading("Example: record a program, then see where its time went");
  page.Line("  " + std::string(kFirstExample));
  page.Line("  " + std::string(kNextExample));
  page.Line("");
  page.Paragraph(
      "stepscope COMMAND --help says more about a command and has an example.");
  return page.Take();
}

std::string CommandHelp(const Command& command, const HelpStyle& style) {
  Page page(style);
  page.Line("usage: " + Synopsis(command));
  page.Line("");
  page.Paragraph(command.description);
  std::vector<Term> terms;
  for (const Operand& operand : command.operands)
    terms.push_back({operand.name, operand.meaning});
  std::vector<Term> options;
  for (const Option& option : command.options)
    options.push_back({Spelling(option), FullMeaning(option)});
  std::vector<Term> all = terms;
  all.insert(all.end(), options.begin(), options.end());
  all.push_back({"-h, --help", ""});
  const size_t column = ColumnFor(all);
  if (!terms.empty()) page.Line("");
  for (const Term& term : terms) page.Entry(term.term, term.meaning, column);
  std::vector<std::string> groups = GroupsOf(command.options);
  if (groups.empty()) groups.push_back("Options");
  for (const std::string& group : groups) {
    page.Heading(group);
    for (size_t i = 0; i < command.options.size(); ++i)
      if (command.options[i].group == group)
        page.Entry(options[i].term, options[i].meaning, column);
    if (group == groups.back())
      page.Entry("-h, --help", "show this help", column);
  }
  if (!command.more.empty()) {
    page.Line("");
    page.Line(command.more);
  }
  page.Heading("Example: " + command.example_title);
  page.Line("  " + command.example);
  return page.Take();
}

}  // namespace stepscope
