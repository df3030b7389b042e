// SPDX-License-Identifier: Apache-2.0
//
// A recording by the collector of what the scripted CUPTI says, and its Trace.
#pragma once

#include <gtest/gtest.h>
#include <stepscope/c.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "fake.h"
#include "importers/capture/capture_file.h"

namespace stepscope {

class Session : public testing::Test {
 protected:
  void SetUp() override {
    setenv("STEPSCOPE_PLUGIN_PATH", CUPTI_PLUGIN, 1);
    path_ = testing::TempDir() + "cupti_" + std::to_string(getpid()) + ".sscap";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  int Start() {
    std::filesystem::remove(path_);
    stepscope_options options = {};
    options.struct_size = sizeof(options);
    options.path = path_.c_str();
    return stepscope_start(&options);
  }
  std::shared_ptr<const Trace> Finish() {
    EXPECT_EQ(stepscope_stop(), STEPSCOPE_OK);
    EXPECT_EQ(stepscope_wait(stepscope_session(), 100000), STEPSCOPE_OK);
    return Read();
  }
  std::shared_ptr<const Trace> Read() {
    const auto trace = ImportCapture(path_);
    EXPECT_TRUE(trace.has_value());
    return trace.has_value() ? *trace : nullptr;
  }
  // Kernels in the file of a process that still writes it, or has not begun.
  size_t CountInLiveCapture() {
    const auto trace = ImportCapture(path_);
    return trace.has_value() ? CountType(**trace, STEPSCOPE_KERNEL) : 0;
  }
  static std::string Metadata(const Trace& trace, const std::string& key) {
    std::string found;
    for (const auto& [name, value] : trace.processes()[0].metadata)
      if (trace.str(name) == key) found = std::string(trace.str(value));
    return found;
  }
  static std::string Notes(const Trace& trace) {
    std::string all;
    for (const std::string& note : trace.notes()) all += note + "\n";
    return all;
  }
  static size_t CountType(const Trace& trace, uint16_t type) {
    size_t count = 0;
    for (const uint16_t t : trace.type()) count += t == type ? 1 : 0;
    return count;
  }

  std::string path_;
};

}  // namespace stepscope
