// SPDX-License-Identifier: Apache-2.0
//
// The program on a terminal, which is a pseudo-terminal here.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/visible_text.h"
#include "importers/capture/capture_writer_test_support.h"
#include "importers/capture/sample_capture_test_support.h"

namespace stepscope {
namespace {

class CliTerminalTest : public testing::Test {
 protected:
  CliTerminalTest() {
    sample_ = folder_.Write("sample.sscap", capture::EndedSample().bytes);
  }

  struct Outcome {
    int code = -1;
    std::string text;  // standard output and error together
  };

  // Runs the program with all three streams on a terminal of that width.
  Outcome Run(std::vector<std::string> words,
              const std::vector<std::string>& environment = {},
              unsigned short width = 80) {
    Outcome outcome;
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
      return outcome;
    const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    winsize size = {};
    size.ws_row = 24;
    size.ws_col = width;
    ioctl(terminal, TIOCSWINSZ, &size);
    const pid_t child = fork();
    if (child == 0) Become(terminal, std::move(words), environment);
    close(terminal);  // the child's is the last: reading ends with it
    char buffer[4096];
    for (ssize_t got; (got = read(master, buffer, sizeof(buffer))) != 0;) {
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) break;  // EIO: nobody has it open any more
      outcome.text.append(buffer, static_cast<size_t>(got));
    }
    int status = 0;
    waitpid(child, &status, 0);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    close(master);
    return outcome;
  }

  [[noreturn]] static void Become(int terminal, std::vector<std::string> words,
                                  const std::vector<std::string>& environment) {
    for (int i = 0; i < 3; ++i) dup2(terminal, i);
    close(terminal);
    unsetenv("COLUMNS");
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    for (const std::string& variable : environment)
      putenv(const_cast<char*>(variable.c_str()));
    words.insert(words.begin(), STEPSCOPE_PROGRAM);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }

  static bool Has(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
  }
  // Slow work shows its progress, which clears a line; that is no colour.
  static bool HasColour(const std::string& text) {
    return std::regex_search(text, std::regex("\x1b\\[[0-9;]*m"));
  }
  static size_t LongestLine(const std::string& text) {
    size_t longest = 0;
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      while (line.ends_with('\r')) line.pop_back();
      longest = std::max(longest, DisplayWidth(line));
    }
    return longest;
  }

  capture::TempFolder folder_;
  std::string sample_;
};

TEST_F(CliTerminalTest, HelpIsAsWideAsTheTerminal) {
  const Outcome narrow = Run({"run", "--help"}, {"NO_COLOR=1"}, 60);
  if (narrow.code < 0) GTEST_SKIP() << "this machine has no pseudo-terminals";
  EXPECT_EQ(narrow.code, 0) << narrow.text;
  EXPECT_LE(LongestLine(narrow.text), 60u) << narrow.text;
  const Outcome wide = Run({"run", "--help"}, {"NO_COLOR=1"}, 200);
  EXPECT_GT(LongestLine(wide.text), 80u);
  EXPECT_LE(LongestLine(wide.text), 100u);
  EXPECT_LE(LongestLine(
                Run({"run", "--help"}, {"NO_COLOR=1", "COLUMNS=70"}, 200).text),
            70u);
}

TEST_F(CliTerminalTest, ColoursAreForTerminalsThatWantThem) {
  const Outcome plain = Run({"--help"}, {"NO_COLOR=1"});
  if (plain.code < 0) GTEST_SKIP() << "this machine has no pseudo-terminals";
  EXPECT_FALSE(Has(plain.text, "\x1b"));
  EXPECT_FALSE(Has(Run({"--help"}, {"TERM=dumb"}).text, "\x1b"));
  EXPECT_TRUE(Has(Run({"--help"}).text, "\x1b[1mRecord\x1b[0m"));
}

TEST_F(CliTerminalTest, BinaryIsNotWrittenToATerminal) {
  const Outcome text = Run({"convert", sample_, "-o", "-"});
  if (text.code < 0) GTEST_SKIP() << "this machine has no pseudo-terminals";
  EXPECT_EQ(text.code, 0) << text.text;
  EXPECT_TRUE(Has(text.text, "\"traceEvents\""));
  for (const std::string format : {"capture", "perfetto"}) {
    const Outcome binary = Run({"convert", sample_, "-o", "-", "--to", format});
    EXPECT_EQ(binary.code, 2);
    EXPECT_TRUE(Has(binary.text, format + " is binary, and standard output is "
                                          "a terminal"))
        << binary.text;
  }
}

// 30 kernels of a few microseconds with names as CUTLASS has them.
std::string ManyKernels() {
  std::string text = "{\"traceEvents\":[";
  for (int i = 0; i < 30; ++i) {
    const std::string ts = std::to_string(i * 10);
    text += (i > 0 ? "," : "") +
            std::string("{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"") +
            "_ZN7cutlass6KernelINS_4gemm6kernel4GemmILi" + std::to_string(i) +
            "ELi64EfNS_6layout8RowMajorENS4_11ColumnMajorENS4_11ColumnMajor" +
            "EEEEEvNT_6ParamsE\",\"pid\":0,\"tid\":7,\"ts\":" + ts +
            ",\"dur\":2.5,\"args\":{\"device\":0,\"stream\":7,"
            "\"correlation\":" +
            std::to_string(i + 1) + "}}";
  }
  return text + "]}";
}

#ifndef STEPSCOPE_LIVE
TEST_F(CliTerminalTest, TablesAreShortNarrowAndReadable) {
  const std::string path = folder_.Write("kernels.json", ManyKernels());
  const std::vector<std::string> words = {"summary", path, "--views", "kernel"};
  const Outcome outcome = Run(words, {"NO_COLOR=1"}, 100);
  if (outcome.code < 0) GTEST_SKIP() << "this machine has no pseudo-terminals";
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_TRUE(Has(outcome.text, "10 more rows; --top 0 shows all."))
      << outcome.text;
  EXPECT_TRUE(Has(outcome.text, "Time unit: us")) << outcome.text;
  EXPECT_TRUE(Has(outcome.text, "2.50")) << outcome.text;
  EXPECT_TRUE(Has(outcome.text, "Kernel<Gemm<")) << outcome.text;
  EXPECT_FALSE(Has(outcome.text, "_ZN7cutlass")) << outcome.text;
  EXPECT_FALSE(HasColour(outcome.text)) << outcome.text;
  std::vector<std::string> all = words;
  all.insert(all.end(), {"--top", "0", "--unit", "ms"});
  const Outcome whole = Run(all, {"NO_COLOR=1"}, 100);
  EXPECT_FALSE(Has(whole.text, "more rows")) << whole.text;
  EXPECT_TRUE(Has(whole.text, "Time unit: ms")) << whole.text;
  EXPECT_TRUE(Has(Run(words, {}, 100).text, "\x1b[1m---"));
}

TEST_F(CliTerminalTest, DataOnATerminalIsWhole) {
  const std::string path = folder_.Write("kernels.json", ManyKernels());
  const Outcome outcome = Run({"summary", path, "--format", "csv"});
  if (outcome.code < 0) GTEST_SKIP() << "this machine has no pseudo-terminals";
  EXPECT_TRUE(Has(outcome.text, "_ZN7cutlass6KernelINS_4gemm6kernel4GemmILi29"))
      << outcome.text;
}
#endif

}  // namespace
}  // namespace stepscope
