// SPDX-License-Identifier: Apache-2.0
//
// Records in this process and reads the capture back, for tests.
#pragma once

#include <gtest/gtest.h>
#include <stepscope/stepscope.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "importers/registry.h"
#include "trace/trace.h"

namespace stepscope::testing {

// A folder of its own, removed at the end.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "stepscope_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline stepscope_options Options(const std::string& path, uint64_t budget = 0) {
  stepscope_options options{};
  options.struct_size = sizeof(options);
  options.path = path.c_str();
  options.memory_budget = budget;
  return options;
}
// The options point into `path`: not into one that is gone by then.
stepscope_options Options(std::string&& path, uint64_t budget = 0) = delete;

inline std::shared_ptr<const Trace> Load(const std::string& path) {
  auto trace = ImportFile(path);
  if (!trace) {
    ADD_FAILURE() << trace.error().message;
    return nullptr;
  }
  const Ledger& ledger = (*trace)->ledger();
  uint64_t sum = ledger.kept();
  for (const auto& [reason, bin] : ledger.repaired()) sum += bin.count;
  for (const auto& [reason, bin] : ledger.rejected()) sum += bin.count;
  EXPECT_EQ(ledger.seen(), sum);
  return *trace;
}

// Records from construction to Finish().
class Recorded {
 public:
  explicit Recorded(uint64_t budget = 0, uint64_t max_file = 0) {
    path_ = folder_ / "test.sscap";
    stepscope_options options = Options(path_, budget);
    options.max_file = max_file;
    const int status = stepscope_start(&options);
    EXPECT_EQ(status, STEPSCOPE_OK) << stepscope_last_error();
  }
  ~Recorded() { stepscope_stop(); }

  std::shared_ptr<const Trace> Finish() {
    EXPECT_EQ(stepscope_stop(), STEPSCOPE_OK);
    EXPECT_EQ(stepscope_wait(stepscope_session(), 20000), STEPSCOPE_OK);
    return Load(path_);
  }
  const std::string& path() const { return path_; }

 private:
  TempFolder folder_;
  std::string path_;
};

// Events by name, over all threads.
inline std::map<std::string, uint64_t> CountByName(const Trace& trace) {
  std::map<std::string, uint64_t> counts;
  for (Row row = 0; row < trace.size(); ++row)
    ++counts[std::string(trace.str(trace.name()[row]))];
  return counts;
}

inline Row FindEvent(const Trace& trace, std::string_view name) {
  for (Row row = 0; row < trace.size(); ++row)
    if (trace.str(trace.name()[row]) == name) return row;
  return kNoRow;
}

inline uint64_t Dropped(const ThreadReport& thread) {
  uint64_t sum = 0;
  for (const auto& [reason, count] : thread.dropped) sum += count;
  return sum;
}

inline uint64_t Dropped(const Trace& trace) {
  uint64_t sum = 0;
  for (const ThreadReport& thread : trace.threads()) sum += Dropped(thread);
  return sum;
}

// The report of the thread of that name; names in a test are unique.
inline const ThreadReport* FindThread(const Trace& trace,
                                      std::string_view name) {
  for (const ThreadReport& thread : trace.threads())
    if (trace.str(trace.tracks()[thread.track].name) == name) return &thread;
  return nullptr;
}

}  // namespace stepscope::testing
