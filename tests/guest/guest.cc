// SPDX-License-Identifier: Apache-2.0
//
// A guest: a program that records and misbehaves as its scenario says, and
// writes into its ledger what should be found afterwards.
//
// usage: guest_torture --folder DIR (--seed N | --scenario NAME) [--idle 1]
//        guest_torture --folder DIR --list-descriptors CODE
//        guest_torture --directed
// Idle guests start no session: what is found there is the guest's own fault.
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "guest/troubles.h"
#include "guest/user_files.h"

namespace stepscope::guest {
namespace {

// Never destroyed: other threads go on while the process exits.
Scenario& scenario = *new Scenario;
std::string& folder = *new std::string;

std::atomic<int> recorders_at_work{0};
std::atomic<bool> endless{false};
bool idle = false;
std::atomic<bool> conducted{false};

void RecorderEnds() { recorders_at_work.fetch_sub(1); }

// The threads of one place, one after the other.
struct Place {
  uint64_t seed = 0;
};

void* RecordOneLife(void* argument) {
  Rng rng(static_cast<Place*>(argument)->seed++);
  EnterThread("recorder");
  BecomeTarget();
  if (scenario.Has(kJumps)) JumpAbout(200, &rng);
  RecordEvents(scenario.events, scenario.styles, &rng);
  NoLongerTarget();
  return nullptr;
}

void* FillPlace(void* argument) {
  const size_t stack =
      scenario.Has(kSmallStacks)
          ? static_cast<size_t>(PTHREAD_STACK_MIN) +
                (size_t{16} << (scenario.Has(kStorm) ? 11 : 10))
          : 0;
  for (int life = 0; life < scenario.lives || endless.load(); ++life) {
    pthread_t thread;
    if (!StartThread(&thread, RecordOneLife, argument, stack)) break;
    pthread_join(thread, nullptr);
    if (life >= scenario.lives) usleep(1000);
  }
  RecorderEnds();
  return nullptr;
}

void* FillChunks(void*) {
  EnterThread("chunk ends");
  BecomeTarget();
  StayAtChunkEnds();
  NoLongerTarget();
  RecorderEnds();
  return nullptr;
}

void* RunDescriptors(void*) {
  Rng rng(scenario.seed + 1);
  UseDescriptors(scenario, &rng);
  return nullptr;
}
void* RunChildren(void*) {
  Rng rng(scenario.seed + 2);
  MakeChildren(scenario, folder, &rng);
  return nullptr;
}
void* RunStorm(void*) {
  SendSignals();
  return nullptr;
}
void* RunCancel(void*) {
  Rng rng(scenario.seed + 3);
  CancelThreads(scenario, &rng);
  return nullptr;
}
void* RunSessions(void*) {
  Rng rng(scenario.seed + 4);
  EnterThread("sessions");
  BecomeTarget();
  for (int number = 1; RecordersAtWork(); ++number) {
    usleep(static_cast<useconds_t>(rng() % 5000));
    stepscope_stop();
    if (rng() % 2 == 0) stepscope_wait(stepscope_session(), 60000);
    StartSession(scenario, number);
  }
  NoLongerTarget();
  return nullptr;
}

// Runs everything and waits for it.
void* Conduct(void*) {
  constexpr int kMost = 16;
  pthread_t threads[kMost];
  Place places[kMost];
  int count = 0;
  const auto start = [&](bool wanted, void* (*run)(void*), void* argument) {
    if (!wanted) return false;
    const bool made = StartThread(&threads[count], run, argument);
    count += made ? 1 : 0;
    return made;
  };
  const int records = scenario.recorders + (scenario.Has(kChunkEnds) ? 1 : 0);
  recorders_at_work.store(records);
  if (start(scenario.Has(kDescriptors), RunDescriptors, nullptr))
    AwaitDescriptorsInUse();
  for (int i = 0; i < scenario.recorders; ++i) {
    places[i].seed = scenario.seed * 1000 + static_cast<uint64_t>(i) * 100;
    if (!start(true, FillPlace, &places[i])) RecorderEnds();
  }
  if (scenario.Has(kChunkEnds) && !start(true, FillChunks, nullptr))
    RecorderEnds();
  start(scenario.Has(kStorm | kJumps), RunStorm, nullptr);
  start(scenario.Has(kForks | kForkedSessions), RunChildren, nullptr);
  start(scenario.Has(kCancel), RunCancel, nullptr);
  start(scenario.Has(kSessions), RunSessions, nullptr);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], nullptr);
  conducted.store(true);
  return nullptr;
}

// Until the recorders are well under way.
void AwaitProgress() {
  const uint64_t enough = scenario.events / 2;
  while (!conducted.load() && CompletedSoFar() < enough) usleep(1000);
}

int End(pthread_t conductor) {
  ProcessRow* process = ThisProcess();
  switch (scenario.ending) {
    case Ending::kThreadExit:
      pthread_exit(nullptr);
    case Ending::kRawExit:
      syscall(SYS_exit, scenario.code);
      break;
    case Ending::kExitRunning:
      AwaitProgress();
      process->floor = CompletedSoFar();
      Exit(scenario.code);
    case Ending::kQuickExit:
      AwaitProgress();
      _exit(scenario.code);
    case Ending::kKill:
      AwaitProgress();
      kill(getpid(), SIGKILL);
      break;
    case Ending::kExec:
      AwaitProgress();
      ExecuteLister(folder, scenario.code);
    case Ending::kHandlerExit:
    case Ending::kHandlerQuickExit:
      AwaitProgress();
      EndInSomeHandler(scenario);
    case Ending::kStop:
    case Ending::kReturn:
      break;
  }
  pthread_join(conductor, nullptr);
  if (scenario.Has(kCancelControl)) CancelControl();
  if (scenario.ending == Ending::kStop) StopSession();
  return scenario.code;
}

Bound BoundOf(const Scenario& s) {
  if (s.Has(kSessions)) return Bound::kAtMost;
  switch (s.ending) {
    case Ending::kExitRunning:
      return Bound::kAtLeastFloor;
    case Ending::kQuickExit:
    case Ending::kKill:
    case Ending::kExec:
    case Ending::kHandlerExit:
    case Ending::kHandlerQuickExit:
      return Bound::kAtLeastCompleted;
    default:
      return Bound::kExact;
  }
}

int RunGuest() {
  AddProcess(BoundOf(scenario));
  if (scenario.ending == Ending::kKill)
    ExpectSignal(SIGKILL);
  else
    ExpectExit(scenario.ending == Ending::kThreadExit ? 0 : scenario.code);
  endless.store(scenario.ending == Ending::kExitRunning ||
                scenario.ending == Ending::kQuickExit ||
                scenario.ending == Ending::kKill ||
                scenario.ending == Ending::kExec ||
                scenario.ending >= Ending::kHandlerExit);
  if (!ApplyLimits(scenario, folder)) Say("no filter of system calls here");
  InstallHandlers(scenario);
  if (scenario.Has(kStandardClosed))
    for (int fd = 0; fd < 3; ++fd) close(fd);
  StartSession(scenario, 0);
  if (scenario.Has(kStandardClosed)) CheckStandardClosed();
  EnterThread("main");
  pthread_t conductor;
  if (!StartThread(&conductor, Conduct, nullptr)) {
    ExpectExit(0);
    return 0;
  }
  return End(conductor);
}

}  // namespace

bool RecordersAtWork() { return recorders_at_work.load() > 0; }

bool StartThread(pthread_t* thread, void* (*run)(void*), void* argument,
                 size_t stack_bytes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_bytes != 0) pthread_attr_setstacksize(&attributes, stack_bytes);
  const int refused = pthread_create(thread, &attributes, run, argument);
  pthread_attr_destroy(&attributes);
  if (refused != 0) Say("a thread was refused: %s", strerror(refused));
  return refused == 0;
}

int StartSession(const Scenario& s, int number) {
  const std::string path = folder + "/captures/p" +
                           std::to_string(process_index) + "_" +
                           std::to_string(number) + ".sscap";
  stepscope_options options{};
  options.struct_size = sizeof(options);
  options.path = path.c_str();
  options.memory_budget = s.budget;
  options.max_file = s.max_file;
  if (idle) stepscope_set_last_error("an idle guest");
  const int status = idle ? int{STEPSCOPE_IO} : stepscope_start(&options);
  ProcessRow* process = ThisProcess();
  process->start_status = status;
  if (status != STEPSCOPE_OK)
    std::strncpy(process->error, stepscope_last_error(),
                 sizeof(process->error) - 1);
  return status;
}

void StopSession() {
  stepscope_stop();
  if (stepscope_session() == 0) return;  // none could be started
  const int waited = stepscope_wait(stepscope_session(), 120000);
  if (waited != STEPSCOPE_OK)
    Find("wait gave %d (%s)", waited, stepscope_last_error());
}

int Main(int argc, char** argv) {
  std::string list;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i], value = argv[i + 1];
    if (flag == "--folder") folder = value;
    if (flag == "--seed") scenario = MakeScenario(std::stoull(value));
    if (flag == "--scenario" && !FindScenario(value, &scenario)) return 2;
    if (flag == "--list-descriptors") list = value;
    if (flag == "--idle") idle = value == "1";
  }
  if (argc == 2 && std::strcmp(argv[1], "--directed") == 0) {
    for (int seed = 1; seed <= DirectedScenarios(); ++seed)
      std::printf("%s\n", MakeScenario(static_cast<uint64_t>(seed)).name);
    return 0;
  }
  if (folder.empty()) return 2;
  SetUserFolder(folder);
  if (!list.empty()) return ListDescriptors(folder, std::atoi(list.c_str()));
  mkdir((folder + "/captures").c_str(), 0755);
  if (!OpenLedger((folder + "/ledger").c_str())) return 2;
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  Say("%s", Describe(scenario).c_str());
  if (!NeedsFileSystems(scenario)) return RunGuest();
  const int status = RunInFileSystems(scenario, folder, RunGuest);
  if (status == -1) {
    Say("no file systems of its own here: %s", strerror(errno));
    return RunGuest();
  }
  if (WIFSIGNALED(status)) raise(WTERMSIG(status));
  return WEXITSTATUS(status);
}

}  // namespace stepscope::guest
