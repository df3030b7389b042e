// SPDX-License-Identifier: Apache-2.0
//
// RandomTrace: small traces with everything that is odd, for property tests:
// nested and overlapping events, reused ids, work without a launch, several
// devices, steps anywhere.
#pragma once

#include <stepscope/c.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "trace/build/trace_builder.h"

namespace stepscope {

inline constexpr int64_t kSpan = 400;  // ns; all events lie within

class RandomTrace {
 public:
  // Every other trace has events of a thread that overlap without nesting,
  // every third has no marks of passes but functions of autograd.
  explicit RandomTrace(uint32_t seed)
      : nested_(seed % 2 == 0), torch_(seed % 3 == 1), random_(seed) {}

  std::shared_ptr<const Trace> Make() {
    builder_.AddProcess({});
    const uint32_t threads = Draw(4);
    for (uint32_t i = 0; i < threads; ++i) AddThread(i + 1);
    const uint32_t streams = Draw(4);
    for (uint32_t i = 0; i < streams; ++i) AddStream(i, i % 2);
    builder_.AddWindow(0, kSpan);
    const auto trace = builder_.Finish();
    if (!trace) std::abort();  // out of memory
    return *trace;
  }

 private:
  uint32_t Draw(uint32_t below) {
    return static_cast<uint32_t>(random_() % below);
  }
  StringId Name(const char* prefix, uint32_t count) {
    return builder_.Intern(prefix + std::to_string(Draw(count)));
  }

  void AddThread(int64_t id) {
    Track track;
    track.id = id;
    const uint32_t index = builder_.AddTrack(track);
    if (nested_) {
      AddNested(index, 0, kSpan, 0);
      return;
    }
    const uint32_t events = Draw(40);
    for (uint32_t i = 0; i < events; ++i) {
      const int64_t start = Draw(kSpan);
      const int64_t dur = Draw(static_cast<uint32_t>(kSpan - start + 1));
      AddHostEvent(index, start, Draw(2) == 0 ? dur / 16 : dur);
    }
  }

  void AddNested(uint32_t track, int64_t begin, int64_t end, int depth) {
    while (begin < end && depth < 6) {
      const int64_t start = begin + Draw(20);
      const int64_t dur = Draw(depth == 0 ? 200 : 60);
      if (start + dur > end) return;
      AddHostEvent(track, start, dur);
      AddNested(track, start, start + dur, depth + 1);
      begin = start + dur;
    }
  }

  void AddHostEvent(uint32_t track, int64_t start, int64_t dur) {
    constexpr uint16_t kTypes[] = {
        STEPSCOPE_OPERATOR,      STEPSCOPE_OPERATOR,
        STEPSCOPE_CUDA_RUNTIME,  STEPSCOPE_CUDA_RUNTIME,
        STEPSCOPE_FORWARD,       STEPSCOPE_BACKWARD,
        STEPSCOPE_PROFILE_STEP,  STEPSCOPE_DATALOADER,
        STEPSCOPE_USER_DEFINED,  STEPSCOPE_COMMUNICATION,
        STEPSCOPE_OPERATOR_INNER};
    EventSpec event;
    event.track = track;
    event.start_ns = start;
    event.dur_ns = dur;
    event.type = kTypes[Draw(std::size(kTypes))];
    event.name = Draw(12) == 0 ? builder_.Intern("all_reduce") : Name("e", 5);
    const bool is_pass =
        event.type == STEPSCOPE_FORWARD || event.type == STEPSCOPE_BACKWARD;
    if (torch_ && is_pass) event.type = STEPSCOPE_OPERATOR;
    const bool is_operator = event.type == STEPSCOPE_OPERATOR;
    if (torch_ && is_operator && Draw(3) == 0)
      event.name = builder_.Intern("autograd::engine::evaluate_function: X");
    const Row row = builder_.AddEvent(event);
    if (torch_ && is_operator && Draw(2) == 0)
      builder_.AddLink({0, LinkSpace::kSequence, Draw(8), row});
    if (event.type == STEPSCOPE_CUDA_RUNTIME)
      builder_.AddLink({0, LinkSpace::kCorrelation, Draw(30), row});
  }

  void AddStream(int64_t id, int64_t device) {
    Track track;
    track.kind = TrackKind::kStream;
    track.id = id;
    track.device = device;
    const uint32_t index = builder_.AddTrack(track);
    int64_t time = Draw(20);
    while (time < kSpan - 40) {
      EventSpec event;
      event.track = index;
      event.start_ns = time;
      event.dur_ns = Draw(30);
      event.type = static_cast<uint16_t>(STEPSCOPE_KERNEL + Draw(3));
      event.name = Draw(6) == 0 ? builder_.Intern("ncclKernel") : Name("k", 4);
      const Row row = builder_.AddEvent(event);
      if (Draw(4) != 0)
        builder_.AddLink({0, LinkSpace::kCorrelation, Draw(30), row});
      time += event.dur_ns + Draw(20);
    }
  }

  const bool nested_;
  const bool torch_;
  std::mt19937 random_;
  TraceBuilder builder_;
};

}  // namespace stepscope
