// SPDX-License-Identifier: Apache-2.0
#include "server/files/cache_key.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>

#include "base/build_id.h"
#include "base/file.h"
#include "base/text.h"
#include "importers/step_range.h"

namespace stepscope::server {
namespace {

// Clocks of file systems are this coarse at worst: what is written later than
// that after a look has another time.
constexpr time_t kCoarsest = 2;

}  // namespace

std::optional<std::string> CacheKeyOf(const Target& target) {
  if (BuildId().empty()) return std::nullopt;
  std::string key = BuildId() + "\n" + target.name + "\n" + StepRange() + "\n";
  const time_t now = std::time(nullptr);
  for (const Window& window : target.windows) {
    struct stat status = {};
    if (lstat(window.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      return std::nullopt;
    // The ring of a recording is read with it, and changes without a trace.
    if (FileExists(window.path + ".live") || window.path.ends_with(".live"))
      return std::nullopt;
    // The time of the last change of anything cannot be set back.
    if (now - std::max(status.st_mtim.tv_sec, status.st_ctim.tv_sec) <=
        kCoarsest)
      return std::nullopt;
    key += Format("%llx %llx %llx %lld.%09ld %lld.%09ld ",
                  static_cast<unsigned long long>(status.st_dev),
                  static_cast<unsigned long long>(status.st_ino),
                  static_cast<unsigned long long>(status.st_size),
                  static_cast<long long>(status.st_mtim.tv_sec),
                  status.st_mtim.tv_nsec,
                  static_cast<long long>(status.st_ctim.tv_sec),
                  status.st_ctim.tv_nsec) +
           window.path + "\n";
  }
  return key;
}

}  // namespace stepscope::server
