// SPDX-License-Identifier: Apache-2.0
#include "report/html/redactor.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "analysis/name_class.h"
#include "base/sha256.h"
#include "base/visible_text.h"
#include "report/text_style.h"

namespace stepscope::html {
namespace {

constexpr size_t kHashDigits = 10;  // 2^40: two names alike are unlikely

// Columns whose text is ours. Everything else is the trace's: a new column is
// hidden until it is listed here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kOurs =
    {{{"model", "name"},
      {"waterfall", "name"},
      {"waterfall", "formula"},
      {"overview", "type"},
      {"idle", "cause"},
      {"outliers", "cause"},
      {"step_time", "paced_by"},
      {"percentiles", "of"},
      {"memory", "type"},
      {"memory_life", "state"},
      {"benchmark", "ips.unit"},
      {"critical_path", "category"},
      {"ranks", "idle_cause"},
      {"ranks", "clock.method"},
      {"rank_steps", "idle_cause"},
      {"collectives", "kind"},
      {"advice", "id"},
      {"advice", "overlaps.id"},
      {"launch", "name"}}};

bool IsAlnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether a name may begin or end at `at`.
bool IsBoundary(std::string_view text, size_t at) {
  return at == 0 || at == text.size() || !IsAlnum(text[at - 1]) ||
         !IsAlnum(text[at]);
}

// A word that is no plain word: "aten::add", "gemm_128", "/data/x", "toFloat".
bool LooksLikeName(std::string_view word) {
  bool letter = false;
  bool other = false;
  for (size_t i = 0; i < word.size(); ++i) {
    const auto c = static_cast<unsigned char>(word[i]);
    if (std::isalpha(c) != 0) {
      letter = true;
      other = other || (i > 0 && std::isupper(c) != 0);
    } else {
      other = other || c != '-';
    }
  }
  return letter && other && word.size() >= 4;
}

}  // namespace

Redactor::Redactor(const Trace& trace, std::string salt)
    : trace_(&trace), salt_(std::move(salt)) {
  const auto add = [this](std::string_view text) {
    if (!text.empty()) names_.insert(VisibleText(text));
  };
  // Not the keys of arguments: "device" in a sentence is a word of ours.
  std::vector<bool> seen(trace.strings().size(), false);
  const auto add_string = [&](StringId id) {
    if (seen[id.v]) return;
    seen[id.v] = true;
    add(trace.str(id));
    add(WithoutArguments(trace.str(id)));
  };
  for (const StringId id : trace.name()) add_string(id);
  for (const Track& track : trace.tracks()) add_string(track.name);
  for (const MemoryEvent& event : trace.memory()) add_string(event.place);
  for (const Process& process : trace.processes()) {
    add_string(process.name);
    add_string(process.host);
    for (const auto& [key, value] : process.metadata) add_string(value);
  }
  for (const Source& source : trace.sources()) {
    add(source.path);
    for (size_t at = source.path.find('/'); at != source.path.npos;
         at = source.path.find('/', at + 1))
      add(std::string_view(source.path).substr(at + 1));
  }
}

std::string Redactor::Hash(std::string_view text) const {
  // The shown form: sentences have no other.
  return "x-" + Sha256Hex(salt_ + VisibleText(text)).substr(0, kHashDigits);
}

std::string Redactor::Name(std::string_view text) const {
  if (!hides() || text.empty()) return std::string(text);
  return Hash(text);
}

std::string Redactor::Place(std::string_view text) const {
  if (!hides()) return std::string(text);
  std::string_view word = text;
  if (word.starts_with("Place(") && word.ends_with(")"))
    word = word.substr(6, word.size() - 7);
  size_t end = word.size();
  const auto is_digit = [&](size_t at) {
    return std::isdigit(static_cast<unsigned char>(word[at])) != 0;
  };
  while (end > 0 && is_digit(end - 1)) --end;
  if (end > 0 && word[end - 1] == ':') --end;
  std::string kind(word.substr(0, end));
  for (char& c : kind)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 10> kKnown = {
      "cpu", "gpu", "cuda",       "mlu",          "npu",
      "xpu", "tpu", "gpu_pinned", "cpu(process)", "cpu(system)"};
  if (std::find(kKnown.begin(), kKnown.end(), kind) != kKnown.end())
    return std::string(text);
  return Hash(text);
}

bool Redactor::IsPartOfName(std::string_view word) const {
  return std::any_of(
      names_.begin(), names_.end(),
      [&](const std::string& name) { return name.find(word) != name.npos; });
}

std::string Redactor::Sentence(std::string_view text) const {
  if (!hides()) return std::string(text);
  const std::string visible = VisibleText(text);
  const std::string_view all = visible;
  std::string out;
  std::string word;  // pending: what is between blanks and no whole name
  const auto end_word = [&] {
    size_t end = word.size();
    while (end > 0 && std::string_view(".,;:\"'").find(word[end - 1]) !=
                          std::string_view::npos)
      --end;
    const std::string core = word.substr(0, end);
    // A cut name ends so: it is no whole one, but must not be read either.
    if (LooksLikeName(core) && IsPartOfName(core))
      out += Hash(core) + word.substr(end);
    else
      out += word;
    word.clear();
  };
  for (size_t at = 0; at < all.size();) {
    size_t length = 0;
    if (IsBoundary(all, at) && all[at] != ' ') {
      for (size_t end = all.size(); end > at && length == 0; --end) {
        // Numbers are figures, not names.
        const std::string_view part = all.substr(at, end - at);
        if (!IsBoundary(all, end) || part.size() < 2) continue;
        if (std::none_of(part.begin(), part.end(), [](unsigned char c) {
              return std::isalpha(c) != 0 || c >= 0x80;
            }))
          continue;
        if (names_.contains(std::string(part))) length = part.size();
      }
    }
    if (length > 0) {
      end_word();
      out += Hash(all.substr(at, length));
      at += length;
      continue;
    }
    if (all[at] == ' ') {
      end_word();
      out += ' ';
    } else {
      word += all[at];
    }
    ++at;
  }
  end_word();
  return out;
}

std::string Redactor::Cell(std::string_view table, std::string_view column,
                           std::string_view text) const {
  if (!hides()) return std::string(text);
  if (std::find(kOurs.begin(), kOurs.end(), std::pair(table, column)) !=
      kOurs.end())
    return std::string(text);
  if (text == kEmptyName || text == "(no launch)") return std::string(text);
  if (column == "place" || table == "device" || column == "device")
    return Place(text);
  return Name(text);
}

}  // namespace stepscope::html
