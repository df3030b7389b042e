// SPDX-License-Identifier: Apache-2.0
//
// Whatever a trace holds, what is written of it in Kineto's form is JSON.
#include <gtest/gtest.h>

#include "base/json_check.h"
#include "exporters/kineto/kineto.h"
#include "roundtrip/random_trace.h"

namespace stepscope {
namespace {

TEST(KinetoOfAnything, IsJson) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const auto trace = RandomTrace(seed);
    MemorySink sink;
    ASSERT_TRUE(KinetoExporter().Export(*trace, {}, sink)) << seed;
    const std::string text = sink.TakeText();
    ASSERT_EQ(CheckJson(text), JsonKind::kObject) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stepscope
