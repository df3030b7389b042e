// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/tensor.h"

#include "importers/tensorflow/fields.h"
#include "importers/tensorflow/labels.h"

namespace stepscope::proto::tf {
namespace {

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

void ReadAllocator(Bytes bytes, std::vector<TfAllocation>* out) {
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
    if (__builtin_mul_overflow(micros, int64_t{1000}, &allocation.time_ns))
      continue;
    allocation.allocator = allocator;
    out->push_back(allocation);
  }
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

}  // namespace

TfTensor ReadOutput(Bytes output) {
  TfTensor tensor;
  Bytes description;
  Message message(output);
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

std::vector<TfTensor> ReadOutputs(Bytes record) {
  std::vector<TfTensor> outputs;
  Message message(record);
  while (message.Next())
    if (message.tag() == kOutput)
      outputs.push_back(ReadOutput(message.bytes()));
  return outputs;
}

std::vector<TfAllocation> ReadAllocations(Bytes record) {
  std::vector<TfAllocation> allocations;
  Message message(record);
  while (message.Next())
    if (message.tag() == kMemory) ReadAllocator(message.bytes(), &allocations);
  return allocations;
}

bool IsPersistent(Bytes record) {
  bool persistent = false;
  Message message(record);
  while (message.Next()) {
    if (message.tag() != kMemoryStats) continue;
    persistent = false;
    Message stats(message.bytes());
    while (stats.Next())
      persistent |= stats.tag() == kPersistentBytes && stats.value() > 0;
  }
  return persistent;
}

std::string TypeText(const TfTensor& tensor) {
  std::string text(DataTypeName(tensor.dtype));
  if (tensor.shaped) text += ShapeText(tensor.shape);
  return text;
}

}  // namespace stepscope::proto::tf
