// SPDX-License-Identifier: Apache-2.0
//
// For tests and benchmarks: a folder that is gone afterwards, a server on a
// thread, and a client that sends whatever bytes.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "server/server.h"

namespace stepscope::server {

class TestFolder {
 public:
  TestFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "stepscope_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  void Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }

 private:
  std::filesystem::path path_;
};

// A small trace in Chrome's format, with `events` of the name.
inline std::string ChromeTrace(int events, const std::string& name = "work") {
  std::string json = "{\"traceEvents\":[";
  for (int i = 0; i < events; ++i) {
    if (i > 0) json += ",";
    json +=
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":" + std::to_string(i * 10) +
        ",\"dur\":5,\"cat\":\"cpu_op\",\"name\":\"" + name + "\"}";
  }
  return json + "]}";
}

class TestServer {
 public:
  explicit TestServer(ServerOptions options) {
    options.port = 0;
    auto started = Server::Start(options);
    if (!started) {
      std::fprintf(stderr, "%s\n", started.error().message.c_str());
      std::abort();
    }
    server_ = *std::move(started);
    thread_ = std::thread([this] { server_->Run(); });
  }
  explicit TestServer(const std::filesystem::path& path)
      : TestServer(ServerOptions{.path = path.string()}) {}
  ~TestServer() {
    server_->Stop();
    thread_.join();
  }
  Server& operator*() { return *server_; }
  int port() const { return server_->port(); }
  const std::string& token() const { return server_->token(); }

  // A whole head with the right host and token.
  std::string Head(const std::string& method, const std::string& target,
                   const std::string& more = "") const {
    return method + " " + target +
           " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port()) +
           "\r\nAuthorization: Bearer " + token() + "\r\n" + more + "\r\n";
  }
  std::string Api(const std::string& request,
                  const std::string& method = "GET") const;

 private:
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

class RawClient {
 public:
  explicit RawClient(int port) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address),
                         sizeof address) == 0;
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  // Whether the server has neither answered nor closed.
  bool WaitsForMore() const {
    char byte = 0;
    return recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  void EndSending() const { shutdown(fd_, SHUT_WR); }
  // All that comes until the server closes.
  std::string ReadAll() const {
    std::string all;
    char bytes[4096];
    for (ssize_t got; (got = recv(fd_, bytes, sizeof bytes, 0)) > 0;)
      all.append(bytes, static_cast<size_t>(got));
    return all;
  }
  // One answer with a Content-Length, head and body.
  std::string ReadAnswer() const {
    std::string all;
    char byte = 0;
    while (!all.ends_with("\r\n\r\n")) {
      if (recv(fd_, &byte, 1, 0) != 1) return all;
      all += byte;
    }
    const size_t at = all.find("Content-Length: ");
    if (at == all.npos) return all;
    size_t left = std::strtoull(all.c_str() + at + 16, nullptr, 10);
    while (left > 0 && recv(fd_, &byte, 1, 0) == 1) {
      all += byte;
      --left;
    }
    return all;
  }

 private:
  int fd_ = -1;
  bool connected_ = false;
};

// What the server says to these bytes, until it closes.
inline std::string Ask(int port, std::string_view bytes) {
  const RawClient client(port);
  if (!client.Send(bytes)) return {};
  client.EndSending();
  return client.ReadAll();
}

inline std::string BodyOf(const std::string& answer) {
  const size_t end = answer.find("\r\n\r\n");
  return end == answer.npos ? "" : answer.substr(end + 4);
}
inline int StatusOf(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? std::atoi(answer.c_str() + 9) : 0;
}

inline std::string TestServer::Api(const std::string& request,
                                   const std::string& method) const {
  return Ask(port(), Head(method, "/api/v1/" + request));
}

// The value of the first "key":"..." of JSON.
inline std::string TextOf(const std::string& json, const std::string& key) {
  const std::string start = "\"" + key + "\":\"";
  const size_t at = json.find(start);
  if (at == json.npos) return {};
  const size_t first = at + start.size();
  return json.substr(first, json.find('"', first) - first);
}

// Opens a window and waits for its end; the state that it ends in.
inline std::string Open(const TestServer& server, const std::string& id) {
  server.Api("open?t=" + id, "POST");
  const std::string lines = server.Api("progress?t=" + id);
  const size_t last = lines.rfind("{\"state\":\"");
  return last == lines.npos ? "" : TextOf(lines.substr(last), "state");
}

}  // namespace stepscope::server
