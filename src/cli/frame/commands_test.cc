// SPDX-License-Identifier: Apache-2.0
//
// The declarations, and everything that is made from them.
#include "cli/frame/commands.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "base/file.h"
#include "base/visible_text.h"
#include "cli/frame/help.h"
#include "cli/frame/man_page.h"
#include "cli/frame/suggest.h"
#include "cli/frame/usage.h"
#include "cli/table_style.h"

namespace stepscope {
namespace {

class CommandsTest : public testing::Test {
 protected:
  std::string Check(const std::string& name,
                    const std::vector<std::string>& words) {
    const Status status = CheckWords(*FindCommand(commands_, name), words);
    return status ? "" : status.error().message;
  }

  Arguments arguments_;
  const std::vector<Command> commands_ = MakeCommands(arguments_);
};

TEST_F(CommandsTest, EachIsDeclaredInFull) {
  std::set<std::string> names;
  for (const Command& command : commands_) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.summary.empty()) << command.name;
    EXPECT_LE(command.summary.size(), 60u) << command.name;
    EXPECT_TRUE(command.description.ends_with('.')) << command.name;
    EXPECT_TRUE(command.run) << command.name;
    EXPECT_NE(command.example.find("stepscope " + command.name),
              std::string::npos)
        << command.example;
    std::set<std::string> options;
    for (const Option& option : command.options) {
      EXPECT_TRUE(option.name.starts_with("--")) << option.name;
      EXPECT_TRUE(options.insert(option.name).second) << option.name;
      EXPECT_FALSE(option.meaning.empty()) << option.name;
      EXPECT_FALSE(option.meaning.ends_with('.')) << option.name;
      EXPECT_NE(option.target.index(), 0u) << option.name;
      EXPECT_EQ(option.value.empty(), option.kind == ValueKind::kNone)
          << option.name;
      const bool chooses =
          option.kind == ValueKind::kChoice || option.kind == ValueKind::kList;
      EXPECT_EQ(option.choices.empty(), !chooses) << option.name;
      for (const std::string& choice : option.choices) {
        EXPECT_TRUE(!option.accepts || option.accepts(choice)) << choice;
      }
    }
  }
}

TEST_F(CommandsTest, HelpFitsEightyColumnsAndHasAnExample) {
  for (const Command& command : commands_) {
    const std::string help = CommandHelp(command, HelpStyle());
    std::stringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(DisplayWidth(line), 80u) << line;
    }
    EXPECT_NE(help.find("Example: "), help.npos) << help;
    for (const Option& option : command.options)
      EXPECT_NE(help.find(option.name), help.npos) << option.name;
  }
  for (const std::string& help : {ProgramHelp(commands_, HelpStyle()),
                                  FirstHelp(commands_, HelpStyle())}) {
    for (const Command& command : commands_)
      EXPECT_NE(help.find(command.name), help.npos) << command.name;
    EXPECT_NE(help.find("stepscope run -- python train.py"), help.npos);
    EXPECT_EQ(help.find('\x1b'), help.npos);
  }
}

TEST(WrapTextTest, BreaksAtBlanks) {
  EXPECT_EQ(WrapText("one two three four five six", 2, 24),
            "one two three four\n  five six");
  EXPECT_EQ(WrapText("", 2, 24), "");
  EXPECT_EQ(WrapText(std::string(50, 'x') + " y", 0, 24),
            std::string(50, 'x') + "\ny");
}

TEST(SuggestTest, CountsEdits) {
  EXPECT_EQ(EditDistance("summary", "sumary"), 1u);
  EXPECT_EQ(EditDistance("format", "fromat"), 1u);  // swapped
  EXPECT_EQ(EditDistance("GPUTotal", "gputotal"), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(SuggestTest, SaysNothingWhereNothingIsNear) {
  const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  EXPECT_EQ(NearestWord("tcsh", shells), "");
  EXPECT_EQ(NearestWord("bsah", shells), "bash");
  EXPECT_EQ(NearestWord("powershell", shells), "");
  EXPECT_EQ(NearestWord("", shells), "");
  EXPECT_EQ(NearestWord(std::string(10000, 'b'), shells), "");
  EXPECT_EQ(NearestWord("mem", {"model", "memory_life"}), "memory_life");
}

TEST_F(CommandsTest, UsageErrorsNameTheWordAndTheRightOne) {
  EXPECT_EQ(Check("info", {"a.json"}), "");
  EXPECT_EQ(Check("info", {"-"}), "");
  EXPECT_EQ(Check("info", {"--", "--odd-name"}), "");
  EXPECT_EQ(Check("info", {"--fromat", "json", "a"}),
            "unknown option \"--fromat\"; did you mean \"--format\"?");
  EXPECT_EQ(Check("info", {"a", "--xyz=1"}),
            "unknown option \"--xyz\"; see stepscope info --help");
  EXPECT_EQ(Check("info", {"a", "b"}),
            "unexpected argument \"b\"; expected stepscope info TRACE "
            "[options]");
  EXPECT_EQ(Check("info", {}),
            "TRACE is required; expected stepscope info TRACE [options]");
  EXPECT_EQ(Check("info", {"a", "--format=jsn"}),
            "--format: unknown value \"jsn\"; did you mean \"json\"? choose "
            "from text, json");
  EXPECT_EQ(Check("info", {"a", "--format"}),
            "--format needs a value; expected text or json");
  EXPECT_EQ(Check("info", {"a", "--format", "json", "--format=text"}),
            "--format is given twice; give it once");
  EXPECT_EQ(Check("run", {"--quiet", "ls", "-l"}),
            "put -- before the command: stepscope run -- ls -l");
  EXPECT_EQ(Check("run", {"--quiet=yes"}),
            "--quiet: takes no value; leave out \"=yes\"");
  EXPECT_EQ(Check("compare", {"a", "b", "--fail-if-slower", "much"}),
            "--fail-if-slower: expected a number of 0 or more, not \"much\"");
  EXPECT_EQ(Check("convert", {"a", "b", "-ox.json"}), "");
  EXPECT_EQ(Check("convert", {"a"}),
            "--output is required; expected stepscope convert IN... -o FILE "
            "[options]");
  EXPECT_EQ(Check("summary", {"a", "--views", "DeviceView,memory-life"}), "");
  EXPECT_TRUE(Check("summary", {"a", "--views", "model,kernal"})
                  .starts_with("--views: unknown value \"kernal\"; did you "
                               "mean \"kernel\"? choose from "));
}

TEST_F(CommandsTest, StandardInputIsReadOnce) {
  EXPECT_TRUE(CheckStandardInputOnce({"-", "a"}));
  const Status twice = CheckStandardInputOnce({"-", "a", "/dev/stdin"});
  ASSERT_FALSE(twice);
  EXPECT_TRUE(
      twice.error().message.starts_with("standard input is given twice"));
}

TEST_F(CommandsTest, HelpIsAskedForWhereItIsNoValue) {
  const Command& info = *FindCommand(commands_, "info");
  EXPECT_TRUE(AsksForHelp(info, {"a", "--help"}));
  EXPECT_TRUE(AsksForHelp(info, {"-h"}));
  EXPECT_FALSE(AsksForHelp(info, {"--format", "--help"}));
  EXPECT_FALSE(AsksForHelp(info, {"--", "--help"}));
}

TEST(WithBoldTitlesTest, MarksTitlesAlone) {
  EXPECT_EQ(WithBoldTitles("--Kernel Summary--\n----  ---  \na-b  c-\n-----\n"),
            "\x1b[1m--Kernel Summary--\x1b[0m\n----  ---  \na-b  c-\n-----\n");
  EXPECT_EQ(WithBoldTitles(""), "");
  EXPECT_EQ(WithBoldTitles("no newline"), "no newline");
}

// Reads the file of the repository; writes it instead if asked to.
void ExpectInRepository(const std::string& path, const std::string& want) {
  const std::string full = std::string(STEPSCOPE_SOURCE_DIR) + "/" + path;
  const char* const update = std::getenv("STEPSCOPE_UPDATE_DOCS");
  if (update != nullptr && std::string(update) == "1") {
    ASSERT_TRUE(ReplaceFile(full, want)) << full;
    return;
  }
  const Result<std::string> got = ReadFile(full);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, want) << path
                        << " is stale: run this test with "
                           "STEPSCOPE_UPDATE_DOCS=1";
}

TEST_F(CommandsTest, ManualPageIsUpToDate) {
  const std::string page = ManPage(commands_);
  for (const Command& command : commands_)
    EXPECT_NE(page.find(".SS \"stepscope " + command.name), page.npos);
  ExpectInRepository("docs/man/stepscope.1", page);
}

TEST_F(CommandsTest, GuideIsUpToDate) {
  const std::string path = "docs/guide/cli.md";
  const Result<std::string> guide =
      ReadFile(std::string(STEPSCOPE_SOURCE_DIR) + "/" + path);
  ASSERT_TRUE(guide) << guide.error().message;
  for (const Command& command : commands_)
    EXPECT_NE(guide->find("<!-- options: " + command.name + " -->"),
              guide->npos)
        << command.name << " is not in " << path;
  ExpectInRepository(path, FillGuide(commands_, *guide));
  // The comparison sees a planted difference.
  std::string stale = FillGuide(commands_, *guide);
  stale.replace(stale.find("how to print"), 3, "HOW");
  EXPECT_NE(FillGuide(commands_, stale), stale);
}

}  // namespace
}  // namespace stepscope
