// SPDX-License-Identifier: Apache-2.0
//
// TfStep: TensorFlow's step statistics as they are in the file. Views point
// into its bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/column.h"
#include "importers/proto/proto_importer.h"
#include "importers/proto/recorder.h"
#include "importers/tensorflow/graph.h"
#include "importers/tensorflow/labels.h"

namespace stepscope::proto::tf {

// The name and label of a node of one device. They say all but when, so what
// follows from them is found out once for all executions that have them. (One
// that comes again late may be there twice.)
struct TfText {
  static constexpr uint32_t kNone = 0xffffffffu;

  std::string_view name;
  std::string_view label;
  // Set when the first execution is to be placed on the timeline,
  bool named = false;
  uint16_t type = 0;
  StringId span_name;
  const TfGraph::Node* defined = nullptr;  // in the graph, if it is there
  // and when it has been.
  bool known = false;
  StringId name_id;
  uint32_t op = 0;            // of executors: number of the name; see TfOps
  uint32_t inputs_first = 0;  // in TfStep::inputs
  uint32_t inputs_count = 0;
  const Arg* args = nullptr;  // see TfArgs
  uint32_t args_count = 0;
  uint32_t links = kNone;
};

// Of one execution, in nanoseconds but for the thread; 0: unknown.
template <typename Number>
struct TfNumbers {
  Number thread = 0;
  Number waited = 0;    // from when it was scheduled to the start
  Number op_start = 0;  // relative to the start
  Number op_end = 0;

  friend bool operator==(const TfNumbers&, const TfNumbers&) = default;
};

// One execution of a node. All of them go through memory twice, so one is a
// line of the cache.
struct TfNode {
  TfText* text = nullptr;
  const uint8_t* record = nullptr;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  // Most fit into 32 bits; else they lie elsewhere.
  union {
    TfNumbers<int32_t> small = {};
    const TfNumbers<int64_t>* large;
  };
  uint32_t record_size = 0;
  Row row = kNoRow;  // set when it is placed on the timeline
  bool is_large = false;
  bool scheduled = false;  // it is known when
  bool shaped = false;     // some output has a shape

  // See tf_tensor.h for what is left there.
  Bytes bytes() const { return {record, record_size}; }
  TfNumbers<int64_t> numbers() const {
    if (is_large) [[unlikely]]
      return *large;
    return {small.thread, small.waited, small.op_start, small.op_end};
  }
};
static_assert(sizeof(TfNode) == 64);

struct TfDevice {
  std::string_view name;
  DeviceName parsed;
  std::vector<std::span<TfNode>> parts;  // one behind the other
  bool sorted = true;                    // by start
  std::vector<std::pair<uint64_t, std::string_view>> thread_names;

  // Brings the nodes into the order of their starts, if they have another.
  void Sort();

 private:
  std::vector<TfNode> sorted_;
};

// Numbers, from 1 on, for the names of the operators that were executed.
class TfOps {
 public:
  // 0: there is none of that name.
  uint32_t Find(std::string_view text, const StringPool& strings) const {
    const StringId id = strings.Find(text);
    const bool known = id.v < numbers_.size() && (id.v != 0 || text.empty());
    return known ? numbers_[id.v] : 0;
  }
  uint32_t Add(StringId name) {
    if (name.v >= numbers_.size()) numbers_.resize(size_t{name.v} * 2 + 1);
    uint32_t& number = numbers_[name.v];
    if (number == 0) number = ++count_;
    return number;
  }
  uint32_t count() const { return count_; }

 private:
  std::vector<uint32_t> numbers_;  // by string; 0: none
  uint32_t count_ = 0;
};

struct TfStep {
  std::vector<TfDevice> devices;
  // Where nodes and texts lie, which stay there.
  std::vector<Column<TfNode>> nodes;
  std::vector<std::deque<TfText>> texts;
  std::vector<std::deque<TfNumbers<int64_t>>> large;
  // Found out when nodes are placed: inputs of all texts, as they say it.
  std::vector<std::string_view> inputs;
  TfOps ops;
};

// Reads StepStats, `readers` threads at once; 0: as many as are worth it.
// Nodes that cannot be used are counted as rejected in `out`; the others are to
// be counted by who adds them.
TfStep ReadTfStep(Bytes step_stats, const Input& input, Recorder& out);

}  // namespace stepscope::proto::tf
