// SPDX-License-Identifier: Apache-2.0
//
// Remarks: what a user is told of devices, each thing once, with all devices
// that it is true of: "no counters of GPU 0 and 2: ...".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stepscope::gpu {

class Remarks {
 public:
  void Clear() { all_.clear(); }
  bool empty() const { return all_.empty(); }
  // `what`: "no counters of".
  void Add(const char* what, uint32_t device, const char* why);
  // Separated by "; ".
  std::string Text() const;

 private:
  struct Remark {
    std::string what;
    std::string why;
    std::vector<uint32_t> devices;
  };
  std::vector<Remark> all_;
};

}  // namespace stepscope::gpu
