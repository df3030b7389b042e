// SPDX-License-Identifier: Apache-2.0
//
// What `doctor` finds. Pure functions of a Machine.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/doctor_machine.h"

namespace stepscope::doctor {

enum class Verdict { kOk, kWarn, kNo };

// What a check decides about.
enum class Part { kHost, kGpu, kTorch, kSql };

struct Check {
  Part part;
  std::string name;
  Verdict verdict;
  std::string text;    // what there is, or what is missing
  std::string remedy;  // "" if there is nothing to do
};

Check CheckSystem(const Machine& machine);
Check CheckClock(const Machine& machine);
Check CheckInjector(const Machine& machine);
Check CheckLiveFiles(const Machine& machine);
Check CheckOutput(const Machine& machine);
Check CheckLeftovers(const Machine& machine);
Check CheckEnvironment(const Machine& machine);
Check CheckNvtx(const Machine& machine);
Check CheckDriver(const Machine& machine);
Check CheckPlugin(const Machine& machine);
Check CheckCupti(const Machine& machine);
Check CheckPermission(const Machine& machine);
Check CheckTorch(const Machine& machine);
Check CheckObserver(const Machine& machine);
Check CheckDuckdb(const Machine& machine);

struct Diagnosis {
  std::vector<Check> checks;
  bool host = false;  // can be recorded
  bool gpu = false;
  bool torch = false;  // its operators
  bool sql = false;    // and Parquet: not recorded but written and asked
};

// All of them. A part can be recorded if none of its checks, nor of the
// host's, says no.
Diagnosis Examine(const Machine& machine);

}  // namespace stepscope::doctor
