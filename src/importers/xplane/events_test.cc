// SPDX-License-Identifier: Apache-2.0
//
// Events that are written as all known writers do are read by other code than
// the rest. Both must see the same.
#include "importers/xplane/events.h"

#include <gtest/gtest.h>

#include <random>

#include "importers/proto/pb_writer_test_support.h"
#include "importers/proto/whole_text_test_support.h"

namespace stepscope::proto::xplane {
namespace {

constexpr const char* kStats[] = {
    "group_id", "long_name",        "correlation_id",
    "step_num", "kernel_details",   "_p",
    "_c",       "memcpy_details",   "hlo_op",
    "_pt",      "allocation_bytes", "fraction"};
constexpr const char* kEvents[] = {
    "matmul", "MemoryAllocation", "$train.py:3", "MemcpyH2D", "softmax", "op"};

class SpaceGenerator {
 public:
  // `odd`: each event has a field that no known writer writes.
  SpaceGenerator(uint32_t seed, bool odd) : random_(seed), odd_(odd) {}

  std::string Space() {
    Pb space;
    for (const char* name : {"/device:GPU:0", "/host:CPU", "/other"})
      space.Sub(1, Plane(name));
    // So that no event is among the last bytes.
    return space.Text(9, std::string(64, 'x')).str();
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }
  // Varints of every length.
  int64_t Number() {
    return static_cast<int64_t>(Below(16) == 0 ? random_()
                                               : random_() >> Below(64));
  }

  Pb Plane(const char* name) {
    Pb plane;
    plane.Text(2, name);
    const char* const lines[] = {"Steps", "Stream #1", "main"};
    for (int64_t id = 0; id < 3; ++id) {
      Pb line;
      line.Int(1, id).Text(2, lines[id]).Int(3, 1000 * id);
      for (uint64_t i = Below(60); i > 0; --i) line.Sub(4, Event());
      plane.Sub(3, line);
    }
    for (size_t i = 0; i < std::size(kEvents); ++i) {
      Pb metadata;
      metadata.Text(2, kEvents[i]);
      if (i == 4) metadata.Text(4, "soft");
      if (i == 5) metadata.Sub(5, Pb().Int(1, 1).Int(4, 7));
      plane.Sub(4, Pb().Int(1, Id(i)).Sub(2, metadata));
    }
    for (size_t i = 0; i < std::size(kStats); ++i)
      plane.Sub(5, Pb().Int(1, Id(i)).Sub(2, Pb().Text(2, kStats[i])));
    return plane;
  }

  static int64_t Id(uint64_t i) {
    return static_cast<int64_t>(i == 3 ? 4000 : i + 1);
  }

  Pb Event() {
    Pb event;
    event.Int(1, Below(30) == 0 ? 77 : Id(Below(std::size(kEvents))));
    if (Below(8) != 0)
      event.Int(
          2, Below(20) == 0 ? Number() : static_cast<int64_t>(Below(1u << 30)));
    if (Below(8) != 0) event.Int(3, Below(20) == 0 ? Number() : 2'500);
    for (uint64_t i = Below(5); i > 0; --i) event.Sub(4, Stat());
    if (Below(30) == 0) event.Int(5, 3);
    if (Below(60) == 0) event.Double(2, 1);
    if (odd_) event.Int(15, 1);
    return event;
  }

  Pb Stat() {
    Pb stat;
    stat.Int(1, Below(40) == 0 ? 99 : Id(Below(std::size(kStats))));
    switch (Below(7)) {
      case 0:
        return stat.Double(2, static_cast<double>(Below(100)) / 8);
      case 1:
        return stat.Int(3, Number());
      case 2:
        return stat.Text(5, "text " + std::to_string(Below(20)));
      case 3:
        return stat.Text(5, "regs:38 grid:160,1,1 block:1024,1,1");
      case 4:
        return stat.Int(7, Id(Below(std::size(kStats) + 1)));
      case 5:
        return stat.Text(6, "size:4096");
      default:
        return stat.Int(4, Number());
    }
  }

  std::mt19937_64 random_;
  bool odd_;
};

std::string Read(const std::string& bytes) {
  return WholeText(*ImportBytes(ImportXSpace, bytes));
}

TEST(XEventsTest, OrderOfFieldsMakesNoDifference) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const std::string plain = Read(SpaceGenerator(seed, false).Space());
    ASSERT_EQ(plain, Read(SpaceGenerator(seed, true).Space())) << seed;
    ASSERT_NE(plain.find("matmul"), std::string::npos);
  }
}

TEST(XEventsTest, TheLastBytesAreReadAsOthers) {
  std::string bytes = SpaceGenerator(3, false).Space();
  const std::string padded = Read(bytes);
  bytes.resize(bytes.size() - 66);  // the padding, its tag and its length
  EXPECT_EQ(padded, Read(bytes));
}

TEST(XEventsTest, SeveralReadersSeeWhatOneDoes) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    const std::string bytes = SpaceGenerator(seed, false).Space();
    const std::string one = ReadAtOnceText(ImportXSpace, bytes, 1);
    EXPECT_EQ(one.find(Read(bytes)), 0u) << seed;
    for (const unsigned readers : {2u, 3u, 7u})
      ASSERT_EQ(one, ReadAtOnceText(ImportXSpace, bytes, readers)) << seed;
  }
}

// Whatever comes first in the file: steps of the host make those of the device
// a view.
TEST(XEventsTest, StepsOfTheHostCountWhereverTheyStand) {
  const auto plane = [](const char* name, const char* stat) {
    return Pb()
        .Text(2, name)
        .Sub(3, Pb().Int(1, 1)
                    .Text(2, "Steps")
                    .Sub(4, Pb().Int(1, 1).Int(3, 9000).Sub(
                                4, Pb().Int(1, 1).Int(4, 3))))
        .Sub(4, Pb().Int(1, 1).Sub(2, Pb().Text(2, "step")))
        .Sub(5, Pb().Int(1, 1).Sub(2, Pb().Text(2, stat)));
  };
  const Pb device = plane("/device:TPU:0", "group_id");
  const Pb host = plane("/host:CPU", "step_num");
  for (const bool device_first : {true, false}) {
    Pb space;
    space.Sub(1, device_first ? device : host);
    space.Sub(1, device_first ? host : device);
    const auto trace = ImportBytes(ImportXSpace, space.str());
    EXPECT_NE(Drawn(*trace).find("async 1 /device:TPU:0 Steps"),
              std::string::npos)
        << Drawn(*trace);
  }
}

}  // namespace
}  // namespace stepscope::proto::xplane
