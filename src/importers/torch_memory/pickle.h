// SPDX-License-Identifier: Apache-2.0
//
// Pickle: reads the plain data of a Python pickle (protocols 2 to 5) as they
// pass: dicts, lists, tuples, strings, numbers. It imports nothing and runs
// nothing: whatever asks for a name, a call or an object of a class is refused.
// No tree of values is made. Who listens turns the items of a dict or a list
// into a handle of its own, and that is what stands for it from then on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/string_pool.h"
#include "importers/torch_memory/pickle_memo.h"
#include "importers/torch_memory/record_matcher.h"

namespace stepscope::torch_memory {

// Where the bytes come from.
class ByteReader {
 public:
  virtual ~ByteReader() = default;
  // As InputSource::Read(): 0 at the end.
  virtual Result<size_t> Read(std::span<uint8_t> out) = 0;
  // What messages call it.
  virtual const std::string& path() const = 0;
};

// Who listens. Handles have 28 bits.
class PickleListener {
 public:
  virtual ~PickleListener() = default;
  // Items were put into the dict `handle`: key, value, key, value. Returns what
  // stands for it now.
  virtual uint32_t OnItems(uint32_t handle, std::span<const Value> items,
                           uint64_t offset) = 0;
  virtual uint32_t OnAppend(uint32_t handle, std::span<const Value> items,
                            uint64_t offset) = 0;
};

class Pickle {
 public:
  Pickle(ByteReader& input, StringPool& strings, PickleListener& listener);

  // For tests: one opcode after the other, as if nothing were known of what
  // comes often.
  void GoByOpcodes() { by_opcodes_ = true; }
  // Dicts that were read as a whole.
  uint64_t records() const { return records_; }

  // Called now and then; false: give up.
  template <typename Pulse>
  Result<Value> Read(Pulse pulse);

 private:
  enum class Next : uint8_t { kGoOn, kStop };

  Error Bad(std::string_view what) const;
  // At least `size` bytes lie at `at_` afterwards; false at the end.
  Result<bool> Fill(size_t size);
  Result<Next> Step();
  // The opcodes that nearly all of a snapshot consists of, as long as they are
  // whole and sound: Step() does the others and says what is wrong.
  Status StepMany();
  // A whole dict, if it is one as they come by the million; else false.
  Result<bool> ReadRecord();
  Status PushText(uint64_t size);
  Status PushLong(uint64_t size);
  Status Skip(uint64_t size);
  Status Push(const Value& value);
  Status Put(uint64_t index);
  Status Get(uint64_t index);
  Status Refuse(uint8_t opcode);
  Result<size_t> TakeMark();
  Status SetItems(size_t first, bool appends);
  Status MakeTuple(size_t first);
  std::string LineAhead(size_t from) const;

  uint64_t offset() const { return begin_ + at_; }
  uint64_t Little(size_t at, size_t bytes) const;

  ByteReader& input_;
  StringPool& strings_;
  PickleListener& listener_;
  std::vector<uint8_t> buffer_;
  size_t at_ = 0;
  size_t end_ = 0;
  uint64_t begin_ = 0;  // offset of the buffer's first byte
  bool ended_ = false;
  bool began_ = false;
  bool by_opcodes_ = false;
  std::vector<Value> stack_;
  std::vector<size_t> marks_;
  PickleMemo memo_;
  RecordMatcher matcher_;
  uint64_t records_ = 0;
};

template <typename Pulse>
Result<Value> Pickle::Read(Pulse pulse) {
  constexpr uint32_t kBetween = 64;
  for (uint32_t n = 1;; ++n) {
    if (n % kBetween == 0 && !pulse())
      return Fail(ErrorCode::kCancelled, "cancelled while it was read");
    if (!by_opcodes_) STEPSCOPE_TRY(StepMany());
    STEPSCOPE_TRY_ASSIGN(const Next next, Step());
    if (next == Next::kStop) return stack_.back();
  }
}

}  // namespace stepscope::torch_memory
