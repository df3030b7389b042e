// SPDX-License-Identifier: Apache-2.0
//
// What a capture says besides events: process keys, clock anchors, names,
// threads, CPU use, and how it ended. The Add functions take the payload of a
// block whose CRC was right and still trust nothing in it; false means that it
// was not what it should be, and that its readable start was used.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/block.h"
#include "format/live_file.h"
#include "importers/capture/sites.h"

namespace stepscope::capture {

using Bytes = std::span<const uint8_t>;

struct Metadata {
  explicit Metadata(StringPool& strings) : sites(strings) {}

  bool AddProcess(Bytes payload);
  bool AddClock(Bytes payload);
  bool AddNames(Bytes payload);
  bool AddThreads(Bytes payload, size_t entry_bytes);
  bool AddUsage(Bytes payload);
  bool AddEnd(Bytes payload);

  // The last value given for `key`, or nothing.
  std::optional<std::string_view> Find(std::string_view key) const;
  std::optional<int64_t> FindInt(std::string_view key) const;

  std::vector<std::pair<std::string, std::string>> process;  // in file order
  format::ClockKind clock_kind{};
  uint64_t nominal_hz = 0;
  std::vector<format::Anchor> anchors;
  SiteTable sites;
  std::map<uint32_t, format::ThreadEntry> threads;  // by uid; the last counts
  std::vector<format::UsageSample> usage;
  std::optional<format::EndRecord> end;
};

}  // namespace stepscope::capture
