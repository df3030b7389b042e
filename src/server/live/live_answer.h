// SPDX-License-Identifier: Apache-2.0
//
// LiveAnswers: what a recording that goes on has so far, for a page that
// follows it. Made from the whole capture each time, so it is made no more
// often than it takes a small share of the time, however many ask. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

#include "base/json_writer.h"
#include "base/result.h"
#include "server/files/folder.h"
#include "trace/trace.h"

namespace stepscope::server {

class LiveAnswers {
 public:
  // A larger capture says how large it is, and nothing else: reading it again
  // and again would take what the program needs.
  static constexpr uint64_t kMostBytes = uint64_t{64} << 20;

  using Clock = std::chrono::steady_clock;

  // `shortest`: an answer is good for so long at least.
  explicit LiveAnswers(uint64_t most_bytes = kMostBytes,
                       Clock::duration shortest = std::chrono::seconds(1))
      : most_bytes_(most_bytes), shortest_(shortest) {}

  // {"recording", "bytes", "again_ms", "state": ...}: docs/formats/http.md.
  Result<std::string> Answer(const Window& window);

 private:
  struct Kept {
    std::mutex making;
    std::string text;
    Clock::time_point good_until{};
    bool of_recording = false;
  };

  Result<std::string> Make(const Window& window, Kept& kept) const;

  const uint64_t most_bytes_;
  const Clock::duration shortest_;
  std::mutex mutex_;
  std::map<std::string, Kept> kept_;  // by id of the window
};

// What is known of a recording by what was read of it.
void WriteLiveState(JsonWriter& json, const Trace& trace);

}  // namespace stepscope::server
