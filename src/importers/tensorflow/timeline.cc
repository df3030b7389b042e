// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/timeline.h"

#include <stepscope/c.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.h"
#include "importers/proto/bins.h"
#include "importers/proto/parts.h"
#include "importers/proto/sniff.h"
#include "importers/tensorflow/edges.h"
#include "importers/tensorflow/fields.h"
#include "importers/tensorflow/memory.h"

namespace stepscope::proto::tf {
namespace {

using Role = DeviceName::Role;
using Holds = Rule::Holds;

// Rows that are no bins.
constexpr int64_t kStepThread = -1;
constexpr int64_t kSyncThread = -2;

constexpr Rule kDeviceRules[] = {
    {tf::kDevice, Holds::kPath, nullptr, true},
    {tf::kNodeStats},
    {tf::kThreadName},
};
constexpr Shape kDeviceShape = {kDeviceRules};
constexpr Rule kStepRules[] = {
    {tf::kDeviceStats, Holds::kMessage, &kDeviceShape},
};
constexpr Shape kStepShape = {kStepRules};
constexpr Rule kMetadataRules[] = {
    {tf::kStepStats, Holds::kMessage, &kStepShape},
    {tf::kCostGraph},
    {tf::kPartitionGraph},
    {tf::kFunctionGraphs},
    {tf::kSessionMetadata},
};
constexpr Shape kMetadataShape = {kMetadataRules};

// The last number in a file's name: which step it is. 0 if there is none.
int64_t StepOfPath(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  const size_t last = path.find_last_of("0123456789");
  if (last == path.npos) return 0;
  size_t first = last;
  while (first > 0 && path[first - 1] >= '0' && path[first - 1] <= '9') --first;
  int64_t number = 0;
  std::from_chars(path.data() + first, path.data() + last + 1, number);
  return number;
}

size_t CountNodes(const TfStep& step) {
  size_t count = 0;
  for (const auto& nodes : step.nodes) count += nodes.size();
  return count;
}

void ImportStep(const Input& input, Bytes step_stats, Bytes run_metadata,
                Recorder& out) {
  TfStep step = ReadTfStep(step_stats, input, out);
  const TfGraph graph(run_metadata);
  TfTimeline(input, step, graph, out).Build();
}

}  // namespace

bool IsStepStats(Bytes head) { return BeginsAs(kStepShape, head); }
bool IsRunMetadata(Bytes head) { return BeginsAs(kMetadataShape, head); }

void ImportStepStats(const Input& input, TraceBuilder& builder) {
  Recorder out(input.bytes, builder);
  Message message(input.bytes);
  while (message.Next())
    if (message.cut()) out.FileEndsEarly(input.path, message);
  ImportStep(input, input.bytes, {}, out);
}

void ImportRunMetadata(const Input& input, TraceBuilder& builder) {
  Recorder out(input.bytes, builder);
  Bytes step_stats;
  Message message(input.bytes);
  while (message.Next()) {
    if (message.tag() == tf::kStepStats) step_stats = message.bytes();
    if (message.cut()) out.FileEndsEarly(input.path, message);
  }
  out.RejectRest(message);
  ImportStep(input, step_stats, input.bytes, out);
}

TfTimeline::TfTimeline(const Input& input, TfStep& step, const TfGraph& graph,
                       Recorder& out)
    : input_(input),
      step_(step),
      graph_(graph),
      out_(out),
      tracks_(out.builder()),
      writers_(ReadersFor(input.bytes.size(), input.readers, input.executor())),
      args_(out, CountNodes(step), input.executor(), writers_),
      name_key_(out.Intern("name")),
      op_key_(out.Intern("op")) {}

void TfTimeline::Build() {
  AddProcesses();
  RemoveDuplicates();
  input_.executor().ForEach(writers_, [this](size_t i) {
    if (i == 0) PlaceAll();
    args_.WriteChunks();
  });
  args_.WriteLinks();
  AddStep();
  const auto [arrows, memory] = input_.FormatOptions<TensorflowOptions>();
  TfEdges edges(step_, graph_, out_);
  if (arrows || memory) edges.Find();
  if (arrows) edges.AddArrows();
  if (memory) AddTfMemory(step_, edges.edges(), out_);
}

void TfTimeline::PlaceAll() {
  for (TfDevice& device : step_.devices)
    if (device.parsed.role == Role::kExecutor) PlaceExecutor(device);
  for (TfDevice& device : step_.devices)
    if (device.parsed.role != Role::kExecutor) PlaceStream(device);
  args_.EndAll();
}

uint32_t TfTimeline::AddProcess(const std::string& name) {
  TraceBuilder& builder = out_.builder();
  Process process;
  // TensorFlow does not say; one number a device, as its own timeline has.
  process.pid = -static_cast<int64_t>(processes_.size()) - 1;
  process.name = out_.Intern(name);
  return builder.AddProcess(std::move(process));
}

void TfTimeline::AddProcesses() {
  TraceBuilder& builder = out_.builder();
  for (const TfDevice& device : step_.devices) {
    if (device.parsed.role != Role::kExecutor ||
        processes_.contains(device.name))
      continue;
    const uint32_t index = AddProcess(std::string(device.name) + " Compute");
    processes_[device.name] = index;
    for (size_t at = 0; at != device.name.npos;
         at = device.name.find('/', at + 1))
      executors_.try_emplace(device.name.substr(at), index);
    executors_.try_emplace({}, index);
    for (const auto& [thread, name] : device.thread_names) {
      const StringId key = out_.Intern(
          Format("thread %llu", static_cast<unsigned long long>(thread)));
      builder.process(index).metadata.emplace_back(key, out_.Intern(name));
    }
  }
}

// The process of the device a stream belongs to. The tracer of 2016 to 2020
// leaves the job out of the name.
uint32_t TfTimeline::ProcessOf(const TfDevice& device) {
  const DeviceName& parsed = device.parsed;
  const std::string_view base =
      parsed.role == Role::kExecutor ? device.name : parsed.base;
  if (const auto it = processes_.find(base); it != processes_.end())
    return it->second;
  const auto executor = executors_.find(base);
  const uint32_t index = executor != executors_.end()
                             ? executor->second
                             : AddProcess(std::string(base));
  return processes_[base] = index;
}

// Each kernel is there twice: on its stream and on "stream:all"; each copy too,
// on its stream and on "memcpy". Those of the streams are kept.
void TfTimeline::RemoveDuplicates() {
  using Times = std::pair<int64_t, int64_t>;
  std::map<std::string_view, std::multiset<Times>> own;
  for (const TfDevice& device : step_.devices) {
    if (device.parsed.role != Role::kStream) continue;
    std::multiset<Times>& times = own[device.parsed.base];
    for (const std::span<TfNode> part : device.parts)
      for (const TfNode& node : part)
        times.insert({node.start_ns, node.end_ns});
  }
  // A copy may stand on "stream:all" and on "memcpy" as well.
  const auto remove = [&](Role role) {
    std::map<std::string_view, std::multiset<Times>> left = own;
    for (TfDevice& device : step_.devices) {
      if (device.parsed.role != role) continue;
      std::multiset<Times>& times = left[device.parsed.base];
      const auto is_copy = [&](const TfNode& node) {
        const auto it = times.find({node.start_ns, node.end_ns});
        if (it == times.end()) return false;
        times.erase(it);
        out_.Reject("duplicate of a stream's own record", node.record,
                    node.text->name);
        return true;
      };
      for (std::span<TfNode>& part : device.parts)
        part = {part.begin(),
                std::remove_if(part.begin(), part.end(), is_copy)};
      std::erase_if(device.parts,
                    [](const auto& part) { return part.empty(); });
    }
  };
  remove(Role::kAllStreams);
  remove(Role::kCopies);
}

void TfTimeline::PlaceExecutor(TfDevice& device) {
  const uint32_t process = ProcessOf(device);
  device.Sort();
  Bins bins;
  std::vector<uint32_t> tracks;  // by bin
  Place(device, process, [&](const TfNode& node) {
    const uint32_t bin =
        bins.Place(node.start_ns, std::max(node.start_ns, node.end_ns));
    if (bin == tracks.size()) tracks.push_back(tracks_.Thread(process, bin));
    return tracks[bin];
  });
}

void TfTimeline::PlaceStream(TfDevice& device) {
  const DeviceName& parsed = device.parsed;
  if (device.parts.empty()) return;
  const uint32_t process = ProcessOf(device);
  TraceBuilder& builder = out_.builder();
  const int64_t number = std::max<int64_t>(parsed.number, 0);
  const uint32_t track =
      parsed.role == Role::kSync
          ? tracks_.Thread(process, kSyncThread)
          : tracks_.Stream(process, parsed.type.empty() ? "GPU" : parsed.type,
                           number, parsed.stream);
  if (builder.track(track).name.v == 0)
    builder.track(track).name = out_.Intern(device.name);
  Place(device, process, [&](const TfNode&) { return track; });
}

template <typename TrackOf>
void TfTimeline::Place(TfDevice& device, uint32_t process, TrackOf track_of) {
  const TraceBuilder& builder = out_.builder();
  for (std::span<TfNode> part : device.parts) {
    while (!part.empty()) {
      const auto nodes = part.first(std::min(part.size(), TfArgs::kChunk));
      part = part.subspan(nodes.size());
      for (TfNode& node : nodes) {
        TfText& text = *node.text;
        if (!text.named) NameSpan(device, text);
        const Span span = {track_of(node), node.start_ns, node.end_ns,
                           text.span_name, text.type};
        node.row = out_.Add(span, node.record);
        if (node.row == kNoRow) continue;
        if (!text.known) Learn(device, process, text);
        args_.Add(node);
        const int64_t start = builder.start_ns(node.row);
        begin_ns_ = std::min(begin_ns_, start);
        end_ns_ = std::max(end_ns_, start + builder.dur_ns(node.row));
      }
      args_.EndChunk(nodes);
    }
  }
}

// The file is one step. Which one, only its name may tell.
void TfTimeline::AddStep() {
  TraceBuilder& builder = out_.builder();
  // That of the first device that has something to show.
  const TfNode* first = nullptr;
  for (const TfDevice& device : step_.devices)
    for (const std::span<TfNode> part : device.parts)
      for (size_t i = 0; first == nullptr && i < part.size(); ++i)
        if (part[i].row != kNoRow) first = &part[i];
  // Damage may put events further apart than a step can last.
  if (first == nullptr || end_ns_ - begin_ns_ >= Recorder::kMaxTimeNs) return;
  const uint32_t process = builder.track(builder.track_of(first->row)).process;
  EventSpec step;
  step.track = tracks_.Thread(process, kStepThread);
  builder.track(step.track).name = out_.Intern("Step");
  step.start_ns = begin_ns_;
  step.dur_ns = end_ns_ - begin_ns_;
  step.name = out_.Intern(Format(
      "ProfileStep#%lld", static_cast<long long>(StepOfPath(input_.path))));
  step.type = STEPSCOPE_PROFILE_STEP;
  step.flags = kEventInferred;
  builder.AddEvent(step);
}

}  // namespace stepscope::proto::tf

namespace stepscope {

const Importer& StepStatsImporter() {
  // Never destroyed: files may be read while the process ends.
  static const auto* const importer = new proto::ProtoImporter(
      "tf-step-stats", proto::tf::IsStepStats, proto::tf::ImportStepStats);
  return *importer;
}

const Importer& RunMetadataImporter() {
  // Never destroyed: files may be read while the process ends.
  static const auto* const importer =
      new proto::ProtoImporter("tf-run-metadata", proto::tf::IsRunMetadata,
                               proto::tf::ImportRunMetadata);
  return *importer;
}

}  // namespace stepscope
