// SPDX-License-Identifier: Apache-2.0
//
// VisualDlFit: what VisualDL's parser needs of a file beyond Paddle's format,
// and fails without. It takes for granted what Paddle's own recorder does:
// there are steps, named "...#<n>", a stepping thread begins with one, and a
// stage is in a step. Other traces are written so that it finds that, and our
// importer still finds the trace: events keep times, names and types.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace stepscope::chrome {

class VisualDlFit {
 public:
  explicit VisualDlFit(const Trace& trace);

  // An event that stands before or around the steps of its thread. Written to
  // a row of its own, which readers of ours know for the same thread.
  bool is_outer(Row row) const { return row < outer_.size() && outer_[row]; }
  // A stage whose type no step has. VisualDL passes over categories that it
  // does not know.
  bool is_hidden(uint16_t type) const {
    return type < hidden_.size() && hidden_[type];
  }
  // For a trace without steps: one to be made up, around all of a track.
  struct Step {
    uint32_t track = 0;
    int64_t start_ns = 0;
    int64_t end_ns = 0;
  };
  const std::optional<Step>& made_up() const { return made_up_; }

 private:
  void AddTrack(uint32_t index);
  void MakeUpStep();

  const Trace& trace_;
  std::vector<bool> outer_;
  std::array<bool, 16> hidden_{};
  std::optional<Step> made_up_;
  bool has_steps_ = false;
};

}  // namespace stepscope::chrome
