// SPDX-License-Identifier: Apache-2.0
#include "trace/build/args_builder.h"

namespace stepscope {

std::span<Arg> ArgsBuilder::NewArgs(size_t count) {
  Column<Arg>& args = args_.typed;
  const size_t before = args.size();
  // By doubling at least, so that adding some often costs little.
  args_lost_ |= !args.ReserveMore(count) || !args.Resize(before + count);
  if (args_by_row_ == before) args_by_row_ = args.size();
  return args.span().subspan(before);
}

void ArgsBuilder::AddListArg(Arg arg, std::span<const int64_t> values) {
  arg.kind = ArgKind::kIntList;
  arg.list_first = static_cast<uint32_t>(args_.ints.size());
  arg.list_count = static_cast<uint32_t>(values.size());
  args_lost_ |= !args_.ints.AppendAll(values);
  AddArg(arg);
}

void ArgsBuilder::SetRawRef(Row row, RawRef ref) {
  if (row == kNoRow) return;
  Column<RawRef>& refs = args_.raw_refs;
  if (row >= refs.size() && (!refs.ReserveMore(row + 1 - refs.size()) ||
                             !refs.Resize(size_t{row} + 1)))
    args_lost_ = true;
  else
    refs[row] = ref;
}

}  // namespace stepscope
