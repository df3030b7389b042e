// SPDX-License-Identifier: Apache-2.0
//
// Where there is no HTTP library.
#include "cli/record/companion.h"

namespace stepscope {

std::string FaultOfCompanion(const RunOptions& options) {
  if (options.otlp.empty() && options.prometheus.empty()) return "";
  return "--otlp and --prometheus: not in this build; build stepscope with "
         "cpp-httplib";
}

Companion::Companion(const CompanionPlan&) {}
Companion::~Companion() = default;
void Companion::Look() {}
void Companion::Finish() {}

}  // namespace stepscope
