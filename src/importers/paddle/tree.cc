// SPDX-License-Identifier: Apache-2.0
#include "importers/paddle/tree.h"

#include <algorithm>

#include "importers/paddle/fields.h"
#include "importers/stated_peaks.h"

namespace stepscope::proto::paddle {
namespace {

// Of a host event without launches; others take more.
constexpr uint64_t kBytesAnEvent = 60;

}  // namespace

PaddleTree::PaddleTree(const Input& input, TraceBuilder& builder)
    : input_(input),
      file_end_(input.bytes.data() + input.bytes.size()),
      out_(input.bytes, builder, Recorder::Order::kMixed),
      tracks_(builder),
      first_track_(builder.track_count()),
      first_process_(builder.process_count()) {}

PaddleTree::PaddleTree(const PaddleTree& whole, TraceBuilder& fork)
    : input_(whole.input_),
      file_end_(whole.file_end_),
      out_(whole.out_, fork),
      tracks_(whole.tracks_, fork),
      trees_(whole.trees_),
      first_track_(whole.first_track_),
      first_process_(whole.first_process_),
      processes_(whole.processes_),
      pid_known_(false),
      stated_peaks_(whole.stated_peaks_) {}

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
  const size_t readers = ReadTrees();
  out_.builder().PlaceStaged([&](const TraceBuilder::Work& place) {
    input_.executor().ForEach(readers, [&](size_t) { place(); });
  });
  FinishProcesses();
  importers::AddStatedPeaks(out_.builder());
}

size_t PaddleTree::ReadTrees() {
  const auto expect = [](PaddleTree& reader, uint64_t bytes) {
    // By experience; more than enough for most files.
    const uint64_t events = bytes / kBytesAnEvent;
    reader.out_.Expect(events, events, events);
  };
  expect(*this, input_.bytes.size());
  if (trees_.empty()) return 1;
  // Up to the first event, which says what times are. Each step begins at the
  // first tree again: the longer it takes, the larger they are.
  ptrdiff_t step = 4096;
  const uint8_t* const end = trees_.back().data() + trees_.back().size();
  const uint8_t* at = trees_.front().data();
  while (at < end && !out_.epoch_set()) {
    const uint8_t* const from = at;
    at += std::min(step, end - at);
    ReadNodes({from, at});
    step = at - trees_.front().data();
  }
  std::vector<Bytes> rest;
  uint64_t bytes = 0;
  for (const Bytes tree : trees_) {
    if (tree.data() + tree.size() <= at) continue;
    const uint8_t* const from = std::max(tree.data(), at);
    rest.push_back(tree.subspan(static_cast<size_t>(from - tree.data())));
    bytes += rest.back().size();
  }
  const size_t count = ReadersFor(bytes, input_.readers, input_.executor());
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
  input_.executor().ForEach(count, [&](size_t i) {
    (i > 0 ? readers[i - 1] : *this).ReadNodes(ranges[i]);
  });
  for (size_t i = 1; i < count; ++i) Join(std::move(readers[i - 1]), ranges[i]);
  return count;
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
    InOrder fields = Take(tree);
    fields.Number(kTreeThread, &thread);
    const uint8_t* at = fields.rest().data();
    for (Bytes node; fields.Sub(kHostNode, &node);) {
      if (at >= range.to) return;
      if (at >= range.from) ReadHostNode(node, thread, false);
      at = fields.rest().data();
    }
    Message message = Walk(fields.rest());
    while (message.Next()) {
      if (message.field() >= range.to) return;
      if (message.tag() == kTreeThread) thread = message.value();
      if (message.tag() == kHostNode && message.field() >= range.from)
        ReadHostNode(message.bytes(), thread, message.cut());
    }
    if (range.Holds(message.field())) out_.RejectRest(message);
  }
}

uint32_t PaddleTree::FindProcess(uint64_t pid) {
  const auto [it, fresh] = processes_.try_emplace(pid, 0u);
  if (fresh) {
    Process process;
    process.pid = static_cast<int64_t>(pid);
    it->second = out_.builder().AddProcess(std::move(process));
  }
  last_pid_ = pid;
  pid_known_ = true;
  last_process_known_ = true;
  return last_process_ = it->second;
}

void ImportPaddleTree(const Input& input, TraceBuilder& builder) {
  PaddleTree(input, builder).Read();
}

}  // namespace stepscope::proto::paddle

namespace stepscope {

const Importer& PaddleTreeImporter() {
  // Never destroyed: files may be read while the process ends.
  static const auto* const importer =
      new proto::ProtoImporter("paddle-pb", proto::paddle::IsPaddleTree,
                               proto::paddle::ImportPaddleTree);
  return *importer;
}

}  // namespace stepscope
