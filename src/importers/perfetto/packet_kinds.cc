// SPDX-License-Identifier: Apache-2.0
#include "importers/perfetto/packet_kinds.h"

#include <algorithm>
#include <iterator>

namespace stepscope::pftrace {
namespace {

struct Kind {
  uint32_t field;
  Meaning meaning;
  std::string_view reason;
};

constexpr Meaning kDetail = Meaning::kDetail;
constexpr Meaning kAbout = Meaning::kAboutRecording;
constexpr Meaning kUnread = Meaning::kUnread;

// By number.
constexpr Kind kKinds[] = {
    {1, kUnread, "ftrace events are not read"},
    {3, kDetail, {}},  // trusted_uid
    {4, kUnread, "inode maps are not read"},
    {5, kUnread, "Chrome's old event bundles are not read"},
    {7, kUnread, "system statistics are not read"},
    {9, kUnread, "process statistics are not read"},
    {33, kAbout, {}},  // trace_config
    {34, kAbout, {}},  // ftrace_stats
    {35, kAbout, {}},  // trace_stats
    {36, kAbout, {}},  // synchronization_marker
    {37, kUnread, "heap profiles are not read"},
    {38, kUnread, "battery counters are not read"},
    {39, kUnread, "Android logs are not read"},
    {40, kUnread, "power rails are not read"},
    {41, kDetail, {}},  // incremental_state_cleared, replaced by flags
    {45, kAbout, {}},   // system_info
    {46, kAbout, {}},   // trigger
    {47, kAbout, {}},   // packages_list
    {48, kAbout, {}},   // chrome_benchmark_metadata
    {49, kAbout, {}},   // perfetto_metatrace
    {51, kAbout, {}},   // chrome_metadata
    {52, kUnread, "GPU counters are not read"},
    {53, kUnread, "GPU render stages are not read"},
    {54, kUnread, "samples of call stacks are not read"},
    {56, kUnread, "heap graphs are not read"},
    {57, kUnread, "graphics frames are not read"},
    {61, kUnread, "symbols of modules are not read"},
    {66, kUnread, "samples of call stacks are not read"},
    {67, kAbout, {}},  // cpu_info
    {68, kUnread, "maps of memory are not read"},
    {69, kAbout, {}},  // service_event
    {71, kUnread, "GPU memory totals are not read"},
    {72, kAbout, {}},   // extension_descriptor
    {78, kAbout, {}},   // ui_state
    {79, kDetail, {}},  // trusted_pid
    {82, kAbout, {}},   // translation_table
    {89, kAbout, {}},   // trace_uuid
    {90, kAbout, {}},   // track_event_range_of_interest
    {98, kDetail, {}},  // machine_id
    {124, kAbout, {}},  // trace_provenance
    {126, kAbout, {}},  // trace_attributes
    {128, kAbout, {}},  // gpu_info
    {133, kUnread, "packets compressed with zstd are not read"},
};

const Kind* Find(uint32_t field) {
  const auto* const found = std::lower_bound(
      std::begin(kKinds), std::end(kKinds), field,
      [](const Kind& kind, uint32_t number) { return kind.field < number; });
  return found != std::end(kKinds) && found->field == field ? found : nullptr;
}

}  // namespace

Meaning MeaningOf(uint32_t field) {
  const Kind* const kind = Find(field);
  return kind == nullptr ? kUnread : kind->meaning;
}

std::string_view ReasonOf(uint32_t field) {
  const Kind* const kind = Find(field);
  return kind == nullptr || kind->reason.empty()
             ? "packets of an unknown kind are not read"
             : kind->reason;
}

}  // namespace stepscope::pftrace
