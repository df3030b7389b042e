// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection_loop.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/file.h"
#include "server/http/request_head.h"

namespace stepscope::server {
namespace {

constexpr auto kCheckEvery = std::chrono::milliseconds(250);
constexpr size_t kSendAtOnce = 1 << 20;
// What epoll calls the event of woken_; listening sockets follow downwards.
constexpr uint64_t kWokenNumber = UINT64_MAX;

}  // namespace

struct ConnectionLoop::Connection {
  uint64_t number = 0;
  int fd = -1;
  std::string in;
  std::string out;
  size_t sent = 0;    // of `out`
  size_t wanted = 0;  // bytes of the head and the body that is on its way
  std::shared_ptr<Exchange> exchange;  // null: no request is being answered
  bool no_more = false;                // the client has ended its side
  bool closing = false;                // when everything is sent
  uint32_t watched = 0;
  Clock::time_point deadline{};

  bool idle() const { return exchange == nullptr && out.empty(); }
  size_t room() const { return std::max(kMaxHeadBytes, wanted); }
};

ConnectionLoop::Woken::~Woken() { close(event); }

void ConnectionLoop::Woken::Add(uint64_t number) {
  {
    const std::lock_guard lock(mutex);
    numbers.push_back(number);
  }
  const uint64_t one = 1;
  (void)!write(event, &one, sizeof one);
}

ConnectionLoop::ConnectionLoop(Answer answer, Refusal refusal,
                               MostBody most_body, LoopLimits limits)
    : answer_(std::move(answer)),
      refusal_(std::move(refusal)),
      most_body_(std::move(most_body)),
      limits_(limits),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      woken_(std::make_shared<Woken>(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC))) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = kWokenNumber;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, woken_->event, &event);
}

ConnectionLoop::~ConnectionLoop() {
  while (!connections_.empty()) Close(connections_.begin()->first);
  for (const int socket : listening_) close(socket);
  close(epoll_);
}

Status ConnectionLoop::Listen(int socket) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = kWokenNumber - 1 - listening_.size();
  listening_.push_back(socket);
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) != 0)
    return FileError("socket", errno);
  return Ok();
}

void ConnectionLoop::Stop() {
  stop_ = true;
  const uint64_t one = 1;
  (void)!write(woken_->event, &one, sizeof one);
}

void ConnectionLoop::Run() {
  std::array<epoll_event, 64> events;
  while (!stop_) {
    const int count = epoll_wait(
        epoll_, events.data(), events.size(),
        connections_.empty() ? -1 : static_cast<int>(kCheckEvery.count()));
    for (int i = 0; i < count; ++i) {
      const uint64_t number = events[i].data.u64;
      if (number == kWokenNumber) {
        AnswerWoken();
        continue;
      }
      if (kWokenNumber - 1 - number < listening_.size()) {
        Accept(listening_[kWokenNumber - 1 - number]);
        continue;
      }
      const auto found = connections_.find(number);
      if (found == connections_.end()) continue;
      if ((events[i].events & (EPOLLERR | EPOLLHUP)) != 0) {
        Close(number);
        continue;
      }
      if ((events[i].events & EPOLLIN) != 0) OnReadable(*found->second);
      const auto still = connections_.find(number);
      if (still != connections_.end() && (events[i].events & EPOLLOUT) != 0)
        Send(*still->second);
    }
    CloseLate();
  }
}

void ConnectionLoop::Accept(int socket) {
  while (true) {
    const int fd =
        accept4(socket, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      // Out of descriptors: room is made, and the client comes again.
      if (errno == EMFILE || errno == ENFILE) MakeRoom();
      return;
    }
    if (connections_.size() >= limits_.connections && !MakeRoom()) {
      close(fd);
      continue;
    }
    const int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    auto connection = std::make_unique<Connection>();
    connection->number = next_number_++;
    connection->fd = fd;
    connection->deadline = Clock::now() + limits_.head;
    epoll_event event = {};
    event.events = connection->watched = EPOLLIN;
    event.data.u64 = connection->number;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) {
      close(fd);
      continue;
    }
    connections_.emplace(connection->number, std::move(connection));
  }
}

// Closes the oldest connection for which nothing is being done.
bool ConnectionLoop::MakeRoom() {
  for (const auto& [number, connection] : connections_) {
    if (!connection->idle()) continue;
    Close(number);
    return true;
  }
  return false;
}

void ConnectionLoop::OnReadable(Connection& connection) {
  std::array<char, 4096> bytes;
  while (connection.in.size() < connection.room()) {
    const ssize_t got = recv(connection.fd, bytes.data(), bytes.size(), 0);
    if (got > 0) {
      if (connection.idle() && connection.in.empty())
        connection.deadline = Clock::now() + limits_.head;
      connection.in.append(bytes.data(), static_cast<size_t>(got));
      if (static_cast<size_t>(got) < bytes.size()) break;
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (got < 0) {
      Close(connection.number);
      return;
    }
    connection.no_more = true;
    break;
  }
  NextRequest(connection);
}

void ConnectionLoop::NextRequest(Connection& connection) {
  if (!connection.idle() || connection.closing) {
    Watch(connection);
    return;
  }
  const HeadCheck check = CheckHead(connection.in);
  switch (check.state) {
    case HeadCheck::State::kIncomplete:
      if (connection.no_more) {
        Close(connection.number);
        return;
      }
      Watch(connection);
      return;
    case HeadCheck::State::kRefused:
      Refuse(connection, check.status, check.why);
      return;
    case HeadCheck::State::kComplete:
      break;
  }
  std::string head = connection.in.substr(0, check.size);
  if (check.body > 0 && connection.wanted == 0) {
    if (check.body > most_body_(head)) {
      Refuse(connection, 413, "this request may have no such body");
      return;
    }
    connection.wanted = check.size + check.body;
    connection.deadline =
        Clock::now() + limits_.head + std::chrono::seconds(check.body >> 15);
  }
  if (connection.in.size() < connection.wanted) {
    if (connection.no_more) {
      Close(connection.number);
      return;
    }
    Watch(connection);
    return;
  }
  std::string body = connection.in.substr(check.size, check.body);
  connection.in.erase(0, check.size + check.body);
  connection.wanted = 0;
  connection.exchange = std::make_shared<Exchange>(
      [woken = woken_, number = connection.number] { woken->Add(number); });
  connection.deadline = Clock::time_point::max();
  Watch(connection);
  answer_(std::move(head), std::move(body), connection.exchange);
}

void ConnectionLoop::Refuse(Connection& connection, int status,
                            std::string_view why) {
  connection.in.clear();
  connection.out += refusal_(status, why);
  connection.closing = true;
  connection.deadline = Clock::now() + limits_.answer;
  Send(connection);
}

void ConnectionLoop::AnswerWoken() {
  uint64_t count = 0;
  (void)!read(woken_->event, &count, sizeof count);
  std::vector<uint64_t> numbers;
  {
    const std::lock_guard lock(woken_->mutex);
    numbers.swap(woken_->numbers);
  }
  for (const uint64_t number : numbers) {
    const auto found = connections_.find(number);
    if (found != connections_.end()) Send(*found->second);
  }
}

void ConnectionLoop::Send(Connection& connection) {
  while (true) {
    if (connection.exchange != nullptr &&
        connection.out.size() - connection.sent < kSendAtOnce) {
      connection.out.erase(0, connection.sent);
      connection.sent = 0;
      const size_t before = connection.out.size();
      const Exchange::State state = connection.exchange->Take(connection.out);
      if (connection.out.size() > before) {
        connection.deadline = Clock::now() + limits_.answer +
                              std::chrono::seconds(connection.out.size() >> 15);
      }
      if (state.finished) {
        connection.exchange = nullptr;
        connection.closing = !state.keep_open;
      }
    }
    if (connection.sent == connection.out.size()) break;
    const ssize_t sent =
        send(connection.fd, connection.out.data() + connection.sent,
             connection.out.size() - connection.sent, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
      Close(connection.number);
      return;
    }
    if (sent < 0) break;
    connection.sent += static_cast<size_t>(sent);
  }
  if (connection.sent < connection.out.size()) {
    Watch(connection);
    return;
  }
  connection.out.clear();
  connection.out.shrink_to_fit();
  connection.sent = 0;
  if (connection.exchange != nullptr) {  // more will come
    connection.deadline = Clock::time_point::max();
    Watch(connection);
    return;
  }
  if (connection.closing) {
    // So that what the client has sent since does not make its kernel forget
    // the answer, its bytes are taken and thrown away.
    shutdown(connection.fd, SHUT_WR);
    std::array<char, 4096> bytes;
    for (int i = 0; i < 64; ++i)
      if (recv(connection.fd, bytes.data(), bytes.size(), MSG_DONTWAIT) <= 0)
        break;
    Close(connection.number);
    return;
  }
  connection.deadline = Clock::now() + limits_.idle;
  NextRequest(connection);
}

// What to wait for: bytes to come unless enough are here, room to send if
// something waits.
void ConnectionLoop::Watch(Connection& connection) {
  uint32_t wanted = 0;
  if (!connection.no_more && !connection.closing &&
      connection.in.size() < connection.room())
    wanted |= EPOLLIN;
  if (connection.sent < connection.out.size()) wanted |= EPOLLOUT;
  if (wanted == connection.watched) return;
  connection.watched = wanted;
  epoll_event event = {};
  event.events = wanted;
  event.data.u64 = connection.number;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.fd, &event);
}

void ConnectionLoop::Close(uint64_t number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  if (found->second->exchange != nullptr) found->second->exchange->Close();
  close(found->second->fd);
  connections_.erase(found);
}

void ConnectionLoop::CloseLate() {
  const Clock::time_point now = Clock::now();
  if (now - last_check_ < kCheckEvery) return;
  last_check_ = now;
  std::vector<uint64_t> late;
  for (const auto& [number, connection] : connections_)
    if (connection->deadline < now) late.push_back(number);
  for (const uint64_t number : late) Close(number);
}

}  // namespace stepscope::server
