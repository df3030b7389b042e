// SPDX-License-Identifier: Apache-2.0
//
// How long an honest request takes while a thousand slow clients are there:
// silent ones, ones that send a byte now and then, ones that never read and
// ones that wait for news. The floor is the same requests without them, in the
// same run and turn by turn. Latency is wall time, as a user waits for it, so
// it counts only on a machine that has nothing else to do.
//
// usage: slow_clients_bench [CLIENTS [REQUESTS]]
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "server/server_test_support.h"

namespace stepscope::server {
namespace {

constexpr double kMostMs = 250;
// Between two requests: the run outlasts what the server gives a slow head, so
// that slow clients are given up and come again.
constexpr auto kPause = std::chrono::milliseconds(4);

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

double ProcessorSeconds() {
  rusage use = {};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

// Clients that stay slow: each that the server gives up comes again.
class SlowClients {
 public:
  SlowClients(const TestServer& server, size_t count,
              std::array<std::string, 4> kinds)
      : server_(server), kinds_(std::move(kinds)), clients_(count) {
    for (size_t i = 0; i < count; ++i) Connect(i);
    thread_ = std::thread([this] { Drip(); });
  }
  ~SlowClients() {
    stop_ = true;
    thread_.join();
  }
  size_t returns() const { return returns_; }

 private:
  void Connect(size_t i) {
    clients_[i] = std::make_unique<RawClient>(server_.port());
    clients_[i]->Send(kinds_[i % kinds_.size()]);
  }
  void Drip() {
    for (size_t i = 0; !stop_; i = (i + 1) % clients_.size()) {
      const bool drips = i % kinds_.size() == 1;
      if (drips ? !clients_[i]->Send("a")
                : i % kinds_.size() == 0 && !clients_[i]->WaitsForMore()) {
        Connect(i);
        ++returns_;
      }
      if (i % 16 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  const TestServer& server_;
  const std::array<std::string, 4> kinds_;
  std::vector<std::unique_ptr<RawClient>> clients_;
  std::atomic<bool> stop_{false};
  std::atomic<size_t> returns_{0};
  std::thread thread_;
};

struct Latency {
  double p50 = 0;
  double p99 = 0;
  double most = 0;
  size_t failed = 0;
  double processor = 0;  // seconds, of server and clients together
};

Latency Measure(const TestServer& server, const std::string& id, int count) {
  const std::string targets[] = {
      "/api/v1/runs", "/api/v1/trace?t=" + id, "/api/v1/event?row=7&t=" + id,
      "/api/v1/tiles?k=3&i0=0&i1=3&tracks=0&t=" + id};
  std::vector<double> times;
  Latency latency;
  const double before = ProcessorSeconds();
  for (int i = 0; i < count; ++i) {
    const std::string head = server.Head("GET", targets[i % 4]);
    const Clock::time_point start = Clock::now();
    latency.failed += StatusOf(Ask(server.port(), head)) != 200;
    times.push_back(Milliseconds(Clock::now() - start));
    std::this_thread::sleep_for(kPause);
  }
  latency.processor = ProcessorSeconds() - before;
  std::sort(times.begin(), times.end());
  latency.p50 = times[times.size() / 2];
  latency.p99 = times[times.size() * 99 / 100];
  latency.most = times.back();
  return latency;
}

void Print(const char* what, const Latency& one) {
  std::printf("%-28s %8.2f %8.2f %8.2f ms  %5zu failed  %6.3f s processor\n",
              what, one.p50, one.p99, one.most, one.failed, one.processor);
}

int Main(int clients, int requests) {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  const auto needed = static_cast<rlim_t>(2 * clients + 200);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, needed);
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < needed) {
    std::printf("skipped: ulimit -Hn is %ju, and %d clients need %ju\n",
                static_cast<uintmax_t>(limit.rlim_max), clients,
                static_cast<uintmax_t>(needed));
    return 0;
  }
  const TestFolder folder;
  folder.Write("a.json", ChromeTrace(2000));
  const TestServer server(folder.path());
  const std::string runs = server.Api("runs");
  const std::string id = TextOf(runs, "t");
  if (Open(server, id) != "ready") return 1;
  const std::string key = "\"generation\":";
  const std::string generation(
      1, runs[std::min(runs.find(key) + key.size(), runs.size() - 1)]);
  std::string unread;
  for (int i = 0; i < 20; ++i)
    unread += server.Head("GET", "/api/v1/summary?t=" + id);
  const std::array<std::string, 4> kinds = {
      "", "GET / HTTP/1.1\r\nX: ", unread,
      server.Head("GET", "/api/v1/changes?generation=" + generation)};
  std::printf("%-28s %8s %8s %8s\n", "honest requests", "p50", "p99", "most");
  bool met = true;
  for (int round = 0; round < 2; ++round) {
    const Latency alone = Measure(server, id, requests);
    const SlowClients slow(server, static_cast<size_t>(clients), kinds);
    const Latency beside = Measure(server, id, requests);
    Print("alone", alone);
    Print(("beside " + std::to_string(clients) + " slow ones").c_str(), beside);
    const bool good = beside.p99 <= kMostMs && beside.failed == 0;
    std::printf(
        "  p99 %.2f ms, %.2f x alone, bound %.0f ms: %s; slow clients "
        "came again %zu times\n",
        beside.p99, beside.p99 / alone.p99, kMostMs, good ? "met" : "MISSED",
        slow.returns());
    met &= good;
  }
  return met ? 0 : 1;
}

}  // namespace
}  // namespace stepscope::server

int main(int argc, char** argv) {
  const int clients = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int requests = argc > 2 ? std::atoi(argv[2]) : 2000;
  if (clients < 1 || requests < 1) {
    std::fprintf(stderr, "usage: slow_clients_bench [CLIENTS [REQUESTS]]\n");
    return 2;
  }
  return stepscope::server::Main(clients, requests);
}
