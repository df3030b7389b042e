// SPDX-License-Identifier: Apache-2.0
//
// Speed of the tables of a server on one core: iterations, and bills by each
// rule.
//
// usage: serving_bench [EVENTS [ROUNDS]]
#include <stepscope/c.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/serving/requests.h"
#include "trace/build/trace_builder.h"
#include "trace/request_events.h"

namespace stepscope {
namespace {

constexpr int64_t kBatch = 64;
constexpr int kKernels = 200;  // of an iteration
constexpr double kMostSeconds = 0.3;

double Now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

void AddNumbers(TraceBuilder& builder, Row row, std::string_view key,
                const std::vector<int64_t>& values) {
  Arg arg;
  arg.row = row;
  arg.key = builder.Intern(key);
  builder.AddListArg(arg, values);
}

// Iterations of 64 requests and 200 launches; each request stays for 100 of
// them, and each of its tokens was recorded.
std::shared_ptr<const Trace> MakeServerTrace(uint32_t events) {
  TraceBuilder builder;
  builder.AddProcess({});
  Track host;
  host.id = 1;
  Track stream;
  stream.kind = TrackKind::kStream;
  stream.id = 7;
  stream.device = 0;
  stream.device_type = builder.Intern("GPU");
  const uint32_t thread = builder.AddTrack(host);
  const uint32_t device = builder.AddTrack(stream);
  const StringId launch = builder.Intern("cudaLaunchKernel");
  const StringId kernel = builder.Intern("gemm");
  const StringId mark = builder.Intern("iteration[mixed]");
  uint64_t id = 0;
  int64_t time = 0;
  for (int64_t turn = 0; builder.event_count() < events; ++turn) {
    std::vector<int64_t> members;
    const int64_t begin = time;
    for (int64_t slot = 0; slot < kBatch; ++slot) {
      const int64_t age = (turn + slot * 3) % 100;
      const int64_t number = slot + kBatch * ((turn + slot * 3) / 100) + 1;
      if (age == 0 || turn == 0) {
        const Row row =
            builder.AddEvent({thread, time, 10, builder.Intern(kRequestBegins),
                              kRequestType, 0});
        AddNumbers(builder, row, kRequestKey, {number, 500, 0, 0});
        builder.AddText(row, kRequestIdKey,
                        "request-" + std::to_string(number));
        time += 20;
      }
      members.push_back(number * 8 + (age == 0 ? 1 : 2));
      members.push_back(age == 0 ? 500 : 1);
    }
    const Row row = builder.AddEvent(
        {thread, time, kKernels * 1000, mark, STEPSCOPE_USER_DEFINED, 0});
    AddNumbers(builder, row, kMembersKey, members);
    for (int i = 0; i < kKernels; ++i) {
      const Row call = builder.AddEvent({thread, time + i * 1000 + 10, 500,
                                         launch, STEPSCOPE_CUDA_RUNTIME, 0});
      const Row work = builder.AddEvent({device, begin + 150000 + i * 1300,
                                         1200, kernel, STEPSCOPE_KERNEL, 0});
      builder.AddLink({0, LinkSpace::kCorrelation, id, call});
      builder.AddLink({0, LinkSpace::kCorrelation, id++, work});
    }
    time += kKernels * 1000 + 100;
    for (size_t i = 0; i < members.size(); i += 2) {
      const Row token = builder.AddEvent(
          {thread, time, 5, builder.Intern(kRequestTokens), kRequestType, 0});
      AddNumbers(builder, token, kRequestKey, {members[i] / 8, 1});
      time += 10;
    }
    time += kKernels * 300;
  }
  return *builder.Finish();
}

double Least(int rounds, const std::function<void()>& work) {
  double least = 1e9;
  for (int i = 0; i < rounds; ++i) {
    const double start = Now();
    work();
    least = std::min(least, Now() - start);
  }
  return least;
}

int Run(uint32_t events, int rounds) {
  const std::shared_ptr<const Trace> trace = MakeServerTrace(events);
  const EventTree tree(*trace);
  IterationTable iterations;
  const double finding =
      Least(rounds, [&] { iterations = ComputeIterations(tree); });
  double all = finding;
  std::printf("%u events, %zu iterations, %zu requests\n", trace->size(),
              iterations.list.size(), iterations.requests->list().size());
  std::printf("  %-24s %8.1f ms\n", "iterations", finding * 1e3);
  for (const BillRule rule :
       {BillRule::kTokens, BillRule::kRequests, BillRule::kDecodeFirst}) {
    RequestTable requests;
    const double billing =
        Least(rounds, [&] { requests = ComputeRequests(iterations, rule); });
    int64_t rest =
        requests.total_busy_ns - requests.outside_ns - requests.unknown_ns;
    for (const Request& request : requests.list) rest -= request.gpu_ns;
    std::printf("  %-24s %8.1f ms, rest %lld ns\n",
                ("bills by " + std::string(NameOf(rule))).c_str(),
                billing * 1e3, static_cast<long long>(rest));
    all = std::max(all, finding + billing);
  }
  std::printf("  %-24s %8.1f ms, at most %.0f are wanted\n", "together",
              all * 1e3, kMostSeconds * 1e3);
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  const long events = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  if (events < 1 || events > 1'000'000'000 || rounds < 1) {
    std::fprintf(stderr, "usage: serving_bench [EVENTS [ROUNDS]]\n");
    return 2;
  }
  return stepscope::Run(static_cast<uint32_t>(events), rounds);
}
