// SPDX-License-Identifier: Apache-2.0
//
// The scripts in the shells that they are for, where those are installed.
#include "cli/frame/completion.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "cli/frame/commands.h"

namespace stepscope {
namespace {

class CompletionTest : public testing::Test {
 protected:
  CompletionTest() {
    char name[] = "/tmp/stepscope_completion_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~CompletionTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    EXPECT_TRUE(ReplaceFile(path, text));
    return path;
  }
  static bool Has(const std::string& shell) {
    return std::system(("command -v " + shell + " >/dev/null 2>&1").c_str()) ==
           0;
  }

  // What bash offers for `words`, the last of which is being typed.
  std::string Offered(const std::string& words) {
    const std::string script = Write("bash", BashCompletion(commands_));
    const std::string out = folder_ + "/out";
    const std::string command =
        "cd " + folder_ + " && bash -c 'source " + script + " && COMP_WORDS=(" +
        words +
        ") && COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 )) && _stepscope && echo "
        "${COMPREPLY[*]}' > " +
        out + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::string text = *ReadFile(out);
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }

  Arguments arguments_;
  const std::vector<Command> commands_ = MakeCommands(arguments_);
  std::string folder_;
};

TEST_F(CompletionTest, BashOffersCommandsOptionsAndValues) {
  if (!Has("bash")) GTEST_SKIP() << "bash is not installed";
  EXPECT_EQ(Offered("stepscope su"), "summary");
  EXPECT_EQ(Offered("stepscope info --f"), "--format");
  EXPECT_EQ(Offered("stepscope info --format \"\""), "text json");
  EXPECT_EQ(Offered("stepscope info --format = j"), "json");
  EXPECT_EQ(Offered("stepscope summary --views kern"), "kernel");
  EXPECT_EQ(Offered("stepscope summary --views model,kern"), "model,kernel");
  EXPECT_EQ(Offered("stepscope completion \"\""), "bash zsh fish");
  EXPECT_EQ(Offered("stepscope summary x --unit \"\"").substr(0, 1), "s");
  EXPECT_EQ(Offered("stepscope run --start-after \"\""), "");
  EXPECT_EQ(Offered("stepscope whatif x --change g"), "graph");
  EXPECT_EQ(Offered("stepscope whatif x --change kern"), "kernel:");
  EXPECT_EQ(Offered("stepscope nonsense --f"), "");
}

TEST_F(CompletionTest, BashOffersFilesAndCommands) {
  if (!Has("bash")) GTEST_SKIP() << "bash is not installed";
  Write("trace_a.json", "");
  EXPECT_EQ(Offered("stepscope info trace_"), "trace_a.json");
  EXPECT_EQ(Offered("stepscope convert x -o trace_"), "trace_a.json");
  EXPECT_EQ(Offered("stepscope run -- bas").substr(0, 3), "bas");
  EXPECT_EQ(Offered("stepscope run -- bash trace_"), "trace_a.json");
}

TEST_F(CompletionTest, ShellsAcceptTheScripts) {
  const std::pair<std::string, std::string> scripts[] = {
      {"bash", BashCompletion(commands_)},
      {"zsh", ZshCompletion(commands_)},
      {"fish", FishCompletion(commands_)}};
  for (const auto& [shell, text] : scripts) {
    for (const Command& command : commands_) {
      EXPECT_NE(text.find(command.name), text.npos) << shell;
      for (const Option& option : command.options)
        EXPECT_NE(text.find(option.name.substr(2)), text.npos) << shell;
    }
    if (!Has(shell)) continue;
    const std::string path = Write("script." + shell, text);
    EXPECT_EQ(std::system((shell + " -n " + path).c_str()), 0) << shell;
  }
}

}  // namespace
}  // namespace stepscope
