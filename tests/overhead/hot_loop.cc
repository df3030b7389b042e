// SPDX-License-Identifier: Apache-2.0
//
// Runs one function that records n events, for instruction_count_test.py.
#include <stepscope/stepscope.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" {

__attribute__((noinline)) void stepscope_hot_loop(int n) {
  for (int i = 0; i < n; ++i) {
    STEPSCOPE_EVENT("hot", stepscope::EventType::kOperator);
  }
}

__attribute__((noinline)) void stepscope_literal_loop(int n) {
  for (int i = 0; i < n; ++i)
    stepscope::RecordEvent event("literal", stepscope::EventType::kOperator);
}

__attribute__((noinline)) void stepscope_off_loop(int n) {
  for (int i = 0; i < n; ++i) {
    STEPSCOPE_EVENT("off", stepscope::EventType::kOperator);
  }
}

}  // extern "C"

int main(int argc, char** argv) {
  const int n = argc > 2 ? std::atoi(argv[2]) : 2000;
  const std::string path = argc > 1 ? argv[1] : "hot_loop.sscap";
  stepscope_off_loop(n);
  stepscope_options options{};
  options.struct_size = sizeof(options);
  options.path = path.c_str();
  options.memory_budget = 4 << 20;
  if (stepscope_start(&options) != STEPSCOPE_OK) {
    std::fprintf(stderr, "%s\n", stepscope_last_error());
    return 1;
  }
  stepscope_hot_loop(10);  // attach and register first
  stepscope_literal_loop(10);
  stepscope_hot_loop(n);
  stepscope_literal_loop(n);
  stepscope_stop();
  stepscope_wait(stepscope_session(), 60000);
  unlink(path.c_str());
  return 0;
}
