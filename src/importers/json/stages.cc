// SPDX-License-Identifier: Apache-2.0
#include "importers/json/stages.h"

#include <stepscope/c.h>

#include <algorithm>
#include <limits>

namespace stepscope::json {

void Stages::Add(const TraceBuilder& builder, Row row, NameKind kind) {
  const int64_t begin = builder.start_ns(row);
  const Span span = {begin, begin + builder.dur_ns(row),
                     builder.track_of(row)};
  switch (kind) {
    case NameKind::kStep:
      steps_.push_back(span);
      break;
    case NameKind::kOptimizer:
      optimizers_.push_back(span);
      excluded_.push_back(span);
      break;
    case NameKind::kDataLoader:
    case NameKind::kZeroGrad:
      excluded_.push_back(span);
      break;
    case NameKind::kBackward:
      backward_.push_back(span);
      break;
    default:
      break;
  }
}

std::vector<Stages::Part> Stages::Parts() const {
  const auto by_begin = [](const Span& a, const Span& b) {
    return a.begin < b.begin;
  };
  std::vector<Span> spans = steps_;
  if (spans.empty()) {
    // From the end of one optimizer range to that of the next.
    spans = optimizers_;
    std::sort(spans.begin(), spans.end(), by_begin);
    int64_t begin = std::numeric_limits<int64_t>::min();
    for (Span& span : spans) {
      span.begin = begin;
      begin = span.end;
    }
  }
  std::sort(spans.begin(), spans.end(), by_begin);
  std::vector<Part> parts;
  for (const Span& span : spans) {
    // Of steps on several threads, those of the first one.
    if (span.track != spans.front().track) continue;
    parts.emplace_back().whole = span;
  }
  return parts;
}

Stages::Part* Stages::Find(std::vector<Part>& parts, int64_t begin) {
  const auto after = std::upper_bound(
      parts.begin(), parts.end(), begin,
      [](int64_t time, const Part& part) { return time < part.whole.begin; });
  if (after == parts.begin() || begin >= after[-1].whole.end) return nullptr;
  return &after[-1];
}

bool Stages::IsExcluded(int64_t begin) const {
  const auto after = std::upper_bound(
      excluded_.begin(), excluded_.end(), begin,
      [](int64_t time, const Span& span) { return time < span.begin; });
  return after != excluded_.begin() && begin < after[-1].end;
}

void Stages::Finish(TraceBuilder& builder, Row first) {
  std::vector<Part> parts = Parts();
  if (parts.empty() || backward_.empty()) return;
  const uint32_t track = parts.front().whole.track;
  const auto widen = [](Span& span, bool& has, int64_t begin, int64_t end) {
    span.begin = has ? std::min(span.begin, begin) : begin;
    span.end = has ? std::max(span.end, end) : end;
    has = true;
  };
  for (const Span& span : backward_) {
    if (Part* const part = Find(parts, span.begin); part != nullptr)
      widen(part->backward, part->has_backward, span.begin,
            std::min(span.end, part->whole.end));
  }
  std::erase_if(excluded_,
                [&](const Span& span) { return span.track != track; });
  std::sort(excluded_.begin(), excluded_.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  const Row count = builder.event_count();
  for (Row row = first; row < count; ++row) {
    if (builder.type_of(row) != STEPSCOPE_OPERATOR ||
        builder.track_of(row) != track)
      continue;
    const int64_t begin = builder.start_ns(row);
    const int64_t end = begin + builder.dur_ns(row);
    Part* const part = Find(parts, begin);
    if (part == nullptr || !part->has_backward || end > part->backward.begin ||
        IsExcluded(begin))
      continue;
    widen(part->forward, part->has_forward, begin, end);
  }
  const StringId forward = builder.Intern("Forward");
  const StringId backward = builder.Intern("Backward");
  const auto add = [&](const Span& span, StringId name, uint16_t type) {
    builder.AddEvent({track, span.begin, span.end - span.begin, name, type,
                      kEventInferred});
  };
  for (const Part& part : parts) {
    if (part.has_forward) add(part.forward, forward, STEPSCOPE_FORWARD);
    if (part.has_backward) add(part.backward, backward, STEPSCOPE_BACKWARD);
  }
}

}  // namespace stepscope::json
