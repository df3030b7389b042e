// SPDX-License-Identifier: Apache-2.0
//
// The ledger: every input record is in exactly one bin, so that
//   seen = kept + sum(repaired) + sum(rejected)
// and nothing is lost or altered without a count, a reason and an example.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

class Ledger {
 public:
  struct Example {
    uint64_t offset = 0;  // byte in the input
    std::string what;
  };
  struct Bin {
    uint64_t count = 0;
    std::vector<Example> examples;  // the first few
  };
  static constexpr size_t kMaxExamples = 4;

  void Keep(uint64_t n = 1) { kept_ += n; }
  // One record, changed so that it could be kept.
  void Repair(std::string_view reason, uint64_t offset = 0,
              std::string_view what = {}, uint64_t n = 1);
  // One record, left out.
  void Reject(std::string_view reason, uint64_t offset = 0,
              std::string_view what = {}, uint64_t n = 1);
  void Merge(const Ledger& other);

  uint64_t seen() const;  // the sum of all bins
  uint64_t kept() const { return kept_; }
  const std::map<std::string, Bin, std::less<>>& repaired() const {
    return repaired_;
  }
  const std::map<std::string, Bin, std::less<>>& rejected() const {
    return rejected_;
  }

 private:
  uint64_t kept_ = 0;
  std::map<std::string, Bin, std::less<>> repaired_;
  std::map<std::string, Bin, std::less<>> rejected_;
};

}  // namespace stepscope
