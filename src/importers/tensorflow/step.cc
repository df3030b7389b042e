// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/step.h"

#include <algorithm>
#include <memory>

#include "importers/proto/in_order.h"
#include "importers/proto/parts.h"
#include "importers/tensorflow/fields.h"
#include "importers/tensorflow/tensor.h"
#include "importers/tensorflow/texts.h"

namespace stepscope::proto::tf {
namespace {

// Of a small node with a label.
constexpr size_t kBytesANode = 64;

// The times of one node, in one of the units that the file has.
struct Times {
  uint64_t start = 0;
  uint64_t op_start = 0;
  uint64_t op_end = 0;
  uint64_t end = 0;
  uint64_t scheduled = 0;
};

// What is read of one node.
struct Fields {
  std::string_view name;
  std::string_view label;
  Times micros;
  Times nanos;
  uint64_t thread = 0;
  bool shaped = false;
  bool ok = true;      // the bytes could be read
  bool wrong = false;  // a field had a wrong wire type
};

// Of values that stay what they are times 1000.
bool CanBeMicros(int64_t value) {
  constexpr int64_t kMost = INT64_MAX / 1000;
  return value <= kMost && value >= -kMost;
}

// The times of a node, and numbers. False on overflow.
bool SetTimes(const Fields& fields, TfNode* node, TfNumbers<int64_t>* numbers) {
  const auto signed_of = [](uint64_t v) { return static_cast<int64_t>(v); };
  const Times& nanos = fields.nanos;
  int64_t start = signed_of(nanos.start);
  int64_t op_start = signed_of(nanos.op_start);
  int64_t op_end = signed_of(nanos.op_end);
  int64_t length = signed_of(nanos.end);
  int64_t scheduled = signed_of(nanos.scheduled);
  // Old files have no nanoseconds.
  const Times& micros = fields.micros;
  if (nanos.start == 0) {
    start = signed_of(micros.start);
    op_start = signed_of(micros.op_start);
    op_end = signed_of(micros.op_end);
    length = signed_of(micros.end);
    if (!CanBeMicros(start) || !CanBeMicros(op_start) || !CanBeMicros(op_end) ||
        !CanBeMicros(length))
      return false;
    start *= 1000;
    op_start *= 1000;
    op_end *= 1000;
    length *= 1000;
  }
  if (nanos.scheduled == 0) {
    scheduled = signed_of(micros.scheduled);
    if (!CanBeMicros(scheduled)) return false;
    scheduled *= 1000;
  }
  node->start_ns = start;
  numbers->op_start = op_start;
  numbers->op_end = op_end;
  numbers->thread = signed_of(fields.thread);
  node->scheduled = scheduled != 0 &&
                    !__builtin_sub_overflow(start, scheduled, &numbers->waited);
  return !__builtin_add_overflow(start, length, &node->end_ns);
}

// What one reader found of a device: its nodes lie together.
struct DevicePart {
  size_t device = 0;
  size_t first = 0;
  size_t count = 0;
  bool sorted = true;  // by start
  bool named = false;
  std::string_view name;
  std::vector<std::pair<uint64_t, std::string_view>> thread_names;
};

// Reads the nodes of a part of the file.
class NodeReader {
 public:
  NodeReader(Bytes step_stats, const Recorder& whole)
      : end_(step_stats.data() + step_stats.size()), out_(whole, counts_) {}

  void Read(std::span<const Bytes> devices, const Range& range) {
    for (size_t i = 0; i < devices.size(); ++i)
      if (range.Touches(devices[i])) ReadDevice(i, devices[i], range);
  }

  const Ledger& ledger() { return counts_.ledger(); }
  std::vector<DevicePart>& parts() { return parts_; }
  Column<TfNode> TakeNodes() { return std::move(nodes_); }
  std::deque<TfText> TakeTexts() { return texts_.Take(); }
  std::deque<TfNumbers<int64_t>> TakeLarge() { return std::move(large_); }

 private:
  void ReadDevice(size_t index, Bytes device, const Range& range) {
    const uint8_t* const last = device.data() + device.size();
    const auto bytes = static_cast<size_t>(std::min(range.to, last) -
                                           std::max(range.from, device.data()));
    // Refused memory shows when it is needed.
    static_cast<void>(nodes_.ReserveMore(bytes / kBytesANode + 1));
    texts_.NextDevice();
    last_start_ = INT64_MIN;
    sorted_ = true;
    DevicePart part;
    part.device = index;
    part.first = nodes_.size();
    InOrder fields(device, end_);
    if (fields.Text(kDevice, &part.name)) part.named = true;
    const uint8_t* at = fields.rest().data();
    for (Bytes node; fields.Sub(kNodeStats, &node);) {
      if (at >= range.to) break;
      if (at >= range.from) ReadNode(node, false);
      at = fields.rest().data();
    }
    Message message(at < range.to ? fields.rest() : Bytes(), end_);
    while (message.Next() && message.field() < range.to) {
      if (message.tag() == kDevice) {
        part.named = true;
        part.name = message.text();
      }
      if (message.field() < range.from) continue;
      if (message.tag() == kNodeStats) ReadNode(message.bytes(), message.cut());
      if (message.tag() == kThreadName) ReadThreadName(message.bytes(), &part);
    }
    if (range.Holds(message.field())) out_.RejectRest(message);
    part.count = nodes_.size() - part.first;
    part.sorted = sorted_;
    parts_.push_back(std::move(part));
  }

  void ReadNode(Bytes record, bool cut) {
    Fields fields;
    InOrder as_written(record, end_);
    TakeFields(as_written, &fields);
    if (!as_written.rest().empty()) [[unlikely]]
      ReadInAnyOrder(as_written.rest(), &fields);
    const bool timed = fields.micros.start != 0 || fields.nanos.start != 0;
    if (out_.RejectIfBroken(fields.ok, cut, fields.wrong, timed, record))
      return;
    // Where it is to lie: a copy would cost more than it seems.
    TfNode* const node = nodes_.AppendZero();
    if (node == nullptr) {
      out_.Reject(kNoMemory, record.data());
      return;
    }
    TfNumbers<int64_t> numbers;
    if (!SetTimes(fields, node, &numbers)) {
      out_.Reject(kTimeRange, record.data(), fields.name);
      static_cast<void>(nodes_.Resize(nodes_.size() - 1));
      return;
    }
    node->text = texts_.Add(fields.name, fields.label);
    node->record = record.data();
    // No record is so large, and if one is, some of its outputs are not seen.
    node->record_size =
        static_cast<uint32_t>(std::min<size_t>(record.size(), UINT32_MAX));
    node->row = kNoRow;
    node->shaped = fields.shaped;
    SetNumbers(numbers, node);
    sorted_ &= last_start_ <= node->start_ns;
    last_start_ = node->start_ns;
  }

  void SetNumbers(const TfNumbers<int64_t>& numbers, TfNode* node) {
    const auto small = [](int64_t v) { return static_cast<int32_t>(v); };
    node->small = {small(numbers.thread), small(numbers.waited),
                   small(numbers.op_start), small(numbers.op_end)};
    if (node->numbers() == numbers) [[likely]]
      return;
    node->is_large = true;
    node->large = &large_.emplace_back(numbers);
  }

  void TakeFields(InOrder& from, Fields* fields) const {
    Bytes bytes;
    from.Text(kNodeName, &fields->name);
    from.Number(kAllStartMicros, &fields->micros.start);
    from.Small(kOpStartRelMicros, &fields->micros.op_start);
    from.Small(kOpEndRelMicros, &fields->micros.op_end);
    from.Small(kAllEndRelMicros, &fields->micros.end);
    while (from.Sub(kMemory, &bytes)) {
    }
    while (from.Sub(kOutput, &bytes)) fields->shaped |= IsShaped(bytes);
    from.Text(kLabel, &fields->label);
    from.Number(kScheduledMicros, &fields->micros.scheduled);
    from.Small(kThreadId, &fields->thread);
    while (from.Sub(kReferencedTensor, &bytes)) {
    }
    from.Sub(kMemoryStats, &bytes);
    from.Time(kAllStartNanos, &fields->nanos.start);
    from.Number(kOpStartRelNanos, &fields->nanos.op_start);
    from.Number(kOpEndRelNanos, &fields->nanos.op_end);
    from.HighNumber(kAllEndRelNanos, &fields->nanos.end);
    from.HighNumber(kScheduledNanos, &fields->nanos.scheduled);
  }

  bool IsShaped(Bytes output) const {
    uint64_t number = 0;
    Bytes bytes;
    InOrder fields(output, end_);
    fields.Small(kSlot, &number);
    if (fields.Sub(kTensor, &bytes) && fields.rest().empty()) [[likely]] {
      InOrder tensor(bytes, end_);
      tensor.Small(kDtype, &number);
      if (tensor.Sub(kShape, &bytes)) return true;
      tensor.Sub(kAllocation, &bytes);
      if (tensor.rest().empty()) return false;
    }
    return ReadOutput(output).shaped;
  }

  static void ReadInAnyOrder(Bytes rest, Fields* fields) {
    Message message(rest);
    while (message.Next()) {
      switch (message.tag()) {
        case kNodeName:
          fields->name = message.text();
          break;
        case kAllStartMicros:
          fields->micros.start = message.value();
          break;
        case kOpStartRelMicros:
          fields->micros.op_start = message.value();
          break;
        case kOpEndRelMicros:
          fields->micros.op_end = message.value();
          break;
        case kAllEndRelMicros:
          fields->micros.end = message.value();
          break;
        case kScheduledMicros:
          fields->micros.scheduled = message.value();
          break;
        case kAllStartNanos:
          fields->nanos.start = message.value();
          break;
        case kOpStartRelNanos:
          fields->nanos.op_start = message.value();
          break;
        case kOpEndRelNanos:
          fields->nanos.op_end = message.value();
          break;
        case kAllEndRelNanos:
          fields->nanos.end = message.value();
          break;
        case kScheduledNanos:
          fields->nanos.scheduled = message.value();
          break;
        case kOutput:
          fields->shaped |= ReadOutput(message.bytes()).shaped;
          break;
        case kLabel:
          fields->label = message.text();
          break;
        case kThreadId:
          fields->thread = message.value();
          break;
        case kMemory:
        case kMemoryStats:
        case kReferencedTensor:
          break;  // the last refers to the output of another node
        default:
          fields->wrong |= message.number() <= kScheduledNanos >> 3;
          break;
      }
    }
    fields->ok = message.ok();
  }

  static void ReadThreadName(Bytes entry, DevicePart* part) {
    uint64_t thread = 0;
    std::string_view name;
    Message message(entry);
    while (message.Next()) {
      if (message.tag() == kMapKeyNumber) thread = message.value();
      if (message.tag() == kMapValue) name = message.text();
    }
    part->thread_names.emplace_back(thread, name);
  }

  const uint8_t* end_;
  TraceBuilder counts_;  // its ledger
  Recorder out_;
  Column<TfNode> nodes_;
  int64_t last_start_ = 0;  // of the device's nodes so far
  bool sorted_ = true;
  TfTexts texts_;
  std::deque<TfNumbers<int64_t>> large_;
  std::vector<DevicePart> parts_;
};

// Takes over what a reader found of what follows in the file.
void Join(NodeReader& reader, TfStep* step, Recorder& out) {
  out.ledger().Merge(reader.ledger());
  step->texts.push_back(reader.TakeTexts());
  step->large.push_back(reader.TakeLarge());
  step->nodes.push_back(reader.TakeNodes());
  for (const DevicePart& part : reader.parts()) {
    TfDevice& device = step->devices[part.device];
    if (part.named) device.name = part.name;
    if (part.count > 0) {
      const std::span<TfNode> nodes =
          step->nodes.back().span().subspan(part.first, part.count);
      device.sorted &= part.sorted && (device.parts.empty() ||
                                       device.parts.back().back().start_ns <=
                                           nodes.front().start_ns);
      device.parts.push_back(nodes);
    }
    device.thread_names.insert(device.thread_names.end(),
                               part.thread_names.begin(),
                               part.thread_names.end());
  }
}

}  // namespace

TfStep ReadTfStep(Bytes step_stats, const Input& input, Recorder& out) {
  std::vector<Bytes> devices;
  uint64_t bytes = 0;
  Message message(step_stats);
  while (message.Next()) {
    if (message.tag() != kDeviceStats) continue;
    devices.push_back(message.bytes());
    bytes += devices.back().size();
  }
  const size_t count = ReadersFor(bytes, input.readers, input.executor());
  const std::vector<Range> ranges = ShareBytes(devices, count);
  std::vector<std::unique_ptr<NodeReader>> all;
  for (size_t i = 0; i < count; ++i)
    all.push_back(std::make_unique<NodeReader>(step_stats, out));
  input.executor().ForEach(count,
                           [&](size_t i) { all[i]->Read(devices, ranges[i]); });
  TfStep step;
  step.devices.resize(devices.size());
  for (const auto& reader : all) Join(*reader, &step, out);
  for (TfDevice& device : step.devices)
    device.parsed = ParseDevice(device.name);
  out.RejectRest(message);
  return step;
}

void TfDevice::Sort() {
  if (sorted) return;
  size_t count = 0;
  for (const std::span<TfNode> part : parts) count += part.size();
  std::vector<std::pair<int64_t, const TfNode*>> order;
  order.reserve(count);
  for (const std::span<TfNode> part : parts)
    for (const TfNode& node : part) order.emplace_back(node.start_ns, &node);
  // Nodes are large, and in order for the most part.
  std::stable_sort(
      order.begin(), order.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  sorted_.reserve(count);
  for (const auto& [start, node] : order) sorted_.push_back(*node);
  parts = {sorted_};
}

}  // namespace stepscope::proto::tf
