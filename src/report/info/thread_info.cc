// SPDX-License-Identifier: Apache-2.0
#include "report/info/thread_info.h"

namespace stepscope {

std::vector<ThreadInfo> ThreadInfos(const Trace& trace) {
  std::vector<const ThreadReport*> reports(trace.tracks().size(), nullptr);
  for (const ThreadReport& report : trace.threads())
    if (report.track < reports.size()) reports[report.track] = &report;
  std::vector<ThreadInfo> threads;
  for (size_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kThread) continue;
    // Lanes stand behind the track that they belong to.
    if (track.lane == 0 || threads.empty()) {
      threads.push_back({&track, reports[i], 0, 0});
      if (reports[i] != nullptr)
        for (const auto& [reason, count] : reports[i]->dropped)
          threads.back().dropped += count;
    }
    threads.back().events += track.last - track.first;
  }
  return threads;
}

}  // namespace stepscope
