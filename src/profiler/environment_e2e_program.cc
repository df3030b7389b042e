// SPDX-License-Identifier: Apache-2.0
//
// The programs that environment_e2e_test.cc runs, by name.
#include <stepscope/stepscope.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
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

std::string ReadAll(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool Has(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

void Pause() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

// How long a period takes to arrive is the machine's affair: both servers wait
// for it, and the test's own limit ends one that waits in vain.

void IdleServer() {
  Serve(3);
  while (!Has(ReadAll("server.json"), "traceEvents")) Pause();
}

// Keeps, as seen.json, a later period than the first that holds a whole step.
// One may hold none: a stall can be longer than a period.
void BusyServer() {
  for (;;) {
    Serve(1);
    Pause();
    std::string json = ReadAll("server.json");
    if (Has(json, "\"span_indx\"") && !Has(json, "\"span_indx\": \"0\"") &&
        Has(json, "\"name\":\"request\"") && Has(json, "ProfileStep#0")) {
      std::ofstream("seen.json", std::ios::binary) << json;
      return;
    }
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
