// SPDX-License-Identifier: Apache-2.0
//
// When the imaginary devices of fake_mlu.cc work: on a busy machine nobody can
// say what else has happened when they are looked at for the first time.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace stepscope {

// One at a time, before the devices are attached.
class MluWork {
 public:
  MluWork() {
    setenv("STEPSCOPE_PLUGIN_PATH", FAKE_MLU, 1);
    setenv("FAKE_MLU_AWAITS", file_.c_str(), 1);
    std::filesystem::remove(file_);
  }
  ~MluWork() { std::filesystem::remove(file_); }
  MluWork(const MluWork&) = delete;
  MluWork& operator=(const MluWork&) = delete;

  void Begin() const { std::ofstream(file_).close(); }

 private:
  const std::string file_ =
      testing::TempDir() + "mlu_work_" + std::to_string(getpid());
};

}  // namespace stepscope
