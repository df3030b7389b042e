// SPDX-License-Identifier: Apache-2.0
//
// The sentences of the advice that text and Markdown share.
#pragma once

#include <string>
#include <vector>

#include "analysis/summary.h"

namespace stepscope {

// "2 findings in 8 settled steps of 42.01 ms (median)"; no full stop.
std::string AdviceHeading(const Summary& summary);
// What a reader should know of the step and of the replay.
std::vector<std::string> AdviceFacts(const Summary& summary);
// "11.66 ms (51.5 %)"; of a bound with "up to".
std::string ShortSavingText(const Finding& finding);
// The same with "of a step".
std::string SavingText(const Summary& summary, const Finding& finding);
// "10.90 ms to 12.40 ms"; empty without a replay, or where both would read the
// same.
std::string RangeText(const Finding& finding);
// "stepscope whatif run.json --change graph"; empty without a replay.
std::string CheckCommand(const Summary& summary, const Finding& finding);
// "Overlaps with finding 2 (host_sync); both together save 3.10 ms."; empty if
// the savings can be added up.
std::string OverlapText(const Summary& summary, const Finding& finding);
// The sentence and where an event of it is; names made visible and short.
std::string EvidenceText(const Summary& summary, const Evidence& evidence);
// What comes after the findings: the sum of them, or that there are none.
std::vector<std::string> AdviceClosing(const Summary& summary);

}  // namespace stepscope
