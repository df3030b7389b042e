// SPDX-License-Identifier: Apache-2.0
//
// Events that another profiler of this process timed. They travel as blocks of
// device records do, which hold calls on threads of the host with any name and
// type: readers need nothing new.
#include <stepscope/external.h>
#include <stepscope/plugin.h>

#include "collector/clock.h"
#include "collector/core.h"
#include "collector/device_blocks.h"
#include "collector/error.h"
#include "collector/names.h"

namespace stepscope::collector {
namespace {

constexpr size_t kPerBlock =
    STEPSCOPE_DEVICE_BLOCK_BYTES / sizeof(stepscope_record_call);

stepscope_clock_pair ReadClocks() {
  const format::Anchor anchor = TakeAnchor();
  return {anchor.tick, anchor.realtime_ns};
}

// A line through two readings of both clocks.
class ToTicks {
 public:
  ToTicks(const stepscope_clock_pair& a, const stepscope_clock_pair& b)
      : from_(a),
        slope_(static_cast<double>(b.tick - a.tick) /
               static_cast<double>(b.realtime_ns - a.realtime_ns)) {}

  uint64_t operator()(int64_t ns) const {
    const double ticks = static_cast<double>(ns - from_.realtime_ns) * slope_;
    return from_.tick + static_cast<uint64_t>(static_cast<int64_t>(ticks));
  }

 private:
  stepscope_clock_pair from_;
  double slope_;
};

uint64_t RecordingSession() {
  for (const Session& session : core.sessions)
    if (session.state.load(std::memory_order_acquire) ==
        SessionState::kRecording)
      return session.id;
  return 0;
}

// Fills a block. Returns how many records there are in it.
uint32_t Fill(const stepscope_external_event* events, size_t count,
              const ToTicks& to_ticks, stepscope_record_call* calls) {
  uint32_t filled = 0;
  for (size_t i = 0; i < count; ++i) {
    const stepscope_external_event& event = events[i];
    if (event.end_ns < event.start_ns) continue;
    stepscope_record_call& call = calls[filled++];
    call = {};
    call.head.kind = STEPSCOPE_RECORD_CALL;
    call.head.bytes = sizeof(call);
    call.head.name = InternName(event.name, event.name_length, event.type);
    call.start = to_ticks(event.start_ns);
    call.end = to_ticks(event.end_ns);
    call.thread = event.thread;
  }
  return filled;
}

int AddExternal(const stepscope_external_event* events, size_t count,
                const stepscope_clock_pair* since, size_t* added) {
  const stepscope_clock_pair now = ReadClocks();
  if (since == nullptr || (events == nullptr && count > 0))
    return Fail(STEPSCOPE_INVALID, "an argument is NULL");
  // Set back meanwhile: where the events lie cannot be known.
  if (now.tick <= since->tick || now.realtime_ns <= since->realtime_ns)
    return Fail(STEPSCOPE_INVALID,
                "the clock was set back while events were timed");
  const uint64_t session = RecordingSession();
  if (session == 0)
    return Fail(STEPSCOPE_NOT_RUNNING, "no session is recording");
  if (!EnsureDeviceBlocks())
    return Fail(STEPSCOPE_NO_MEMORY, "no memory for blocks of events");
  const ToTicks to_ticks(*since, now);
  const uint32_t source =
      InternName("CPU", kUnknownLength, STEPSCOPE_USER_DEFINED);
  for (size_t done = 0; done < count; done += kPerBlock) {
    const size_t part = count - done < kPerBlock ? count - done : kPerBlock;
    void* block = ReserveDeviceBlock(part * sizeof(stepscope_record_call),
                                     session, source);
    if (block == nullptr)
      return Fail(STEPSCOPE_TIMEOUT,
                  "the capture is not written fast enough for these events");
    const uint32_t filled = Fill(events + done, part, to_ticks,
                                 static_cast<stepscope_record_call*>(block));
    CommitDeviceBlock(block, filled * sizeof(stepscope_record_call), filled);
    *added += filled;
  }
  return STEPSCOPE_OK;
}

}  // namespace
}  // namespace stepscope::collector

namespace sc = stepscope::collector;

extern "C" {

void stepscope_read_clocks(stepscope_clock_pair* now) noexcept {
  const sc::ApiCall call;
  if (now != nullptr) *now = sc::ReadClocks();
}

int stepscope_add_external(const stepscope_external_event* events, size_t count,
                           const stepscope_clock_pair* since,
                           size_t* added) noexcept {
  const sc::ApiCall call;
  size_t unasked = 0;
  if (added == nullptr) added = &unasked;
  *added = 0;
  const int status = sc::AddExternal(events, count, since, added);
  if (status == STEPSCOPE_OK) sc::ClearLastError();
  return status;
}

}  // extern "C"
