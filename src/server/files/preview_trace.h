// SPDX-License-Identifier: Apache-2.0
//
// PreviewTrace: what a timeline shows of a large capture while its Trace is
// still being read (importers/capture/preview.h). Immutable, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "importers/capture/preview.h"
#include "server/files/open_trace.h"
#include "server/timeline/tiles.h"

namespace stepscope::server {

class PreviewTrace {
 public:
  // Throws std::bad_alloc where memory is refused.
  explicit PreviewTrace(capture::Preview preview);

  const capture::Preview& preview() const { return preview_; }
  // Tracks, groups, names, origin and span; its events mean nothing.
  const OpenTrace& outline() const { return outline_; }
  // By track of the outline's view: how many events it has.
  uint64_t events(uint32_t view_track) const;

  // The boxes of a row of a part of a view track.
  const capture::PreviewLine* LineOf(const TilePart& part,
                                     uint32_t depth) const;
  // What `row` in the records of tiles counts from, line by line.
  uint32_t FirstId(const capture::PreviewLine& line) const;

 private:
  const capture::Preview preview_;
  const OpenTrace outline_;
  std::vector<std::pair<const capture::PreviewLine*, uint32_t>> first_ids_;
};

// The answer of `tiles`. Levels below that of the preview are refused.
Result<std::string> PreviewTiles(const PreviewTrace& preview,
                                 const TilesRequest& request);

// The answer of `mark`: of the boxes that begin in [begin, end), from the
// origin. Names are those that boxes are known to be mostly of.
Result<std::string> PreviewMarkJson(const PreviewTrace& preview,
                                    uint32_t view_track, uint32_t depth,
                                    int64_t begin_ns, int64_t end_ns);

}  // namespace stepscope::server
