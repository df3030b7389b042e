// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace_tools.h"

#include "exporters/chrome/chrome.h"
#include "exporters/file_sink.h"
#include "exporters/kineto/kineto.h"
#include "exporters/paddle/node_trees.h"
#include "importers/capture/capture_file.h"
#include "importers/capture/write_scan.h"
#include "report/summary.h"
#include "trace/trace.h"

namespace stepscope::profiler {
namespace {

Result<TableOptions> TableOptionsOf(const stepscope_summary_options& c) {
  TableOptions options;
  if (c.sorted_by > STEPSCOPE_SORT_GPU_MIN)
    return Fail(ErrorCode::kInvalidArgument, "sorted_by is no sort key");
  options.sort = static_cast<SortKey>(c.sorted_by);
  options.op_detail = c.no_op_detail == 0;
  options.thread_sep = c.thread_sep != 0;
  if (c.views != 0) options.views = ViewSet::OfMask(c.views) & kPaddleViews;
  if (c.time_unit != nullptr) {
    auto unit = ParseTimeUnit(c.time_unit);
    if (!unit) {
      return Fail(ErrorCode::kInvalidArgument,
                  "time_unit is \"" + std::string(c.time_unit) +
                      "\": expected s, ms, us or ns");
    }
    options.unit = *unit;
  }
  return options;
}

Status WriteNodeTrees(const Trace& trace, const std::string& path,
                      const ExportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(auto sink, OpenFileSink(path, options.gzip_level));
  STEPSCOPE_TRY(paddle::WriteNodeTrees(trace, options, *sink));
  return sink->Close();
}

class Tools final : public TraceTools {
 public:
  Result<std::shared_ptr<const Trace>> Load(
      const std::string& capture) override {
    return ImportCapture(capture);
  }

  std::string Lost(const std::string& capture) override {
    const Result<WriteLoss> loss = capture::ScanWriteLoss(capture);
    return loss && loss->any() ? WriteLossText(*loss) : "";
  }

  Status Write(const Trace& trace, const std::string& path,
               std::string_view format, int index) override {
    ExportOptions options;
    options.span_index = index;
    if (format == "pb") return WriteNodeTrees(trace, path, options);
    if (format == "kineto")
      return ExportFile(trace, KinetoExporter(), path, options);
    return ExportChrome(trace, path, options);
  }

  Result<std::string> Summarize(const Trace& trace,
                                const stepscope_summary_options& c) override {
    STEPSCOPE_TRY_ASSIGN(auto options, TableOptionsOf(c));
    return RenderSummary(trace, options);
  }
};

}  // namespace

TraceTools& DefaultTraceTools() {
  static TraceTools* const tools = new Tools;
  return *tools;
}

}  // namespace stepscope::profiler
