// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/args.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/text.h"
#include "importers/tensorflow/tensor.h"

namespace stepscope::proto::tf {

namespace {

// More than most nodes have; memory is not touched before it is used.
constexpr uint64_t kArgsANode = 16;
// Arguments of a text do not move, and so lie in blocks.
constexpr size_t kArgsABlock = 1024;
// Chunks that wait for a thread to write them.
constexpr size_t kChunksAhead = 2;

}  // namespace

TfArgs::TfArgs(Recorder& out, size_t nodes, Executor& executor, size_t writers)
    : out_(out),
      executor_(executor),
      writers_(writers),
      thread_(out.Intern("thread_id")),
      scheduled_(out.Intern("scheduled_before_ns")),
      op_start_(out.Intern("op_start_ns")),
      op_end_(out.Intern("op_end_ns")) {
  out.Expect(nodes, nodes * kArgsANode, 0);
  // Refused memory shows when it is needed.
  static_cast<void>(linked_.Reserve(nodes));
}

void TfArgs::AddText(StringId key, std::string_view value) {
  Arg& arg = fixed_.emplace_back();
  arg.key = key;
  arg.kind = ArgKind::kText;
  arg.int_value = 0;  // all of it, so that equal arguments have equal bytes
  arg.text = out_.Intern(value);
}

void TfArgs::AddInt(std::string_view key, int64_t value) {
  Arg& arg = fixed_.emplace_back();
  arg.key = out_.Intern(key);
  arg.int_value = value;
}

void TfArgs::End(TfText& text) {
  if (blocks_.empty() ||
      blocks_.back().capacity() - blocks_.back().size() < fixed_.size()) {
    blocks_.emplace_back();
    blocks_.back().reserve(std::max(fixed_.size(), kArgsABlock));
  }
  std::vector<Arg>& block = blocks_.back();
  text.args = block.data() + block.size();
  text.args_count = static_cast<uint32_t>(fixed_.size());
  block.insert(block.end(), fixed_.begin(), fixed_.end());
}

uint32_t TfArgs::NewLinks(uint32_t process, uint64_t id) {
  links_.push_back({process, id});
  return static_cast<uint32_t>(links_.size() - 1);
}

void TfArgs::AddOutputs(const TfNode& node) {
  for (const TfTensor& tensor : ReadOutputs(node.bytes())) {
    if (!tensor.shaped) continue;
    Arg& arg = outputs_.emplace_back();
    arg.row = node.row;
    arg.key = OutputKey(tensor.slot);
    arg.kind = ArgKind::kText;
    arg.text = out_.Intern(TypeText(tensor));
    ++args_;
  }
}

StringId TfArgs::OutputKey(int64_t slot) {
  constexpr int64_t kKept = 64;
  const bool kept = slot >= 0 && slot < kKept;
  if (kept && output_keys_.size() < kKept) output_keys_.resize(kKept);
  if (kept && output_keys_[static_cast<size_t>(slot)].v != 0)
    return output_keys_[static_cast<size_t>(slot)];
  const StringId key =
      out_.Intern(Format("output%lld", static_cast<long long>(slot)));
  if (kept) output_keys_[static_cast<size_t>(slot)] = key;
  return key;
}

void TfArgs::EndChunk(std::span<const TfNode> nodes) {
  TraceBuilder& builder = out_.builder();
  std::unique_lock lock(mutex_);
  // Arguments must stay where they are while they are written.
  while (!builder.HasRoomForArgs(args_) &&
         (being_written_ > 0 || !chunks_.empty())) {
    if (!WriteChunk(lock)) changed_.wait(lock);
  }
  const std::span<Arg> args = builder.NewArgs(args_);
  // Where memory is refused, Finish() says so.
  if (args.size() == args_)
    chunks_.push_back({nodes, std::move(outputs_), args.data()});
  args_ = 0;
  outputs_.clear();
  changed_.notify_all();
  // Others have enough to do.
  if (chunks_.size() > kChunksAhead * (writers_ - 1)) WriteChunk(lock);
}

void TfArgs::EndAll() {
  const std::lock_guard lock(mutex_);
  all_ = true;
  changed_.notify_all();
}

void TfArgs::WriteChunks() {
  std::unique_lock lock(mutex_);
  while (!all_ || !chunks_.empty())
    if (!WriteChunk(lock)) changed_.wait(lock);
}

// False if there is none to be written.
bool TfArgs::WriteChunk(std::unique_lock<std::mutex>& lock) {
  if (chunks_.empty()) return false;
  // The latest is in the cache.
  const Chunk chunk = std::move(chunks_.back());
  chunks_.pop_back();
  ++being_written_;
  lock.unlock();
  Write(chunk);
  lock.lock();
  --being_written_;
  changed_.notify_all();
  return true;
}

void TfArgs::Write(const Chunk& chunk) const {
  Arg* at = chunk.args;
  auto output = chunk.outputs.begin();
  for (const TfNode& node : chunk.nodes) {
    if (node.row == kNoRow) continue;
    const TfText& text = *node.text;
    for (uint32_t i = 0; i < text.args_count; ++i, ++at) {
      *at = text.args[i];
      at->row = node.row;
    }
    ForEachNumber(node, [&](StringId key, int64_t value) {
      at->row = node.row;
      at->key = key;
      at->int_value = value;
      ++at;
    });
    if (!node.shaped) continue;
    while (output != chunk.outputs.end() && output->row == node.row)
      *at++ = *output++;
  }
}

// By process and id, and as a rule by row, as a Trace has them: then nobody
// need sort them.
std::vector<uint32_t> TfArgs::OrderLinks() {
  std::vector<uint32_t> order(links_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [this](uint32_t a, uint32_t b) {
    return std::tie(links_[a].process, links_[a].id) <
           std::tie(links_[b].process, links_[b].id);
  };
  if (!std::is_sorted(order.begin(), order.end(), before))
    std::stable_sort(order.begin(), order.end(), before);
  size_t next = 0;
  for (const uint32_t i : order) {
    links_[i].next = next;
    next += links_[i].count;
  }
  return order;
}

void TfArgs::WriteLinks() {
  const std::vector<uint32_t> order = OrderLinks();
  Column<Row> rows;
  const std::span<Link> links = out_.builder().NewLinks(linked_.size());
  if (links.size() < linked_.size() || !rows.Resize(linked_.size()) ||
      out_of_memory_)
    return;
  // Rows are small, so that the cache holds the ends of many groups.
  for (const Linked& linked : linked_.view())
    rows[links_[linked.links].next++] = linked.row;
  const size_t share = links.size() / writers_ + 1;
  executor_.ForEach(writers_, [&](size_t i) {
    for (const uint32_t group : order) {
      const Links& same = links_[group];
      const size_t end = std::min(same.next, share * (i + 1));
      for (size_t at = std::max(same.next - same.count, share * i); at < end;
           ++at)
        links[at] = {same.process, LinkSpace::kExternal, same.id, rows[at]};
    }
  });
}

}  // namespace stepscope::proto::tf
