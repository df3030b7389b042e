// SPDX-License-Identifier: Apache-2.0
#include "report/info/notes.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "trace/job/process_ending.h"

namespace stepscope {
namespace {

constexpr size_t kShownPids = 8;

struct Group {
  std::string whole;  // as it was noted first
  std::string_view text;
  std::vector<int64_t> pids;  // empty: not about one process
};

// "process 71 (python3 train.py): " for each process that has a command.
std::vector<std::pair<std::string, int64_t>> Prefixes(const Trace& trace) {
  std::vector<std::pair<std::string, int64_t>> prefixes;
  for (const Process& process : trace.processes())
    for (const auto& [key, value] : process.metadata)
      if (trace.str(key) == "command")
        prefixes.emplace_back(NameProcess(process.pid, trace.str(value)) + ": ",
                              process.pid);
  return prefixes;
}

std::string Show(const Group& group) {
  if (group.pids.size() < 2) return group.whole;
  std::string all = CountText(group.pids.size()) + " processes (";
  for (size_t i = 0; i < std::min(group.pids.size(), kShownPids); ++i) {
    if (i > 0) all += ", ";
    all += std::to_string(group.pids[i]);
  }
  if (group.pids.size() > kShownPids)
    all += " and " + CountText(group.pids.size() - kShownPids) + " more";
  return all + "): " + std::string(group.text);
}

}  // namespace

std::vector<std::string> NotesForPeople(const Trace& trace) {
  const auto prefixes = Prefixes(trace);
  std::vector<Group> groups;
  for (const std::string& note : trace.notes()) {
    const auto prefix =
        std::find_if(prefixes.begin(), prefixes.end(),
                     [&](const auto& p) { return note.starts_with(p.first); });
    const bool named = prefix != prefixes.end();
    const std::string_view text =
        named ? std::string_view(note).substr(prefix->first.size()) : note;
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
          return group.text == text && group.pids.empty() != named;
        });
    if (same == groups.end()) {
      groups.push_back({note, text, {}});
      if (named) groups.back().pids.push_back(prefix->second);
    } else if (named) {
      same->pids.push_back(prefix->second);
    }
  }
  std::vector<std::string> notes;
  for (const Group& group : groups) notes.push_back(Show(group));
  return notes;
}

}  // namespace stepscope
