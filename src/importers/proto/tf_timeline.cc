// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/tf_timeline.h"

#include <stepscope/c.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/text.h"
#include "importers/proto/bins.h"
#include "importers/proto/sniff.h"
#include "importers/proto/tf_fields.h"
#include "importers/proto/tf_memory.h"

namespace stepscope::proto {
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

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

bool IsTransfer(std::string_view op) {
  return op == "_Send" || op == "_Recv" || op == "_HostSend" ||
         op == "_HostRecv" || op == "RecvTensor" ||
         op.starts_with("Collective") || op.starts_with("Nccl") ||
         op.starts_with("_Nccl");
}

uint16_t StreamType(const TfNode& node, std::string_view stream_kind) {
  if (Contains(stream_kind, "Memcpy") || Contains(node.name, "MEMCPY") ||
      Contains(node.label, "MEMCPY") || Contains(node.name, "Memcpy"))
    return STEPSCOPE_MEMCPY;
  if (Contains(node.name, "MEMSET") || Contains(node.label, "MEMSET") ||
      Contains(stream_kind, "Memset"))
    return STEPSCOPE_MEMSET;
  return STEPSCOPE_KERNEL;
}

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

void ImportStep(const Input& input, Bytes step_stats, Bytes run_metadata,
                Recorder& out) {
  TfStep step = ReadTfStep(step_stats, out);
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
      tracks_(out.builder()) {}

void TfTimeline::Build() {
  AddProcesses();
  RemoveDuplicates();
  for (TfDevice& device : step_.devices)
    if (device.parsed.role == Role::kExecutor) PlaceExecutor(device);
  for (TfDevice& device : step_.devices)
    if (device.parsed.role != Role::kExecutor) PlaceStream(device);
  AddStep();
  const ImportOptions* const options = input_.options;
  const bool arrows = options == nullptr || options->dataflow;
  const bool memory = options != nullptr && options->show_memory;
  if (arrows || memory) FindEdges();
  if (arrows) AddArrows();
  if (memory) AddTfMemory(step_, edges_, out_);
}

uint32_t TfTimeline::AddProcess(const std::string& name) {
  TraceBuilder& builder = out_.builder();
  Process process;
  // TensorFlow does not say; one number a device, as its own timeline has.
  process.pid = -static_cast<int64_t>(processes_.size()) - 1;
  process.name = out_.Intern(name);
  process.source = out_.Intern(input_.path);
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
  for (const TfDevice& other : step_.devices) {
    if (other.parsed.role != Role::kExecutor || !other.name.ends_with(base))
      continue;
    return processes_[base] = processes_[other.name];
  }
  const uint32_t index = AddProcess(std::string(base));
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
    for (const TfNode& node : device.nodes)
      times.insert({node.start_ns, node.end_ns});
  }
  // A copy may stand on "stream:all" and on "memcpy" as well.
  const auto remove = [&](Role role) {
    std::map<std::string_view, std::multiset<Times>> left = own;
    for (TfDevice& device : step_.devices) {
      if (device.parsed.role != role) continue;
      std::multiset<Times>& times = left[device.parsed.base];
      std::erase_if(device.nodes, [&](const TfNode& node) {
        const auto it = times.find({node.start_ns, node.end_ns});
        if (it == times.end()) return false;
        times.erase(it);
        out_.Reject("duplicate of a stream's own record", node.record.data(),
                    node.name);
        return true;
      });
    }
  };
  remove(Role::kAllStreams);
  remove(Role::kCopies);
}

void TfTimeline::PlaceExecutor(TfDevice& device) {
  const uint32_t process = ProcessOf(device);
  const auto earlier = [](const TfNode& a, const TfNode& b) {
    return a.start_ns < b.start_ns;
  };
  // Nodes are large, and in order as a rule.
  if (!std::is_sorted(device.nodes.begin(), device.nodes.end(), earlier))
    std::stable_sort(device.nodes.begin(), device.nodes.end(), earlier);
  Bins bins;
  for (TfNode& node : device.nodes) {
    const uint32_t bin =
        bins.Place(node.start_ns, std::max(node.start_ns, node.end_ns));
    AddOperator(device, node, tracks_.Thread(process, bin));
  }
}

void TfTimeline::AddOperator(TfDevice& device, TfNode& node, uint32_t track) {
  const TfGraph::Node* const defined = graph_.Find(device.name, node.name);
  const OpLabel label = ParseOpLabel(node.label);
  const bool transfer = node.name == "RecvTensor";
  // The label knows better: some kernels are exchanged after the graph was
  // written.
  std::string_view op = transfer             ? node.name
                        : !label.op.empty()  ? label.op
                        : defined != nullptr ? defined->op
                                             : "";
  Span span;
  span.track = track;
  span.start_ns = node.start_ns;
  span.end_ns = node.end_ns;
  span.name = out_.Intern(op.empty() ? node.name : op);
  span.type = IsTransfer(op) ? STEPSCOPE_COMMUNICATION : STEPSCOPE_OPERATOR;
  node.track = track;
  node.row = out_.Add(span, node.record.data());
  if (node.row == kNoRow) return;
  TraceBuilder& builder = out_.builder();
  AddText(node.row, KeyOf(kName), node.name);
  if (!op.empty()) AddText(node.row, KeyOf(kOp), op);
  if (transfer) {
    AddTransfer(node);
  } else {
    const auto& inputs = defined != nullptr ? defined->inputs : label.inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      AddText(node.row,
              NumberedKey(input_keys_, "input", static_cast<int64_t>(i)),
              inputs[i]);
  }
  AddNodeArgs(node, node.row);
  const auto [id, fresh] =
      operator_ids_.try_emplace(node.name, operator_ids_.size() + 1);
  builder.AddLink({builder.track(track).process, LinkSpace::kExternal,
                   id->second, node.row});
}

void TfTimeline::AddTransfer(TfNode& node) {
  const TransferLabel label = ParseTransferLabel(node.label);
  TraceBuilder& builder = out_.builder();
  if (label.edge.empty()) {
    builder.AddText(node.row, "label", node.label);
    return;
  }
  if (label.bytes >= 0) builder.AddInt(node.row, "bytes", label.bytes);
  builder.AddText(node.row, "edge", label.edge);
  builder.AddText(node.row, "from", label.from);
  builder.AddText(node.row, "to", label.to);
}

void TfTimeline::AddNodeArgs(const TfNode& node, Row row) {
  if (node.thread != 0)
    AddInt(row, kThread, static_cast<int64_t>(node.thread));
  int64_t waited = 0;
  if (node.scheduled_ns != 0 &&
      !__builtin_sub_overflow(node.start_ns, node.scheduled_ns, &waited))
    AddInt(row, kScheduled, waited);
  if (node.op_start_ns != 0) AddInt(row, kOpStart, node.op_start_ns);
  if (node.op_end_ns != 0) AddInt(row, kOpEnd, node.op_end_ns);
  for (const TfTensor& tensor : node.outputs) {
    if (!tensor.shaped) continue;
    std::string text(DataTypeName(tensor.dtype));
    text += ShapeText(tensor.shape);
    AddText(row, NumberedKey(output_keys_, "output", tensor.slot), text);
  }
}

StringId TfTimeline::KeyOf(NodeKey key) {
  constexpr std::string_view kNames[kNodeKeys] = {
      "name", "op", "thread_id", "scheduled_before_ns", "op_start_ns",
      "op_end_ns"};
  StringId& id = node_keys_[key];
  if (id.v == 0) id = out_.Intern(kNames[key]);
  return id;
}

void TfTimeline::AddInt(Row row, NodeKey key, int64_t value) {
  out_.builder().NewArg(row, KeyOf(key)).int_value = value;
}

void TfTimeline::AddText(Row row, StringId key, std::string_view text) {
  Arg& arg = out_.builder().NewArg(row, key);
  arg.kind = ArgKind::kText;
  arg.text = out_.Intern(text);
}

StringId TfTimeline::NumberedKey(std::vector<StringId>& keys,
                                 const char* prefix, int64_t number) {
  constexpr int64_t kKept = 64;
  const bool kept = number >= 0 && number < kKept;
  const auto index = static_cast<size_t>(number);
  if (kept && index < keys.size() && keys[index].v != 0) return keys[index];
  const StringId key = out_.Intern(
      Format("%s%lld", prefix, static_cast<long long>(number)));
  if (kept) {
    if (index >= keys.size()) keys.resize(index + 1);
    keys[index] = key;
  }
  return key;
}

void TfTimeline::PlaceStream(TfDevice& device) {
  const DeviceName& parsed = device.parsed;
  if (device.nodes.empty()) return;
  const uint32_t process = ProcessOf(device);
  TraceBuilder& builder = out_.builder();
  const bool sync = parsed.role == Role::kSync;
  const int64_t number = std::max<int64_t>(parsed.number, 0);
  const uint32_t track =
      sync ? tracks_.Thread(process, kSyncThread)
           : tracks_.Stream(process, parsed.type.empty() ? "GPU" : parsed.type,
                            number, parsed.stream);
  if (builder.track(track).name.v == 0)
    builder.track(track).name = out_.Intern(device.name);
  for (TfNode& node : device.nodes) {
    const KernelLabel label = ParseKernelLabel(node.name, node.label);
    Span span;
    span.track = track;
    span.start_ns = node.start_ns;
    span.end_ns = node.end_ns;
    span.name = out_.Intern(sync ? node.name : label.kernel);
    span.type = sync ? static_cast<uint16_t>(STEPSCOPE_SYNCHRONIZATION)
                     : StreamType(node, parsed.stream_kind);
    node.track = track;
    node.row = out_.Add(span, node.record.data());
    if (node.row == kNoRow) continue;
    AddText(node.row, KeyOf(kName), node.name);
    if (!node.label.empty()) builder.AddText(node.row, "label", node.label);
    if (!label.op.empty()) AddText(node.row, KeyOf(kOp), label.op);
    AddNodeArgs(node, node.row);
    // By the name of the operator: every execution of it has the same id, and
    // the last that began before the work is its launch.
    const auto id = operator_ids_.find(label.node);
    if (!sync && id != operator_ids_.end())
      builder.AddLink({process, LinkSpace::kExternal, id->second, node.row});
  }
}

// The file is one step. Which one, only its name may tell.
void TfTimeline::AddStep() {
  TraceBuilder& builder = out_.builder();
  int64_t begin = INT64_MAX;
  int64_t end = INT64_MIN;
  uint32_t process = 0;
  for (const TfDevice& device : step_.devices) {
    for (const TfNode& node : device.nodes) {
      if (node.row == kNoRow) continue;
      if (begin == INT64_MAX) process = builder.track(node.track).process;
      begin = std::min(begin, builder.start_ns(node.row));
      end =
          std::max(end, builder.start_ns(node.row) + builder.dur_ns(node.row));
    }
  }
  // Damage may put events further apart than a step can last.
  if (begin > end || end - begin >= Recorder::kMaxTimeNs) return;
  EventSpec step;
  step.track = tracks_.Thread(process, kStepThread);
  builder.track(step.track).name = out_.Intern("Step");
  step.start_ns = begin;
  step.dur_ns = end - begin;
  step.name = out_.Intern(Format(
      "ProfileStep#%lld", static_cast<long long>(StepOfPath(input_.path))));
  step.type = STEPSCOPE_PROFILE_STEP;
  step.flags = kEventInferred;
  builder.AddEvent(step);
}

}  // namespace stepscope::proto
