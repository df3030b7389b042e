// SPDX-License-Identifier: Apache-2.0
//
// TemporaryDataset: a folder for the dataset that a query of traces is
// answered from. It goes with the object, and when the program is told to end
// (SIGINT, SIGTERM, SIGHUP): the first such signal may be taken by a handler,
// the second ends the program.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace stepscope {

class TemporaryDataset {
 public:
  // Takes over a folder of MakeScratchFolder(). REQUIRES: no other threads are
  // running.
  explicit TemporaryDataset(std::string folder);
  ~TemporaryDataset();
  TemporaryDataset(const TemporaryDataset&) = delete;
  TemporaryDataset& operator=(const TemporaryDataset&) = delete;

  const std::string& folder() const { return folder_; }
  // Called on another thread instead of ending the program; none: end it.
  void OnSignal(std::function<void()> handler);

 private:
  void Watch();

  const std::string folder_;  // empty: there is none, signals only
  std::mutex mutex_;
  std::function<void()> handler_;
  std::thread watcher_;
};

}  // namespace stepscope
