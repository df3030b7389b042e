// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/tf_step.h"

#include <algorithm>

#include "importers/proto/tf_fields.h"

namespace stepscope::proto {
namespace {

using namespace tf;  // NOLINT: field numbers only

// Of a node with one output; and no more room than this is made on a guess.
constexpr size_t kBytesANode = 100;
constexpr size_t kMostGuessed = size_t{1} << 20;

// False on overflow.
bool MicrosToNs(int64_t micros, int64_t* ns) {
  return !__builtin_mul_overflow(micros, int64_t{1000}, ns);
}

// The times of one node, in both units as the file has them.
struct Times {
  int64_t start = 0;
  int64_t op_start = 0;
  int64_t op_end = 0;
  int64_t end = 0;
  int64_t scheduled = 0;
};

bool SetTimes(const Times& micros, const Times& nanos, TfNode* node) {
  // Old files have no nanoseconds.
  Times t = nanos;
  if (nanos.start == 0 && (!MicrosToNs(micros.start, &t.start) ||
                           !MicrosToNs(micros.op_start, &t.op_start) ||
                           !MicrosToNs(micros.op_end, &t.op_end) ||
                           !MicrosToNs(micros.end, &t.end)))
    return false;
  if (nanos.scheduled == 0 && !MicrosToNs(micros.scheduled, &t.scheduled))
    return false;
  node->start_ns = t.start;
  node->op_start_ns = t.op_start;
  node->op_end_ns = t.op_end;
  node->scheduled_ns = t.scheduled;
  return !__builtin_add_overflow(t.start, t.end, &node->end_ns);
}

void ReadAllocation(Bytes bytes, TfTensor* tensor) {
  int64_t allocated = 0;
  Message message(bytes);
  while (message.Next()) {
    switch (message.tag()) {
      case kRequestedBytes:
        tensor->bytes = message.sint();
        break;
      case kAllocatedBytes:
        allocated = message.sint();
        break;
      case kAllocationAllocator:
        tensor->allocator = message.text();
        break;
      case kPointer:
        tensor->pointer = message.value();
        break;
      default:
        break;
    }
  }
  if (tensor->bytes == 0) tensor->bytes = allocated;
}

TfTensor ReadOutput(Bytes bytes) {
  TfTensor tensor;
  Bytes description;
  Message message(bytes);
  while (message.Next()) {
    if (message.tag() == kSlot) tensor.slot = message.sint();
    if (message.tag() == kTensor) description = message.bytes();
  }
  Message inner(description);
  while (inner.Next()) {
    if (inner.tag() == kDtype) tensor.dtype = inner.value();
    if (inner.tag() == kShape) {
      tensor.shape = inner.bytes();
      tensor.shaped = true;
    }
    if (inner.tag() == kAllocation) ReadAllocation(inner.bytes(), &tensor);
  }
  return tensor;
}

void ReadAllocations(Bytes bytes, std::vector<TfAllocation>* out) {
  std::string_view allocator;
  Message message(bytes);
  while (message.Next()) {
    if (message.tag() == kAllocatorName) allocator = message.text();
    if (message.tag() != kAllocationRecord) continue;
    TfAllocation allocation;
    int64_t micros = 0;
    Message record(message.bytes());
    while (record.Next()) {
      if (record.tag() == Varint(1)) micros = record.sint();
      if (record.tag() == Varint(2)) allocation.bytes = record.sint();
    }
    if (!MicrosToNs(micros, &allocation.time_ns)) continue;
    allocation.allocator = allocator;
    out->push_back(allocation);
  }
}

bool IsPersistent(Bytes memory_stats) {
  Message message(memory_stats);
  while (message.Next())
    if (message.tag() == kPersistentBytes && message.value() > 0) return true;
  return false;
}

void ReadNode(Bytes record, bool cut, TfDevice* device, Recorder& out) {
  TfNode node;
  node.record = record;
  Times micros;
  Times nanos;
  bool wrong = false;
  Message message(record);
  while (message.Next()) {
    switch (message.tag()) {
      case kNodeName:
        node.name = message.text();
        break;
      case kAllStartMicros:
        micros.start = message.sint();
        break;
      case kOpStartRelMicros:
        micros.op_start = message.sint();
        break;
      case kOpEndRelMicros:
        micros.op_end = message.sint();
        break;
      case kAllEndRelMicros:
        micros.end = message.sint();
        break;
      case kScheduledMicros:
        micros.scheduled = message.sint();
        break;
      case kAllStartNanos:
        nanos.start = message.sint();
        break;
      case kOpStartRelNanos:
        nanos.op_start = message.sint();
        break;
      case kOpEndRelNanos:
        nanos.op_end = message.sint();
        break;
      case kAllEndRelNanos:
        nanos.end = message.sint();
        break;
      case kScheduledNanos:
        nanos.scheduled = message.sint();
        break;
      case kMemory:
        ReadAllocations(message.bytes(), &node.allocations);
        break;
      case kOutput:
        node.outputs.push_back(ReadOutput(message.bytes()));
        break;
      case kLabel:
        node.label = message.text();
        break;
      case kThreadId:
        node.thread = message.value();
        break;
      case kMemoryStats:
        node.persistent = IsPersistent(message.bytes());
        break;
      case kReferencedTensor:
        break;  // what it refers to is the output of another node
      default:
        wrong |= message.number() <= kScheduledNanos >> 3;
        break;
    }
  }
  const bool timed = micros.start != 0 || nanos.start != 0;
  if (out.RejectIfBroken(message.ok(), cut, wrong, timed, record)) return;
  if (!SetTimes(micros, nanos, &node)) {
    out.Reject(kTimeRange, record.data(), node.name);
    return;
  }
  device->nodes.push_back(std::move(node));
}

void ReadThreadName(Bytes entry, TfDevice* device) {
  uint64_t thread = 0;
  std::string_view name;
  Message message(entry);
  while (message.Next()) {
    if (message.tag() == kMapKeyNumber) thread = message.value();
    if (message.tag() == kMapValue) name = message.text();
  }
  device->thread_names.emplace_back(thread, name);
}

}  // namespace

TfStep ReadTfStep(Bytes step_stats, Recorder& out) {
  TfStep step;
  Message message(step_stats);
  while (message.Next()) {
    if (message.tag() != kDeviceStats) continue;
    TfDevice& device = step.devices.emplace_back();
    // Moving nodes to a larger place costs more than room that is not used.
    device.nodes.reserve(
        std::min(message.bytes().size() / kBytesANode, kMostGuessed));
    Message inner(message.bytes());
    while (inner.Next()) {
      if (inner.tag() == kDevice) device.name = inner.text();
      if (inner.tag() == kNodeStats)
        ReadNode(inner.bytes(), inner.cut(), &device, out);
      if (inner.tag() == kThreadName) ReadThreadName(inner.bytes(), &device);
    }
    out.RejectRest(inner);
    device.parsed = ParseDevice(device.name);
  }
  out.RejectRest(message);
  return step;
}

std::string ShapeText(Bytes shape) {
  std::string text = "[";
  Message message(shape);
  while (message.Next()) {
    if (message.tag() == Varint(3) && message.value() != 0) return "?";
    if (message.tag() != Delimited(2)) continue;
    int64_t size = 0;
    Message dim(message.bytes());
    while (dim.Next())
      if (dim.tag() == Varint(1)) size = dim.sint();
    if (text.size() > 1) text += ',';
    text += size < 0 ? "?" : std::to_string(size);
  }
  return text + "]";
}

}  // namespace stepscope::proto
