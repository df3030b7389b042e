// SPDX-License-Identifier: Apache-2.0
//
// A job that does not go on has one finding that matters.
#include <string>
#include <utility>

#include "analysis/advice/rules.h"
#include "analysis/ranks/hang.h"

namespace stepscope {

void FindHangOfJob(const AdviceInput& input, Advice& advice) {
  const Hang hang = FindHang(input.trace());
  if (!hang.found()) return;
  const std::vector<std::string> lines = DescribeHang(input.trace(), hang);
  if (lines.empty()) return;
  Finding finding;
  finding.id = "hang";
  finding.finding = "The job hangs: " + lines[0] + ".";
  finding.saving_basis = "no step ends before this one does";
  for (size_t i = 1; i < lines.size(); ++i)
    finding.evidence.push_back({lines[i] + ".", "", kNoRow, 0, 0});
  for (const HangRank& rank : hang.ranks) {
    const Row row = rank.collective != kNoRow ? rank.collective
                    : rank.open.empty()       ? kNoRow
                                              : rank.open.back();
    if (row == kNoRow) continue;
    const std::string name(input.trace().str(input.trace().name()[row]));
    finding.evidence.push_back(
        {"Open when the window was saved: " + Quoted(name) + ".", name, row, 1,
         input.trace().dur_ns()[row]});
    break;
  }
  finding.to_try = {
      "stepscope info DIR: the open scopes of every thread",
      "py-spy dump --pid PID of the rank that has not arrived",
      "the same collectives in the same order on all ranks, also in branches"};
  advice.findings.insert(advice.findings.begin(), std::move(finding));
}

}  // namespace stepscope
