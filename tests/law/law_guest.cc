// SPDX-License-Identifier: Apache-2.0
//
// A program that does what programs do with their own process while they are
// recorded. law_test.py runs it, one behaviour a time, and looks at what it
// left: its files, its output, how it ended, and the capture.
//
// usage: law_guest BEHAVIOUR     (records into guest.sscap)
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stepscope/stepscope.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <clocale>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr auto kUser = stepscope::EventType::kUserDefined;

stepscope_options Options(const char* path) {
  stepscope_options options = {};
  options.struct_size = sizeof(options);
  options.path = path;
  return options;
}

void Start(uint64_t max_file = 0) {
  stepscope_options options = Options("guest.sscap");
  options.max_file = max_file;
  if (stepscope_start(&options) == STEPSCOPE_OK) return;
  std::fprintf(stderr, "%s\n", stepscope_last_error());
  std::exit(1);
}

void Stop() {
  stepscope_stop();
  if (stepscope_wait(stepscope_session(), 60000) != STEPSCOPE_OK) {
    std::fprintf(stderr, "%s\n", stepscope_last_error());
    std::exit(1);
  }
}

void Record(int count) {
  for (int i = 0; i < count; ++i) {
    STEPSCOPE_EVENT("event", kUser);
  }
}

uint64_t Dropped() {
  stepscope_stats stats = {};
  stats.struct_size = sizeof(stats);
  stepscope_get_stats(&stats);
  uint64_t dropped = 0;
  for (const uint64_t n : stats.dropped) dropped += n;
  return dropped;
}

// What the test compares with the capture.
int Report(uint64_t attempted) {
  std::printf("attempted %llu dropped %llu\n",
              static_cast<unsigned long long>(attempted),
              static_cast<unsigned long long>(Dropped()));
  return 0;
}

void CloseAll() {
  for (int fd = 3; fd < 70000; ++fd) close(fd);
}

std::vector<int> OpenFiles(const char* prefix) {
  std::vector<int> files;
  for (int i = 0; i < 8; ++i) {
    const std::string name = std::string(prefix) + std::to_string(i);
    files.push_back(open(name.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0644));
    dprintf(files.back(), "first line of %d\n", i);
  }
  return files;
}

void WriteMore(const std::vector<int>& files) {
  for (size_t i = 0; i < files.size(); ++i)
    dprintf(files[i], "last line of %zu\n", i);
}

// Closes all that it inherited, as daemons do, and opens its own.
int CloseDescriptors() {
  Start();
  Record(100000);
  CloseAll();
  const std::vector<int> files = OpenFiles("mine_");
  Record(300000);
  Stop();
  WriteMore(files);
  return Report(400000);
}

// The same where the system does not let a thread have descriptors of its own.
int CloseSharedDescriptors() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 436, 1, 0),  // close_range
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 77;
  return CloseDescriptors();
}

// A child closes what it inherited, opens its own files and records.
int ForkAndClose() {
  Start();
  Record(1000);
  const pid_t child = fork();
  if (child == 0) {
    CloseAll();
    const std::vector<int> files = OpenFiles("mine_");
    const stepscope_options options = Options("child.sscap");
    const int status = stepscope_start(&options);
    Record(1000);
    Stop();
    WriteMore(files);
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Stop();
  Report(1000);
  return WEXITSTATUS(status);
}

// Prints the descriptors that a program started now has, and this one's.
int ListDescriptors() {
  Start();
  Record(1000);
  std::fflush(stdout);
  const int status = std::system("ls /proc/self/fd | tr '\\n' ' '");
  for (int fd = 3; fd < 1024; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) std::printf("own %d", fd);
  std::printf("\n");
  Stop();
  return status;
}

std::atomic<int> handled{0};
int per_signal = 0;
void RecordInHandler(int) {
  for (int i = 0; i < per_signal; ++i) {
    STEPSCOPE_EVENT("in the handler", kUser);
  }
  handled += per_signal;
}

// A handler records while its thread is inside the collector, and the thread's
// chunk is used up. Another thread has the next chunk.
int OverrunInHandler() {
  per_signal = 3000;
  signal(SIGUSR1, RecordInHandler);
  Start();
  std::atomic<int> other{0};
  std::atomic<bool> stop{false};
  Record(1);
  std::thread second([&] {
    for (; other < 2000; ++other) Record(1);
    while (!stop) usleep(1000);
  });
  while (other < 2000) usleep(100);
  const auto* hot = &stepscope_thread_local_v1;
  int mine = 1;
  for (; hot->cur < hot->end; ++mine) Record(1);
  // A name of this length takes the collector longer than a signal takes.
  const std::string name(size_t{1} << 30, 'n');
  const pthread_t self = pthread_self();
  std::atomic<bool> inside{false};
  std::thread sender([&] {
    while (!inside) usleep(10);
    usleep(5000);
    pthread_kill(self, SIGUSR1);
  });
  inside = true;
  stepscope_end(stepscope_begin(name.c_str(), STEPSCOPE_USER_DEFINED));
  sender.join();
  while (handled == 0) usleep(1000);
  stop = true;
  second.join();
  Stop();
  return Report(static_cast<uint64_t>(mine + other + handled) + 1);
}

// Signals come faster than they are handled: for a while the thread itself gets
// no instruction done, wherever it was.
int StormOfSignals() {
  per_signal = 1;
  struct sigaction action = {};
  action.sa_handler = RecordInHandler;
  sigaction(SIGUSR1, &action, nullptr);
  Start();
  std::atomic<bool> stop{false};
  std::atomic<int> recorded{0};
  std::thread target([&] {
    while (!stop) {
      Record(1);
      ++recorded;
    }
  });
  const pthread_t id = target.native_handle();
  for (int i = 0; i < 400000; ++i) pthread_kill(id, SIGUSR1);
  stop = true;
  target.join();
  Stop();
  return Report(static_cast<uint64_t>(recorded + handled));
}

sigjmp_buf back;
void JumpBack(int) { siglongjmp(back, 1); }

// A handler jumps out of the collector; the thread goes on recording.
int JumpOut() {
  signal(SIGUSR1, JumpBack);
  Start();
  const std::string name(size_t{1} << 30, 'n');
  const pthread_t self = pthread_self();
  std::thread sender([&] {
    usleep(20000);
    pthread_kill(self, SIGUSR1);
  });
  if (sigsetjmp(back, 1) == 0)
    stepscope_end(stepscope_begin(name.c_str(), STEPSCOPE_USER_DEFINED));
  sender.join();
  const uint64_t before = Dropped();
  Record(10000);  // more than one chunk
  const uint64_t after = Dropped();
  Stop();
  std::printf("lost after the jump: %llu\n",
              static_cast<unsigned long long>(after - before));
  return 0;
}

void* EndsLast(void*) {
  Record(100);
  usleep(200000);
  std::printf("the last thread ends");  // in the buffer of standard output
  return nullptr;
}

void SayBye() { std::printf(", and exit handlers run"); }

// main() ends before its threads do.
[[noreturn]] void EndMain() {
  Start();
  Record(100);
  std::atexit(SayBye);
  pthread_t thread;
  pthread_create(&thread, nullptr, EndsLast, nullptr);
  pthread_detach(thread);
  pthread_exit(nullptr);
}

// main() leaves by the system call, and nothing else is left.
[[noreturn]] void LeaveMain() {
  Start();
  Record(100);
  std::atexit(SayBye);
  for (;;) syscall(SYS_exit, 5);
}

// Threads that are cancelled at the next opportunity, each in another function.
int CancelThreads() {
  Start();
  using Body = void* (*)(void*);
  const Body bodies[] = {[](void*) -> void* {
                           pthread_cancel(pthread_self());
                           char name[4001];
                           for (int i = 0; i < 500; ++i) {
                             std::memset(name, 'x', sizeof(name) - 1);
                             name[std::snprintf(name, 20, "%d", i)] = '_';
                             name[sizeof(name) - 1] = '\0';
                             stepscope::RecordEvent event(name);
                           }
                           return nullptr;
                         },
                         [](void*) -> void* {
                           pthread_cancel(pthread_self());
                           Record(1000000);
                           return nullptr;
                         },
                         [](void*) -> void* {
                           pthread_cancel(pthread_self());
                           Stop();
                           const stepscope_options options =
                               Options("second.sscap");
                           stepscope_start(&options);
                           Record(1000);
                           Stop();
                           return nullptr;
                         },
                         [](void*) -> void* {
                           pthread_cancel(pthread_self());
                           stepscope_profiler* profiler = nullptr;
                           stepscope_profiler_create(nullptr, &profiler);
                           stepscope_profiler_start(profiler);
                           for (int i = 0; i < 5; ++i)
                             stepscope_profiler_step(profiler, 1);
                           stepscope_profiler_stop(profiler);
                           stepscope_profiler_destroy(profiler);
                           return nullptr;
                         }};
  for (const Body body : bodies) {
    pthread_t thread;
    pthread_create(&thread, nullptr, body, nullptr);
    pthread_join(thread, nullptr);
  }
  std::printf("done\n");
  return 0;
}

// Threads end while the file may not grow any more.
int LoseAtTheLimit() {
  Start(1 << 20);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([] { Record(300000); });
  for (std::thread& thread : threads) thread.join();
  Stop();
  return Report(8 * 300000);
}

// Far below the budget of 64 MiB, right after the start.
int Burst() {
  for (int round = 0; round < 20; ++round) {
    unlink("guest.sscap");
    Start();
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) threads.emplace_back([] { Record(20000); });
    for (std::thread& thread : threads) thread.join();
    Stop();
    if (Dropped() != 0) break;
  }
  return Report(16 * 20000);
}

void ExitInHandler(int) { std::exit(7); }

// exit() in a handler, while sessions start and stop.
int ExitAnywhere(const char* microseconds) {
  signal(SIGALRM, ExitInHandler);
  const useconds_t after = static_cast<useconds_t>(std::atoi(microseconds));
  ualarm(after, 0);
  for (;;) {
    unlink("guest.sscap");
    Start();
    Record(1);
    Stop();
  }
}

// A child of the bare system call, while another thread holds the locks.
int RawClone() {
  Start();
  std::atomic<bool> stop{false};
  std::thread asker([&] {
    while (!stop) {
      Dropped();
      stepscope_set_metadata("key", "value");
    }
  });
  int bad = 0;
  for (int i = 0; i < 50; ++i) {
    const auto child = static_cast<pid_t>(
        syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (child == 0) {
      const std::string path = "child_" + std::to_string(i) + ".sscap";
      const stepscope_options options = Options(path.c_str());
      if (stepscope_start(&options) != STEPSCOPE_OK) _exit(1);
      { stepscope::RecordEvent event(path); }
      stepscope_stop();
      _exit(stepscope_wait(stepscope_session(), 60000));
    }
    int status = 0;
    waitpid(child, &status, 0);
    bad += status != 0 ? 1 : 0;
  }
  stop = true;
  asker.join();
  Stop();
  std::printf("bad %d\n", bad);
  return 0;
}

std::string Surroundings() {
  std::string all = std::setlocale(LC_ALL, nullptr);
  char folder[4096];
  all += getcwd(folder, sizeof(folder));
  const mode_t mask = umask(022);
  umask(mask);
  all += std::to_string(mask);
  for (char** variable = environ; *variable != nullptr; ++variable)
    all += *variable;
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action = {};
    all += sigismember(&blocked, number) == 1 ? 'b' : '-';
    if (sigaction(number, nullptr, &action) == 0)
      all.append(reinterpret_cast<const char*>(&action.sa_handler),
                 sizeof(action.sa_handler));
  }
  int state = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  return all + std::to_string(state);
}

// Nothing around the program is changed by recording it.
int KeepSurroundings() {
  signal(SIGUSR1, RecordInHandler);
  const std::string before = Surroundings();
  Start();
  Record(1000);
  const std::string during = Surroundings();
  Stop();
  const std::string after = Surroundings();
  std::printf("%s\n", before == during && before == after ? "same" : "other");
  return 0;
}

int Behave(const std::string& what, const char* argument) {
  if (what == "close") return CloseDescriptors();
  if (what == "close_shared") return CloseSharedDescriptors();
  if (what == "fork_close") return ForkAndClose();
  if (what == "list") return ListDescriptors();
  if (what == "overrun") return OverrunInHandler();
  if (what == "storm") return StormOfSignals();
  if (what == "jump") return JumpOut();
  if (what == "end_main") EndMain();
  if (what == "leave_main") LeaveMain();
  if (what == "cancel") return CancelThreads();
  if (what == "limit") return LoseAtTheLimit();
  if (what == "burst") return Burst();
  if (what == "exit") return ExitAnywhere(argument);
  if (what == "raw_clone") return RawClone();
  if (what == "surroundings") return KeepSurroundings();
  if (what == "record") {
    if (getauxval(AT_SECURE) != 0) std::printf("with raised privileges\n");
    Start();
    Record(1000);
    Stop();
    return Report(1000);
  }
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  return argc < 2 ? 2 : Behave(argv[1], argc > 2 ? argv[2] : "");
}
