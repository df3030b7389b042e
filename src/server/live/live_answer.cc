// SPDX-License-Identifier: Apache-2.0
#include "server/live/live_answer.h"

#include <algorithm>

#include "analysis/steps.h"
#include "base/json_writer.h"
#include "importers/capture/live_place.h"
#include "importers/registry.h"

namespace stepscope::server {
namespace {

// Reading takes one in so many parts of the time.
constexpr int kShare = 8;
constexpr size_t kMostLiveSteps = 40;
constexpr size_t kMostCounters = 16;
constexpr size_t kMostSamples = 120;
constexpr size_t kMostOpen = 16;

int64_t OriginOf(const Trace& trace) {
  return trace.first_time_ns().value_or(trace.begin_ns());
}

void WriteSteps(JsonWriter& json, const Trace& trace) {
  const EventTree tree(trace);
  const StepTable table(tree, /*find_warmup=*/false);
  const auto& steps = table.steps();
  json.Field("step_count", uint64_t{steps.size()});
  json.Key("steps").BeginArray();
  for (size_t i = steps.size() - std::min(steps.size(), kMostLiveSteps);
       i < steps.size(); ++i) {
    const StepInterval& step = steps[i];
    const bool open =
        step.row != kNoRow && (trace.flags()[step.row] & kEventOpenAtEnd) != 0;
    json.BeginObject().Field("index", step.index);
    json.Field("start", step.range.begin - OriginOf(trace));
    json.Field("dur", step.range.end - step.range.begin);
    json.Field("open", open).EndObject();
  }
  json.EndArray();
}

// The last values of each counter.
void WriteCounters(JsonWriter& json, const Trace& trace) {
  const std::vector<CounterSample>& samples = trace.counters();
  size_t counters = 0;
  json.Key("counters").BeginArray();
  for (size_t i = 0; i < samples.size() && counters < kMostCounters;
       ++counters) {
    size_t end = i;
    double low = samples[i].value;
    double high = samples[i].value;
    for (; end < samples.size() && samples[end].track == samples[i].track;
         ++end) {
      low = std::min(low, samples[end].value);
      high = std::max(high, samples[end].value);
    }
    json.BeginObject();
    json.Field("name", trace.str(trace.tracks()[samples[i].track].name));
    json.Key("last").Number(samples[end - 1].value);
    json.Key("min").Number(low).Key("max").Number(high);
    const size_t first = end - std::min(end - i, kMostSamples);
    json.Key("t").BeginArray();
    for (size_t at = first; at < end; ++at)
      json.Int(samples[at].time_ns - OriginOf(trace));
    json.EndArray().Key("values").BeginArray();
    for (size_t at = first; at < end; ++at) json.Number(samples[at].value);
    json.EndArray().EndObject();
    i = end;
  }
  json.EndArray();
}

// What each thread is in: its innermost open event.
void WriteOpen(JsonWriter& json, const Trace& trace) {
  size_t count = 0;
  json.Key("open").BeginArray();
  for (const ThreadReport& thread : trace.threads()) {
    if (thread.open_scopes.empty() || count++ == kMostOpen) continue;
    const Row row = thread.open_scopes.back();
    const Track& track = trace.tracks()[thread.track];
    json.BeginObject().Field("thread", track.id);
    json.Field("thread_name", trace.str(track.name));
    json.Field("name", trace.str(trace.name()[row]));
    json.Field("dur", trace.dur_ns()[row]).EndObject();
  }
  json.EndArray();
}

}  // namespace

void WriteLiveState(JsonWriter& json, const Trace& trace) {
  uint64_t lost = 0;
  for (const ThreadReport& thread : trace.threads())
    for (const auto& [reason, count] : thread.dropped) lost += count;
  json.BeginObject().Field("events", uint64_t{trace.size()});
  json.Field("span_ns", trace.end_ns() - OriginOf(trace));
  json.Field("lost", lost);
  json.Field("threads", uint64_t{trace.threads().size()});
  WriteSteps(json, trace);
  WriteCounters(json, trace);
  WriteOpen(json, trace);
  json.EndObject();
}

Result<std::string> LiveAnswers::Answer(const Window& window) {
  Kept* kept = nullptr;
  {
    const std::lock_guard lock(mutex_);
    kept = &kept_[window.id];
  }
  const std::lock_guard lock(kept->making);
  // That it ended is said at once.
  if (Clock::now() < kept->good_until && kept->of_recording == window.recording)
    return kept->text;
  STEPSCOPE_TRY_ASSIGN(kept->text, Make(window, *kept));
  kept->of_recording = window.recording;
  return kept->text;
}

Result<std::string> LiveAnswers::Make(const Window& window, Kept& kept) const {
  const Clock::time_point begin = Clock::now();
  JsonWriter json;
  json.BeginObject().Field("recording", window.recording);
  json.Field("bytes", window.identity.bytes).Key("state");
  std::shared_ptr<const Trace> trace;
  if (window.recording && window.identity.bytes <= most_bytes_) {
    ImportOptions options;
    options.confined = true;
    options.formats.Set(capture::LiveOptions{.elsewhere = true});
    // Of a recording that has just begun there may be nothing to read yet.
    if (auto read = ImportFile(window.path, options)) trace = *std::move(read);
  }
  if (trace != nullptr)
    WriteLiveState(json, *trace);
  else
    json.Null();
  const auto wait =
      std::max<Clock::duration>(shortest_, (Clock::now() - begin) * kShare);
  kept.good_until = Clock::now() + wait;
  const int64_t wait_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(wait).count();
  json.Field("again_ms", wait_ms).EndObject();
  return json.Take();
}

}  // namespace stepscope::server
