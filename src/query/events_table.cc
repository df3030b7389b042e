// SPDX-License-Identifier: Apache-2.0
#include <stepscope/c.h>

#include "analysis/kinds.h"
#include "query/trace_tables.h"

namespace stepscope {
namespace {

Row AsRow(uint64_t row) { return static_cast<Row>(row); }

struct Event {
  const RankData& data;
  Row row;

  const Track& track() const {
    return data.trace().tracks()[data.trace().track()[row]];
  }
};

class Events {
 public:
  explicit Events(RankDataPtr data) : data_(std::move(data)) {}

  const RankData& data() const { return *data_; }
  size_t size() const { return data_->trace().size(); }
  Event operator[](uint64_t i) const { return {*data_, AsRow(i)}; }

 private:
  RankDataPtr data_;
};

void FillStep(const Events& events, uint64_t first, size_t count,
              VectorOut& out) {
  auto* const to = out.data<int64_t>();
  RankData::Cursor cursor;
  for (size_t i = 0; i < count; ++i) {
    const int64_t step = events.data().PlaceOf(AsRow(first + i), cursor).step;
    to[i] = step;
    if (step == kNoStep) out.SetNull(i);
  }
}

void FillStage(const Events& events, uint64_t first, size_t count,
               VectorOut& out) {
  auto* const to = out.data<duckdb::Text>();
  RankData::Cursor cursor;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t stage = events.data().PlaceOf(AsRow(first + i), cursor).stage;
    if (stage == RankData::Place::kNoStage) {
      to[i] = {};
      out.SetNull(i);
    } else {
      to[i] = events.data().stage_text(stage);
    }
  }
}

void AddPlace(TableColumns<Events>& columns) {
  columns.Bigint("event_id", "number of the event within its source",
                 [](const Event& e) { return e.row; });
  columns.Int("process", kProcessMeaning,
              [](const Event& e) { return e.data.process_of(e.row); });
  columns.Int("track", "line of the timeline; `tracks` says which",
              [](const Event& e) { return e.data.trace().track()[e.row]; });
  columns.Bigint(
      "tid", "number of the thread; NULL unless on one", [](const Event& e) {
        return KnownIf(e.track().kind == TrackKind::kThread, e.track().id);
      });
  columns.Int("device", "number of the device; NULL unless on a stream",
              [](const Event& e) {
                const Track& track = e.track();
                return track.kind == TrackKind::kStream && track.device >= 0
                           ? Id(track.device)
                           : Id();
              });
  columns.Bigint(
      "stream", "number of the stream; NULL unless on one", [](const Event& e) {
        return KnownIf(e.track().kind == TrackKind::kStream, e.track().id);
      });
}

void AddTimes(TableColumns<Events>& columns) {
  columns.Text("name", "whole name", [](const Event& e) -> const duckdb::Text& {
    return e.data.text(e.data.trace().name()[e.row]);
  });
  columns.Text("type", "kind of event, as Paddle names them",
               [](const Event& e) -> const duckdb::Text& {
                 return e.data.type_text(e.data.trace().type()[e.row]);
               });
  columns.Bigint(
      "start_ns", "begin, as recorded, from time 0 of the source",
      [](const Event& e) { return e.data.trace().start_ns()[e.row]; });
  columns.Bigint("dur_ns", "how long it took; 0 for a point in time",
                 [](const Event& e) { return e.data.trace().dur_ns()[e.row]; });
  columns.Bigint(
      "self_ns",
      "the same less the events directly inside; NULL unless on a "
      "thread",
      [](const Event& e) {
        return e.data.IsHost(e.row) ? Id(e.data.tree().self_ns(e.row)) : Id();
      });
  columns.Bigint("gpu_ns",
                 "device work launched within it, added up; NULL unless on a "
                 "thread",
                 [](const Event& e) {
                   return e.data.IsHost(e.row) ? Id(e.data.tree().gpu_ns(e.row))
                                               : Id();
                 });
}

void AddRelations(TableColumns<Events>& columns) {
  columns.Bigint(
      "parent_id", "innermost event around it on its thread; NULL: outermost",
      [](const Event& e) { return IdOf(e.data.tree().parent(e.row)); });
  columns.Int("depth", "how many events are around it",
              [](const Event& e) { return e.data.depth(e.row); });
  columns.Boolean("outermost", "not inside another event of its name and type",
                  [](const Event& e) { return e.data.outermost(e.row); });
  columns.Bigint("launch_id",
                 "device work: the host event that launched it; NULL: not "
                 "recorded",
                 [](const Event& e) { return IdOf(e.data.launch(e.row)); });
  columns.Bigint("owner_id",
                 "device work: innermost host event around the launch that is "
                 "neither an API call nor a Python function",
                 [](const Event& e) { return IdOf(e.data.owner(e.row)); });
  columns.Bigint(
      "operator_id", "device work: innermost operator around the launch",
      [](const Event& e) { return IdOf(e.data.operator_of(e.row)); });
}

void AddMeaning(TableColumns<Events>& columns) {
  columns.Custom("step", ColumnType::kBigint,
                 "number of the step; of device work, that of its launch; "
                 "NULL: outside of all",
                 FillStep);
  columns.Custom("stage", ColumnType::kText,
                 "Dataloader, Forward, Backward, Optimization or Others; of "
                 "device work, that of its launch; NULL: outside of steps",
                 FillStage);
  columns.Boolean("communication", "exchanges data between processes",
                  [](const Event& e) { return e.data.communication(e.row); });
  columns.Boolean("open", "never ended: it lasts until recording ended",
                  [](const Event& e) {
                    return (e.data.trace().flags()[e.row] & kEventOpenAtEnd) !=
                           0;
                  });
  columns.Boolean("instant", "a point in time", [](const Event& e) {
    return (e.data.trace().flags()[e.row] & kEventInstant) != 0;
  });
  columns.Boolean("inferred", "not recorded but concluded", [](const Event& e) {
    return (e.data.trace().flags()[e.row] & kEventInferred) != 0;
  });
}

}  // namespace

TableOfTrace DeclareEvents() {
  return DeclareTable<Events>("events", "every event of every process",
                              [](TableColumns<Events>& columns) {
                                AddPlace(columns);
                                AddTimes(columns);
                                AddRelations(columns);
                                AddMeaning(columns);
                              });
}

}  // namespace stepscope
