// SPDX-License-Identifier: Apache-2.0
#include "generator/answers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"

namespace stepscope::generator {
namespace {

struct Total {
  uint64_t calls = 0;
  int64_t total_ns = 0;
};

}  // namespace

std::string Answers(const Workload& workload, const FileFormat& format) {
  Names names(format.dialect, workload.options().names);
  std::map<std::pair<Kind, uint32_t>, Total> totals;
  uint64_t events = 0;
  uint64_t memory = 0;
  int64_t first = INT64_MAX;
  int64_t last = 0;
  workload.Walk([&](const Record& record) {
    if (!format.Carries(record.kind)) return;
    if (record.is_memory()) {
      ++memory;
      return;
    }
    ++events;
    first = std::min(first, record.start_ns);
    last = std::max(last, record.end_ns());
    const bool step = record.kind == Kind::kStep;
    Total& total = totals[{record.kind, step ? 0 : record.name}];
    ++total.calls;
    total.total_ns += record.dur_ns;
  });
  const int64_t epoch = workload.options().epoch_ns;
  std::string out = Format(
      "{\"format\": \"%s\", \"events\": %llu, \"steps\": %llu, "
      "\"memory\": %llu, \"start_ns\": %lld, \"end_ns\": %lld,\n"
      " \"totals\": [",
      format.name, static_cast<unsigned long long>(events),
      static_cast<unsigned long long>(workload.steps()),
      static_cast<unsigned long long>(memory),
      static_cast<long long>(epoch + first),
      static_cast<long long>(epoch + last));
  const char* comma = "\n";
  for (const auto& [key, total] : totals) {
    Record record;
    record.kind = key.first;
    record.name = key.second;
    out += comma;
    out += "  {\"kind\": \"";
    out += KindName(record.kind);
    out += "\", \"name\": \"";
    if (record.kind != Kind::kStep) AppendJsonEscaped(out, names.Of(record));
    out += Format("\", \"calls\": %llu, \"total_ns\": %lld}",
                  static_cast<unsigned long long>(total.calls),
                  static_cast<long long>(total.total_ns));
    comma = ",\n";
  }
  return out + "]}\n";
}

}  // namespace stepscope::generator
