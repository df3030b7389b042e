// SPDX-License-Identifier: Apache-2.0
//
// convert --to otlp: the requests of a server as OpenTelemetry's spans.
#pragma once

#include "cli/frame/exit_code.h"
#include "cli/frame/verbs.h"

namespace stepscope {

inline constexpr const char* kOtlp = "otlp";

ExitCode RunConvertOtlp(const ConvertOptions& options);

}  // namespace stepscope
