// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <random>
#include <string>

#include "base/duration.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "cli/frame/output_file.h"
#include "cli/frame/progress.h"
#include "cli/frame/verbs.h"
#include "cli/load.h"
#include "cli/step_options.h"
#include "exporters/output_file.h"
#include "report/html/html_report.h"

namespace stepscope {
namespace {

// A moment of the recording, in nanoseconds from its begin. False: it is none,
// and the user was told.
bool ReadMoment(const char* option, const std::string& text,
                std::optional<int64_t>& ns) {
  if (text.empty()) return true;
  // Nothing lasts 0 ms, but a recording begins there.
  if (text == "0" || text == "0ns" || text == "0us" || text == "0ms" ||
      text == "0s") {
    ns = 0;
    return true;
  }
  const Result<int64_t> parsed = ParseDuration(text);
  if (!parsed) {
    PrintError(std::string(option) + ": " + parsed.error().message);
    return false;
  }
  ns = *parsed;
  return true;
}

// So that nobody can look up a hash by hashing likely names.
std::string MakeSalt() {
  std::random_device random;
  std::string salt;
  for (int i = 0; i < 8; ++i) salt += Format("%08x", random());
  return salt;
}

}  // namespace

ExitCode RunReport(const ReportArguments& arguments) {
  HtmlReportOptions options;
  if (!ReadSteps(arguments.steps, options.steps) ||
      !ReadUnprofiled(arguments.unprofiled, options.unprofiled_ns) ||
      !ReadMoment("--from", arguments.from, options.from_ns) ||
      !ReadMoment("--to", arguments.to, options.to_ns)) {
    return kExitUsage;
  }
  if (options.to_ns && *options.to_ns <= options.from_ns.value_or(0)) {
    return Complain(kExitUsage, "--to is not after --from",
                    "both count from the start of the recording");
  }
  options.top = static_cast<size_t>(arguments.top);
  options.redact = arguments.redact;
  if (options.redact) options.salt = MakeSalt();
  if (const ExitCode code = CheckOutput(arguments.output); code != kExitOk)
    return code;
  ExitCode code = kExitOk;
  const std::shared_ptr<const Trace> trace = LoadTrace({arguments.input}, code);
  if (trace == nullptr) return code;
  const Result<std::string> html = [&] {
    const Progress progress("looking into " + arguments.input);
    return RenderHtmlReport(*trace, options);
  }();
  if (!html) return ComplainOfSteps(html.error());
  const Status written = WriteOutputFile(arguments.output, *html);
  return written ? kExitOk : ComplainOfOutput(written.error());
}

}  // namespace stepscope
