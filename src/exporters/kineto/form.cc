// SPDX-License-Identifier: Apache-2.0
#include "exporters/kineto/form.h"

#include <stepscope/c.h>

#include <algorithm>
#include <charconv>

#include "exporters/chrome/json_text.h"
#include "exporters/chrome/time_base.h"

namespace stepscope::kineto {
namespace {

// A quarter of a year: what Kineto's bases are multiples of, so that ranks of
// one job share theirs.
constexpr int64_t kBaseUnitNs = int64_t{7889238} * 1000000000;

bool HasFraction(const Trace& trace) {
  const auto fraction = [](int64_t ns) { return ns % 1000 != 0; };
  return fraction(trace.epoch_ns()) ||
         std::ranges::any_of(trace.start_ns(), fraction) ||
         std::ranges::any_of(trace.dur_ns(), fraction) ||
         std::ranges::any_of(trace.memory(), fraction, &MemoryEvent::time_ns) ||
         std::ranges::any_of(trace.flows(), fraction, &Flow::time_ns);
}

// torch up to 1.10 gave every operator the number of its process under this
// key.
bool HasOldWords(const Trace& trace) {
  for (Row row = 0; row < trace.size(); ++row) {
    if (trace.type()[row] != STEPSCOPE_OPERATOR) continue;
    return trace.raw_args(row).find("\"Device\"") != std::string::npos;
  }
  return false;
}

void FindBase(const Trace& trace, Form& form) {
  const std::string_view stated = MetadataOf(trace, "baseTimeNanoseconds");
  int64_t base = 0;
  const auto [end, error] =
      std::from_chars(stated.data(), stated.data() + stated.size(), base);
  if (form.from_kineto) {
    form.states_base = !stated.empty() && error == std::errc() &&
                       end == stated.data() + stated.size();
    form.base_ns = form.states_base ? base : 0;
    return;
  }
  const int64_t first =
      chrome::Plus(trace.epoch_ns(), chrome::FindTimeBase(trace).ts_ns);
  form.base_ns = trace.clock().epoch_known && first > 0
                     ? first / kBaseUnitNs * kBaseUnitNs
                     : first;
}

}  // namespace

std::string_view MetadataOf(const Trace& trace, std::string_view key) {
  if (trace.processes().empty()) return {};
  for (const auto& [name, value] : trace.processes()[0].metadata)
    if (trace.str(name) == key) return trace.str(value);
  return {};
}

Form FindForm(const Trace& trace) {
  Form form;
  form.from_kineto = trace.format() == "kineto";
  if (form.from_kineto) {
    form.old_words = HasOldWords(trace);
    form.whole_micros = !HasFraction(trace);
  }
  FindBase(trace, form);
  const std::string_view torch = MetadataOf(trace, "torch.profiler");
  form.as_torch = !form.from_kineto && !torch.empty();
  form.without_steps = form.as_torch && torch == "no schedule";
  return form;
}

void AppendDuration(std::string& out, const Form& form, int64_t ns) {
  if (form.whole_micros)
    chrome::AppendInt(out, ns / 1000);
  else
    chrome::AppendMicros(out, ns);
}

void AppendTime(std::string& out, const Trace& trace, const Form& form,
                int64_t time_ns) {
  AppendDuration(
      out, form,
      chrome::Since(chrome::Plus(time_ns, trace.epoch_ns()), form.base_ns));
}

}  // namespace stepscope::kineto
