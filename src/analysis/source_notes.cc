// SPDX-License-Identifier: Apache-2.0
#include "analysis/source_notes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "trace/chosen_steps.h"

namespace stepscope {
namespace {

constexpr size_t kShownSources = 8;  // names before "and 504 more"

struct Noted {
  std::string text;
  std::vector<std::string> by;
};

// A note often begins with its file, which would make all notes differ.
std::string_view WithoutPath(std::string_view note, std::string_view path) {
  const bool has_it = !path.empty() && note.starts_with(path) &&
                      note.substr(path.size()).starts_with(": ");
  return has_it ? note.substr(path.size() + 2) : note;
}

}  // namespace

std::string NameOfSource(const Trace& trace, uint32_t source) {
  std::optional<int64_t> rank;
  for (const Process& process : trace.processes()) {
    if (process.source != source || process.rank < 0) continue;
    if (rank && *rank != process.rank) return trace.sources()[source].path;
    rank = process.rank;
  }
  return rank ? "rank " + std::to_string(*rank) : trace.sources()[source].path;
}

std::vector<std::string> NotesOfSources(const Trace& trace) {
  std::vector<std::string> notes;
  if (trace.sources().size() < 2) {
    // All else that is noted of a file alone, info says.
    for (const Source& source : trace.sources()) {
      for (const std::string& note : source.notes) {
        std::string text(WithoutPath(note, source.path));
        if (!text.starts_with(kNoSuchRange)) continue;
        text[0] = 'N';
        notes.push_back(text + ".");
      }
    }
    return notes;
  }
  std::vector<Noted> groups;
  std::map<std::string, size_t, std::less<>> group_of;
  for (uint32_t i = 0; i < trace.sources().size(); ++i) {
    const Source& source = trace.sources()[i];
    if (source.notes.empty()) continue;
    const std::string name = NameOfSource(trace, i);
    for (const std::string& note : source.notes) {
      const std::string text(WithoutPath(note, source.path));
      const auto [known, is_new] = group_of.try_emplace(text, groups.size());
      if (is_new) groups.push_back({text, {}});
      std::vector<std::string>& by = groups[known->second].by;
      if (std::find(by.begin(), by.end(), name) == by.end()) by.push_back(name);
    }
  }
  for (const Noted& group : groups) {
    std::string note;
    for (size_t i = 0; i < std::min(group.by.size(), kShownSources); ++i)
      note += (i > 0 ? ", " : "") + group.by[i];
    if (group.by.size() > kShownSources)
      note +=
          " and " + std::to_string(group.by.size() - kShownSources) + " more";
    notes.push_back(note + ": " + group.text);
  }
  return notes;
}

}  // namespace stepscope
