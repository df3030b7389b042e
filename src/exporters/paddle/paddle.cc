// SPDX-License-Identifier: Apache-2.0
#include "exporters/paddle/paddle.h"

#include "exporters/chrome/chrome.h"
#include "exporters/output_name.h"
#include "exporters/paddle/node_trees.h"

namespace stepscope {
namespace {

class PaddleExporting : public Exporter {
 public:
  std::string_view name() const override { return "paddle"; }
  uint32_t carries() const override {
    return kAllContent & ~(kCounters | kFlows | kOtherLinks | kMetadata |
                           kLosses | kLedger | kWindow);
  }

  Status Export(const Trace& trace, const ExportOptions& options,
                Sink& sink) const override {
    ExportOptions all = options;
    all.memory = true;
    if (WithoutCompression(options.path).ends_with(".pb"))
      return paddle::WriteNodeTrees(trace, all, sink);
    return WriteChrome(trace, all, ChromeStyle::kPaddle, sink);
  }
};

}  // namespace

const Exporter& PaddleExporter() {
  static const auto* const exporter = new PaddleExporting;
  return *exporter;
}

}  // namespace stepscope
