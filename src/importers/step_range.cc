// SPDX-License-Identifier: Apache-2.0
#include "importers/step_range.h"

#include <stepscope/c.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "trace/chosen_steps.h"

namespace stepscope {
namespace {

std::string& Chosen() {
  // Never destroyed: windows are still read while the process ends.
  static auto* const chosen = new std::string;
  return *chosen;
}

}  // namespace

void SetStepRange(std::string glob) { Chosen() = std::move(glob); }

const std::string& StepRange() { return Chosen(); }

bool MarkSteps(std::string_view glob, Row first, TraceBuilder& builder) {
  enum class Match : uint8_t { kNotAsked, kNo, kYes };
  std::vector<Match> matches(builder.strings().size());  // by name
  bool any = false;
  for (Row row = first; row < builder.event_count(); ++row) {
    const StringId name = builder.name_of(row);
    Match& match = matches[name.v];
    if (match == Match::kNotAsked)
      match = MatchesGlob(glob, builder.strings().view(name)) ? Match::kYes
                                                              : Match::kNo;
    if (match == Match::kYes) {
      // On a device, the same name stands over the work of the step.
      const Track& track = builder.track(builder.track_of(row));
      if (track.kind != TrackKind::kThread) continue;
      builder.SetType(row, STEPSCOPE_PROFILE_STEP);
      any = true;
    } else if (builder.type_of(row) == STEPSCOPE_PROFILE_STEP) {
      builder.SetType(row, STEPSCOPE_USER_DEFINED);
    }
  }
  for (uint32_t i = 0; any && i < builder.process_count(); ++i) {
    auto& metadata = builder.process(i).metadata;
    const StringId key = builder.Intern(kChosenStepsKey);
    if (std::ranges::none_of(metadata, [&](const auto& entry) {
          return entry.first.v == key.v;
        }))
      metadata.emplace_back(key, builder.Intern(glob));
  }
  return any;
}

}  // namespace stepscope
