// SPDX-License-Identifier: Apache-2.0
#include "trace/ledger.h"

namespace stepscope {
namespace {

using Bins = std::map<std::string, Ledger::Bin, std::less<>>;

void Count(Bins& bins, std::string_view reason, uint64_t offset,
           std::string_view what, uint64_t n) {
  if (n == 0) return;
  auto it = bins.find(reason);
  if (it == bins.end()) it = bins.emplace(reason, Ledger::Bin{}).first;
  it->second.count += n;
  if (it->second.examples.size() < Ledger::kMaxExamples)
    it->second.examples.push_back({offset, std::string(what)});
}

void MergeBins(Bins& into, const Bins& from) {
  for (const auto& [reason, bin] : from) {
    Ledger::Bin& target = into[reason];
    target.count += bin.count;
    for (const Ledger::Example& example : bin.examples) {
      if (target.examples.size() == Ledger::kMaxExamples) break;
      target.examples.push_back(example);
    }
  }
}

uint64_t Sum(const Bins& bins) {
  uint64_t sum = 0;
  for (const auto& [reason, bin] : bins) sum += bin.count;
  return sum;
}

}  // namespace

void Ledger::Repair(std::string_view reason, uint64_t offset,
                    std::string_view what, uint64_t n) {
  Count(repaired_, reason, offset, what, n);
}

void Ledger::Reject(std::string_view reason, uint64_t offset,
                    std::string_view what, uint64_t n) {
  Count(rejected_, reason, offset, what, n);
}

void Ledger::Merge(const Ledger& other) {
  kept_ += other.kept_;
  MergeBins(repaired_, other.repaired_);
  MergeBins(rejected_, other.rejected_);
}

uint64_t Ledger::seen() const {
  return kept_ + Sum(repaired_) + Sum(rejected_);
}

}  // namespace stepscope
