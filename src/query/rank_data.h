// SPDX-License-Identifier: Apache-2.0
//
// RankData: a Trace with what the tables of a dataset say beyond its columns:
// who contains and who launched whom, steps, stages and collectives. Made
// once, then read by several threads.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "analysis/communication.h"
#include "analysis/event_tree.h"
#include "analysis/ranks/rank_calls.h"
#include "analysis/steps.h"
#include "base/column.h"
#include "query/duckdb_abi.h"
#include "query/time_line.h"
#include "trace/trace.h"

namespace stepscope {

class RankData {
 public:
  // `source_id` tells this trace from others of a dataset.
  RankData(std::shared_ptr<const Trace> trace, int64_t source_id);

  const Trace& trace() const { return *trace_; }
  int64_t source_id() const { return source_id_; }
  const EventTree& tree() const { return tree_; }
  const StepTable& steps() const { return steps_; }
  const std::vector<RankCalls>& calls() const { return calls_; }

  // A string of the trace as valid UTF-8.
  const duckdb::Text& text(StringId id) const { return texts_[id.v]; }
  const duckdb::Text& type_text(uint16_t type) const {
    return type_texts_[type];
  }
  // Valid UTF-8 with an address that stays.
  duckdb::Text Keep(std::string_view text);

  uint32_t process_of(Row row) const {
    return trace_->tracks()[trace_->track()[row]].process;
  }
  bool IsHost(Row row) const { return is_thread_[trace_->track()[row]] != 0; }

  // Of device work; kNoRow: not known, or no device work.
  Row launch(Row row) const { return Of(launch_, row); }
  Row owner(Row row) const { return Of(owner_, row); }
  // The innermost operator around the launch.
  Row operator_of(Row row) const { return Of(operator_, row); }

  uint32_t depth(Row row) const { return depth_[row]; }
  // Not inside another event of its name and kind on its thread.
  bool outermost(Row row) const { return (marks_[row] & kOutermost) != 0; }
  bool communication(Row row) const {
    return (marks_[row] & kCommunication) != 0;
  }

  // The step and stage that an event belongs to: those in force when it began
  // or, for device work, when it was launched.
  struct Place {
    static constexpr uint8_t kNoStage = 0xff;
    int64_t step = kNoStep;
    uint8_t stage = kNoStage;
  };
  // Keep one `cursor` over events near each other.
  struct Cursor {
    uint32_t line = 0;
    size_t likely = 0;
  };
  const Place& PlaceOf(Row row, Cursor& cursor) const;
  const duckdb::Text& stage_text(uint8_t stage) const {
    return stage_texts_[stage];
  }

 private:
  enum Mark : uint8_t { kOutermost = 1, kCommunication = 2 };

  static Row Of(const Column<Row>& column, Row row) {
    return column.empty() ? kNoRow : column[row];
  }
  void MakeTexts();
  void MakeLines();
  TimeLine<Place> LineOf(uint32_t thread, uint32_t process) const;
  void MarkHostEvents();
  void MarkDeviceWork();
  void MarkCommunication(const Communication& communication);
  Row WithoutFunctions(Row row) const;

  const std::shared_ptr<const Trace> trace_;
  const int64_t source_id_;
  const EventTree tree_;
  const StepTable steps_;
  std::vector<TimeLine<Place>> lines_;  // by thread, then by process
  std::vector<uint32_t> line_of_track_;
  std::vector<RankCalls> calls_;
  std::vector<uint8_t> is_thread_;   // by track
  std::vector<duckdb::Text> texts_;  // by StringId
  std::vector<duckdb::Text> type_texts_;
  std::vector<duckdb::Text> stage_texts_;
  std::deque<std::string> kept_;
  Column<Row> launch_, owner_, operator_;  // by row; empty: no device work
  Column<uint32_t> depth_;
  Column<uint8_t> marks_;
};

}  // namespace stepscope
