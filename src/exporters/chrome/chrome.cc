// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/chrome.h"

#include "exporters/chrome/document.h"
#include "exporters/chrome/escaped_names.h"
#include "exporters/chrome/rows.h"
#include "exporters/chrome/side_events.h"
#include "exporters/chrome/slices.h"
#include "exporters/out_buffer.h"
#include "exporters/paddle_facts.h"

namespace stepscope {
namespace {

class ChromeExporting : public Exporter {
 public:
  std::string_view name() const override { return "chrome"; }
  uint32_t carries() const override { return kAllContent; }

  Status Export(const Trace& trace, const ExportOptions& options,
                Sink& sink) const override {
    return WriteChrome(trace, options, ChromeStyle::kPlain, sink);
  }
};

}  // namespace

Status WriteChrome(const Trace& trace, const ChromeOptions& options,
                   ChromeStyle style, Sink& sink) {
  OutBuffer out(sink);
  const bool paddle = style == ChromeStyle::kPaddle;
  chrome::EscapedNames names(trace.strings(), paddle);
  chrome::Rows rows(trace, paddle);
  chrome::Context context = {trace, chrome::FindTimeBase(trace), names, rows,
                             out};
  if (paddle) {
    // Paddle states absolute times, and readers know its files by that.
    context.base.ts_ns = chrome::Since(0, trace.epoch_ns());
    context.base.host_ns =
        chrome::FindPaddleZero(trace).value_or(context.base.host_ns);
  }
  const int span_index = SpanIndexOf(trace, options);
  out.Append(chrome::Head(trace, context.base, span_index, style));
  chrome::MemoryWriter memory(context, style);
  WriteSlices(trace, context.base, style, names, rows, out,
              options.memory ? &memory : nullptr);
  WriteCounters(context);
  if (options.memory) memory.WriteRest();
  if (options.dataflow) {
    WriteFlows(context);
    WriteLaunches(context);
  }
  // Last, as in Paddle: by now it is known which rows there are.
  int64_t last = chrome::Since(context.base.last_ns, context.base.ts_ns);
  out.Append(rows.Metadata(last));
  // Every entry ends in a comma, of which the last one is too much. Without
  // a process there is no entry.
  if (!trace.processes().empty()) out.RemoveSuffix(2);
  out.Append(chrome::Tail(trace, context.base, style));
  return out.Finish();
}

const Exporter& ChromeExporter() {
  // Never destroyed: windows are still written while the process ends.
  static const auto* const exporter = new ChromeExporting;
  return *exporter;
}

Status ExportChrome(const Trace& trace, const std::string& path,
                    const ChromeOptions& options) {
  return ExportFile(trace, ChromeExporter(), path, options);
}

std::string ChromeJson(const Trace& trace, const ChromeOptions& options) {
  MemorySink sink;
  // A sink in memory does not fail.
  (void)ChromeExporter().Export(trace, options, sink).has_value();
  return sink.TakeText();
}

}  // namespace stepscope
