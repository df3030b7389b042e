// SPDX-License-Identifier: Apache-2.0
#include <stepscope/c.h>

#include "analysis/kinds.h"
#include "query/trace_tables.h"

namespace stepscope {
namespace {

using Columns = TableColumns<RankData>;

Row AsRow(uint64_t row) { return static_cast<Row>(row); }
const Track& TrackOf(const RankData& data, uint64_t row) {
  return data.trace().tracks()[data.trace().track()[row]];
}

void FillStep(const RankData& data, uint64_t first, size_t count,
              VectorOut& out) {
  auto* const to = out.data<int64_t>();
  RankData::Cursor cursor;
  for (size_t i = 0; i < count; ++i) {
    const int64_t step = data.PlaceOf(AsRow(first + i), cursor).step;
    to[i] = step;
    if (step == kNoStep) out.SetNull(i);
  }
}

void FillStage(const RankData& data, uint64_t first, size_t count,
               VectorOut& out) {
  auto* const to = out.data<duckdb::Text>();
  RankData::Cursor cursor;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t stage = data.PlaceOf(AsRow(first + i), cursor).stage;
    if (stage == RankData::Place::kNoStage) {
      to[i] = {};
      out.SetNull(i);
    } else {
      to[i] = data.stage_text(stage);
    }
  }
}

void AddPlace(Columns& columns) {
  columns.Bigint(
      "source_id", kSourceIdMeaning,
      [](const RankData& data, uint64_t) { return data.source_id(); });
  columns.Bigint("event_id", "number of the event within its source",
                 [](const RankData&, uint64_t row) { return row; });
  columns.Int("process", kProcessMeaning,
              [](const RankData& data, uint64_t row) {
                return data.process_of(AsRow(row));
              });
  columns.Int("track", "line of the timeline; `tracks` says which",
              [](const RankData& data, uint64_t row) {
                return data.trace().track()[row];
              });
  columns.Bigint("tid", "number of the thread; NULL unless on one",
                 [](const RankData& data, uint64_t row) {
                   const Track& track = TrackOf(data, row);
                   return track.kind == TrackKind::kThread ? Id(track.id)
                                                           : Id();
                 });
  columns.Int("device", "number of the device; NULL unless on a stream",
              [](const RankData& data, uint64_t row) {
                const Track& track = TrackOf(data, row);
                return track.kind == TrackKind::kStream && track.device >= 0
                           ? Id(track.device)
                           : Id();
              });
  columns.Bigint("stream", "number of the stream; NULL unless on one",
                 [](const RankData& data, uint64_t row) {
                   const Track& track = TrackOf(data, row);
                   return track.kind == TrackKind::kStream ? Id(track.id)
                                                           : Id();
                 });
}

void AddTimes(Columns& columns) {
  columns.Text("name", "whole name",
               [](const RankData& data, uint64_t row) -> const duckdb::Text& {
                 return data.text(data.trace().name()[row]);
               });
  columns.Text("type", "kind of event, as Paddle names them",
               [](const RankData& data, uint64_t row) -> const duckdb::Text& {
                 return data.type_text(data.trace().type()[row]);
               });
  columns.Bigint("start_ns", "begin, as recorded, from time 0 of the source",
                 [](const RankData& data, uint64_t row) {
                   return data.trace().start_ns()[row];
                 });
  columns.Bigint("dur_ns", "how long it took; 0 for a point in time",
                 [](const RankData& data, uint64_t row) {
                   return data.trace().dur_ns()[row];
                 });
  columns.Bigint("self_ns",
                 "the same less the events directly inside; NULL unless on a "
                 "thread",
                 [](const RankData& data, uint64_t row) {
                   return data.IsHost(AsRow(row))
                              ? Id(data.tree().self_ns(AsRow(row)))
                              : Id();
                 });
  columns.Bigint("gpu_ns",
                 "device work launched within it, added up; NULL unless on a "
                 "thread",
                 [](const RankData& data, uint64_t row) {
                   return data.IsHost(AsRow(row))
                              ? Id(data.tree().gpu_ns(AsRow(row)))
                              : Id();
                 });
}

void AddRelations(Columns& columns) {
  columns.Bigint("parent_id",
                 "innermost event around it on its thread; NULL: outermost",
                 [](const RankData& data, uint64_t row) {
                   return IdOf(data.tree().parent(AsRow(row)));
                 });
  columns.Int("depth", "how many events are around it",
              [](const RankData& data, uint64_t row) {
                return data.depth(AsRow(row));
              });
  columns.Boolean("outermost", "not inside another event of its name and type",
                  [](const RankData& data, uint64_t row) {
                    return data.outermost(AsRow(row));
                  });
  columns.Bigint("launch_id",
                 "device work: the host event that launched it; NULL: not "
                 "recorded",
                 [](const RankData& data, uint64_t row) {
                   return IdOf(data.launch(AsRow(row)));
                 });
  columns.Bigint("owner_id",
                 "device work: innermost host event around the launch that is "
                 "neither an API call nor a Python function",
                 [](const RankData& data, uint64_t row) {
                   return IdOf(data.owner(AsRow(row)));
                 });
  columns.Bigint("operator_id",
                 "device work: innermost operator around the launch",
                 [](const RankData& data, uint64_t row) {
                   return IdOf(data.operator_of(AsRow(row)));
                 });
}

void AddMeaning(Columns& columns) {
  columns.Custom("step", ColumnType::kBigint,
                 "number of the step; of device work, that of its launch; "
                 "NULL: outside of all",
                 true, FillStep);
  columns.Custom("stage", ColumnType::kText,
                 "Dataloader, Forward, Backward, Optimization or Others; of "
                 "device work, that of its launch; NULL: outside of steps",
                 true, FillStage);
  columns.Boolean("communication", "exchanges data between processes",
                  [](const RankData& data, uint64_t row) {
                    return data.communication(AsRow(row));
                  });
  columns.Boolean("open", "never ended: it lasts until recording ended",
                  [](const RankData& data, uint64_t row) {
                    return (data.trace().flags()[row] & kEventOpenAtEnd) != 0;
                  });
  columns.Boolean("instant", "a point in time",
                  [](const RankData& data, uint64_t row) {
                    return (data.trace().flags()[row] & kEventInstant) != 0;
                  });
  columns.Boolean("inferred", "not recorded but concluded",
                  [](const RankData& data, uint64_t row) {
                    return (data.trace().flags()[row] & kEventInferred) != 0;
                  });
}

const Columns& EventColumns() {
  static const auto* const columns = [] {
    auto* const made = new Columns;
    AddPlace(*made);
    AddTimes(*made);
    AddRelations(*made);
    AddMeaning(*made);
    return made;
  }();
  return *columns;
}

}  // namespace

TableOfTrace DeclareEvents() {
  return {"events", "every event of every process", EventColumns().specs(),
          [](RankDataPtr data) -> RankSource {
            const uint64_t rows = data->trace().size();
            return std::make_shared<DataSource<RankData>>(
                EventColumns(), std::move(data), rows);
          }};
}

}  // namespace stepscope
