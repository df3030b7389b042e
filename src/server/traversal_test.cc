// SPDX-License-Identifier: Apache-2.0
//
// No target of a request and no id leads out of the folder. The corpus is
// first asked of servers that are wrong on purpose, and must find that out.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "server/http/engine.h"
#include "server/http/listen.h"
#include "server/http/work_pool.h"
#include "server/server_test_support.h"
#include "server/traversal_corpus.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSecret = "THE SECRET";

// What must never be in an answer: a file beside the folder, one of the system,
// one of this process.
bool Leaks(const std::string& answer) {
  return answer.find(kSecret) != answer.npos ||
         answer.find("root:x:0") != answer.npos ||
         answer.find("STEPSCOPE_TEST_LEAK=") != answer.npos;
}

const std::vector<std::string>& Corpus() {
  static const auto* const corpus = new std::vector<std::string>(
      TraversalCorpus({"secret.txt", "etc/passwd"}));
  return *corpus;
}

// A server of files as they are often written: a test of the text, then the
// path is put together and opened.
class NaiveServer {
 public:
  using Path = std::function<std::string(const Request&)>;
  NaiveServer(fs::path root, Path path)
      : engine_([root = std::move(root), path = std::move(path)](
                    const Request& request, Response& response) {
          std::ifstream file(root.string() + path(request), std::ios::binary);
          response.body.assign(std::istreambuf_iterator<char>(file), {});
          response.status = file ? 200 : 404;
        }),
        pool_(2, 64),
        loop_(
            [this](std::string head, std::string,
                   std::shared_ptr<Exchange> exchange) {
              pool_.Run([this, head = std::move(head), exchange] {
                engine_.Serve(head, {}, *exchange);
              });
            },
            Engine::Refusal, [](std::string_view) { return size_t{0}; }) {
    const auto socket = ListenOn("127.0.0.1", 0);
    EXPECT_TRUE(socket);
    port_ = socket->port;
    EXPECT_TRUE(loop_.Listen(socket->fd));
    thread_ = std::thread([this] { loop_.Run(); });
  }
  ~NaiveServer() {
    loop_.Stop();
    thread_.join();
  }
  int port() const { return port_; }

 private:
  Engine engine_;
  WorkPool pool_;
  ConnectionLoop loop_;
  std::thread thread_;
  int port_ = 0;
};

// Whether so many targets make a server leak.
bool IsFoundBy(size_t targets, int port) {
  for (const std::string& target : Corpus()) {
    targets -= Leaks(Ask(port, "GET " + target +
                                   " HTTP/1.1\r\nHost: localhost\r\n"
                                   "Connection: close\r\n\r\n"));
    if (targets == 0) return true;
  }
  return false;
}

class TraversalTest : public testing::Test {
 protected:
  TraversalTest() {
    folder_.Write("served/a.json", ChromeTrace(3));
    folder_.Write("secret.txt", std::string(kSecret));
  }
  fs::path served() const { return folder_.path() / "served"; }
  const TestFolder folder_;
};

TEST_F(TraversalTest, TheCorpusFindsServersThatAreWrong) {
  // cpp-httplib has decoded the path once.
  const NaiveServer trusting(
      served(), [](const Request& request) { return request.path; });
  EXPECT_TRUE(IsFoundBy(21, trusting.port()));
  // One that takes "../" out, once.
  const NaiveServer cleaning(served(), [](const Request& request) {
    std::string path = request.path;
    for (size_t at = 0; (at = path.find("../", at)) != path.npos;)
      path.erase(at, 3);
    return path;
  });
  EXPECT_TRUE(IsFoundBy(1, cleaning.port()));
  // One that looks for dots before it decodes a second time.
  const NaiveServer decoding(served(), [](const Request& request) {
    if (request.path.find("..") != std::string::npos) return std::string();
    std::string path;
    for (size_t i = 0; i < request.path.size(); ++i) {
      if (request.path[i] != '%') {
        path += request.path[i];
        continue;
      }
      path += static_cast<char>(
          std::strtol(request.path.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    }
    return path;
  });
  EXPECT_TRUE(IsFoundBy(1, decoding.port()));
}

TEST_F(TraversalTest, NoTargetLeadsOut) {
  ASSERT_GE(Corpus().size(), 10'000u);
  setenv("STEPSCOPE_TEST_LEAK", "1", 1);
  const TestServer server(served());
  for (const std::string& target : Corpus()) {
    const std::string answer =
        Ask(server.port(), server.Head("GET", target, "Connection: close\r\n"));
    ASSERT_NE(StatusOf(answer), 0) << target;
    ASSERT_FALSE(Leaks(answer)) << target;
    const std::string_view path =
        std::string_view(target).substr(0, target.find_first_of("?#"));
    // Only the page and the list of runs are there.
    const bool known = path == "/" || path == "/api/v1/runs";
    ASSERT_TRUE(known || StatusOf(answer) != 200) << target;
  }
}

TEST_F(TraversalTest, NoIdLeadsOut) {
  const TestServer server(served());
  ASSERT_EQ(Open(server, TextOf(server.Api("runs"), "t")), "ready");
  size_t asked = 0;
  for (const std::string& target : Corpus()) {
    if (target.size() > 200) continue;  // tried above
    std::string id;  // as a page would write it, and as it is
    for (const unsigned char c : target) {
      char byte[4];
      std::snprintf(byte, sizeof byte, "%%%02x", c);
      id += byte;
    }
    const bool encoded = ++asked % 2 == 0;
    const std::string answer =
        server.Api("open?t=" + (encoded ? id : target), "POST");
    ASSERT_TRUE(StatusOf(answer) == 404 || StatusOf(answer) == 400)
        << target << "\n"
        << answer;
    ASSERT_FALSE(Leaks(answer)) << target;
    if (asked % 16 == 0) {
      const std::string trace = server.Api("trace?t=" + id);
      ASSERT_EQ(StatusOf(trace), 409) << target << trace;
    }
  }
  EXPECT_GT(asked, 9'000u);
}

}  // namespace
}  // namespace stepscope::server
