// SPDX-License-Identifier: Apache-2.0
//
// What tells one source file from another, whatever it is called: a hash of
// its bytes and of those of the live file beside a capture.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace stepscope {

struct Fingerprint {
  uint64_t hash = 0;
  uint64_t bytes = 0;

  // "0123456789abcdef-1234", as the table `ranks` has it.
  std::string text() const;
  // 16 digits, as the names of files have it.
  std::string hex() const;
  // As the tables have it: not negative.
  int64_t source_id() const { return static_cast<int64_t>(hash >> 1); }
};

Result<Fingerprint> FingerprintOf(const std::string& path);

// Size and time of change of a file: as long as both stay, so does its content.
// "" where that does not hold (a live file beside a capture is written through
// memory, which moves no time) or the file cannot be read.
std::string StateOf(const std::string& path);

}  // namespace stepscope
