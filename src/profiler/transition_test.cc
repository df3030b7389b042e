// SPDX-License-Identifier: Apache-2.0
#include "profiler/transition.h"

#include <gtest/gtest.h>

#include <string>

#include "profiler/state_names.h"

namespace stepscope::profiler {
namespace {

// "deliver prepare start !warning"
std::string Draw(const Transition& plan) {
  std::string drawn;
  if (plan.deliver) drawn += " deliver";
  if (plan.prepare) drawn += " prepare";
  if (plan.start) drawn += " start";
  if (plan.warning == TransitionWarning::kReadyUnused) drawn += " !unused";
  if (plan.warning == TransitionWarning::kCutShort) drawn += " !cut";
  return drawn.empty() ? "" : drawn.substr(1);
}

TEST(Transition, All16) {
  struct Case {
    int from;
    int to;
    const char* want;
  };
  const Case cases[] = {
      {kClosed, kClosed, ""},
      {kClosed, kReady, "prepare"},
      {kClosed, kRecord, "prepare start"},
      {kClosed, kReturn, "prepare start"},
      {kReady, kClosed, "!unused"},
      {kReady, kReady, ""},
      {kReady, kRecord, "start"},
      {kReady, kReturn, "start"},
      {kRecord, kClosed, "deliver !cut"},
      {kRecord, kReady, "deliver prepare !cut"},
      {kRecord, kRecord, ""},
      {kRecord, kReturn, ""},
      {kReturn, kClosed, "deliver"},
      {kReturn, kReady, "deliver prepare"},
      {kReturn, kRecord, "deliver prepare start"},
      {kReturn, kReturn, "deliver prepare start"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Draw(PlanTransition(c.from, c.to)), c.want)
        << c.from << " -> " << c.to;
  }
}

TEST(Transition, StartAndStop) {
  EXPECT_EQ(Draw(PlanStart(kClosed)), "");
  EXPECT_EQ(Draw(PlanStart(kReady)), "prepare");
  EXPECT_EQ(Draw(PlanStart(kRecord)), "prepare start");
  EXPECT_EQ(Draw(PlanStart(kReturn)), "prepare start");
  EXPECT_EQ(Draw(PlanStop(kClosed)), "");
  EXPECT_EQ(Draw(PlanStop(kReady)), "!unused");
  EXPECT_EQ(Draw(PlanStop(kRecord)), "deliver");
  EXPECT_EQ(Draw(PlanStop(kReturn)), "deliver");
}

}  // namespace
}  // namespace stepscope::profiler
