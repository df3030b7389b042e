// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/in_order.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "importers/proto/pb_writer_test_support.h"

namespace stepscope::proto {
namespace {

constexpr uint32_t kId = Varint(1);
constexpr uint32_t kKind = Varint(2);
constexpr uint32_t kTime = Varint(3);
constexpr uint32_t kName = Delimited(4);
constexpr uint32_t kInner = Delimited(5);
constexpr uint32_t kHigh = Varint(17);

struct Fields {
  uint64_t id = 0;
  uint64_t kind = 0;
  uint64_t time = 0;
  uint64_t high = 0;
  std::string name;
  std::string inner;
  bool ok = true;

  bool operator==(const Fields&) const = default;
};

void Walk(Message message, Fields* f) {
  while (message.Next()) {
    switch (message.tag()) {
      case kId:
        f->id = message.value();
        break;
      case kKind:
        f->kind = message.value();
        break;
      case kTime:
        f->time = message.value();
        break;
      case kName:
        f->name = message.text();
        break;
      case kInner:
        f->inner = message.text();
        break;
      case kHigh:
        f->high = message.value();
        break;
      default:
        break;
    }
  }
  f->ok = message.ok();
}

// How many fields were taken is added to `taken`.
Fields Read(Bytes message, const uint8_t* readable, int* taken) {
  Fields f;
  std::string_view name;
  Bytes inner;
  InOrder fields(message, readable);
  *taken += fields.Number(kId, &f.id);
  *taken += fields.Small(kKind, &f.kind);
  *taken += fields.Time(kTime, &f.time);
  *taken += fields.Text(kName, &name);
  *taken += fields.Sub(kInner, &inner);
  *taken += fields.HighNumber(kHigh, &f.high);
  f.name = name;
  f.inner = Text(inner);
  Walk(Message(fields.rest(), readable), &f);
  return f;
}

class FieldGenerator {
 public:
  explicit FieldGenerator(uint32_t seed) : random_(seed) {}

  // Numbers of every length, most fields in order, now and then damage.
  std::string Next() {
    Pb pb;
    if (!OneIn(5)) pb.Int(1, Number());
    if (!OneIn(5)) pb.Int(2, OneIn(2) ? Number() & 0x7f : Number());
    if (!OneIn(5)) pb.Int(3, OneIn(2) ? kUnixTime : Number());
    if (!OneIn(5)) pb.Text(4, std::string(random_() % 300, 'n'));
    if (!OneIn(5)) pb.Text(5, std::string(random_() % 20, 'i'));
    if (!OneIn(5)) pb.Int(17, Number());
    if (OneIn(5)) pb.Int(static_cast<uint32_t>(1 + random_() % 3), Number());
    std::string bytes = pb.str();
    if (OneIn(3) && !bytes.empty())
      bytes[random_() % bytes.size()] ^= static_cast<char>(1u << random_() % 8);
    if (OneIn(3)) bytes.resize(random_() % (bytes.size() + 1));
    return bytes;
  }

 private:
  static constexpr int64_t kUnixTime = 1'700'000'000'000'000'000;

  bool OneIn(uint32_t n) { return random_() % n == 0; }
  int64_t Number() {
    return static_cast<int64_t>(random_() >> (random_() % 64));
  }

  std::mt19937_64 random_;
};

// What is taken off in order and what is walked make the message that is
// walked all along, whatever follows it: bytes that look like its next field
// as well.
TEST(InOrderTest, TheSameAsAWalk) {
  int taken = 0;
  FieldGenerator generator(3);
  for (int i = 0; i < 20'000; ++i) {
    const std::string bytes = generator.Next();
    Fields expected;
    Walk(Message(AsBytes(bytes)), &expected);
    for (const uint32_t follows :
         {0u, 0xffu, 0x7fu, kId, kKind, kTime, kName, kInner, kHigh}) {
      const std::string longer =
          bytes + std::string(32, static_cast<char>(follows));
      for (const size_t readable : {bytes.size(), bytes.size() + 10,
                                    bytes.size() + 12, longer.size()}) {
        const Bytes all = AsBytes(longer).first(readable);
        ASSERT_EQ(
            Read(all.first(bytes.size()), all.data() + all.size(), &taken),
            expected)
            << testing::PrintToString(bytes) << " then " << follows;
      }
    }
  }
  // Not all by the walk.
  EXPECT_GT(taken, 600'000);
}

}  // namespace
}  // namespace stepscope::proto
