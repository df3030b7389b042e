// SPDX-License-Identifier: Apache-2.0
#include "exporters/kineto/kineto.h"

#include <optional>

#include "exporters/chrome/escaped_names.h"
#include "exporters/kineto/document.h"
#include "exporters/kineto/events.h"
#include "exporters/kineto/form.h"
#include "exporters/kineto/ids.h"
#include "exporters/kineto/rows.h"
#include "exporters/out_buffer.h"

namespace stepscope {
namespace {

class KinetoExporting : public Exporter {
 public:
  std::string_view name() const override { return "kineto"; }
  uint32_t carries() const override {
    return kAllContent & ~(kLosses | kLedger);
  }

  Status Export(const Trace& trace, const ExportOptions& options,
                Sink& sink) const override {
    const kineto::Form form = kineto::FindForm(trace);
    OutBuffer out(sink);
    chrome::EscapedNames names(trace.strings());
    const kineto::RowIds rows(trace, form);
    std::optional<kineto::RangeIds> ids;
    if (!form.from_kineto) ids.emplace(trace);
    const kineto::Context context = {
        trace, form, names, rows, ids ? &*ids : nullptr, out};
    out.Append(kineto::Head(trace, form, options));
    kineto::WriteSlices(context);
    kineto::WriteDeviceRanges(context);
    if (options.memory) kineto::WriteMemory(context);
    kineto::WriteCounters(context);
    if (options.dataflow) {
      kineto::WriteFlows(context);
      kineto::WriteLaunches(context);
      kineto::WriteWaits(context);
    }
    out.Append(rows.Metadata());
    kineto::WriteWindow(context);
    // Every entry ends in a comma, of which the last one is too much. Without
    // a process there is no entry.
    if (!trace.processes().empty()) out.RemoveSuffix(2);
    out.Append("\n]\n}\n");
    return out.Finish();
  }
};

}  // namespace

const Exporter& KinetoExporter() {
  // Never destroyed: windows are still written while the process ends.
  static const auto* const exporter = new KinetoExporting;
  return *exporter;
}

}  // namespace stepscope
