// SPDX-License-Identifier: Apache-2.0
#include "server/files/preview_trace.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/json_writer.h"
#include "timeline/tile_window.h"

namespace stepscope::server {
namespace {

using capture::PreviewBox;
using capture::PreviewLine;

PreviewLine::const_iterator FirstFrom(const PreviewLine& line, int64_t ns) {
  return std::lower_bound(
      line.begin(), line.end(), ns,
      [](const PreviewBox& box, int64_t at) { return box.start_ns < at; });
}

// Writes the boxes of lines as records of tiles.
class Writer {
 public:
  Writer(const PreviewTrace& preview, const TilesRequest& request)
      : preview_(preview),
        classes_(preview.outline().pyramid().classes()),
        window_(TileWindow::Of(preview.outline().origin_ns(), request.k,
                               request.first, request.count)),
        tiles_(window_.tile_count) {}

  void AddLine(const PreviewLine& line, uint8_t slot, uint32_t depth) {
    slot_ = slot;
    depth_ = static_cast<uint8_t>(depth);
    first_ = line.data();
    first_id_ = preview_.FirstId(line);
    auto box = FirstFrom(line, window_.origin + window_.begin);
    if (box != line.begin()) --box;  // the one before may reach into it
    while (box != line.end() && box->start_ns - window_.origin < window_.end) {
      const PreviewBox* longest = &*box;
      PreviewBox mark = *box;
      // Short ones of one bucket are one, as at every level.
      for (++box; !IsLong(mark) && box != line.end() && !IsLong(*box) &&
                  BucketOf(*box) == BucketOf(mark);
           ++box) {
        if (box->dur_ns > longest->dur_ns) longest = &*box;
        mark.Merge(*box);
      }
      Add(mark, first_id_ + static_cast<uint32_t>(longest - first_));
    }
  }

  TileAnswer Answer() {
    TileAnswer answer;
    identity_.resize(names_.size());
    for (size_t i = 0; i < identity_.size(); ++i)
      identity_[i] = static_cast<uint16_t>(i);
    answer.names = names_;
    answer.pieces.push_back({tiles_, identity_});
    return answer;
  }

 private:
  bool IsLong(const PreviewBox& box) const {
    return box.events == 1 && window_.IsLong(box.dur_ns);
  }
  int64_t BucketOf(const PreviewBox& box) const {
    return (box.start_ns - window_.origin) >> window_.k;
  }

  uint16_t NameIndex(StringId name) {
    const auto [found, fresh] =
        name_index_.try_emplace(name.v, static_cast<uint32_t>(names_.size()));
    if (fresh && names_.size() < kNoName) names_.push_back(name.v);
    return static_cast<uint16_t>(std::min<uint32_t>(found->second, kNoName));
  }

  void Add(const PreviewBox& box, uint32_t id) {
    const int64_t start = box.start_ns - window_.origin - window_.begin;
    const int64_t end = start + box.dur_ns;
    if (end < 0 || (end == 0 && start < 0)) return;
    TileRecord record = {};
    record.row = id;
    record.name = NameIndex(box.name);
    record.depth = depth_;
    record.slot = slot_;
    record.kind = classes_.Of(box.type, box.name);
    record.count =
        static_cast<uint16_t>(std::min<uint32_t>(box.events, UINT16_MAX));
    record.fill = 255;
    if (box.events > 1) {
      if (box.name_ns * 2 < box.busy_ns) record.kind |= kTileMixed;
      const auto length = static_cast<double>(std::max<int64_t>(1, box.dur_ns));
      const double share = static_cast<double>(box.busy_ns) / length;
      record.fill = static_cast<uint8_t>(std::min(1.0, share) * 254);
    }
    const uint32_t from =
        window_.UnitsDown(static_cast<uint64_t>(std::max<int64_t>(start, 0)));
    const uint32_t to = std::max(
        window_.UnitsUp(static_cast<uint64_t>(std::max<int64_t>(end, 0))),
        from + 1);
    const uint32_t first = from >> kTileUnitBits;
    const bool many = IsLong(box);
    if (start < 0 && !many) return;  // it is in the tile before
    const uint32_t last = many ? (to - 1) >> kTileUnitBits : first;
    for (uint32_t tile = first; tile <= last && tile < tiles_.size(); ++tile) {
      const uint32_t begin = tile << kTileUnitBits;
      TileRecord part = record;
      part.x = static_cast<uint16_t>(std::max(from, begin) - begin);
      if (many && (tile > first || start < 0)) part.kind |= kTileBeginsBefore;
      if (many && tile < last) part.kind |= kTileEndsAfter;
      part.w = static_cast<uint16_t>(
          std::clamp<uint32_t>(to - begin - part.x, 1, kTileUnits - 1));
      tiles_[tile].push_back(part);
    }
  }

  const PreviewTrace& preview_;
  const PyramidClasses& classes_;
  const TileWindow window_;
  std::vector<TileRecordBuffer> tiles_;
  std::map<uint32_t, uint32_t> name_index_;
  std::vector<uint32_t> names_;
  std::vector<uint16_t> identity_;
  const PreviewBox* first_ = nullptr;
  uint32_t first_id_ = 0;
  uint8_t slot_ = 0;
  uint8_t depth_ = 0;
};

}  // namespace

PreviewTrace::PreviewTrace(capture::Preview preview)
    : preview_(std::move(preview)), outline_(preview_.outline) {
  uint32_t id = 0;
  for (const capture::PreviewTrack& track : preview_.tracks) {
    for (const auto& kind : track.lines) {
      for (const PreviewLine& line : kind) {
        first_ids_.emplace_back(&line, id);
        id += static_cast<uint32_t>(line.size());
      }
    }
  }
  std::sort(first_ids_.begin(), first_ids_.end(),
            [](const auto& a, const auto& b) {
              return std::less<>()(a.first, b.first);
            });
}

uint32_t PreviewTrace::FirstId(const PreviewLine& line) const {
  const auto found =
      std::lower_bound(first_ids_.begin(), first_ids_.end(), &line,
                       [](const auto& entry, const PreviewLine* wanted) {
                         return std::less<>()(entry.first, wanted);
                       });
  return found->second;
}

const PreviewLine* PreviewTrace::LineOf(const TilePart& part,
                                        uint32_t depth) const {
  if (part.track >= preview_.tracks.size()) return nullptr;
  const auto& lines =
      preview_.tracks[part.track].lines[static_cast<size_t>(part.kind)];
  return depth < lines.size() ? &lines[depth] : nullptr;
}

uint64_t PreviewTrace::events(uint32_t view_track) const {
  uint64_t sum = 0;
  for (const TilePart& part : outline_.view().tracks[view_track].parts)
    for (uint32_t i = 0; i < part.depths; ++i)
      if (const PreviewLine* const line = LineOf(part, part.first_depth + i))
        for (const PreviewBox& box : *line) sum += box.events;
  return sum;
}

Result<std::string> PreviewTiles(const PreviewTrace& preview,
                                 const TilesRequest& request) {
  if (request.k < preview.preview().level)
    return Fail(ErrorCode::kInvalidArgument,
                "the preview has no level below " +
                    std::to_string(preview.preview().level) +
                    "; ask for a coarser one");
  Writer writer(preview, request);
  for (size_t slot = 0; slot < request.tracks.size(); ++slot) {
    const ViewTrack& track =
        preview.outline().view().tracks[request.tracks[slot]];
    for (const TilePart& part : track.parts)
      for (uint32_t i = 0; i < part.depths; ++i)
        if (const PreviewLine* const line =
                preview.LineOf(part, part.first_depth + i))
          writer.AddLine(*line, static_cast<uint8_t>(slot), part.at + i);
  }
  const TileAnswer answer = writer.Answer();
  return SerializeTiles(request, answer, answer.record_count());
}

Result<std::string> PreviewMarkJson(const PreviewTrace& preview,
                                    uint32_t view_track, uint32_t depth,
                                    int64_t begin_ns, int64_t end_ns) {
  const int64_t origin = preview.outline().origin_ns();
  uint64_t events = 0;
  int64_t busy = 0;
  for (const TilePart& part :
       preview.outline().view().tracks[view_track].parts) {
    if (depth < part.at || depth >= part.at + part.depths) continue;
    const PreviewLine* const line =
        preview.LineOf(part, depth - part.at + part.first_depth);
    if (line == nullptr) continue;
    for (auto box = FirstFrom(*line, begin_ns + origin);
         box != line->end() && box->start_ns < end_ns + origin; ++box) {
      events += box->events;
      busy += box->busy_ns;
    }
  }
  JsonWriter json;
  json.BeginObject().Field("events", events);
  json.Key("names").Null().Field("time", busy);
  json.Field("busy", std::min(1.0, static_cast<double>(busy) /
                                       static_cast<double>(std::max<int64_t>(
                                           end_ns - begin_ns, 1))));
  json.Key("top").BeginArray().EndArray().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
