// SPDX-License-Identifier: Apache-2.0
//
// A server that knows nothing of profiling but its events and the mark at the
// end of a round: what to record, how often and where to is said by the
// environment (see README.md), and nobody tells it to stop.
#include <stepscope/stepscope.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "profiled_server/parameter_server.h"
#include "profiled_server/trainer.h"

namespace pserver {
namespace {

constexpr int kTrainers = 4;
constexpr std::chrono::microseconds kCompute{3000};
constexpr int64_t kPrintEvery = 200;  // rounds

constexpr char kHelp[] =
    R"(A parameter server with simulated trainers, profiled by environment.

Usage: profiled_server [--rounds N]

  --rounds N   end after N rounds (default: run until interrupted)
  --help       this text

Example: a timeline of the last 100 rounds, replaced every 100 rounds.

  STEPSCOPE_PERIOD=100 STEPSCOPE_PATH=./pserver_0 profiled_server
)";

volatile std::sig_atomic_t interrupted = 0;

void Interrupt(int) { interrupted = 1; }

// `rounds` below 1: until interrupted.
void Serve(int64_t rounds) {
  stepscope::SetThreadName("server");
  ParameterServer server({.trainers = kTrainers});
  std::vector<std::unique_ptr<Trainer>> trainers;
  for (int i = 0; i < kTrainers; ++i) {
    trainers.push_back(std::make_unique<Trainer>(server, i, kCompute));
  }
  for (int64_t round = 1; interrupted == 0 && server.RunRound(); ++round) {
    stepscope_step();  // one round is one step
    if (round % kPrintEvery == 0 || round == rounds) {
      std::printf("round %lld  distance from target %.4f\n",
                  static_cast<long long>(round),
                  static_cast<double>(trainers[0]->distance()));
      std::fflush(stdout);
    }
    if (round == rounds) break;
  }
  server.Stop();
}

}  // namespace
}  // namespace pserver

int main(int argc, char** argv) {
  int64_t rounds = 0;
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(pserver::kHelp, stdout);
    return 0;
  }
  if (argc == 3 && std::strcmp(argv[1], "--rounds") == 0) {
    const std::string_view text = argv[2];
    const auto end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, rounds);
    if (result.ptr != end || rounds < 1) {
      std::fprintf(stderr,
                   "profiled_server: --rounds: \"%s\" is not a number from 1\n",
                   argv[2]);
      return 2;
    }
  } else if (argc != 1) {
    std::fputs("profiled_server: unknown arguments; try --help\n", stderr);
    return 2;
  }
  std::signal(SIGINT, pserver::Interrupt);
  std::signal(SIGTERM, pserver::Interrupt);
  pserver::Serve(rounds);
  return 0;
}
