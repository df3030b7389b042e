// SPDX-License-Identifier: Apache-2.0
//
// Runs of events through the whole importer: where they come from, and in
// which order they come to lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "importers/capture/capture_importer.h"
#include "importers/capture/sample_capture_test_support.h"
#include "importers/capture/trace_check_test_support.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::capture {
namespace {

std::shared_ptr<const Trace> Import(const CaptureWriter& writer) {
  const TempFolder folder;
  const auto trace = ImportCapture(folder.Write("x.sscap", writer.bytes()));
  EXPECT_TRUE(trace) << trace.error().message;
  return trace ? *trace : TraceFromText("");
}

// One tick is half a nanosecond.
CaptureWriter Begin() {
  CaptureWriter w;
  w.Clock(format::ClockKind::kTsc, 0,
          {MakeAnchor(1000, 500), MakeAnchor(3000, 1500)});
  w.Names({{2, STEPSCOPE_FORWARD, "net"}, {300, STEPSCOPE_FORWARD, "far"}});
  w.Thread(MakeThread(1, 77, "main"));
  return w;
}

TEST(EventDecoderTest, BlockOfVersion1IsRead) {
  CaptureWriter w = Begin();
  format::EventsHeader header = {};
  header.thread_uid = 1;
  header.incarnation = 9;
  header.slots = 5;
  header.events = 3;
  header.base_tick = 1200;
  const std::string_view packed(
      "\x14\x00\x2d\x01\x02"              // delta 0, 301 - 1 ticks, site 2
      "\x40\x02\x00\x00\x00"              // two unused slots
      "\x00\x0a\x00"                      // delta 10, open, site as before
      "\x23\x00\x00\x00\x01\x05\x2c\x01"  // delta 2^24, 4 ticks, site 300
      "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
      37);
  w.Block(static_cast<uint16_t>(format::BlockKind::kEvents), 1,
          std::string(reinterpret_cast<const char*>(&header), sizeof(header)) +
              std::string(packed));
  w.End(uint64_t{1} << 25);
  EXPECT_EQ(TraceToText(*Import(w)),
            "thread 77\n"
            "  100..250 net Forward\n"
            "  8388713..8388715 far Forward\n"
            "thread 77 lane 1\n"
            "  105..16776716 net Forward open\n");
}

// A thread that begins and ends scopes as it likes, in short runs, so that
// many outlive the run in which they began.
class RandomThread {
 public:
  explicit RandomThread(std::mt19937_64& rng) : rng_(rng) {}

  void Write(CaptureWriter& w, uint32_t uid) {
    // How often it does what scopes of a language cannot.
    const uint64_t crooked = rng_() % 3 == 0 ? 1 + rng_() % 30 : 0;
    const uint32_t runs = 1 + static_cast<uint32_t>(rng_() % 6);
    for (uint32_t run = 0; run < runs; ++run) {
      SlotList slots;
      const auto length = static_cast<uint32_t>(1 + rng_() % 40);
      while (slots.size() < length) Act(slots, uid * 10 + run, crooked);
      w.Events(uid, run, uid * 10 + run, uid * 10 + run, 0, slots.slots());
      // What is open now can only be ended late.
      for (Open& open : open_) open.slot = UINT32_MAX;
    }
  }

 private:
  struct Open {
    uint32_t position;
    uint32_t slot;  // in this run, or UINT32_MAX
    uint64_t begin;
  };

  void Act(SlotList& slots, uint32_t chunk, uint64_t crooked) {
    tick_ += rng_() % 5;
    const bool odd = rng_() % 100 < crooked;
    if (!open_.empty() && rng_() % 2 == 0) {
      const size_t which =
          odd ? static_cast<size_t>(rng_() % open_.size()) : open_.size() - 1;
      const Open open = open_[which];
      open_.erase(open_.begin() + static_cast<long>(which));
      if (open.slot == UINT32_MAX)
        slots.LateEnd(tick_, open.position, open.begin);
      else
        slots.SetEnd(open.slot, tick_);
      return;
    }
    const uint64_t begin = odd ? tick_ - rng_() % 20 : tick_;
    const uint32_t slot = slots.Open(begin, 2);
    open_.push_back({format::SlotPosition(chunk, slot), slot, begin});
  }

  std::mt19937_64& rng_;
  uint64_t tick_ = 1000 + rng_() % 50;
  std::vector<Open> open_;
};

// However the rows came: a valid trace, with every event in it.
TEST(EventDecoderTest, AnyRunsBecomeOrderedTracks) {
  std::mt19937_64 rng(4);
  int straight = 0;
  for (int round = 0; round < 500; ++round) {
    CaptureWriter w = Begin();
    const uint32_t threads = 1 + static_cast<uint32_t>(rng() % 3);
    for (uint32_t uid = 1; uid <= threads; ++uid)
      RandomThread(rng).Write(w, uid);
    w.End(1400 + rng() % 200);
    const auto trace = Import(w);
    // Ends of other runs are records of their own.
    ASSERT_EQ(CheckTrace(*trace, UINT32_MAX), "") << round;
    ASSERT_TRUE(trace->ledger().rejected().empty()) << round;
    straight += trace->tracks().size() == threads ? 1 : 0;
  }
  EXPECT_GT(straight, 150);
}

}  // namespace
}  // namespace stepscope::capture
