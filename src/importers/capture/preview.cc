// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/preview.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "base/name_display.h"
#include "base/text.h"
#include "importers/capture/block_scanner.h"
#include "importers/capture/metadata.h"
#include "importers/capture/outline.h"
#include "importers/capture/preview_device.h"
#include "importers/capture/preview_stretch.h"
#include "trace/build/trace_builder.h"

namespace stepscope::capture {
namespace {

using format::BlockKind;
using format::EventsHeader;

// A bucket is at most 1/2,048 of the time of the capture: less than two pixels
// of a wide screen.
constexpr int kBucketBits = 12;
// Boxes in all, of 48 bytes. A picture has some ten thousand.
constexpr size_t kMostBoxes = size_t{4} << 20;
// Stretches per thread that works: some have more to do than others.
constexpr size_t kShares = 8;
constexpr size_t kLeastRuns = 64;

struct Run {
  EventsHeader header = {};
  const Block* block = nullptr;
};

class Reader {
 public:
  Reader(const File& file, const PreviewOptions& options)
      : file_(file), options_(options), tables_(builder_.strings()) {}

  Result<Preview> Read() {
    STEPSCOPE_TRY(Scan());
    STEPSCOPE_TRY(Measure());
    STEPSCOPE_TRY(FoldAll());
    return Join();
  }

 private:
  // Runs [first, last) of one thread.
  struct Part {
    size_t first = 0;
    size_t last = 0;
    std::unique_ptr<PreviewStretch> stretch;
  };
  // Device blocks [first, last).
  struct DevicePart {
    size_t first = 0;
    size_t last = 0;
    std::unique_ptr<PreviewStreams> streams;
  };

  Error None(const char* why) const {
    return Fail(ErrorCode::kUnsupported,
                file_.path() + ": there is no preview: " + why);
  }

  Status Scan();
  Status ReadTable(const Block& block);
  void AddRun(const Block& block);
  void OrderRuns();
  Status Measure();
  void Plan();
  Status FoldAll();
  void FoldRuns(Part& part);
  void FoldDevices(DevicePart& part);
  bool Stop(size_t more_boxes);
  Result<Preview> Join();
  void AddThread(uint32_t uid, std::span<PreviewStretch*> stretches,
                 Preview& preview);
  void AddStreams(Preview& preview);
  void AddRows(uint32_t track, PreviewTrack& lines, int64_t begin_ns);

  const File& file_;
  const PreviewOptions& options_;
  TraceBuilder builder_;
  Metadata tables_;
  BlockList list_;
  std::vector<Run> runs_;
  std::vector<const Block*> device_blocks_;
  std::vector<uint8_t> buffer_;
  uint64_t stated_ = 0;
  ClockMap clock_;
  PreviewScale scale_;
  int64_t begin_ns_ = 0;  // of the window
  int64_t stop_ns_ = 0;
  uint32_t process_ = 0;
  std::map<StringId, StringId> kernel_names_;  // demangled
  std::vector<Part> parts_;
  std::vector<DevicePart> device_parts_;
  std::atomic<size_t> boxes_{0};
  std::atomic<bool> failed_{false};
};

Status Reader::Scan() {
  STEPSCOPE_TRY_ASSIGN(list_, ScanBlocks(file_));
  if (!list_.header || list_.header->version > format::kFileVersion)
    return None("its header is damaged");
  for (const Block& block : list_.blocks) {
    const auto kind = static_cast<BlockKind>(block.header.kind);
    if (block.header.version == 0 || block.torn ||
        (kind <= BlockKind::kDevice &&
         block.header.version > format::VersionOf(kind)))
      continue;
    switch (kind) {
      case BlockKind::kEvents:
        AddRun(block);
        break;
      case BlockKind::kDevice:
        device_blocks_.push_back(&block);
        break;
      case BlockKind::kProcess:
      case BlockKind::kClock:
      case BlockKind::kNames:
      case BlockKind::kThreads:
      case BlockKind::kEnd:
        STEPSCOPE_TRY(ReadTable(block));
        break;
      default:
        break;
    }
  }
  if (stated_ < options_.least_events) return None("it is small");
  OrderRuns();
  return Ok();
}

Status Reader::ReadTable(const Block& block) {
  STEPSCOPE_TRY_ASSIGN(const bool intact, ReadPayload(file_, block, buffer_));
  if (!intact) return Ok();  // an import says so
  const Bytes payload(buffer_.data(), static_cast<size_t>(block.header.bytes));
  // Their readable begin is used.
  switch (static_cast<BlockKind>(block.header.kind)) {
    case BlockKind::kProcess:
      (void)tables_.AddProcess(payload);
      break;
    case BlockKind::kClock:
      (void)tables_.AddClock(payload);
      break;
    case BlockKind::kNames:
      (void)tables_.AddNames(payload);
      break;
    case BlockKind::kThreads:
      (void)tables_.AddThreads(payload, sizeof(format::ThreadEntry));
      break;
    case BlockKind::kEnd:
      (void)tables_.AddEnd(payload);
      break;
    default:
      break;
  }
  return Ok();
}

void Reader::AddRun(const Block& block) {
  Run run;
  run.block = &block;
  if (!block.ReadHead(&run.header) ||
      run.header.slots > format::kSlotsPerChunk ||
      run.header.events > run.header.slots ||
      run.header.events > block.header.bytes / 3)
    return;
  stated_ += run.header.events;
  runs_.push_back(run);
}

void Reader::OrderRuns() {
  const auto key = [](const Run& run) {
    const EventsHeader& h = run.header;
    return std::tuple(h.thread_uid, h.seq, h.incarnation, h.first_slot);
  };
  std::stable_sort(runs_.begin(), runs_.end(),
                   [&](const Run& a, const Run& b) { return key(a) < key(b); });
  runs_.erase(
      std::unique(runs_.begin(), runs_.end(),
                  [&](const Run& a, const Run& b) { return key(a) == key(b); }),
      runs_.end());
}

// Where the picture begins and ends, and how long a bucket is.
Status Reader::Measure() {
  clock_ = ClockMap(tables_.anchors, tables_.nominal_hz);
  if (clock_.anchors().empty()) return None("it has no clock");
  int64_t offset =
      builder_.AlignEpoch(clock_.anchors().front().realtime_ns, true);
  if (offset > kTimeLimitNs || offset < -kTimeLimitNs) offset = 0;
  begin_ns_ = offset;
  // Of a process that was killed, the last event says where it ends.
  stop_ns_ =
      tables_.end ? clock_.ToNs(tables_.end->stop_tick) + offset : begin_ns_;
  int64_t first = begin_ns_;
  int64_t last = std::max(begin_ns_, stop_ns_);
  for (const Run& run : runs_) {
    if (run.header.events == 0) continue;
    const int64_t at = clock_.ToNs(run.header.base_tick) + offset;
    first = std::min(first, at);
    last = std::max(last, at);
  }
  scale_.clock = &clock_;
  scale_.sites = tables_.sites.dense();
  if (scale_.sites.empty()) return None("it has no names");
  scale_.any_python = std::any_of(
      scale_.sites.begin(), scale_.sites.end(), [](const Site& site) {
        return LineKindOf(site.type) == LineKind::kPython;
      });
  scale_.unnamed = builder_.Intern("(not named)");
  scale_.offset_ns = offset;
  scale_.origin_ns = first;
  const auto span = static_cast<uint64_t>(last - first);
  scale_.level =
      std::max(0, static_cast<int>(std::bit_width(span)) - kBucketBits);
  return Ok();
}

void Reader::Plan() {
  const size_t shares = options_.executor->threads() * kShares;
  const size_t runs = std::max(runs_.size() / shares + 1, kLeastRuns);
  for (size_t i = 0; i < runs_.size();) {
    size_t end = i + 1;
    while (end < runs_.size() && end - i < runs &&
           runs_[end].header.thread_uid == runs_[i].header.thread_uid)
      ++end;
    parts_.push_back({i, end, std::make_unique<PreviewStretch>(scale_)});
    i = end;
  }
  const size_t blocks = device_blocks_.size() / shares + 1;
  for (size_t i = 0; i < device_blocks_.size(); i += blocks)
    device_parts_.push_back(
        {i, std::min(i + blocks, device_blocks_.size()),
         std::make_unique<PreviewStreams>(
             scale_, tables_.end ? tables_.end->stop_tick : UINT64_MAX)});
}

Status Reader::FoldAll() {
  Plan();
  options_.executor->ForEach(parts_.size() + device_parts_.size(),
                             [this](size_t i) {
                               if (i < parts_.size())
                                 FoldRuns(parts_[i]);
                               else
                                 FoldDevices(device_parts_[i - parts_.size()]);
                             });
  if (options_.cancel != nullptr && options_.cancel->cancelled())
    return Fail(ErrorCode::kCancelled, file_.path() + ": cancelled");
  if (failed_) return None("it would take too much memory");
  if (!tables_.end)
    for (const Part& part : parts_)
      stop_ns_ = std::max(
          {stop_ns_, part.stretch->last_start_ns, part.stretch->last_end_ns});
  return Ok();
}

// True if there is no use in going on.
bool Reader::Stop(size_t more_boxes) {
  if ((boxes_ += more_boxes) > kMostBoxes) failed_ = true;
  return failed_ ||
         (options_.cancel != nullptr && options_.cancel->cancelled());
}

void Reader::FoldRuns(Part& part) {
  std::vector<uint8_t> buffer;
  size_t counted = 0;
  for (size_t i = part.first; i < part.last; ++i) {
    const Run& run = runs_[i];
    // Looking at all lines costs as much as some hundred events.
    if (i % 16 == 0) {
      const size_t boxes = part.stretch->box_count();
      if (Stop(boxes - counted)) return;
      counted = boxes;
    }
    const Result<bool> intact = ReadPayload(file_, *run.block, buffer);
    if (!intact || !*intact ||
        std::memcmp(buffer.data(), &run.header, sizeof(run.header)) != 0)
      continue;
    const Bytes packed(
        buffer.data() + sizeof(EventsHeader),
        static_cast<size_t>(run.block->header.bytes) - sizeof(EventsHeader));
    (void)part.stretch->Decode(run.header, run.block->header.version, packed);
  }
  part.stretch->Finish();
}

void Reader::FoldDevices(DevicePart& part) {
  std::vector<uint8_t> buffer;
  size_t counted = 0;
  for (size_t i = part.first; i < part.last; ++i) {
    if (Stop(part.streams->box_count() - counted)) return;
    counted = part.streams->box_count();
    const Block& block = *device_blocks_[i];
    const Result<bool> intact = ReadPayload(file_, block, buffer);
    if (intact && *intact)
      part.streams->AddBlock(
          {buffer.data(), static_cast<size_t>(block.header.bytes)});
  }
}

Result<Preview> Reader::Join() {
  Preview preview;
  preview.level = scale_.level;
  preview.stated = stated_;
  process_ = builder_.AddProcess(
      MakeProcess(tables_, clock_, scale_.offset_ns, builder_));
  std::vector<PreviewStretch*> stretches;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const uint32_t uid = runs_[parts_[i].first].header.thread_uid;
    stretches.push_back(parts_[i].stretch.get());
    preview.events += stretches.back()->events;
    if (i + 1 < parts_.size() &&
        runs_[parts_[i + 1].first].header.thread_uid == uid)
      continue;
    AddThread(uid, stretches, preview);
    for (; !stretches.empty(); stretches.pop_back())
      parts_[i + 1 - stretches.size()].stretch = nullptr;
  }
  AddStreams(preview);
  builder_.AddWindow(begin_ns_, std::max(begin_ns_, stop_ns_));
  if (!tables_.end ||
      (tables_.Find("ended") && tables_.Find("ended") != "exit 0"))
    builder_.SetIncomplete();
  STEPSCOPE_TRY_ASSIGN(preview.outline, builder_.Finish());
  return preview;
}

void Reader::AddThread(uint32_t uid, std::span<PreviewStretch*> stretches,
                       Preview& preview) {
  const uint32_t track =
      builder_.AddTrack(MakeThreadTrack(uid, tables_, process_, builder_));
  preview.tracks.resize(track + 1);
  preview.tracks[track] = JoinStretches(stretches, scale_, stop_ns_);
  AddRows(track, preview.tracks[track], scale_.origin_ns);
}

void Reader::AddStreams(Preview& preview) {
  std::map<PreviewStreams::Key, PreviewLine> lines;
  for (DevicePart& part : device_parts_) {
    preview.events += part.streams->events();
    preview.stated += part.streams->events();
    for (auto& [key, boxes] : part.streams->Take()) {
      PreviewLine& line = lines[key];
      line.insert(line.end(), boxes.begin(), boxes.end());
    }
  }
  for (auto& [key, line] : lines) {
    JoinBoxes(line, scale_);
    for (PreviewBox& box : line) {
      if (box.type != STEPSCOPE_KERNEL) continue;
      const auto [name, fresh] = kernel_names_.try_emplace(box.name, box.name);
      if (fresh)
        name->second =
            builder_.Intern(Demangle(builder_.strings().view(box.name)));
      box.name = name->second;
    }
    Track track;
    track.process = process_;
    track.kind = TrackKind::kStream;
    track.id = key.stream;
    track.device = key.device;
    track.device_type = tables_.sites.NameOf(key.type_site);
    track.name = builder_.Intern(Format("stream %u", key.stream));
    const uint32_t index = builder_.AddTrack(track);
    preview.tracks.resize(index + 1);
    PreviewTrack& of = preview.tracks[index];
    for (const PreviewBox& box : line) of.events[0] += box.events;
    of.lines[0].push_back(std::move(line));
    AddRows(index, of, of.lines[0][0][0].start_ns);
  }
}

// The outline has a row in place of each line, one inside the other.
void Reader::AddRows(uint32_t track, PreviewTrack& lines, int64_t begin_ns) {
  int64_t end = begin_ns;
  for (const auto& kind : lines.lines)
    for (const PreviewLine& line : kind)
      for (const PreviewBox& box : line)
        end = std::max(end, box.start_ns + box.dur_ns);
  for (size_t kind = 0; kind < lines.lines.size(); ++kind) {
    const uint16_t type = kind == static_cast<size_t>(LineKind::kPython)
                              ? STEPSCOPE_PYTHON_FUNCTION
                              : STEPSCOPE_USER_DEFINED;
    for (size_t depth = 0; depth < lines.lines[kind].size(); ++depth)
      builder_.AddEvent({track, begin_ns, end - begin_ns, StringId{}, type, 0});
  }
}

}  // namespace

Result<Preview> ReadPreview(const File& file, const PreviewOptions& options) {
  return Reader(file, options).Read();
}

}  // namespace stepscope::capture
