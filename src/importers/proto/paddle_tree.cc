// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/paddle_tree.h"

#include <stepscope/c.h>

#include <charconv>

#include "importers/proto/json_text.h"
#include "importers/proto/paddle_fields.h"

namespace stepscope::proto {
namespace {

using namespace paddle;  // NOLINT: field numbers only

// Of a host event without launches; others take more.
constexpr uint64_t kBytesAnEvent = 60;

// Types that Paddle's newer builds write and its own schema does not know.
constexpr uint64_t kDygraphKernelLaunch = 15;
constexpr uint64_t kStaticKernelLaunch = 16;

// The event in the message that wraps it.
Bytes Unwrap(Bytes node, bool* cut) {
  Message message(node);
  while (message.Next()) {
    if (message.tag() != kOnly) continue;
    *cut |= message.cut();
    return message.bytes();
  }
  return node.first(0);  // nothing, but where it should have been
}

}  // namespace

PaddleTree::PaddleTree(const Input& input, TraceBuilder& builder)
    : input_(input), out_(input.bytes, builder), tracks_(builder) {}

void PaddleTree::Read() {
  // By experience; more than enough for most files.
  const uint64_t events = input_.bytes.size() / kBytesAnEvent;
  out_.Expect(events, events, events);
  Message message(input_.bytes);
  while (message.Next()) {
    switch (message.tag()) {
      case kVersion:
        version_ = message.text();
        break;
      case kSpanIndex:
        span_index_ = message.value();
        break;
      case kThreadTree:
        ReadThread(message.bytes());
        break;
      case kExtraInfo:
        ReadExtraInfo(message.bytes());
        break;
      case kDeviceProperty:
        ReadDeviceProperty(message.bytes());
        break;
      default:
        break;
    }
    if (message.cut()) out_.FileEndsEarly(input_.path, message);
  }
  out_.RejectRest(message);
  FinishProcesses();
}

void PaddleTree::ReadThread(Bytes tree) {
  uint64_t thread = 0;
  Message message(tree);
  while (message.Next()) {
    if (message.tag() == kTreeThread) thread = message.value();
    if (message.tag() == kHostNode)
      ReadHostNode(message.bytes(), thread, message.cut());
  }
  out_.RejectRest(message);
}

void PaddleTree::ReadHostNode(Bytes node, uint64_t thread, bool cut) {
  // The event first: what hangs on the node belongs to it. As a rule it is
  // the third field.
  bool root = false;
  Row row = kNoRow;
  Bytes event;
  Message head(node);
  while (event.empty() && head.Next()) {
    if (head.tag() == kNodeParent) root = head.sint() == -1;
    if (head.tag() == kHostEvent) event = head.bytes();
  }
  if (!root && !event.empty()) {
    row = ReadHostEvent(event, thread, head.cut());
  } else if (!root) {
    out_.Reject(cut ? kCutShort : kUnreadable, node.data());
  }

  Message message(node);
  while (message.Next()) {
    bool part = message.cut();
    switch (message.tag()) {
      case kRuntimeNode:
        ReadRuntimeNode(message.bytes(), thread);
        break;
      case kMemoryNode: {
        const Bytes inner = Unwrap(message.bytes(), &part);
        ReadMemoryEvent(inner, thread, part);
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
  // A node without an event has been counted.
  if (root || !event.empty()) out_.RejectRest(message);
}

Row PaddleTree::ReadHostEvent(Bytes event, uint64_t thread, bool cut) {
  Span span;
  uint64_t type = STEPSCOPE_USER_DEFINED;
  uint64_t pid = 0;
  bool wrong = false;
  uint32_t times = 0;
  Message message(event);
  while (message.Next()) {
    switch (message.tag()) {
      case kHostName:
        span.name = out_.Intern(message.text());
        break;
      case kHostType:
        type = message.value();
        break;
      case kHostStart:
        span.start_ns = ToTime(message.value());
        ++times;
        break;
      case kHostEnd:
        span.end_ns = ToTime(message.value());
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
  if (out_.RejectIfBroken(message, cut, wrong, times == 2, event))
    return kNoRow;
  span.track = tracks_.Thread(ProcessOf(pid), static_cast<int64_t>(thread));
  if (type <= STEPSCOPE_PYTHON_USER_DEFINED) [[likely]] {
    span.type = static_cast<uint16_t>(type);
    return out_.Add(span, event.data());
  }
  const bool launch =
      type == kDygraphKernelLaunch || type == kStaticKernelLaunch;
  span.type = launch ? STEPSCOPE_OPERATOR_INNER : STEPSCOPE_USER_DEFINED;
  const Row row =
      out_.Add(span, event.data(), launch ? "" : "unknown event type");
  if (row == kNoRow) return row;
  if (launch) {
    out_.builder().AddText(row, "type",
                           type == kDygraphKernelLaunch ? "DygraphKernelLaunch"
                                                        : "StaticKernelLaunch");
  } else {
    out_.builder().AddInt(row, "type", static_cast<int64_t>(type));
  }
  return row;
}

void PaddleTree::ReadRuntimeNode(Bytes node, uint64_t thread) {
  Message message(node);
  while (message.Next()) {
    bool part = message.cut();
    if (message.tag() == kRuntimeEvent) {
      ReadRuntimeEvent(message.bytes(), thread, part);
    } else if (message.tag() == kDeviceNode) {
      const Bytes inner = Unwrap(message.bytes(), &part);
      ReadDeviceEvent(inner, part);
    }
  }
  out_.RejectRest(message);
}

void PaddleTree::ReadRuntimeEvent(Bytes event, uint64_t thread, bool cut) {
  Span span;
  span.type = STEPSCOPE_CUDA_RUNTIME;
  uint64_t pid = last_pid_;
  uint64_t correlation = 0;
  uint64_t callback = 0;
  bool wrong = false;
  uint32_t times = 0;
  Message message(event);
  while (message.Next()) {
    switch (message.tag()) {
      case kRuntimeName:
        span.name = out_.Intern(message.text());
        break;
      case kRuntimeStart:
        span.start_ns = ToTime(message.value());
        ++times;
        break;
      case kRuntimeEnd:
        span.end_ns = ToTime(message.value());
        ++times;
        break;
      case kRuntimeProcess:
        pid = message.value();
        break;
      case kRuntimeThread:
        // Threads that ended before the profiler did are written as 0.
        if (message.value() != 0) thread = message.value();
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
  if (out_.RejectIfBroken(message, cut, wrong, times == 2, event)) return;
  const uint32_t process = ProcessOf(pid);
  span.track = tracks_.Thread(process, static_cast<int64_t>(thread));
  const Row row = out_.Add(span, event.data());
  if (row == kNoRow) return;
  out_.builder().AddLink({process, LinkSpace::kCorrelation, correlation, row});
  if (callback != 0)
    out_.builder().AddInt(row, "callback id", static_cast<int64_t>(callback));
}

uint32_t PaddleTree::ProcessOf(uint64_t pid) {
  if (pid == last_pid_ && !processes_.empty()) return last_process_;
  const auto [it, fresh] = processes_.try_emplace(pid, 0u);
  if (fresh) {
    Process process;
    process.pid = static_cast<int64_t>(pid);
    process.source = out_.Intern(input_.path);
    it->second = out_.builder().AddProcess(std::move(process));
  }
  last_pid_ = pid;
  return last_process_ = it->second;
}

void ImportPaddleTree(const Input& input, TraceBuilder& builder) {
  PaddleTree(input, builder).Read();
}

}  // namespace stepscope::proto
