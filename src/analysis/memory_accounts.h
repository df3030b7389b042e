// SPDX-License-Identifier: Apache-2.0
//
// MemoryAccounts: the allocations of each process and place, with who made
// them and for what. What was held at an instant, by the peak's table and by
// the viewer, comes from here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/memory_category.h"
#include "analysis/memory_script.h"

namespace stepscope {

// By what allocations are put together.
enum class MemoryBy : uint8_t { kOperator, kModule, kLine, kCategory };
inline constexpr std::string_view kMemoryByNames[] = {"operator", "module",
                                                      "line", "category"};
std::optional<MemoryBy> ParseMemoryBy(std::string_view text);

struct MemoryOwner {
  Row row = kNoRow;    // who is accountable
  Row stack = kNoRow;  // that, or what has the stack in it
  MemoryCategory category = MemoryCategory::kOther;
};

struct MemoryAccount {
  uint32_t process = 0;
  StringId place;
  std::vector<BlockLife> allocations;  // by the events that made them
  std::vector<uint32_t> owner_of;      // by allocation
  std::vector<MemoryOwner> owners;     // each once
};

// Of the places whose events state addresses, in order of their first event.
std::vector<MemoryAccount> MakeMemoryAccounts(const EventTree& tree);

// The operator or function; the modules that it runs in, outermost first; the
// line of the program; or what for. Empty: unknown.
std::string OwnerText(const EventTree& tree, const MemoryOwner& owner,
                      MemoryBy by);
// The name of who is accountable.
std::string_view OwnerName(const Trace& trace, Row row);

// The frames that the file states, innermost first: "forward (models.py:18)".
std::vector<std::string> FramesOf(const Trace& trace, Row row);

// What of an account is held right after an event, by owner and in the order of
// the owners: one that holds nothing is left out.
struct HeldByOwner {
  uint32_t owner = 0;
  int64_t bytes = 0;
  uint64_t allocations = 0;
};
std::vector<HeldByOwner> HeldAfter(const Trace& trace,
                                   const MemoryAccount& account, size_t event);

}  // namespace stepscope
