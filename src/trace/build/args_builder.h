// SPDX-License-Identifier: Apache-2.0
//
// ArgsBuilder: the part of TraceBuilder that takes arguments of events, typed
// ones and members of JSON objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

class ArgsBuilder {
 public:
  // To be filled in where it lies, before the next is made.
  Arg& NewArg(Row row, StringId key) {
    Arg* arg = args_.typed.AppendZero();
    if (arg == nullptr) [[unlikely]] {
      args_lost_ = true;
      arg = &refused_;
    }
    arg->row = row;
    arg->key = key;
    return *arg;
  }
  // The same for many, which any thread may fill in. They stay where they are
  // as long as there is room for more. REQUIRES: they get rows in ascending
  // order, none below that of an argument that is here. Fewer than `count` if
  // memory is refused.
  std::span<Arg> NewArgs(size_t count);
  bool HasRoomForArgs(size_t count) const {
    return args_.typed.capacity() - args_.typed.size() >= count;
  }
  void AddArg(const Arg& arg) { args_lost_ |= !args_.typed.Append(arg); }
  // list_first and list_count are set here.
  void AddListArg(Arg arg, std::span<const int64_t> values);

  // Members of a JSON object that no typed argument holds; see
  // Trace::raw_args. Once for an event.
  void AddRawArgs(Row row, std::string_view members) {
    if (!members.empty()) AddRawArgs(row, {&members, 1});
  }
  // The same in parts; ", " comes between them.
  void AddRawArgs(Row row, std::span<const std::string_view> members) {
    if (!members.empty() && row != kNoRow)
      SetRawRef(row, args_.raw.Add(members));
  }
  RawArgs& raw_args() { return args_.raw; }
  // The same for a text that is in raw_args() already.
  void SetRawRef(Row row, RawRef ref);

 protected:
  ArgTable args_;
  size_t args_by_row_ = 0;  // how many are known to be in order
  bool args_lost_ = false;  // one was refused

 private:
  Arg refused_;  // takes what is written when there is no memory
};

}  // namespace stepscope
