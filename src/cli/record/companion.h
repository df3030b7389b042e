// SPDX-License-Identifier: Apache-2.0
//
// Companion: a process beside `run` that reads the captures while the program
// runs, at low priority, and tells others what is in them: an OpenTelemetry
// receiver, and a file for Prometheus. Whatever it meets there, the program and
// its exit code do not notice; `run` waits for it at the end for a bounded
// time.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "analysis/serving/bill_rule.h"
#include "cli/record/run.h"

namespace stepscope {

struct CompanionPlan {
  std::string folder;  // of the captures, absolute
  std::string run_id;
  std::string otlp;  // endpoint; empty: nothing is sent
  BillRule bill = BillRule::kTokens;
  std::string prometheus;  // file, absolute; empty: none
  bool quiet = false;
};

// What is wrong with --otlp and --prometheus, and what to do; "": nothing.
std::string FaultOfCompanion(const RunOptions& options);

class Companion {
 public:
  // Forks, so REQUIRES: no other thread runs. Prints what was wrong.
  explicit Companion(const CompanionPlan& plan);
  ~Companion();  // ends it
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;

  // Prints what it had to say since. Does not wait.
  void Look();
  // The program has ended and its captures are complete: waits until they are
  // read and sent, and prints what came of it.
  void Finish();

 private:
  bool Read(int timeout_ms);
  void PrintLines();

  pid_t pid_ = -1;
  int ends_ = -1;  // closed: the program has ended
  int says_ = -1;  // lines
  std::string text_;
};

}  // namespace stepscope
