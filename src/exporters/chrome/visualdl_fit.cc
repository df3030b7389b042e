// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/visualdl_fit.h"

#include <stepscope/c.h>

#include <algorithm>

namespace stepscope::chrome {
namespace {

constexpr uint16_t kStages[] = {STEPSCOPE_DATALOADER, STEPSCOPE_FORWARD,
                                STEPSCOPE_BACKWARD, STEPSCOPE_OPTIMIZATION};

// Of a type that VisualDL builds its trees from.
bool IsNode(uint16_t type) {
  return type <= STEPSCOPE_PYTHON_USER_DEFINED &&
         type != STEPSCOPE_CUDA_RUNTIME &&
         (type < STEPSCOPE_KERNEL || type > STEPSCOPE_MEMSET);
}

}  // namespace

VisualDlFit::VisualDlFit(const Trace& trace) : trace_(trace) {
  for (uint32_t i = 0; i < trace.tracks().size(); ++i)
    if (trace.tracks()[i].kind != TrackKind::kStream) AddTrack(i);
  if (!has_steps_) MakeUpStep();
}

// A stepping thread. VisualDL may take any of them for the model of all
// threads, up to the first event between two steps: each must have the stages.
void VisualDlFit::AddTrack(uint32_t index) {
  const Track& track = trace_.tracks()[index];
  const auto type = trace_.type();
  const auto first =
      std::find(type.begin() + track.first, type.begin() + track.last,
                uint16_t{STEPSCOPE_PROFILE_STEP});
  if (first == type.begin() + track.last) return;
  has_steps_ = true;
  const auto& parent = trace_.nesting().parent;
  outer_.resize(trace_.size());
  const auto first_step = static_cast<Row>(first - type.begin());
  for (Row row = track.first; row < first_step; ++row) outer_[row] = true;
  for (Row row = first_step; row < track.last; ++row) {
    if (type[row] != STEPSCOPE_PROFILE_STEP) continue;
    for (Row around = parent[row]; around != kNoRow && !outer_[around] &&
                                   type[around] != STEPSCOPE_PROFILE_STEP;
         around = parent[around])
      outer_[around] = true;
  }
  std::array<bool, 16> found{};
  const auto visible_parent = [&](Row row) {
    Row around = parent[row];
    while (around != kNoRow && (outer_[around] || !IsNode(type[around])))
      around = parent[around];
    return around;
  };
  for (Row row = first_step; row < track.last; ++row) {
    if (outer_[row] || !IsNode(type[row])) continue;
    const Row around = visible_parent(row);
    if (around == kNoRow) {
      if (type[row] != STEPSCOPE_PROFILE_STEP) break;
      continue;
    }
    if (type[around] == STEPSCOPE_PROFILE_STEP) found[type[row]] = true;
  }
  for (const uint16_t stage : kStages)
    if (!found[stage]) hidden_[stage] = true;
}

void VisualDlFit::MakeUpStep() {
  uint32_t most = 0;
  for (uint32_t i = 0; i < trace_.tracks().size(); ++i) {
    const Track& track = trace_.tracks()[i];
    if (track.kind == TrackKind::kStream) continue;
    uint32_t nodes = 0;
    Row first = track.last;
    for (Row row = track.first; row < track.last; ++row) {
      if (!IsNode(trace_.type()[row])) continue;
      first = std::min(first, row);
      ++nodes;
    }
    if (nodes <= most) continue;
    most = nodes;
    made_up_ = {i, trace_.start_ns()[first], 0};
  }
  if (!made_up_.has_value()) return;
  const Track& track = trace_.tracks()[made_up_->track];
  std::array<bool, 16> found{};
  int64_t end = made_up_->start_ns;
  for (Row row = track.first; row < track.last; ++row) {
    end = std::max(end, trace_.end_ns(row));
    const uint16_t type = trace_.type()[row];
    if (IsNode(type) && trace_.nesting().parent[row] == kNoRow)
      found[type] = true;
  }
  made_up_->end_ns = end + 1;  // longer than all
  for (const uint16_t stage : kStages)
    if (!found[stage]) hidden_[stage] = true;
}

}  // namespace stepscope::chrome
