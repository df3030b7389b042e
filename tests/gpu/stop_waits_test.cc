// SPDX-License-Identifier: Apache-2.0
//
// The end of a recording waits for nothing but what is still on its way.
#include <gtest/gtest.h>

#include "counted_waits.h"
#include "test_host.h"

namespace {

// The thread that stops is often the one that would have to call CUDA, which
// CUPTI needs to be finalised.
TEST(StopWaits, NobodyHasToCallCuda) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  const long before = counted_waits();
  host.Detach();
  EXPECT_EQ(counted_waits(), before);
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);
  fake.call(5);
  EXPECT_EQ(fake.count("cuptiFinalize"), 1);
}

TEST(StopWaits, WorkInFlightIsWaitedFor) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  FakeWork running;
  running.in_flight = true;
  fake.work(&running);
  const long before = counted_waits();
  host.Detach(30);
  EXPECT_GT(counted_waits(), before);
}

}  // namespace
