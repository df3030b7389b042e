// SPDX-License-Identifier: Apache-2.0
//
// Which events the host was in while it was on the critical path.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/name_class.h"
#include "analysis/replay/critical_path.h"

namespace stepscope {

// A piece as the walk over the graph finds it.
struct RawPiece {
  PathPiece piece;
  // Host code of this thread, to be split at the events around it. `cause` of
  // the piece is for what no event covers.
  uint32_t thread = kNoThread;
};

// Takes pieces of any thread in any order; each answer is in its place and in
// the order of time. Refers to all it is given.
class HostPieces {
 public:
  HostPieces(const EventTree& tree, NameClasses& names)
      : tree_(tree), names_(names), regions_(tree.threads().size()) {}

  // At these, from now on. Looks at the events of their time only.
  void Look(std::span<const RawPiece> raw);
  // The parts of raw[index]. They add up to it.
  void AppendTo(size_t index, std::vector<PathPiece>& out) const;

 private:
  // Where the innermost event changes: until the next one's begin.
  struct Region {
    int64_t begin = 0;
    Row row = kNoRow;
    PathCategory category = PathCategory::kOperator;
  };

  // A collective of the host, on whatever thread; apart from each other.
  struct Collective {
    Interval range;
    Row row = kNoRow;
  };

  void Sweep(uint32_t thread, std::span<const size_t> wanted);
  // Calls `visit(row)` for the events of a thread that go on at any time of a
  // range, parents first; with lanes, for all.
  template <typename Visit>
  void ForEachRowOf(uint32_t thread, const Interval& range, Visit visit) const;
  void CollectCollectives();
  // A wait for another thread is one for the collective that it is in.
  void AppendWait(const PathPiece& part, uint32_t process,
                  std::vector<PathPiece>& out) const;

  const EventTree& tree_;
  NameClasses& names_;
  std::span<const RawPiece> raw_;
  std::vector<std::vector<Region>> regions_;          // by thread
  std::vector<std::vector<Collective>> collectives_;  // by process
};

}  // namespace stepscope
