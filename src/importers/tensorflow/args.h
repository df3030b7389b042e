// SPDX-License-Identifier: Apache-2.0
//
// TfArgs: the arguments and links of TensorFlow's nodes. One thread announces
// the rows, in order; others write what belongs to them meanwhile, each a chunk
// at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/executor.h"
#include "importers/proto/recorder.h"
#include "importers/tensorflow/step.h"

namespace stepscope::proto::tf {

class TfArgs {
 public:
  // For so many nodes at most. So many are going to write, if there are
  // threads for them.
  TfArgs(Recorder& out, size_t nodes, Executor& executor, size_t writers);

  // Arguments that every node of a text has: those added in between.
  void Begin() { fixed_.clear(); }
  void AddText(StringId key, std::string_view value);
  void AddText(std::string_view key, std::string_view value) {
    AddText(out_.Intern(key), value);
  }
  void AddInt(std::string_view key, int64_t value);
  void End(TfText& text);
  // For TfText::links: rows of one operator in one process.
  uint32_t NewLinks(uint32_t process, uint64_t id);

  // A node that has got a row.
  void Add(const TfNode& node) {
    args_ += node.text->args_count;
    ForEachNumber(node, [this](StringId, int64_t) { ++args_; });
    if (node.shaped) AddOutputs(node);
    if (node.text->links == TfText::kNone) return;
    ++links_[node.text->links].count;
    if (!linked_.Append({node.row, node.text->links})) out_of_memory_ = true;
  }
  // These were the nodes since the last call; not all need have a row. They can
  // be written now, and are not changed any more.
  static constexpr size_t kChunk = 8192;  // best for the cache
  void EndChunk(std::span<const TfNode> nodes);
  // These were all.
  void EndAll();

  // Writes chunks until there will be no more. From any thread.
  void WriteChunks();
  // When all have been written.
  void WriteLinks();

 private:
  struct Chunk {
    std::span<const TfNode> nodes;
    std::vector<Arg> outputs;  // of these nodes, in order
    Arg* args = nullptr;       // where they go
  };
  struct Links {
    uint32_t process = 0;
    uint64_t id = 0;
    uint32_t count = 0;
    size_t next = 0;  // where the next of them comes among all
  };
  struct Linked {
    Row row = 0;
    uint32_t links = 0;
  };

  // Those that nodes of one text do not have in common.
  template <typename Visit>
  void ForEachNumber(const TfNode& node, Visit visit) const {
    const TfNumbers<int64_t> numbers = node.numbers();
    if (numbers.thread != 0) visit(thread_, numbers.thread);
    if (node.scheduled) visit(scheduled_, numbers.waited);
    if (numbers.op_start != 0) visit(op_start_, numbers.op_start);
    if (numbers.op_end != 0) visit(op_end_, numbers.op_end);
  }
  void AddOutputs(const TfNode& node);
  StringId OutputKey(int64_t slot);
  bool WriteChunk(std::unique_lock<std::mutex>& lock);
  void Write(const Chunk& chunk) const;
  std::vector<uint32_t> OrderLinks();

  Recorder& out_;
  Executor& executor_;
  size_t writers_;
  StringId thread_;
  StringId scheduled_;
  StringId op_start_;
  StringId op_end_;
  std::vector<StringId> output_keys_;    // by slot; empty: not made yet
  std::vector<Arg> fixed_;               // of the text at hand
  std::deque<std::vector<Arg>> blocks_;  // those of all; they stay there
  std::vector<Links> links_;
  Column<Linked> linked_;
  bool out_of_memory_ = false;
  // Since the last chunk.
  size_t args_ = 0;
  std::vector<Arg> outputs_;

  std::mutex mutex_;
  std::condition_variable changed_;  // what follows
  std::vector<Chunk> chunks_;        // to be written
  size_t being_written_ = 0;
  bool all_ = false;
};

}  // namespace stepscope::proto::tf
