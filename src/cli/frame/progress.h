// SPDX-License-Identifier: Apache-2.0
//
// Progress: a line on the terminal while long work goes on, and nothing where
// standard error is no terminal or the work is quick.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace stepscope {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();  // takes the line away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // How far the work is. Until then the line only shows that it goes on.
  // Thread-safe.
  void Set(uint64_t done, uint64_t total);

 private:
  void Run();

  const std::string what_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::atomic<int> percent_{-1};  // -1: not known
  std::thread thread_;
};

}  // namespace stepscope
