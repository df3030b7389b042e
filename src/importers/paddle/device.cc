// SPDX-License-Identifier: Apache-2.0
//
// The part of PaddleTree that reads device events and memory events.
#include <stepscope/c.h>

#include <cmath>

#include "importers/paddle/fields.h"
#include "importers/paddle/tree.h"

namespace stepscope::proto::paddle {
namespace {

constexpr uint64_t kMemoryKinds = 4;

}  // namespace

void PaddleTree::ReadDeviceNode(Bytes node, bool cut) {
  const Bytes event = Unwrap(node, &cut);
  ReadDeviceEvent(event, cut);
}

void PaddleTree::ReadDeviceEvent(Bytes event, bool cut) {
  std::string_view name;
  uint64_t type = STEPSCOPE_KERNEL;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t device = 0;
  uint64_t context = 0;
  uint64_t stream = 0;
  uint64_t correlation = 0;
  Bytes info;
  uint32_t info_tag = 0;
  uint32_t times = 0;
  bool wrong = false;
  bool ok = true;
  InOrder fields = Take(event);
  fields.Text(kDeviceName, &name);
  fields.Small(kDeviceType, &type);
  times += fields.Time(kDeviceStart, &start);
  times += fields.Time(kDeviceEnd, &end);
  fields.Small(kDeviceId, &device);
  fields.Small(kDeviceContext, &context);
  fields.Small(kDeviceStream, &stream);
  fields.Number(kDeviceCorrelation, &correlation);
  if (fields.Sub(kKernelInfo, &info)) info_tag = kKernelInfo;
  if (!fields.rest().empty()) {
    Message message = Walk(fields.rest());
    while (message.Next()) {
      switch (message.tag()) {
        case kDeviceName:
          name = message.text();
          break;
        case kDeviceType:
          type = message.value();
          break;
        case kDeviceStart:
          start = message.value();
          ++times;
          break;
        case kDeviceEnd:
          end = message.value();
          ++times;
          break;
        case kDeviceId:
          device = message.value();
          break;
        case kDeviceContext:
          context = message.value();
          break;
        case kDeviceStream:
          stream = message.value();
          break;
        case kDeviceCorrelation:
          correlation = message.value();
          break;
        case kKernelInfo:
        case kMemcpyInfo:
        case kMemsetInfo:
          info_tag = message.tag();
          info = message.bytes();
          break;
        default:
          wrong |= message.number() <= kMemsetInfo >> 3;
          break;
      }
    }
    ok = message.ok();
  }
  if (out_.RejectIfBroken(ok, cut, wrong, times == 2, event)) return;
  std::string_view repair;
  if (type < STEPSCOPE_KERNEL || type > STEPSCOPE_MEMSET) {
    repair = "unknown device event type";
    type = STEPSCOPE_KERNEL;
  }
  Span span;
  span.type = static_cast<uint16_t>(type);
  span.name = out_.Intern(name);
  span.start_ns = ToTime(start);
  span.end_ns = ToTime(end);
  const uint32_t process = ProcessOf(LastPid());
  span.track = StreamTrack(process, device, stream);
  const Row row = out_.Add(span, event.data(), repair);
  if (row == kNoRow) return;
  out_.builder().AddLink({process, LinkSpace::kCorrelation, correlation, row});
  if (context != 0)
    out_.builder().AddInt(row, "context", static_cast<int64_t>(context));
  if (info_tag != 0) ReadDeviceInfo(row, info_tag, info);
}

void PaddleTree::ReadDeviceInfo(Row row, uint32_t tag, Bytes info) {
  if (tag == kKernelInfo) {
    ReadKernelInfo(row, info);
    return;
  }
  TraceBuilder& builder = out_.builder();
  Message message = Walk(info);
  while (message.Next()) {
    const bool copy = tag == kMemcpyInfo;
    switch (message.tag()) {
      case Varint(1):
        builder.AddInt(row, "bytes", message.sint());
        break;
      case Delimited(2):
        builder.AddText(row, copy ? "copy kind" : "memory kind",
                        message.text());
        break;
      case Delimited(3):
        if (copy) builder.AddText(row, "src kind", message.text());
        break;
      case Delimited(4):
        if (copy) builder.AddText(row, "dst kind", message.text());
        break;
      case Varint(3):
        if (!copy) builder.AddInt(row, "value", message.sint());
        break;
      default:
        break;
    }
  }
}

void PaddleTree::ReadKernelInfo(Row row, Bytes info) {
  uint64_t whole[kFirstKernelFloat] = {};
  double real[kLastKernelField + 1] = {};
  bool has_real[kLastKernelField + 1] = {};
  Message message = Walk(info);
  while (message.Next()) {
    const uint32_t number = message.number();
    if (number < kFirstKernelFloat && message.tag() == Varint(number)) {
      whole[number] = message.value();
    } else if (number >= kFirstKernelFloat && number <= kLastKernelField &&
               message.tag() == Fixed32(number)) {
      real[number] = static_cast<double>(message.real32());
      has_real[number] = std::isfinite(real[number]);
    }
  }
  TraceBuilder& builder = out_.builder();
  const auto list = [&](std::string_view key, uint32_t first) {
    const int64_t values[] = {static_cast<int64_t>(whole[first]),
                              static_cast<int64_t>(whole[first + 1]),
                              static_cast<int64_t>(whole[first + 2])};
    Arg arg;
    arg.row = row;
    arg.key = out_.Intern(key);
    builder.AddListArg(arg, values);
  };
  const auto number = [&](std::string_view key, uint64_t value) {
    builder.AddInt(row, key, static_cast<int64_t>(value));
  };
  const auto if_set = [&](std::string_view key, uint64_t value) {
    if (value != 0) number(key, value);
  };
  number("registers per thread", whole[9]);
  number("shared memory", whole[7] + whole[8]);
  if_set("dynamic shared memory", whole[7]);
  if_set("local memory per thread", whole[10]);
  if_set("local memory total", whole[11]);
  if_set("queued", whole[12]);
  if_set("submitted", whole[13]);
  if_set("completed", whole[14]);
  list("block", 1);
  list("grid", 4);
  // Since 1.0.1.
  if (has_real[15]) builder.AddDouble(row, "blocks per SM", real[15]);
  if (has_real[16]) builder.AddDouble(row, "warps per SM", real[16]);
  // A part of one here, percent in Paddle's JSON.
  if (has_real[17])
    builder.AddDouble(row, "theoretical achieved occupancy %", real[17] * 100);
}

void PaddleTree::ReadMemoryEvent(Bytes event, uint64_t thread, Row owner,
                                 bool cut) {
  MemoryEvent memory;
  uint64_t pid = 0;
  bool has_pid = false;
  uint64_t kind = 0;
  bool wrong = false;
  bool timed = false;
  Message message = Walk(event);
  while (message.Next()) {
    switch (message.tag()) {
      case kMemoryTime:
        memory.time_ns = ToTime(message.value());
        timed = true;
        break;
      case kMemoryType:
        kind = message.value();
        break;
      case kMemoryAddress:
        memory.address = message.value();
        break;
      case kMemoryProcess:
        pid = message.value();
        has_pid = true;
        break;
      case kMemoryThread:
        thread = message.value();
        break;
      case kMemoryBytes:
        memory.bytes = message.sint();
        break;
      case kMemoryPlace:
        memory.place = out_.Intern(message.text());
        break;
      case kMemoryAllocated:
        memory.total_allocated = message.value();
        break;
      case kMemoryReserved:
        memory.total_reserved = message.value();
        break;
      case kMemoryPeakAllocated:
        memory.peak_allocated = message.value();
        break;
      case kMemoryPeakReserved:
        memory.peak_reserved = message.value();
        break;
      default:
        wrong |= message.number() <= kMemoryPeakReserved >> 3;
        break;
    }
  }
  if (out_.RejectIfBroken(message.ok(), cut, wrong, timed, event)) return;
  if (kind >= kMemoryKinds || !out_.Shift(&memory.time_ns)) {
    out_.Reject(kind >= kMemoryKinds ? "unknown memory event type" : kTimeRange,
                event.data());
    return;
  }
  memory.kind = static_cast<MemoryKind>(kind);
  if (!stated_peaks_) memory.peak_allocated = memory.peak_reserved = 0;
  memory.owner = owner;
  memory.owner_stated = true;
  memory.track = tracks_.Thread(ProcessOf(has_pid ? pid : LastPid()),
                                static_cast<int64_t>(thread));
  out_.builder().AddMemory(memory);
  out_.Keep();
}

}  // namespace stepscope::proto::paddle
