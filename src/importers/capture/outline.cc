// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/outline.h"

#include <cstring>

#include "base/text.h"

namespace stepscope::capture {

Process MakeProcess(const Metadata& tables, const ClockMap& clock,
                    int64_t offset_ns, TraceBuilder& builder) {
  Process process;
  process.pid = tables.FindInt("pid").value_or(0);
  process.rank = tables.FindInt("rank").value_or(-1);
  process.host = builder.Intern(tables.Find("host").value_or(""));
  const std::string_view exe = tables.Find("exe").value_or("");
  const size_t slash = exe.rfind('/');
  process.name = builder.Intern(tables.Find("name").value_or(
      slash == std::string_view::npos ? exe : exe.substr(slash + 1)));
  // The kernel states a process's start in hundredths of a second after boot.
  constexpr int64_t kJiffyNs = 10'000'000;
  int64_t start = 0;
  if (const auto jiffies = tables.FindInt("pid_start");
      jiffies && !clock.anchors().empty() &&
      !__builtin_mul_overflow(*jiffies, kJiffyNs, &start) &&
      !__builtin_sub_overflow(start, clock.anchors().front().boottime_ns,
                              &start) &&
      start < kTimeLimitNs && start > -kTimeLimitNs)
    process.start_ns = start + offset_ns;
  for (const auto& [key, value] : tables.process)
    process.metadata.emplace_back(builder.Intern(key), builder.Intern(value));
  return process;
}

Track MakeThreadTrack(uint32_t uid, const Metadata& tables, uint32_t process,
                      TraceBuilder& builder) {
  Track track;
  track.process = process;
  track.kind = TrackKind::kThread;
  const auto entry = tables.threads.find(uid);
  if (uid == kNoThread) {
    track.name = builder.Intern("(threads without an entry)");
  } else if (entry == tables.threads.end()) {
    track.id = uid;
    track.name = builder.Intern(Format("(unlisted thread %u)", uid));
  } else {
    track.id = entry->second.tid;
    const char* const name = entry->second.name;
    track.name =
        builder.Intern({name, strnlen(name, format::kThreadNameBytes)});
  }
  return track;
}

}  // namespace stepscope::capture
