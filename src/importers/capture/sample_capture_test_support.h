// SPDX-License-Identifier: Apache-2.0
//
// One small recording with everything a capture can hold, for tests: as an
// ended capture, and as what a kill leaves (a capture and a live file). One
// tick is 0.5 ns; the first anchor is tick 1000.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "importers/capture/capture_writer_test_support.h"

namespace stepscope::capture {

struct SampleFile {
  std::string bytes;
  std::vector<size_t> blocks;  // offsets of block headers
};

// What the sample holds, counted by hand.
inline constexpr uint64_t kSampleEvents = 11;
inline constexpr uint64_t kSampleSideRecords = 11;
inline constexpr uint64_t kSampleLateEnds = 2;

SampleFile EndedSample();

struct KilledSample {
  SampleFile capture;
  std::string live;
};
// The same records; the last run of each thread is in the live file, and one
// chunk is in both.
KilledSample MakeKilledSample();
// The same of a process that still records.
KilledSample MakeRecordingSample(uint32_t pid);

// A folder of its own for one test, removed with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string Write(const std::string& name, const std::string& bytes) const;
  const std::string& root() const { return path_; }

 private:
  std::string path_;
};

}  // namespace stepscope::capture
