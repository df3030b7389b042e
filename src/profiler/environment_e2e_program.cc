// SPDX-License-Identifier: Apache-2.0
//
// The programs that environment_e2e_test.cc runs, by name.
#include <stepscope/stepscope.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

// What a server does, `requests` times.
void Serve(int requests) {
  for (int i = 0; i < requests; ++i) {
    { STEPSCOPE_EVENT("request", stepscope::EventType::kOperator); }
    stepscope_step();
  }
}

void IdleServer() {
  Serve(3);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
}

void BusyServer() {
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < until) {
    Serve(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Trainer() {
  stepscope::Profiler prof(
      {.scheduler = stepscope::StepRange(0, 3),
       .on_trace_ready = stepscope::ExportChromeTracing("out"),
       .quiet = true});
  prof.Start();
  for (int i = 0; i < 12; ++i) {
    { stepscope::RecordEvent event("work"); }
    prof.Step();
  }
  prof.Stop();
}

// Ends right after Stop, with a Profiler that is never destroyed.
void LeaveAtOnce() {
  auto* prof = new stepscope::Profiler(
      {.on_trace_ready = stepscope::ExportChromeTracing("out"), .quiet = true});
  prof->Start();
  { stepscope::RecordEvent event("work"); }
  prof->Step();
  prof->Stop();
  std::exit(0);
}

// Destroyed after the library has put its threads away.
void StaticProfiler() {
  static stepscope::Profiler prof(
      {.on_trace_ready = stepscope::ExportChromeTracing("out"), .quiet = true});
  prof.Start();
  { stepscope::RecordEvent event("work"); }
  prof.Step();
}

}  // namespace

int main(int argc, char** argv) {
  std::string program = argc > 1 ? argv[1] : "";
  if (program == "Server25") {
    Serve(25);
  } else if (program == "IdleServer") {
    IdleServer();
  } else if (program == "BusyServer") {
    BusyServer();
  } else if (program == "Trainer") {
    Trainer();
  } else if (program == "LeaveAtOnce") {
    LeaveAtOnce();
  } else if (program == "StaticProfiler") {
    StaticProfiler();
  } else {
    return 2;
  }
  return 0;
}
