// SPDX-License-Identifier: Apache-2.0
//
// A fluid profile that several readers share makes the trace that one makes.
#include <gtest/gtest.h>

#include <random>

#include "importers/proto/pb_writer_test_support.h"
#include "importers/proto/whole_text_test_support.h"

namespace stepscope::proto::fluid {
namespace {

class ProfileGenerator {
 public:
  explicit ProfileGenerator(uint32_t seed) : random_(seed) {}

  std::string Profile() {
    Pb profile;
    const bool mixed = OneIn(2);  // not only behind the events
    for (uint64_t i = Below(100); i > 0; --i) {
      profile.Sub(1, Event());
      if (mixed && OneIn(9)) profile.Sub(4, MemoryEvent());
      if (mixed && OneIn(30)) profile.Int(2, Time());
      if (OneIn(40)) profile.Text(77, "of a newer version");
    }
    profile.Int(2, Time()).Int(3, Time());
    for (uint64_t i = Below(20); i > 0; --i) profile.Sub(4, MemoryEvent());
    std::string bytes = profile.str();
    if (OneIn(3)) bytes.resize(bytes.size() - Below(bytes.size()));
    if (OneIn(3)) bytes[Below(bytes.size())] ^= static_cast<char>(Below(256));
    return bytes;
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  int64_t Time() { return kSampleTime + static_cast<int64_t>(Below(100'000)); }

  Pb Event() {
    Pb event;
    event.Text(1, "name " + std::to_string(Below(30)));
    if (!OneIn(15)) event.Int(2, Time());
    event.Int(3, Time());
    event.Int(5, static_cast<int64_t>(Below(3)) - 1);
    const auto kind = static_cast<int64_t>(OneIn(2) ? Below(3) : 0);
    // No stream is one of two kinds of device.
    event.Int(6, static_cast<int64_t>(Below(5)) + kind * 10);
    if (OneIn(9)) event.Sub(7, Pb().Int(1, 4096));
    if (kind != 0) event.Int(8, kind);
    if (OneIn(9)) event.Text(9, "detail " + std::to_string(Below(9)));
    return event;
  }
  Pb MemoryEvent() {
    Pb event;
    event.Int(1, Time()).Int(2, Time());
    event.Int(3, OneIn(20) ? -1 : static_cast<int64_t>(Below(1000)));
    event.Int(4, static_cast<int64_t>(Below(6)));
    event.Int(5, static_cast<int64_t>(Below(7)));
    return event.Int(6, static_cast<int64_t>(Below(2)));
  }

  std::mt19937_64 random_;
};

TEST(FluidPartsTest, SeveralReadersSeeWhatOneDoes) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const std::string bytes = ProfileGenerator(seed).Profile();
    const std::string one = ReadAtOnceText(ImportFluidProfile, bytes, 1);
    for (const unsigned readers : {2u, 3u, 7u})
      ASSERT_EQ(one, ReadAtOnceText(ImportFluidProfile, bytes, readers))
          << seed;
  }
}

}  // namespace
}  // namespace stepscope::proto::fluid
