// SPDX-License-Identifier: Apache-2.0
//
// Exchange: the way of one answer from the thread that makes it to the loop
// that sends it. Who writes never waits for a slow client, except that a
// stream which runs ahead of its reader is held back. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace stepscope::server {

class Exchange {
 public:
  // `wake` is called when there is something new to send; from any thread.
  explicit Exchange(std::function<void()> wake) : wake_(std::move(wake)) {}

  // For who answers. False: nobody will read it.
  bool Write(std::string_view bytes);
  void Finish(bool keep_open);
  bool closed() const;

  // For the loop. Moves what waits to the end of `out`.
  struct State {
    bool finished = false;
    bool keep_open = false;
  };
  State Take(std::string& out);
  void Close();

 private:
  static constexpr size_t kRunAhead = 4 << 20;

  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::string waiting_;
  State state_;
  bool closed_ = false;
  const std::function<void()> wake_;
};

}  // namespace stepscope::server
