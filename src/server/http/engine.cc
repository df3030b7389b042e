// SPDX-License-Identifier: Apache-2.0
#include "server/http/engine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/json_writer.h"
#include "server/http/response_headers.h"

namespace stepscope::server {
namespace {

// The head of one request to read from, an exchange to write to.
class HeadStream : public httplib::Stream {
 public:
  HeadStream(std::string_view head, Exchange& exchange)
      : head_(head), exchange_(exchange) {}

  bool is_readable() const override { return !head_.empty(); }
  bool is_writable() const override { return !exchange_.closed(); }
  ssize_t read(char* bytes, size_t size) override {
    size = std::min(size, head_.size());
    std::memcpy(bytes, head_.data(), size);
    head_.remove_prefix(size);
    return static_cast<ssize_t>(size);
  }
  ssize_t write(const char* bytes, size_t size) override {
    if (size > 0 && !exchange_.Write({bytes, size})) return -1;
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return 0; }

 private:
  std::string_view head_;
  Exchange& exchange_;
};

}  // namespace

Engine::Engine(Handler handler) {
  svr_sock_ = 0;  // not used; says that the server is not shutting down
  httplib::Headers headers;
  for (const auto& [name, value] : SecurityHeaders())
    headers.emplace(name, value);
  set_default_headers(std::move(headers));
  set_payload_max_length(0);
  set_keep_alive_max_count(1'000'000);
  set_pre_routing_handler([handler = std::move(handler)](const Request& request,
                                                         Response& response) {
    handler(request, response);
    return HandlerResponse::Handled;
  });
  // Of what went wrong before the handler was called.
  set_error_handler(
      httplib::Server::Handler([](const Request&, Response& response) {
        if (!response.body.empty() || response.content_provider_) return;
        response.set_header("Cache-Control", std::string(kNoStore));
        response.set_content("{\"error\":\"the request was not understood\"}\n",
                             "application/json");
      }));
  set_exception_handler([](const Request&, Response& response,
                           std::exception_ptr) {
    response.status = 500;
    response.set_header("Cache-Control", std::string(kNoStore));
    response.set_content("{\"error\":\"not enough memory for this answer\"}\n",
                         "application/json");
  });
}

void Engine::Serve(std::string_view head, std::string body,
                   Exchange& exchange) {
  HeadStream stream(head, exchange);
  bool close = false;
  const bool written =
      process_request(stream, false, close, [&](Request& request) {
        // Answers go out as they are: on loopback, packing costs more than it
        // saves.
        request.headers.erase("Accept-Encoding");
        // The loop has read it; the parser sees a head alone.
        request.body = std::move(body);
      });
  exchange.Finish(written && !close && !stream.is_readable());
}

std::string Engine::Refusal(int status, std::string_view why) {
  JsonWriter json;
  json.BeginObject().Field("error", why).EndObject();
  const std::string body = json.Take() + "\n";
  std::string answer = "HTTP/1.1 " + std::to_string(status) + " Refused\r\n";
  for (const auto& [name, value] : SecurityHeaders())
    answer.append(name).append(": ").append(value).append("\r\n");
  answer += "Cache-Control: no-store\r\nContent-Type: application/json\r\n";
  answer += "Content-Length: " + std::to_string(body.size());
  answer += "\r\nConnection: close\r\n\r\n";
  return answer + body;
}

}  // namespace stepscope::server
