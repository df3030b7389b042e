// SPDX-License-Identifier: Apache-2.0
//
// The part of PaddleTree that reads nodes, host events and runtime events.
//
// The records of a file are of one writer and look alike: each is first taken
// as that writer leaves it, and walked field by field only where it differs.
#include <stepscope/c.h>

#include "importers/paddle/fields.h"
#include "importers/paddle/tree.h"
#include "trace/event_type.h"

namespace stepscope::proto::paddle {
// As Paddle writes it, the event comes before what hangs on it.
void PaddleTree::ReadHostNode(Bytes node, uint64_t thread, bool cut) {
  uint64_t id = 0;
  uint64_t parent = 0;
  Bytes event;
  InOrder fields = Take(node);
  fields.Number(kNodeId, &id);
  fields.Small(kNodeParent, &parent);
  if (!fields.Sub(kHostEvent, &event) || event.empty()) {
    ReadHostNodeInAnyOrder(node, thread, cut);
    return;
  }
  const bool root = static_cast<int64_t>(parent) == -1;
  const Row row = root ? kNoRow : ReadHostEvent(event, thread, false);
  for (Bytes call; fields.Sub(kRuntimeNode, &call);)
    ReadRuntimeNode(call, thread);
  if (!fields.rest().empty())
    out_.RejectRest(ReadChildren(fields.rest(), thread, row));
}

void PaddleTree::ReadHostNodeInAnyOrder(Bytes node, uint64_t thread, bool cut) {
  bool root = false;
  Row row = kNoRow;
  Bytes event;
  Message head = Walk(node);
  while (event.empty() && head.Next()) {
    if (head.tag() == kNodeParent) root = head.sint() == -1;
    if (head.tag() == kHostEvent) event = head.bytes();
  }
  if (!root && !event.empty()) {
    row = ReadHostEvent(event, thread, head.cut());
  } else if (!root) {
    out_.Reject(cut ? kCutShort : kUnreadable, node.data());
  }
  const Message children = ReadChildren(node, thread, row);
  // A node without an event has been counted.
  if (root || !event.empty()) out_.RejectRest(children);
}

Message PaddleTree::ReadChildren(Bytes fields, uint64_t thread, Row row) {
  Message message = Walk(fields);
  while (message.Next()) {
    bool part = message.cut();
    switch (message.tag()) {
      case kRuntimeNode:
        ReadRuntimeNode(message.bytes(), thread);
        break;
      case kMemoryNode: {
        const Bytes inner = Unwrap(message.bytes(), &part);
        ReadMemoryEvent(inner, thread, row, part);
        break;
      }
      case kSupplementNode: {
        const Bytes inner = Unwrap(message.bytes(), &part);
        ReadSupplement(inner, row, part);
        break;
      }
      default:
        break;
    }
  }
  return message;
}

Bytes PaddleTree::Unwrap(Bytes node, bool* cut) const {
  Message message = Walk(node);
  while (message.Next()) {
    if (message.tag() != kOnly) continue;
    *cut |= message.cut();
    return message.bytes();
  }
  return node.first(0);  // nothing, but where it should have been
}

Row PaddleTree::ReadHostEvent(Bytes event, uint64_t& thread, bool cut) {
  std::string_view name;
  uint64_t type = STEPSCOPE_USER_DEFINED;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t pid = 0;
  uint32_t times = 0;
  bool wrong = false;
  bool ok = true;
  InOrder fields = Take(event);
  fields.Text(kHostName, &name);
  fields.Small(kHostType, &type);
  times += fields.Time(kHostStart, &start);
  times += fields.Time(kHostEnd, &end);
  fields.Small(kHostProcess, &pid);
  fields.Small(kHostThread, &thread);
  if (!fields.rest().empty()) {
    Message message = Walk(fields.rest());
    while (message.Next()) {
      switch (message.tag()) {
        case kHostName:
          name = message.text();
          break;
        case kHostType:
          type = message.value();
          break;
        case kHostStart:
          start = message.value();
          ++times;
          break;
        case kHostEnd:
          end = message.value();
          ++times;
          break;
        case kHostProcess:
          pid = message.value();
          break;
        case kHostThread:
          thread = message.value();
          break;
        default:
          wrong |= message.number() <= kHostThread >> 3;
          break;
      }
    }
    ok = message.ok();
  }
  if (out_.RejectIfBroken(ok, cut, wrong, times == 2, event)) return kNoRow;
  Span span;
  span.name = out_.Intern(name);
  span.start_ns = ToTime(start);
  span.end_ns = ToTime(end);
  span.track = ThreadTrack(ProcessOf(pid), thread);
  // Its own schema does not know the last two.
  if (type <= kStaticKernelLaunch) [[likely]] {
    span.type = static_cast<uint16_t>(type);
    return out_.Add(span, event.data());
  }
  span.type = STEPSCOPE_USER_DEFINED;
  const Row row = out_.Add(span, event.data(), "unknown event type");
  if (row != kNoRow)
    out_.builder().AddInt(row, "type", static_cast<int64_t>(type));
  return row;
}

void PaddleTree::ReadRuntimeNode(Bytes node, uint64_t thread) {
  Bytes event;
  InOrder fields = Take(node);
  if (fields.Sub(kRuntimeEvent, &event)) ReadRuntimeEvent(event, thread, false);
  // What follows this node may well begin as another child would.
  for (Bytes work; !fields.rest().empty() && fields.Sub(kDeviceNode, &work);) {
    if (Take(work).Sub(kOnly, &event))
      ReadDeviceEvent(event, false);
    else
      ReadDeviceNode(work, false);
  }
  if (fields.rest().empty()) return;
  Message message = Walk(fields.rest());
  while (message.Next()) {
    if (message.tag() == kRuntimeEvent)
      ReadRuntimeEvent(message.bytes(), thread, message.cut());
    else if (message.tag() == kDeviceNode)
      ReadDeviceNode(message.bytes(), message.cut());
  }
  out_.RejectRest(message);
}

void PaddleTree::ReadRuntimeEvent(Bytes event, uint64_t thread, bool cut) {
  std::string_view name;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t pid = 0;
  uint64_t own_thread = 0;
  uint64_t correlation = 0;
  uint64_t callback = 0;
  uint32_t times = 0;
  bool has_pid = false;
  bool wrong = false;
  bool ok = true;
  InOrder fields = Take(event);
  fields.Text(kRuntimeName, &name);
  times += fields.Time(kRuntimeStart, &start);
  times += fields.Time(kRuntimeEnd, &end);
  has_pid = fields.Small(kRuntimeProcess, &pid);
  fields.Small(kRuntimeThread, &own_thread);
  fields.Number(kRuntimeCorrelation, &correlation);
  fields.Small(kRuntimeCallback, &callback);
  if (!fields.rest().empty()) {
    Message message = Walk(fields.rest());
    while (message.Next()) {
      switch (message.tag()) {
        case kRuntimeName:
          name = message.text();
          break;
        case kRuntimeStart:
          start = message.value();
          ++times;
          break;
        case kRuntimeEnd:
          end = message.value();
          ++times;
          break;
        case kRuntimeProcess:
          pid = message.value();
          has_pid = true;
          break;
        case kRuntimeThread:
          own_thread = message.value();
          break;
        case kRuntimeCorrelation:
          correlation = message.value();
          break;
        case kRuntimeCallback:
          callback = message.value();
          break;
        default:
          wrong |= message.number() <= kRuntimeCallback >> 3;
          break;
      }
    }
    ok = message.ok();
  }
  if (out_.RejectIfBroken(ok, cut, wrong, times == 2, event)) return;
  const uint32_t process = ProcessOf(has_pid ? pid : LastPid());
  if (name != last_call_) {
    last_call_ = name;
    last_call_id_ = out_.Intern(name);
  }
  Span span;
  span.type = STEPSCOPE_CUDA_RUNTIME;
  span.name = last_call_id_;
  span.start_ns = ToTime(start);
  span.end_ns = ToTime(end);
  // Threads that ended before the profiler did are written as 0.
  span.track = ThreadTrack(process, own_thread != 0 ? own_thread : thread);
  const Row row = out_.Add(span, event.data());
  if (row == kNoRow) return;
  out_.builder().AddLink({process, LinkSpace::kCorrelation, correlation, row});
  if (callback != 0)
    out_.builder().AddInt(row, "callback id", static_cast<int64_t>(callback));
}

}  // namespace stepscope::proto::paddle
