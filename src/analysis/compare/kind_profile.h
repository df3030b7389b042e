// SPDX-License-Identifier: Apache-2.0
//
// A server's trace as a profile to compare: its samples are the iterations of
// one kind, or its requests, in the place of steps.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/compare/step_profile.h"
#include "analysis/serving/bill_rule.h"
#include "base/result.h"

namespace stepscope {

// "prefill", ..., "unknown", as NameOf(IterationKind) has them, and "request".
std::string CompareKindChoices();
bool IsCompareKind(std::string_view kind);
bool IsRequestKind(std::string_view kind);
// What one sample is: "decode iteration", "request".
std::string SampleOfKind(std::string_view kind);

// Iterations: their periods; kernels by the iteration that launched them. A
// rank that repeats another adds device time only. Requests: from arrival to
// end; queue, time to the first token, time per token and device time, which is
// shared by `bill`. Fails where the trace has none; `side` says whose it is.
Result<StepProfile> MakeKindProfile(const Trace& trace, std::string_view kind,
                                    BillRule bill, const char* side);

}  // namespace stepscope
