// SPDX-License-Identifier: Apache-2.0
#include "server/http/listen.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace stepscope::server {
namespace {

constexpr int kPortsTried = 100;
constexpr int kBacklog = 1024;

int PortOf(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return 0;
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                   : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

void SetPort(sockaddr* address, int port) {
  const auto number = htons(static_cast<uint16_t>(port));
  if (address->sa_family == AF_INET6)
    reinterpret_cast<sockaddr_in6*>(address)->sin6_port = number;
  else
    reinterpret_cast<sockaddr_in*>(address)->sin_port = number;
}

// The socket, or minus what errno says.
int TryPort(const addrinfo& where, int port) {
  const int fd =
      socket(where.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  const int one = 1;  // not held up by connections that have ended
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  SetPort(where.ai_addr, port);
  if (bind(fd, where.ai_addr, where.ai_addrlen) == 0 &&
      listen(fd, kBacklog) == 0)
    return fd;
  const int error = errno;
  close(fd);
  return -error;
}

}  // namespace

Result<ListeningSocket> ListenOn(const std::string& host, int port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (failed != 0)
    return Fail(ErrorCode::kInvalidArgument,
                host + ": " + gai_strerror(failed) +
                    "; give an address of this machine");
  int error = EADDRINUSE;
  const int last = port == 0 ? 0 : std::min(port + kPortsTried, 65536) - 1;
  for (int tried = port; tried <= last; ++tried) {
    const int fd = TryPort(*found, tried);
    if (fd >= 0) {
      freeaddrinfo(found);
      return ListeningSocket{fd, PortOf(fd)};
    }
    error = -fd;
    if (error != EADDRINUSE) break;
  }
  freeaddrinfo(found);
  return Fail(ErrorCode::kIo, host + ":" + std::to_string(port) + ": " +
                                  std::strerror(error) +
                                  "; give another --host or --port");
}

}  // namespace stepscope::server
