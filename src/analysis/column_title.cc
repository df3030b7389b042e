// SPDX-License-Identifier: Apache-2.0
#include "analysis/column_title.h"

#include <array>
#include <cctype>
#include <utility>

namespace stepscope {
namespace {

// Words of names that people write otherwise.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15>
    kSpelled = {{{"cpu", "CPU"},
                 {"gpu", "GPU"},
                 {"ttft", "TTFT"},
                 {"tpot", "TPOT"},
                 {"sm", "SM"},
                 {"id", "ID"},
                 {"pid", "process"},
                 {"flops", "FLOPs"},
                 {"avg", "mean"},
                 {"ratio", "share"},
                 {"dur", "duration"},
                 {"index", "step"},
                 {"warmup", "warm-up"},
                 {"ips", "speed"},
                 {"utilization", "utilisation"}}};

std::string_view Spelled(std::string_view word) {
  for (const auto& [name, text] : kSpelled)
    if (word == name) return text;
  return word;
}

}  // namespace

std::string TitleOfColumn(std::string_view name) {
  // The unit stands in the cells or behind the title.
  for (const std::string_view unit : {"_ns", "_bytes"})
    if (name.ends_with(unit)) name.remove_suffix(unit.size());
  std::string title;
  while (!name.empty()) {
    const size_t end = name.find_first_of("._");
    const std::string_view word = name.substr(0, end);
    // "period_ns.p50": the same of an object.
    const bool is_unit = (word == "ns" || word == "bytes") && !title.empty() &&
                         end != name.npos && name[end] == '.';
    if (!is_unit) {
      if (!title.empty()) title += ' ';
      title += Spelled(word);
    }
    name.remove_prefix(end == name.npos ? name.size() : end + 1);
  }
  if (!title.empty())
    title[0] =
        static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

}  // namespace stepscope
