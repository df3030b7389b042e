// SPDX-License-Identifier: Apache-2.0
//
// The check that the fault tests rely on must itself see what is wrong.
#include <gtest/gtest.h>

#include <functional>

#include "importers/capture/trace_check_test_support.h"
#include "trace/build/trace_builder.h"

namespace stepscope::capture {
namespace {

// One thread, two events, one argument, one late end: sound, unless `spoil`
// changes something.
std::string Check(const std::function<void(TraceBuilder&)>& spoil) {
  TraceBuilder b;
  b.AddProcess({});
  b.AddTrack({});
  b.AddEvent({0, 0, 10, b.Intern("a"), 7, 0});
  b.AddEvent({0, 2, 3, b.Intern("b"), 7, 0});
  b.AddInt(1, "key", 1);
  ThreadReport report;
  report.recorded = 2;
  report.side_recorded = 2;
  b.AddThread(report);
  b.ledger().Keep(4);
  spoil(b);
  const auto trace = b.Finish();
  return trace ? CheckTrace(**trace, 1) : trace.error().message;
}

TEST(TraceCheckTest, SoundTracePasses) {
  EXPECT_EQ(Check([](TraceBuilder&) {}), "");
}

TEST(TraceCheckTest, PlantedDefectsAreSeen) {
  using Spoil = std::function<void(TraceBuilder&)>;
  const std::pair<const char*, Spoil> defects[] = {
      {"a record counted twice", [](TraceBuilder& b) { b.ledger().Keep(); }},
      {"a rejected record also kept",
       [](TraceBuilder& b) { b.ledger().Reject("bad side record"); }},
      {"a row that was not counted",
       [](TraceBuilder& b) {
         b.AddEvent({0, 20, 1, {}, 7, 0});
       }},
      {"a thread that claims more",
       [](TraceBuilder& b) {
         ThreadReport more;
         more.recorded = 1;
         b.AddThread(more);
       }},
      {"an argument of nothing",
       [](TraceBuilder& b) {
         b.AddInt(99, "key", 1);
         b.ledger().Keep();
         ThreadReport more;
         more.side_recorded = 1;
         b.AddThread(more);
       }},
      {"a thread without a track",
       [](TraceBuilder& b) {
         ThreadReport none;
         none.track = 9;
         b.AddThread(none);
       }},
      {"an open scope that is closed",
       [](TraceBuilder& b) {
         ThreadReport open;
         open.open_scopes = {0};
         b.AddThread(open);
       }},
  };
  for (const auto& [name, spoil] : defects) EXPECT_NE(Check(spoil), "") << name;
}

}  // namespace
}  // namespace stepscope::capture
