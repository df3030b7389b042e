// SPDX-License-Identifier: Apache-2.0
#include "cli/convert_otlp.h"

#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/serving/requests.h"
#include "base/terminal.h"
#include "cli/bill_option.h"
#include "cli/frame/output.h"
#include "cli/frame/output_file.h"
#include "cli/frame/progress.h"
#include "cli/load.h"
#include "cli/otlp_environment.h"
#include "exporters/output_file.h"
#include "exporters/output_name.h"
#include "report/otlp/export_request.h"
#include "report/otlp/request_spans.h"

namespace stepscope {
namespace {

std::optional<otlp::Encoding> EncodingOf(const std::string& output) {
  const std::string_view name = WithoutCompression(output);
  if (output == "-" || name.ends_with(".json")) return otlp::Encoding::kJson;
  if (name.ends_with(".pb") || name.ends_with(".bin"))
    return otlp::Encoding::kProtobuf;
  return std::nullopt;
}

Result<otlp::RequestSpans> SpansOf(const Trace& trace, BillRule bill,
                                   const otlp::Attributes& resource) {
  const Progress progress("finding requests");
  const EventTree tree(trace);
  const IterationTable iterations = ComputeIterations(tree);
  return otlp::MakeRequestSpans(trace, iterations,
                                ComputeRequests(iterations, bill), resource);
}

}  // namespace

ExitCode RunConvertOtlp(const ConvertOptions& options) {
  const std::optional<otlp::Encoding> encoding = EncodingOf(options.output);
  if (!encoding)
    return Complain(kExitUsage,
                    options.output +
                        ": the suffix says neither JSON nor "
                        "protobuf",
                    "end the name in .json, or in .pb or .bin, then .gz or "
                    ".zst to compress");
  ExitCode code = CheckOutput(options.output);
  if (code != kExitOk) return code;
  const std::shared_ptr<const Trace> trace =
      LoadTrace(options.inputs, code, {}, AlignmentOf(options.no_align));
  if (trace == nullptr) return code;
  std::vector<std::string> bad;
  const otlp::Attributes resource = ResourceOfEnvironment(&bad);
  for (const std::string& key : bad)
    PrintError("note: OTEL_RESOURCE_ATTRIBUTES: left out " + key +
               ", which is not KEY=VALUE");
  const Result<otlp::RequestSpans> spans =
      SpansOf(*trace, BillOf(options.bill), resource);
  if (!spans) {
    PrintError(options.inputs.front() + ": " + spans.error().message);
    return kExitUnreadable;
  }
  if (const Status written = WriteOutputFile(
          options.output,
          otlp::WriteExportRequest(spans->processes, *encoding));
      !written)
    return ComplainOfOutput(written.error());
  for (const std::string& note : spans->Notes()) PrintError("note: " + note);
  return kExitOk;
}

}  // namespace stepscope
