// SPDX-License-Identifier: Apache-2.0
//
// The command line: finds the command, has its words checked and parsed, and
// runs it.
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cli/frame/commands.h"
#include "cli/frame/help.h"
#include "cli/frame/output.h"
#include "cli/frame/parse.h"
#include "cli/frame/stack_room.h"
#include "cli/frame/suggest.h"
#include "cli/frame/usage.h"

namespace stepscope {
namespace {

using Words = std::vector<std::string>;

// Takes "-- COMMAND..." off the end: what follows is not ours to understand.
void TakeCommand(Words& words, Words& command) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return;
  command.assign(dashes + 1, words.end());
  words.erase(dashes, words.end());
}

int UsageError(const std::string& message) {
  PrintError(message);
  return kExitUsage;
}

std::vector<std::string> Names(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

// What is asked of the program as a whole, before any command.
int AnswerWithoutCommand(const std::vector<Command>& commands,
                         const Words& words) {
  const std::string& word = words[0];
  if (word == "--help" || word == "-h")
    return WriteOutput(ProgramHelp(commands, StyleForOutput(STDOUT_FILENO)));
  if (word == "--version" || word == "-V")
    return WriteOutput("stepscope " STEPSCOPE_VERSION "\n");
  return UsageError("unknown option \"" + word +
                    "\"; the command comes first, see stepscope --help");
}

int Main(Words words) {
  Arguments arguments;
  const std::vector<Command> commands = MakeCommands(arguments);
  if (words.empty()) {
    const std::string help = FirstHelp(commands, StyleForOutput(STDERR_FILENO));
    (void)WriteAll(STDERR_FILENO, help, "standard error");
    return kExitUsage;
  }
  if (words[0] == "help") {  // help [COMMAND] is [COMMAND] --help
    words.erase(words.begin());
    words.insert(words.begin() + (words.empty() ? 0 : 1), "--help");
  }
  if (words[0].starts_with('-')) return AnswerWithoutCommand(commands, words);
  const Command* const command = FindCommand(commands, words[0]);
  if (command == nullptr)
    return UsageError(UnknownWord("command", words[0], Names(commands)));
  words.erase(words.begin());
  if (command->name == "run") TakeCommand(words, arguments.run.command);
  if (AsksForHelp(*command, words))
    return WriteOutput(CommandHelp(*command, StyleForOutput(STDOUT_FILENO)));
  Status status = CheckWords(*command, words);
  if (status) status = ParseWords(*command, words);
  if (!status) return UsageError(status.error().message);
  return command->run();
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  if (!stepscope::HasStackRoom()) return stepscope::RunWithoutStackRoom(argv);
  try {
    return stepscope::Main({argv + std::min(argc, 1), argv + argc});
  } catch (const std::exception& error) {
    // Memory, in practice: everything else is a Result.
    return stepscope::Complain(stepscope::kExitIo, error.what(),
                               "give the program more memory");
  }
}
