// SPDX-License-Identifier: Apache-2.0
#include "analysis/serving/members.h"

namespace stepscope {
namespace {

// No iteration has more of one request; what says more is damaged.
constexpr int64_t kMostTokensOfMember = 1'000'000'000'000;

IterationKind KindOfMember(int64_t kind) {
  switch (static_cast<MemberKind>(kind)) {
    case MemberKind::kPrefill:
      return IterationKind::kPrefill;
    case MemberKind::kDecode:
      return IterationKind::kDecode;
    case MemberKind::kVerify:
      return IterationKind::kVerify;
    case MemberKind::kDraft:
      return IterationKind::kDraft;
    case MemberKind::kUnknown:
      break;
  }
  return IterationKind::kUnknown;
}

}  // namespace

bool MemberReader::Read(Row row, uint32_t process, RequestLog& log,
                        std::vector<Membership>& members) {
  bool said = false;
  for (const Arg& arg : args_.Of(row)) {
    if (arg.key != key_ || arg.kind != ArgKind::kIntList) continue;
    said = true;
    const auto values =
        trace_.arg_ints().subspan(arg.list_first, arg.list_count);
    for (size_t i = 0; i + 1 < values.size(); i += 2) {
      const int64_t tokens = values[i + 1];
      if (values[i] < 0 || tokens < 0 || tokens > kMostTokensOfMember) continue;
      members.push_back(
          {log.Find(process, values[i] / 8, trace_.start_ns()[row]),
           KindOfMember(values[i] % 8), tokens});
    }
  }
  return said;
}

IterationMark MarkOfMembers(std::span<const Membership> members) {
  IterationMark mark;
  mark.engine = "stepscope";
  int64_t context = 0;
  int64_t generation = 0;
  bool prefill = false;
  bool other = false;
  IterationKind other_kind = IterationKind::kUnknown;
  for (const Membership& one : members) {
    const bool reads = one.kind == IterationKind::kPrefill;
    int64_t& sum = reads ? context : generation;
    sum = SaturatingAdd(sum, one.tokens);
    (reads ? prefill : other) = true;
    if (!reads) other_kind = one.kind;
  }
  mark.kind = members.empty()    ? IterationKind::kIdle
              : prefill && other ? IterationKind::kMixed
              : prefill          ? IterationKind::kPrefill
                                 : other_kind;
  mark.requests = static_cast<int64_t>(members.size());
  mark.tokens_context = context;
  mark.tokens_generation = generation;
  return mark;
}

}  // namespace stepscope
