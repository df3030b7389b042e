// SPDX-License-Identifier: Apache-2.0
//
// TfTimeline: lays one step of TensorFlow out as a Trace. A process per device
// that executes operators; its rows are bins in which nothing overlaps, not
// host threads (those are arguments). Streams belong to the process of their
// device. Arrows follow the graph where the file has it, and otherwise what
// the labels say.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "importers/proto/recorder.h"
#include "importers/proto/tracks.h"
#include "importers/tensorflow/args.h"
#include "importers/tensorflow/graph.h"
#include "importers/tensorflow/step.h"
#include "importers/tensorflow/tensorflow_importer.h"

namespace stepscope::proto::tf {

class TfTimeline {
 public:
  // `graph` may be empty. All outlive this.
  TfTimeline(const Input& input, TfStep& step, const TfGraph& graph,
             Recorder& out);
  void Build();

 private:
  void AddProcesses();
  uint32_t ProcessOf(const TfDevice& device);
  uint32_t AddProcess(const std::string& name);
  void RemoveDuplicates();
  void PlaceAll();
  void PlaceExecutor(TfDevice& device);
  void PlaceStream(TfDevice& device);
  // Adds a row for each node, on the track that `track_of` gives it.
  template <typename TrackOf>
  void Place(TfDevice& device, uint32_t process, TrackOf track_of);
  // What the texts say: for the span, and for arguments and links.
  void NameSpan(const TfDevice& device, TfText& text);
  void Learn(const TfDevice& device, uint32_t process, TfText& text);
  void LearnTransfer(const TfText& text);
  void LearnInputs(const std::vector<std::string_view>& inputs, TfText& text);
  StringId InputKey(size_t number);
  void AddStep();

  const Input& input_;
  TfStep& step_;
  const TfGraph& graph_;
  Recorder& out_;
  Tracks tracks_;
  std::map<std::string_view, uint32_t> processes_;  // by device
  // Those of executors, by the ends of their names, each from a slash on.
  std::map<std::string_view, uint32_t> executors_;
  size_t writers_;
  TfArgs args_;
  StringId name_key_;
  StringId op_key_;
  std::vector<StringId> input_keys_;  // by number
  // Of what has been placed.
  int64_t begin_ns_ = INT64_MAX;
  int64_t end_ns_ = INT64_MIN;
};

}  // namespace stepscope::proto::tf
