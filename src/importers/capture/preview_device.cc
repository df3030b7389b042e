// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/preview_device.h"

#include <stepscope/plugin.h>

#include <algorithm>

#include "importers/capture/device_records.h"

namespace stepscope::capture {

void PreviewStreams::AddBlock(std::span<const uint8_t> payload) {
  format::DeviceHeader header = {};
  if (!ReadFixed(payload, &header)) return;
  payload = payload.subspan(sizeof(header));
  Stream* stream = nullptr;
  Key last;
  stepscope_record_head head = {};
  for (; ReadFixed(payload, &head) && head.bytes >= sizeof(head) &&
         head.bytes % 8 == 0 && head.bytes <= payload.size();
       payload = payload.subspan(head.bytes)) {
    stepscope_record_work work = {};
    if (head.kind != STEPSCOPE_RECORD_WORK ||
        !ReadFixed(payload.first(head.bytes), &work) || work.end < work.start ||
        work.start > stop_tick_)
      continue;
    const Key key = {header.device_type, work.device, work.context,
                     work.stream};
    if (stream == nullptr || key != last) stream = &streams_[key];
    last = key;
    const int64_t start = scale_.clock->ToNs(work.start) + scale_.offset_ns;
    const int64_t end = scale_.clock->ToNs(work.end) + scale_.offset_ns;
    const int64_t dur = std::max<int64_t>(end - start, 0);
    ++events_;
    if (scale_.IsLong(dur)) {
      const Site site = scale_.SiteOf(head.name);
      stream->longer.push_back({start, dur, dur, 1, site.name, dur, site.type});
      ++boxes_;
      continue;
    }
    const auto [bucket, fresh] =
        stream->buckets.try_emplace(scale_.BucketOf(start));
    boxes_ += fresh ? 1 : 0;
    bucket->second.Add(scale_, start, dur, head.name);
  }
}

std::map<PreviewStreams::Key, PreviewLine> PreviewStreams::Take() {
  std::map<Key, PreviewLine> lines;
  for (auto& [key, stream] : streams_) {
    PreviewLine& line = lines[key];
    line = std::move(stream.longer);
    for (auto& [bucket, fold] : stream.buckets) {
      fold.Close(scale_);
      line.insert(line.end(), fold.boxes.begin(), fold.boxes.end());
    }
  }
  return lines;
}

}  // namespace stepscope::capture
