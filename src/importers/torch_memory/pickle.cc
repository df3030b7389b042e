// SPDX-License-Identifier: Apache-2.0
#include "importers/torch_memory/pickle.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.h"
#include "importers/torch_memory/pickle_opcodes.h"

namespace stepscope::torch_memory {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
// What is kept of a longer text.
constexpr uint64_t kMostText = uint64_t{1} << 16;
// Python writes lists and dicts in portions of a thousand, so what is open at
// one time is little.
constexpr size_t kMostOpen = size_t{1} << 20;

Value OfInt(int64_t number) {
  Value value(ValueType::kInt);
  value.number = number;
  return value;
}

}  // namespace

Pickle::Pickle(ByteReader& input, StringPool& strings, PickleListener& listener)
    : input_(input),
      strings_(strings),
      listener_(listener),
      buffer_(kBufferBytes) {}

Error Pickle::Bad(std::string_view what) const {
  return Fail(
      ErrorCode::kCorrupt,
      input_.path() +
          Format(": byte %llu: ", static_cast<unsigned long long>(offset())) +
          std::string(what));
}

Result<bool> Pickle::Fill(size_t size) {
  if (end_ - at_ >= size) return true;
  std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
  begin_ += at_;
  end_ -= at_;
  at_ = 0;
  while (!ended_ && end_ < size) {
    STEPSCOPE_TRY_ASSIGN(const size_t got,
                         input_.Read(std::span(buffer_).subspan(end_)));
    ended_ = got == 0;
    end_ += got;
  }
  return end_ >= size;
}

uint64_t Pickle::Little(size_t at, size_t bytes) const {
  static_assert(std::endian::native == std::endian::little);
  uint64_t value = 0;
  std::memcpy(&value, buffer_.data() + at, bytes);
  return value;
}

Status Pickle::Push(const Value& value) {
  if (stack_.size() >= kMostOpen)
    return Bad("more than a million values are open at one time");
  stack_.push_back(value);
  return Ok();
}

Status Pickle::PushText(uint64_t size) {
  const size_t kept = static_cast<size_t>(std::min(size, kMostText));
  STEPSCOPE_TRY_ASSIGN(const bool there, Fill(kept));
  if (!there) return Bad("the file ends inside a text");
  Value value(ValueType::kText);
  value.text = strings_.Intern(
      {reinterpret_cast<const char*>(buffer_.data() + at_), kept});
  STEPSCOPE_TRY(Skip(size));
  return Push(value);
}

Status Pickle::Skip(uint64_t size) {
  while (size > 0) {
    STEPSCOPE_TRY_ASSIGN(const bool there, Fill(1));
    if (!there) return Bad("the file ends inside a value");
    const uint64_t here = std::min<uint64_t>(size, end_ - at_);
    at_ += static_cast<size_t>(here);
    size -= here;
  }
  return Ok();
}

Status Pickle::PushLong(uint64_t size) {
  if (size > 8) {
    STEPSCOPE_TRY(Skip(size));
    return Push(Value(ValueType::kOther));
  }
  STEPSCOPE_TRY_ASSIGN(const bool there, Fill(static_cast<size_t>(size)));
  if (!there) return Bad("the file ends inside a number");
  uint64_t bits = Little(at_, static_cast<size_t>(size));
  if (size > 0 && size < 8 && (bits >> (8 * size - 1) & 1) != 0)
    bits |= ~uint64_t{0} << (8 * size);
  at_ += static_cast<size_t>(size);
  return Push(OfInt(static_cast<int64_t>(bits)));
}

Status Pickle::Put(uint64_t index) {
  if (stack_.empty()) return Bad("nothing is there to be memoised");
  // Python numbers them from 0 upwards; each takes a byte at least.
  if (index > offset() || index > PickleMemo::kMostSlots)
    return Bad("a memo index is too large");
  const size_t i = static_cast<size_t>(index);
  if (i >= memo_.size() && !memo_.Grow(i + 1))
    return Fail(ErrorCode::kIo,
                input_.path() + ": not enough memory to read it");
  Value& top = stack_.back();
  if (!PickleMemo::Fits(top)) return Bad("there are too many different texts");
  if (memo_.Set(i, PickleMemo::Pack(top))) matcher_.Forget();
  top.memo = static_cast<uint32_t>(i);
  return Ok();
}

Status Pickle::Get(uint64_t index) {
  Value value;
  if (!memo_.Get(index, value)) return Bad("a memo index that was not set");
  return Push(value);
}

Result<size_t> Pickle::TakeMark() {
  if (marks_.empty()) return Bad("a list or dict ends that did not begin");
  const size_t first = marks_.back();
  marks_.pop_back();
  if (first > stack_.size()) return Bad("a list or dict ends too early");
  return first;
}

// What was pushed since `first` goes into the value below it.
Status Pickle::SetItems(size_t first, bool appends) {
  if (first == 0 || first > stack_.size())
    return Bad("there is no list or dict for these items");
  Value& into = stack_[first - 1];
  const ValueType wanted = appends ? ValueType::kList : ValueType::kDict;
  if (into.type != wanted)
    return Bad(appends ? "items of a list are put into something else"
                       : "items of a dict are put into something else");
  const std::span<const Value> items = std::span(stack_).subspan(first);
  if (!appends && items.size() % 2 != 0)
    return Bad("a dict has a key without a value");
  if (!items.empty()) {
    const uint32_t handle =
        appends ? listener_.OnAppend(into.handle, items, offset())
                : listener_.OnItems(into.handle, items, offset());
    if (handle > PickleMemo::kPayloadMask)
      return Bad("there are too many values");
    into.handle = handle;
    if (into.memo < memo_.size() &&
        memo_.Set(into.memo, PickleMemo::Pack(into)))
      matcher_.Forget();
  }
  stack_.resize(first);
  return Ok();
}

Status Pickle::MakeTuple(size_t first) {
  if (first > stack_.size()) return Bad("a tuple has too few values");
  stack_.resize(first);
  return Push(Value(ValueType::kOther));
}

std::string Pickle::LineAhead(size_t from) const {
  std::string text;
  for (size_t i = from; i < end_ && text.size() < 60; ++i) {
    const char c = static_cast<char>(buffer_[i]);
    if (c == '\n') break;
    text += c > ' ' && c < 0x7f ? c : '?';
  }
  return text;
}

Status Pickle::Refuse(uint8_t opcode) {
  const char* const what = CodeName(opcode);
  if (what == nullptr)
    return Bad(Format("opcode 0x%02x does not occur in a pickle of plain data",
                      opcode));
  std::string name;
  if (opcode == 'c') {
    STEPSCOPE_TRY(Fill(128));
    name = LineAhead(at_ + 1);
    name += "." + LineAhead(std::min(end_, at_ + name.size() + 2));
  } else if (opcode == 0x93 && stack_.size() >= 2 &&
             stack_.back().type == ValueType::kText &&
             stack_[stack_.size() - 2].type == ValueType::kText) {
    for (const size_t back : {size_t{2}, size_t{1}}) {
      for (const char c :
           strings_.view(stack_[stack_.size() - back].text).substr(0, 60))
        name += c > ' ' && c < 0x7f ? c : '?';
      if (back == 2) name += '.';
    }
  }
  return Bad("the pickle " + std::string(what) +
             (name.empty() ? "" : " (" + name + ")") +
             "; a memory snapshot is plain data, so nothing of it was run");
}

Status Pickle::StepMany() {
  constexpr size_t kLongest = 16;  // of these, more than any takes
  constexpr int kAtOnce = 1 << 16;
  if (!began_) return Ok();
  for (int n = 0; n < kAtOnce; ++n) {
    if (end_ - at_ < kLongest || stack_.size() >= kMostOpen) return Ok();
    const uint8_t* const code = buffer_.data() + at_;
    switch (*code) {
      case kBinGet:
      case kLongBinGet: {
        const bool wide = *code == kLongBinGet;
        Value& value = stack_.emplace_back();
        if (!memo_.Get(wide ? Little(at_ + 1, 4) : code[1], value)) {
          stack_.pop_back();
          return Ok();
        }
        at_ += wide ? 5 : 2;
        break;
      }
      case kMemoize:
        if (memo_.room() == 0) return Ok();
        STEPSCOPE_TRY(Put(memo_.size()));
        ++at_;
        break;
      case kMark:
        if (marks_.size() >= kMostOpen) return Ok();
        marks_.push_back(stack_.size());
        ++at_;
        break;
      case kEmptyDict: {
        STEPSCOPE_TRY_ASSIGN(const bool whole, ReadRecord());
        if (whole) break;
        stack_.emplace_back(ValueType::kDict);
        ++at_;
        break;
      }
      case kEmptyList:
        stack_.emplace_back(ValueType::kList);
        ++at_;
        break;
      case kSetItems:
        if (marks_.empty() || marks_.back() > stack_.size()) return Ok();
        STEPSCOPE_TRY(SetItems(marks_.back(), false));
        marks_.pop_back();
        ++at_;
        break;
      default: {
        int64_t number = 0;
        const size_t size = ReadInt(code, number);
        if (size == 0) return Ok();
        stack_.push_back(OfInt(number));
        at_ += size;
      }
    }
  }
  return Ok();
}

Result<bool> Pickle::ReadRecord() {
  constexpr size_t kMost = RecordMatcher::kMostItems;
  // What Put() and Push() would say is theirs to say.
  if (stack_.size() + 2 * kMost >= kMostOpen || marks_.size() >= kMostOpen ||
      memo_.room() <= kMost || memo_.size() + kMost >= offset() ||
      memo_.size() + kMost >= PickleMemo::kMostSlots)
    return false;
  const size_t size = matcher_.Match(buffer_.data() + at_,
                                     buffer_.data() + end_, memo_, strings_);
  if (size == 0) return false;
  at_ += size;
  const uint32_t handle = listener_.OnItems(0, matcher_.items(), offset());
  if (handle > PickleMemo::kPayloadMask)
    return Bad("there are too many values");
  stack_.push_back(matcher_.Finish(handle, memo_));
  ++at_;
  ++records_;
  return true;
}

Result<Pickle::Next> Pickle::Step() {
  STEPSCOPE_TRY_ASSIGN(const bool any, Fill(1));
  if (!any) return Bad("the pickle ends in the middle");
  const uint8_t opcode = buffer_[at_];
  if (!began_ && opcode != kProto)
    return Bad("not a pickle of protocol 2 or later");
  const size_t fixed = FixedBytes(opcode);
  if (end_ - at_ < 1 + fixed) {
    STEPSCOPE_TRY_ASSIGN(const bool all, Fill(1 + fixed));
    if (!all) return Bad("the pickle ends in the middle");
  }
  const uint64_t operand = fixed == 0 ? 0 : Little(at_ + 1, fixed);
  const auto pass = [&] { at_ += 1 + fixed; };
  Status status = Ok();
  switch (opcode) {
    case kBinGet:
    case kLongBinGet:
      status = Get(operand);
      pass();
      break;
    case kMemoize:
      status = Put(memo_.size());
      pass();
      break;
    case kBinPut:
    case kLongBinPut:
      status = Put(operand);
      pass();
      break;
    case kMark:
      if (marks_.size() >= kMostOpen) return Bad("nested too deep");
      marks_.push_back(stack_.size());
      pass();
      break;
    case kEmptyDict:
      status = Push(Value(ValueType::kDict));
      pass();
      break;
    case kEmptyList:
      status = Push(Value(ValueType::kList));
      pass();
      break;
    case kSetItems:
    case kAppends: {
      STEPSCOPE_TRY_ASSIGN(const size_t first, TakeMark());
      status = SetItems(first, opcode == kAppends);
      pass();
      break;
    }
    case kSetItem:
    case kAppend: {
      const size_t count = opcode == kAppend ? 1 : 2;
      if (stack_.size() <= count) return Bad("an item without its list");
      status = SetItems(stack_.size() - count, opcode == kAppend);
      pass();
      break;
    }
    case kDict:
    case kList: {
      // The container comes below what was pushed since the mark.
      STEPSCOPE_TRY_ASSIGN(const size_t first, TakeMark());
      stack_.insert(
          stack_.begin() + static_cast<std::ptrdiff_t>(first),
          Value(opcode == kList ? ValueType::kList : ValueType::kDict));
      status = SetItems(first + 1, opcode == kList);
      pass();
      break;
    }
    case kBinInt1:
    case kBinInt2:
      status = Push(OfInt(static_cast<int64_t>(operand)));
      pass();
      break;
    case kBinInt:
      status = Push(OfInt(static_cast<int32_t>(operand)));
      pass();
      break;
    case kLong1:
      pass();
      status = PushLong(operand);
      break;
    case kLong4:
      if (operand >> 31 != 0) return Bad("a number of negative length");
      pass();
      status = PushLong(operand);
      break;
    case kShortBinUnicode:
    case kBinUnicode:
    case kBinUnicode8:
      pass();
      status = PushText(operand);
      break;
    case kShortBinString:
    case kBinString:
      pass();
      status = PushText(operand);
      break;
    case kShortBinBytes:
    case kBinBytes:
    case kBinBytes8:
    case kByteArray8:
      pass();
      STEPSCOPE_TRY(Skip(operand));
      status = Push(Value(ValueType::kOther));
      break;
    case kNone:
      status = Push(Value(ValueType::kNone));
      pass();
      break;
    case kNewTrue:
    case kNewFalse: {
      Value value(ValueType::kBool);
      value.number = opcode == kNewTrue;
      status = Push(value);
      pass();
      break;
    }
    case kBinFloat: {
      Value value(ValueType::kFloat);
      uint64_t bits = 0;
      for (size_t i = 0; i < 8; ++i) bits = bits << 8 | buffer_[at_ + 1 + i];
      value.real = std::bit_cast<double>(bits);
      status = Push(value);
      pass();
      break;
    }
    case kEmptyTuple:
    case kEmptySet:
      status = Push(Value(ValueType::kOther));
      pass();
      break;
    case kTuple1:
    case kTuple2:
    case kTuple3: {
      const size_t count = opcode - kTuple1 + size_t{1};
      if (stack_.size() < count) return Bad("a tuple has too few values");
      status = MakeTuple(stack_.size() - count);
      pass();
      break;
    }
    case kTuple:
    case kFrozenSet: {
      STEPSCOPE_TRY_ASSIGN(const size_t first, TakeMark());
      status = MakeTuple(first);
      pass();
      break;
    }
    case kAddItems: {
      STEPSCOPE_TRY_ASSIGN(const size_t first, TakeMark());
      if (first == 0) return Bad("there is no set for these items");
      stack_.resize(first);
      pass();
      break;
    }
    case kPop:
      if (stack_.empty()) return Bad("nothing is there to be removed");
      stack_.pop_back();
      pass();
      break;
    case kPopMark: {
      STEPSCOPE_TRY_ASSIGN(const size_t first, TakeMark());
      stack_.resize(first);
      pass();
      break;
    }
    case kDup:
      if (stack_.empty()) return Bad("nothing is there to be repeated");
      status = Push(Value(stack_.back()));
      pass();
      break;
    case kProto:
      if (operand < 2 || operand > 5)
        return Bad(Format("pickle protocol %d is not known",
                          static_cast<int>(operand)));
      began_ = true;
      pass();
      break;
    case kFrame:
      pass();
      break;
    case kStop:
      if (stack_.empty()) return Bad("the pickle has no value");
      return Next::kStop;
    default:
      status = Refuse(opcode);
  }
  if (!status) return status.error();
  return Next::kGoOn;
}

}  // namespace stepscope::torch_memory
