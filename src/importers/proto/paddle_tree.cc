// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/paddle_tree.h"

#include <stepscope/c.h>

#include <algorithm>
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
    : input_(input),
      out_(input.bytes, builder),
      tracks_(builder),
      first_track_(builder.track_count()),
      first_process_(builder.process_count()) {}

PaddleTree::PaddleTree(const PaddleTree& whole, TraceBuilder& fork)
    : input_(whole.input_),
      out_(whole.out_, fork),
      tracks_(whole.tracks_, fork),
      trees_(whole.trees_),
      first_track_(whole.first_track_),
      first_process_(whole.first_process_),
      processes_(whole.processes_),
      pid_known_(false) {}

void PaddleTree::Read() {
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
        trees_.push_back(message.bytes());
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
  ReadTrees();
  FinishProcesses();
}

void PaddleTree::ReadTrees() {
  const auto expect = [](PaddleTree& reader, uint64_t bytes) {
    // By experience; more than enough for most files.
    const uint64_t events = bytes / kBytesAnEvent;
    reader.out_.Expect(events, events, events);
  };
  expect(*this, input_.bytes.size());
  if (trees_.empty()) return;
  // Up to the first event, which says what times are.
  constexpr ptrdiff_t kStep = 4096;
  const uint8_t* const end = trees_.back().data() + trees_.back().size();
  const uint8_t* at = trees_.front().data();
  while (at < end && !out_.epoch_set()) {
    const uint8_t* const from = at;
    at += std::min(kStep, end - at);
    ReadNodes({from, at});
  }
  std::vector<Bytes> rest;
  uint64_t bytes = 0;
  for (const Bytes tree : trees_) {
    if (tree.data() + tree.size() <= at) continue;
    const uint8_t* const from = std::max(tree.data(), at);
    rest.push_back(tree.subspan(static_cast<size_t>(from - tree.data())));
    bytes += rest.back().size();
  }
  const size_t count = ReadersFor(bytes, input_.readers);
  const std::vector<Range> ranges = ShareBytes(rest, count);
  std::vector<TraceBuilder> forks;
  std::vector<PaddleTree> readers;
  forks.reserve(count);
  readers.reserve(count);
  for (size_t i = 1; i < count; ++i) {
    forks.push_back(out_.builder().Fork());
    readers.push_back(PaddleTree(*this, forks.back()));
    expect(readers.back(), bytes / count);
  }
  ReadAtOnce(count, [&](size_t i) {
    (i > 0 ? readers[i - 1] : *this).ReadNodes(ranges[i]);
  });
  for (size_t i = 1; i < count; ++i) Join(std::move(readers[i - 1]), ranges[i]);
}

void PaddleTree::Join(PaddleTree&& next, const Range& range) {
  if (next.guessed_) {
    // It would have had to know what came before, as this one now does.
    ReadNodes(range);
    return;
  }
  TraceBuilder& builder = out_.builder();
  builder.Join(std::move(next.out_.builder()));
  tracks_.Learn(first_track_);
  for (uint32_t i = first_process_; i < builder.process_count(); ++i)
    processes_.try_emplace(static_cast<uint64_t>(builder.process(i).pid), i);
  if (next.pid_known_) ProcessOf(next.last_pid_);
}

void PaddleTree::ReadNodes(const Range& range) {
  for (const Bytes tree : trees_) {
    if (!range.Touches(tree)) continue;
    uint64_t thread = 0;
    Message message = Walk(tree);
    while (message.Next()) {
      if (message.field() >= range.to) return;
      if (message.tag() == kTreeThread) thread = message.value();
      if (message.tag() == kHostNode && message.field() >= range.from)
        ReadHostNode(message.bytes(), thread, message.cut());
    }
    if (range.Holds(message.field())) out_.RejectRest(message);
  }
}

// As Paddle writes it, the event comes before what hangs on it.
void PaddleTree::ReadHostNode(Bytes node, uint64_t thread, bool cut) {
  bool root = false;
  bool has_event = false;
  Row row = kNoRow;
  Message message = Walk(node);
  while (message.Next()) {
    switch (message.tag()) {
      case kNodeId:
        break;
      case kNodeParent:
        if (!has_event) root = message.sint() == -1;
        break;
      case kHostEvent:
        if (has_event || message.bytes().empty()) break;
        has_event = true;
        if (!root) row = ReadHostEvent(message.bytes(), thread, message.cut());
        break;
      default:
        if (!has_event) {
          ReadHostNodeInAnyOrder(node, thread, cut);
          return;
        }
        ReadChild(message, thread, row);
        break;
    }
  }
  if (has_event || root)
    out_.RejectRest(message);
  else
    out_.Reject(cut ? kCutShort : kUnreadable, node.data());
}

void PaddleTree::ReadHostNodeInAnyOrder(Bytes node, uint64_t thread,
                                        bool cut) {
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
  Message message = Walk(node);
  while (message.Next()) ReadChild(message, thread, row);
  // A node without an event has been counted.
  if (root || !event.empty()) out_.RejectRest(message);
}

void PaddleTree::ReadChild(const Message& field, uint64_t thread, Row row) {
  bool part = field.cut();
  switch (field.tag()) {
    case kRuntimeNode:
      ReadRuntimeNode(field.bytes(), thread);
      break;
    case kMemoryNode: {
      const Bytes inner = Unwrap(field.bytes(), &part);
      ReadMemoryEvent(inner, thread, part);
      break;
    }
    case kSupplementNode: {
      const Bytes inner = Unwrap(field.bytes(), &part);
      ReadSupplement(inner, row, part);
      break;
    }
    default:
      break;
  }
}

Row PaddleTree::ReadHostEvent(Bytes event, uint64_t thread, bool cut) {
  std::string_view name;
  uint64_t type = STEPSCOPE_USER_DEFINED;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t pid = 0;
  bool wrong = false;
  uint32_t times = 0;
  InOrder fields = Take(event);
  fields.Text(kHostName, &name);
  fields.Small(kHostType, &type);
  times += fields.Number(kHostStart, &start);
  times += fields.Number(kHostEnd, &end);
  fields.Number(kHostProcess, &pid);
  fields.Number(kHostThread, &thread);
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
  if (out_.RejectIfBroken(message, cut, wrong, times == 2, event))
    return kNoRow;
  Span span;
  span.name = out_.Intern(name);
  span.start_ns = ToTime(start);
  span.end_ns = ToTime(end);
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
  Message message = Walk(node);
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
  std::string_view name;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t pid = 0;
  bool has_pid = false;
  uint64_t correlation = 0;
  uint64_t callback = 0;
  uint64_t own_thread = 0;
  bool wrong = false;
  uint32_t times = 0;
  InOrder fields = Take(event);
  fields.Text(kRuntimeName, &name);
  times += fields.Number(kRuntimeStart, &start);
  times += fields.Number(kRuntimeEnd, &end);
  has_pid = fields.Number(kRuntimeProcess, &pid);
  fields.Number(kRuntimeThread, &own_thread);
  fields.Number(kRuntimeCorrelation, &correlation);
  fields.Small(kRuntimeCallback, &callback);
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
  if (out_.RejectIfBroken(message, cut, wrong, times == 2, event)) return;
  const uint32_t process = ProcessOf(has_pid ? pid : LastPid());
  if (name != last_call_) {
    last_call_ = name;
    last_call_id_ = out_.Intern(name);
  }
  // Threads that ended before the profiler did are written as 0.
  if (own_thread != 0) thread = own_thread;
  Span span;
  span.type = STEPSCOPE_CUDA_RUNTIME;
  span.name = last_call_id_;
  span.start_ns = ToTime(start);
  span.end_ns = ToTime(end);
  span.track = tracks_.Thread(process, static_cast<int64_t>(thread));
  const Row row = out_.Add(span, event.data());
  if (row == kNoRow) return;
  out_.builder().AddLink({process, LinkSpace::kCorrelation, correlation, row});
  if (callback != 0)
    out_.builder().AddInt(row, "callback id", static_cast<int64_t>(callback));
}

uint32_t PaddleTree::ProcessOf(uint64_t pid) {
  if (pid == last_pid_ && pid_known_ && !processes_.empty())
    return last_process_;
  const auto [it, fresh] = processes_.try_emplace(pid, 0u);
  if (fresh) {
    Process process;
    process.pid = static_cast<int64_t>(pid);
    process.source = out_.Intern(input_.path);
    it->second = out_.builder().AddProcess(std::move(process));
  }
  last_pid_ = pid;
  pid_known_ = true;
  return last_process_ = it->second;
}

void ImportPaddleTree(const Input& input, TraceBuilder& builder) {
  PaddleTree(input, builder).Read();
}

}  // namespace stepscope::proto
