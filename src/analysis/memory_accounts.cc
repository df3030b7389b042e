// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory_accounts.h"

#include <stepscope/c.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "analysis/raw_member.h"
#include "analysis/tables/accountable.h"
#include "analysis/tables/rows.h"
#include "base/json_fragment.h"

namespace stepscope {
namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";

// "forward (torch/nn/modules/sparse.py:189)" is sparse.
std::string_view ModuleOfFrame(std::string_view frame) {
  constexpr std::string_view kForward = "forward (";
  if (!frame.starts_with(kForward)) return {};
  std::string_view file = frame.substr(kForward.size());
  file = file.substr(0, file.rfind(':'));
  if (const size_t slash = file.rfind('/'); slash != file.npos)
    file = file.substr(slash + 1);
  return file.ends_with(".py") ? file.substr(0, file.size() - 3) : file;
}

std::string ModulesOf(const EventTree& tree, Row row) {
  const Trace& trace = tree.trace();
  if (row == kNoRow) return {};
  std::string modules;
  const auto add_outer = [&](std::string_view module) {
    if (!module.empty())
      modules = std::string(module) + (modules.empty() ? "" : "/" + modules);
  };
  // A stack has no names of classes: the files whose forward() is on it.
  for (const std::string& frame : FramesOf(trace, row))
    add_outer(ModuleOfFrame(frame));
  if (!modules.empty()) return modules;
  for (Row around = row; around != kNoRow; around = tree.parent(around)) {
    const std::string_view name = trace.str(trace.name()[around]);
    if (name.starts_with(kModulePrefix))
      add_outer(name.substr(kModulePrefix.size()));
  }
  return modules;
}

}  // namespace

std::optional<MemoryBy> ParseMemoryBy(std::string_view text) {
  for (size_t i = 0; i < std::size(kMemoryByNames); ++i)
    if (text == kMemoryByNames[i]) return static_cast<MemoryBy>(i);
  return std::nullopt;
}

std::vector<MemoryAccount> MakeMemoryAccounts(const EventTree& tree) {
  const Trace& trace = tree.trace();
  std::vector<MemoryAccount> accounts;
  MemoryCategories categories(tree, StepTable(tree));
  Accountable accountable(tree);
  for (MemoryScript& script : MakeMemoryScripts(trace)) {
    MemoryAccount& account = accounts.emplace_back();
    account.process = script.process;
    account.place = script.place;
    account.allocations = std::move(script.allocations);
    script = {};  // long, and not needed any more
    account.owner_of.reserve(account.allocations.size());
    std::unordered_map<uint64_t, uint32_t> numbers;
    for (const BlockLife& allocation : account.allocations) {
      const Row made = trace.memory().stored()[allocation.made].owner;
      const MemoryOwner owner{accountable.Of(made), accountable.StackOf(made),
                              categories.Of(allocation)};
      // The stack says who is accountable, too.
      const uint64_t key =
          uint64_t{owner.stack} << 8 | static_cast<uint64_t>(owner.category);
      const auto [number, fresh] = numbers.try_emplace(
          key, static_cast<uint32_t>(account.owners.size()));
      if (fresh) account.owners.push_back(owner);
      account.owner_of.push_back(number->second);
    }
  }
  return accounts;
}

std::vector<std::string> FramesOf(const Trace& trace, Row row) {
  std::vector<std::string> frames;
  if (row == kNoRow || !trace.has_raw_args()) return frames;
  const std::string members = trace.raw_args(row);
  ForEachJsonItem(RawMember(members, "frames"), [&](std::string_view item) {
    if (item.size() < 2 || item.front() != '"') return;
    std::string& frame = frames.emplace_back();
    for (size_t i = 1; i + 1 < item.size(); ++i) {
      // Names have no escapes but these.
      if (item[i] == '\\' && (item[i + 1] == '"' || item[i + 1] == '\\')) ++i;
      frame += item[i];
    }
  });
  return frames;
}

std::string_view OwnerName(const Trace& trace, Row row) {
  return row == kNoRow ? kOutsideName : trace.str(trace.name()[row]);
}

std::string OwnerText(const EventTree& tree, const MemoryOwner& owner,
                      MemoryBy by) {
  switch (by) {
    case MemoryBy::kOperator:
      return std::string(OwnerName(tree.trace(), owner.row));
    case MemoryBy::kModule:
      return ModulesOf(tree, owner.stack);
    case MemoryBy::kLine:
      return std::string(LineOf(tree.trace(), owner.stack));
    case MemoryBy::kCategory:
      break;
  }
  return std::string(MemoryCategoryName(owner.category));
}

std::vector<HeldByOwner> HeldAfter(const Trace& trace,
                                   const MemoryAccount& account, size_t event) {
  std::vector<HeldByOwner> held(account.owners.size());
  for (size_t i = 0; i < account.allocations.size(); ++i) {
    const BlockLife& allocation = account.allocations[i];
    if (allocation.made > event) break;
    if (allocation.freed <= event) continue;
    HeldByOwner& owner = held[account.owner_of[i]];
    owner.bytes = SaturatingAdd(owner.bytes,
                                trace.memory().stored()[allocation.made].bytes);
    ++owner.allocations;
  }
  for (uint32_t i = 0; i < held.size(); ++i) held[i].owner = i;
  std::erase_if(
      held, [](const HeldByOwner& owner) { return owner.allocations == 0; });
  return held;
}

}  // namespace stepscope
