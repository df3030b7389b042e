// SPDX-License-Identifier: Apache-2.0
#include "base/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace stepscope {
namespace {

class TerminalTest : public testing::Test {
 protected:
  TerminalTest() {
    unsetenv("COLUMNS");
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    winsize size = {};
    size.ws_row = 24;
    size.ws_col = 97;
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (grantpt(master_) == 0 && unlockpt(master_) == 0)
      terminal_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
    opened_ = ioctl(terminal_, TIOCSWINSZ, &size) == 0;
    EXPECT_EQ(pipe(pipe_), 0);
  }
  ~TerminalTest() override {
    for (const int fd : {master_, terminal_, pipe_[0], pipe_[1]}) close(fd);
  }
  void SetUp() override {
    if (!opened_) GTEST_SKIP() << "this machine has no pseudo-terminals";
  }

  bool opened_ = false;
  int master_ = -1;
  int terminal_ = -1;
  int pipe_[2] = {-1, -1};
};

TEST_F(TerminalTest, KnowsATerminalFromAPipe) {
  EXPECT_TRUE(IsTerminal(terminal_));
  EXPECT_FALSE(IsTerminal(pipe_[1]));
  EXPECT_FALSE(IsTerminal(-1));
}

TEST_F(TerminalTest, WidthOfEnvironmentTerminalAndNeither) {
  EXPECT_EQ(TerminalWidth(terminal_), 97u);
  EXPECT_EQ(TerminalWidth(pipe_[1]), 80u);
  setenv("COLUMNS", "132", 1);
  EXPECT_EQ(TerminalWidth(terminal_), 132u);
  setenv("COLUMNS", "3", 1);
  EXPECT_EQ(TerminalWidth(terminal_), 20u);
  for (const char* nonsense : {"", "wide", "-5", "80x", "99999999999999"}) {
    setenv("COLUMNS", nonsense, 1);
    EXPECT_EQ(TerminalWidth(terminal_), 97u) << nonsense;
  }
}

TEST_F(TerminalTest, ColourOnlyWhereItIsWelcome) {
  EXPECT_TRUE(ColourAllowed(terminal_));
  EXPECT_FALSE(ColourAllowed(pipe_[1]));
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(ColourAllowed(terminal_));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(ColourAllowed(terminal_));
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(ColourAllowed(terminal_));
  unsetenv("TERM");
  EXPECT_FALSE(ColourAllowed(terminal_));
}

}  // namespace
}  // namespace stepscope
