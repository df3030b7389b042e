// SPDX-License-Identifier: Apache-2.0
//
// Work is left out for a while under the collector, and is in no capture.
#include <stepscope/plugin.h>

#include "session.h"

namespace stepscope {
namespace {

TEST_F(Session, WorkThatIsLeftOutIsNotInTheCapture) {
  Fake& fake = Fake::Get();
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  EXPECT_EQ(stepscope_device_work(), STEPSCOPE_WORK_RECORDED);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) fake.Kernel("recorded");
    stepscope_record_device_work(0);
    EXPECT_EQ(stepscope_device_work(), STEPSCOPE_WORK_LEFT_OUT);
    while (fake.count("single_calls") > 0) usleep(1000);
    for (int i = 0; i < 10; ++i) fake.Kernel("left out");
    stepscope_record_device_work(1);
    while (stepscope_device_work() != STEPSCOPE_WORK_RECORDED) usleep(1000);
  }
  fake.Kernel("recorded");
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(CountType(*trace, STEPSCOPE_KERNEL), 31u);
  EXPECT_EQ(CountType(*trace, STEPSCOPE_CUDA_RUNTIME), 31u);
  for (Row row = 0; row < trace->size(); ++row)
    EXPECT_NE(trace->str(trace->name()[row]), "left out");
  EXPECT_EQ(trace->ledger().seen(), trace->ledger().kept());
  EXPECT_EQ(Notes(*trace), "");
  EXPECT_EQ(fake.count("dropped"), 0);
}

TEST_F(Session, StopsWhileWorkIsLeftOut) {
  Fake& fake = Fake::Get();
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(Start(), STEPSCOPE_OK);
    fake.Kernel("recorded");
    stepscope_record_device_work(0);
    if (i % 2 == 1)
      while (fake.count("single_calls") > 0) usleep(1000);
    const auto trace = Finish();
    ASSERT_NE(trace, nullptr);
    EXPECT_EQ(CountType(*trace, STEPSCOPE_KERNEL), 1u);
    EXPECT_EQ(trace->ledger().seen(), trace->ledger().kept());
    EXPECT_EQ(fake.count("enabled"), 0);
  }
  for (const char* what : {"single_calls", "subscribers", "domains"})
    EXPECT_EQ(fake.count(what), 0) << what;
}

}  // namespace
}  // namespace stepscope
