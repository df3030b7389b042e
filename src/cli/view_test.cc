// SPDX-License-Identifier: Apache-2.0
//
// `stepscope view` as a shell sees it: one line, an exit code.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

extern char** environ;

namespace stepscope {
namespace {

// A program whose standard output and error are pipes.
class Child {
 public:
  explicit Child(std::vector<std::string> arguments) {
    int in[2];
    int out[2];
    int err[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
        pipe2(err, O_CLOEXEC) != 0)
      abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    EXPECT_EQ(
        posix_spawn(&pid_, words[0], &actions, nullptr, words.data(), environ),
        0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    close(err[1]);
    in_ = in[1];
    out_ = out[0];
    err_ = err[0];
  }
  ~Child() {
    if (!waited_) {
      kill(pid_, SIGKILL);
      Wait();
    }
    CloseInput();
    close(out_);
    close(err_);
  }

  std::string OutLine() const { return Read(out_, true); }
  std::string ErrLine() const { return Read(err_, true); }
  std::string RestOfOut() const { return Read(out_, false); }
  void CloseInput() {
    if (in_ >= 0) close(in_);
    in_ = -1;
  }
  void Interrupt() const { kill(pid_, SIGINT); }
  // The exit code; negative: the signal that ended it.
  int Wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    waited_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  static std::string Read(int fd, bool line) {
    std::string text;
    char byte = 0;
    while (read(fd, &byte, 1) == 1) {
      text += byte;
      if (line && byte == '\n') break;
    }
    return text;
  }

  pid_t pid_ = 0;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
  bool waited_ = false;
};

class ViewTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name =
        (std::filesystem::temp_directory_path() / "stepscope_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Child View(std::vector<std::string> more) const {
    std::vector<std::string> words = {STEPSCOPE_PROGRAM, "view"};
    words.insert(words.end(), more.begin(), more.end());
    return Child(words);
  }

  std::string folder_;
};

#ifndef STEPSCOPE_LIVE
int PortOf(const std::string& url) {
  const std::string begin = "http://127.0.0.1:";
  return url.starts_with(begin) ? std::atoi(url.c_str() + begin.size()) : 0;
}

bool Connects(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connected =
      connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return connected;
}

TEST_F(ViewTest, PrintsTheAddressAtOnceAndEndsWhenInterrupted) {
  std::ofstream(folder_ + "/a.json")
      << R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,)"
      << R"("name":"a"}]})";
  Child view = View({folder_, "--port", "0"});
  const std::string url = view.OutLine();
  EXPECT_NE(url.find("/#token="), url.npos) << url;
  ASSERT_GT(PortOf(url), 0) << url;
  EXPECT_TRUE(Connects(PortOf(url)));
  view.Interrupt();
  EXPECT_EQ(view.RestOfOut(), "");
  EXPECT_EQ(view.Wait(), 0);
}

TEST_F(ViewTest, SaysThatTheFolderIsEmptyAndThatThePortIsTaken) {
  Child first = View({"--logdir", folder_, "--port", "0"});
  EXPECT_NE(first.ErrLine().find("there is no trace in this folder yet"),
            std::string::npos);
  const int port = PortOf(first.OutLine());
  ASSERT_GT(port, 0);
  Child second = View({folder_, "--port", std::to_string(port)});
  second.ErrLine();
  EXPECT_NE(second.ErrLine().find("port " + std::to_string(port) +
                                  " is taken, using "),
            std::string::npos);
  EXPECT_NE(PortOf(second.OutLine()), port);
}

TEST_F(ViewTest, EndsWithWhoStartedItIfAskedTo) {
  Child view = View({folder_, "--port", "0", "--end-with-stdin"});
  ASSERT_GT(PortOf(view.OutLine()), 0);
  view.CloseInput();
  EXPECT_EQ(view.Wait(), 0);
  Child other = View({folder_, "--port", "0"});
  const int port = PortOf(other.OutLine());
  other.CloseInput();
  EXPECT_TRUE(Connects(port));  // and goes on
  other.Interrupt();
  EXPECT_EQ(other.Wait(), 0);
}

TEST_F(ViewTest, FramersAndHostsAreCheckedAtTheStart) {
  EXPECT_EQ(View({folder_, "--frame-ancestors", "*"}).Wait(), 2);
  EXPECT_EQ(View({folder_, "--allow-host", "https://a"}).Wait(), 2);
  Child view = View({folder_, "--port", "0", "--frame-ancestors", "self",
                     "--frame-ancestors", "http://localhost:8888",
                     "--allow-host", "hub.example.com"});
  EXPECT_GT(PortOf(view.OutLine()), 0);
}

TEST_F(ViewTest, WarnsWhenOthersCanReachIt) {
  Child view = View({folder_, "--port", "0", "--host", "0.0.0.0"});
  view.ErrLine();
  EXPECT_NE(view.ErrLine().find("warning: other machines"), std::string::npos);
}
#endif

TEST_F(ViewTest, WrongArgumentsAreSaidInOneLine) {
  EXPECT_EQ(View({}).Wait(), 2);
  EXPECT_EQ(View({folder_ + "/gone"}).Wait(), 3);
  EXPECT_EQ(View({folder_, "--logdir", folder_}).Wait(), 2);
  EXPECT_EQ(View({folder_, "--port", "70000"}).Wait(), 2);
  Child limit = View({folder_, "--cache-limit", "much"});
  EXPECT_NE(limit.ErrLine().find("--cache-limit: much is not a size"),
            std::string::npos);
  EXPECT_EQ(limit.Wait(), 2);
  EXPECT_EQ(View({folder_, "--cache-limit", "0"}).Wait(), 2);
}

}  // namespace
}  // namespace stepscope
