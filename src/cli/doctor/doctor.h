// SPDX-License-Identifier: Apache-2.0
//
// doctor: what can be recorded on this machine, why not the rest, and the
// remedy for each.
#pragma once

#include <string>

#include "cli/doctor/doctor_checks.h"
#include "cli/frame/exit_code.h"

namespace stepscope {

struct DoctorOptions {
  std::string out = "profiler_log";
  std::string python = "python3";
  std::string format = "text";
};

// kExitOk if the host can be recorded, else kExitNo.
ExitCode RunDoctor(const DoctorOptions& options);

namespace doctor {

// Lines of at most `width` columns.
std::string DiagnosisText(const Diagnosis& diagnosis, bool colour,
                          size_t width);
std::string DiagnosisJson(const Diagnosis& diagnosis);

}  // namespace doctor
}  // namespace stepscope
