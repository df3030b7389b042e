// SPDX-License-Identifier: Apache-2.0
//
// Records in every way under a filter: one that kills the process at a call
// which docs/guide/system_calls.md does not name, or one that refuses a call.
// Prints "recorded", or why not.
//
// usage: guest_seccomp FOLDER only-named [CALL]       without this one
//        guest_seccomp FOLDER refuse CALL ERRNO      e.g. fallocate 1
//        guest_seccomp --list
#include <pthread.h>
#include <stepscope/stepscope.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "guest/seccomp.h"

namespace stepscope::guest {
namespace {

struct Call {
  const char* name;
  long number;
};
#define CALL(name) \
  { #name, SYS_##name }
constexpr Call kRecorder[] = {
#include "guest/recorder_calls.inc"
};
// What this program does beside, on its own and by the C library.
constexpr Call kProgram[] = {CALL(exit_group), CALL(munmap), CALL(mprotect),
                             CALL(brk),        CALL(futex),  CALL(newfstatat),
                             CALL(fstat)};
#undef CALL

void* RecordOnThread(void*) {
  for (int i = 0; i < 50000; ++i) {
    STEPSCOPE_EVENT("work", EventType::kOperator);
  }
  return nullptr;
}

// All kinds of records, on two threads, with new names throughout.
void RecordEverything() {
  pthread_t thread;
  const bool beside =
      pthread_create(&thread, nullptr, RecordOnThread, nullptr) == 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string name = "name " + std::to_string(i);
    RecordEvent event(name.c_str());
    event.Arg("i", int64_t{i});
    RecordCounter("counter", i);
    stepscope_memory(STEPSCOPE_ALLOCATE, 1, 64, "Place(cpu)", 64, 64);
    stepscope_instant("instant", STEPSCOPE_USER_DEFINED);
    stepscope_flow("flow", 1, 0);
  }
  stepscope_set_thread_name("main");
  stepscope_set_metadata("key", "value");
  if (beside) pthread_join(thread, nullptr);
}

int RecordSession(const std::string& path) {
  stepscope_options options{};
  options.struct_size = sizeof(options);
  options.path = path.c_str();
  int status = stepscope_start(&options);
  if (status != STEPSCOPE_OK) return status;
  const uint64_t began = stepscope_tick();
  RecordEverything();
  stepscope_keep_window(began, 1u << 20);
  status = stepscope_save_window((path + ".window.sscap").c_str(), began,
                                 "test", 60000);
  if (status != STEPSCOPE_OK) return status;
  stepscope_stats stats{};
  stats.struct_size = sizeof(stats);
  stepscope_get_stats(&stats);
  status = stepscope_stop();
  return status == STEPSCOPE_OK ? stepscope_wait(stepscope_session(), 60000)
                                : status;
}

int RecordFlight(const std::string& folder) {
  stepscope_flight_options options{};
  options.struct_size = sizeof(options);
  options.folder = folder.c_str();
  int status = stepscope_flight_start(&options);
  if (status != STEPSCOPE_OK) return status;
  for (int64_t step = 0; step < 30; ++step) {
    stepscope_flight_step(step);
    RecordEvent event("step");
  }
  stepscope_flight_save("test");
  status = stepscope_flight_stop();
  return status == STEPSCOPE_OK ? stepscope_wait(stepscope_session(), 60000)
                                : status;
}

int RecordAll(const std::string& folder) {
  int status = RecordSession(folder + "/first.sscap");
  if (status == STEPSCOPE_OK) status = RecordFlight(folder + "/flight");
  if (status == STEPSCOPE_OK) status = RecordSession(folder + "/last.sscap");
  return status;
}

bool SetFilter(int argc, char** argv) {
  const std::string call = argc > 3 ? argv[3] : "";
  if (std::strcmp(argv[2], "refuse") == 0) {
    for (const Call& known : kRecorder)
      if (call == known.name)
        return RefuseCall(known.number, std::atoi(argv[4]));
    return false;
  }
  std::vector<long> allowed;
  for (const Call& known : kRecorder)
    if (call != known.name) allowed.push_back(known.number);
  for (const Call& known : kProgram) allowed.push_back(known.number);
  return AllowOnly(allowed);
}

int Main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const Call& call : kRecorder) std::puts(call.name);
    return 0;
  }
  if (argc < 3) return 2;
  if (!SetFilter(argc, argv)) return 77;
  const int status = RecordAll(argv[1]);
  std::puts(status == STEPSCOPE_OK ? "recorded" : stepscope_last_error());
  return 0;
}

}  // namespace
}  // namespace stepscope::guest

int main(int argc, char** argv) { return stepscope::guest::Main(argc, argv); }
