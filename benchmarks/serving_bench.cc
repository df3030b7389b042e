// SPDX-License-Identifier: Apache-2.0
//
// Speed of the tables of a server on one core: iterations, and bills by each
// rule; of large batches, of as many short iterations as there can be, and of
// requests that all have one id.
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

struct Shape {
  const char* name;
  int64_t batch;
  int64_t kernels;  // of an iteration
  int64_t stay;     // iterations of a request
  bool one_id;
};
constexpr Shape kShapes[] = {
    {"iterations of 64 requests, 200 kernels", 64, 200, 100, false},
    {"iterations of 1 request, 1 kernel", 1, 1, 100, false},
    {"the same, each of another request of one id", 1, 1, 1, true}};
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

// Tokens were recorded as a hook does it, one event for each iteration.
std::shared_ptr<const Trace> MakeServerTrace(uint32_t events,
                                             const Shape& shape) {
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
    for (int64_t slot = 0; slot < shape.batch; ++slot) {
      const int64_t age = (turn + slot * 3) % shape.stay;
      const int64_t number =
          slot + shape.batch * ((turn + slot * 3) / shape.stay) + 1;
      if (age == 0 || turn == 0) {
        const Row row =
            builder.AddEvent({thread, time, 10, builder.Intern(kRequestBegins),
                              kRequestType, 0});
        AddNumbers(builder, row, kRequestKey, {number, 500, 0, 0});
        builder.AddText(row, kRequestIdKey,
                        "request-" + std::to_string(shape.one_id ? 0 : number));
        time += 20;
      }
      members.push_back(number * 8 + (age == 0 ? 1 : 2));
      members.push_back(age == 0 ? 500 : 1);
    }
    const Row row = builder.AddEvent(
        {thread, time, shape.kernels * 1000, mark, STEPSCOPE_USER_DEFINED, 0});
    AddNumbers(builder, row, kMembersKey, members);
    for (int64_t i = 0; i < shape.kernels; ++i) {
      const Row call = builder.AddEvent({thread, time + i * 1000 + 10, 500,
                                         launch, STEPSCOPE_CUDA_RUNTIME, 0});
      const Row work = builder.AddEvent({device, begin + 150000 + i * 1300,
                                         1200, kernel, STEPSCOPE_KERNEL, 0});
      builder.AddLink({0, LinkSpace::kCorrelation, id, call});
      builder.AddLink({0, LinkSpace::kCorrelation, id++, work});
    }
    time += shape.kernels * 1000 + 100;
    std::vector<int64_t> tokens;
    for (size_t i = 0; i < members.size(); i += 2)
      tokens.insert(tokens.end(), {members[i] / 8, 1});
    const Row token = builder.AddEvent(
        {thread, time, 5, builder.Intern(kRequestTokens), kRequestType, 0});
    AddNumbers(builder, token, kRequestKey, tokens);
    time += shape.kernels * 300;
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

void Run(uint32_t events, int rounds, const Shape& shape) {
  const std::shared_ptr<const Trace> trace = MakeServerTrace(events, shape);
  std::unique_ptr<EventTree> made;
  const double nesting =
      Least(rounds, [&] { made = std::make_unique<EventTree>(*trace); });
  const EventTree& tree = *made;
  IterationTable iterations;
  const double finding =
      Least(rounds, [&] { iterations = ComputeIterations(tree); });
  double all = 0;
  std::printf("%s: %u events, %zu iterations, %zu requests\n", shape.name,
              trace->size(), iterations.list.size(),
              iterations.requests->list().size());
  std::printf("  %-24s %8.1f ms\n", "who contains whom", nesting * 1e3);
  std::printf("  %-24s %8.1f ms\n", "iterations", finding * 1e3);
  for (const BillRule rule :
       {BillRule::kTokens, BillRule::kRequests, BillRule::kDecodeFirst}) {
    RequestTable requests;
    const double billing =
        Least(rounds, [&] { requests = ComputeRequests(iterations, rule); });
    int64_t rest =
        requests.total_busy_ns - requests.outside_ns - requests.unknown_ns;
    for (const RequestRow& request : requests.list) rest -= request.gpu_ns;
    std::printf("  %-24s %8.1f ms, rest %lld ns\n",
                ("bills by " + std::string(NameOf(rule))).c_str(),
                billing * 1e3, static_cast<long long>(rest));
    all = std::max(all, nesting + finding + billing);
  }
  std::printf("  %-24s %8.1f ms, at most %.0f are wanted\n", "together",
              all * 1e3, kMostSeconds * 1e3 * std::max(1.0, events / 1e6));
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
  for (const stepscope::Shape& shape : stepscope::kShapes)
    stepscope::Run(static_cast<uint32_t>(events), rounds, shape);
  return 0;
}
