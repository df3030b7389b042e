// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/visible_text.h"

namespace stepscope {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kQuick{400};  // shorter work shows nothing
constexpr milliseconds kFrame{100};
constexpr size_t kBarWidth = 20;

// Filled as far as the work is; where that is not known, a block that runs to
// and fro.
std::string Bar(size_t frame, int percent) {
  if (percent >= 0) {
    const size_t filled = static_cast<size_t>(percent) * kBarWidth / 100;
    return std::string(filled, '=') + std::string(kBarWidth - filled, '.');
  }
  constexpr size_t kBlock = 4;
  constexpr size_t kWay = kBarWidth - kBlock;
  const size_t at = frame % (2 * kWay);
  std::string bar(kBarWidth, '.');
  bar.replace(at < kWay ? at : 2 * kWay - at, kBlock, kBlock, '=');
  return bar;
}

}  // namespace

Progress::Progress(std::string what) : what_(VisibleText(what)) {
  const char* const terminal = std::getenv("TERM");
  if (isatty(STDERR_FILENO) == 0) return;
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return;
  thread_ = std::thread([this] { Run(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Progress::Set(uint64_t done, uint64_t total) {
  if (total == 0) return;
  const double share = static_cast<double>(done) / static_cast<double>(total);
  percent_.store(std::clamp(static_cast<int>(share * 100), 0, 100));
}

void Progress::Run() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  const auto done = [this] { return done_; };
  if (wake_.wait_for(lock, kQuick, done)) return;
  for (size_t frame = 0; !done_; ++frame) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    // Back to the first column, and clear what the last frame left behind.
    const int percent = percent_.load();
    const std::string share = percent < 0 ? "" : Format("%d %%, ", percent);
    const std::string line =
        Format("\r[%s] %s, %s%.1f s\x1b[K", Bar(frame, percent).c_str(),
               what_.c_str(), share.c_str(), seconds);
    std::fputs(line.c_str(), stderr);
    wake_.wait_for(lock, kFrame, done);
  }
  std::fputs("\r\x1b[K", stderr);
}

}  // namespace stepscope
