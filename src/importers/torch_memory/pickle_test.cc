// SPDX-License-Identifier: Apache-2.0
//
// What is read at once is what is read opcode by opcode: the same items, in the
// same order, at the same bytes, with the same message at the end.
#include "importers/torch_memory/pickle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/whole_or_part.h"
#include "importers/torch_memory/random_pickle_test_support.h"

namespace stepscope::torch_memory {
namespace {

// Gives `most` bytes at a time.
class Portions : public ByteReader {
 public:
  Portions(std::string_view bytes, size_t most) : left_(bytes), most_(most) {}
  Result<size_t> Read(std::span<uint8_t> out) override {
    const size_t size = std::min({out.size(), most_, left_.size()});
    std::memcpy(out.data(), left_.data(), size);
    left_.remove_prefix(size);
    return size;
  }
  const std::string& path() const override { return path_; }

 private:
  std::string_view left_;
  const size_t most_;
  const std::string path_ = "a.pickle";
};

// Writes down all that it is told. A handle is a sum of what was put in.
class Scribe : public PickleListener {
 public:
  uint32_t OnItems(uint32_t handle, std::span<const Value> items,
                   uint64_t offset) override {
    return Note('d', handle, items, offset);
  }
  uint32_t OnAppend(uint32_t handle, std::span<const Value> items,
                    uint64_t offset) override {
    return Note('l', handle, items, offset);
  }
  void Add(uint64_t number) {
    log.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void AddValue(const Value& value) {
    Add(static_cast<uint64_t>(value.type));
    Add(value.memo);
    Add(value.type == ValueType::kText   ? value.text.v
        : value.type > ValueType::kText  ? value.handle
        : value.type == ValueType::kNone ? 0
                                         : static_cast<uint64_t>(value.number));
  }

  std::string log;

 private:
  uint32_t Note(char what, uint32_t handle, std::span<const Value> items,
                uint64_t offset) {
    const size_t from = log.size();
    Add(static_cast<uint64_t>(what));
    Add(handle);
    Add(offset);
    for (const Value& value : items) AddValue(value);
    uint32_t sum = 1;
    for (size_t i = from; i < log.size(); ++i)
      sum = sum * 31 + static_cast<uint8_t>(log[i]);
    return (sum & PickleMemo::kPayloadMask) | 1;
  }
};

struct Told {
  std::string log;
  std::string error;
  uint64_t records = 0;
};

Told Read(std::string_view bytes, bool by_opcodes, size_t portion) {
  Portions input(bytes, portion);
  StringPool strings;
  Scribe scribe;
  Pickle pickle(input, strings, scribe);
  if (by_opcodes) pickle.GoByOpcodes();
  const Result<Value> whole = pickle.Read([] { return true; });
  if (whole) scribe.AddValue(*whole);
  for (uint32_t id = 0; whole && id < strings.size(); ++id)
    scribe.log += std::string(strings.view({id})) + '\n';
  return {scribe.log, whole ? std::string() : whole.error().message,
          pickle.records()};
}

// Returns how many records were read at once.
uint64_t ExpectEqual(std::string_view bytes, size_t portion) {
  const Told slow = Read(bytes, true, SIZE_MAX);
  const Told fast = Read(bytes, false, portion);
  EXPECT_EQ(slow.error, fast.error);
  EXPECT_TRUE(slow.log == fast.log) << slow.error;
  EXPECT_EQ(slow.records, 0u);
  return fast.records;
}

TEST(PickleTest, RecordsAreReadAtOnce) {
  for (const int protocol : {2, 3, 4, 5}) {
    const std::string bytes = RandomPickle(1, protocol, 0).Write(100);
    // Not those at the end of the file, and where the memo has to grow.
    EXPECT_GE(ExpectEqual(bytes, SIZE_MAX), 90u) << protocol;
    EXPECT_EQ(Read(bytes, false, SIZE_MAX).error, "");
  }
}

TEST(PickleTest, RandomPicklesAreReadAlike) {
  constexpr uint64_t kFiles = WholeOrPart(3000, 300);
  uint64_t records = 0;
  uint64_t sound = 0;
  for (uint64_t seed = 0; seed < kFiles; ++seed) {
    const int protocol = 2 + static_cast<int>(seed % 4);
    const std::string bytes =
        RandomPickle(seed, protocol, 20 + seed % 400).Write(40);
    const size_t portion = seed % 3 == 0 ? 1 + seed % 90 : SIZE_MAX;
    records += ExpectEqual(bytes, portion);
    sound += Read(bytes, true, SIZE_MAX).error.empty();
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  // Neither side of the matter is missing.
  EXPECT_GT(records, kFiles * 5);
  EXPECT_GT(sound, kFiles / 20);
  EXPECT_LT(sound, kFiles * 19 / 20);
}

TEST(PickleTest, CutAtEveryByteAndChanged) {
  for (const int protocol : {2, 3, 4, 5}) {
    const std::string whole = RandomPickle(7, protocol, 0).Write(8);
    for (size_t size = 0; size < whole.size(); ++size)
      ExpectEqual(whole.substr(0, size), SIZE_MAX);
    for (size_t i = 2; i < whole.size(); ++i)
      for (const unsigned change : {1u, 0x80u}) {
        std::string bytes = whole;
        bytes[i] = static_cast<char>(static_cast<uint8_t>(bytes[i]) ^ change);
        ExpectEqual(bytes, SIZE_MAX);
      }
    if (HasFailure()) FAIL() << "protocol " << protocol;
  }
}

// A key's number is put to another text: the bytes are as before.
TEST(PickleTest, AKeyThatIsReplaced) {
  std::string bytes(
      "\x80\x04\x8c\x01k\x94"
      "0]\x94(",
      10);
  const std::string record =
      std::string("}(h\0K\x01h\0K\x02h\0K\x03h\0K\x04u", 19);
  for (int i = 0; i < 6; ++i) bytes += record;
  bytes += std::string(
      "\x8c\x01mq\0"
      "0",
      6);
  for (int i = 0; i < 6; ++i) bytes += record;
  EXPECT_GE(ExpectEqual(bytes + "e.", SIZE_MAX), 8u);
}

}  // namespace
}  // namespace stepscope::torch_memory
