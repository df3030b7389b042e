// SPDX-License-Identifier: Apache-2.0
#include "query/dataset_rhythms.h"

#include <cstdint>
#include <map>
#include <utility>

#include "base/hash.h"
#include "trace/job/collective_kind.h"

namespace stepscope {
namespace {

// The kinds that all ranks leave together, as a list of SQL.
std::string MeetingKinds() {
  std::string list;
  for (int i = 0; i <= static_cast<int>(CollectiveKind::kRpcHandling); ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    if (LeavesTogether(kind))
      list += (list.empty() ? "" : ", ") +
              SqlText(std::string(CollectiveKindName(kind)));
  }
  return list;
}

// The first ends of each process, on devices first. A damaged file may state
// an end beyond all times.
std::string RhythmQuery(const std::vector<std::string>& files) {
  std::string list;
  for (const std::string& file : files)
    list += (list.empty() ? "" : ", ") + SqlText(file);
  return "SELECT source_id, process, on_device, kind, end_ns FROM (SELECT *, "
         "TRY_CAST(CAST(start_ns AS HUGEINT) + dur_ns AS BIGINT) AS end_ns "
         "FROM read_parquet([" +
         list + "]) WHERE kind IN (" + MeetingKinds() +
         ")) WHERE end_ns IS NOT NULL QUALIFY row_number() OVER (PARTITION BY "
         "source_id, process, on_device ORDER BY end_ns, event_id) <= " +
         std::to_string(CollectiveRhythm::kMostBeats) +
         " ORDER BY source_id, process, on_device DESC, end_ns, event_id";
}

}  // namespace

Status ReadRhythms(Database& db, const std::vector<std::string>& files,
                   const std::vector<RankFactsList*>& sources) {
  if (files.empty()) return Ok();
  std::map<std::pair<int64_t, int64_t>, RankFacts*> ranked;
  for (RankFactsList* const source : sources)
    for (RankFacts& process : *source)
      if (process.stated_rank >= 0)
        ranked[{process.source_id, process.process}] = &process;
  STEPSCOPE_TRY_ASSIGN(QueryResult result, db.Query(RhythmQuery(files)));
  RankFacts* of = nullptr;
  bool on_device = false;  // what the beats of `of` are
  while (result.NextChunk()) {
    for (size_t row = 0; row < result.rows(); ++row) {
      const auto found =
          ranked.find({result.Int64(0, row), result.Int64(1, row)});
      if (found == ranked.end()) continue;
      const bool is_device = result.Int64(2, row) != 0;
      if (std::exchange(of, found->second) != found->second)
        on_device = is_device;
      // Kernels count if there are any.
      if (is_device != on_device) continue;
      of->rhythm.beats.push_back(
          {Hash64(result.Text(3, row)), result.Int64(4, row)});
    }
  }
  return Ok();
}

}  // namespace stepscope
