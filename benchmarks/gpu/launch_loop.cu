// SPDX-License-Identifier: Apache-2.0
//
// What recording adds to the launch of an empty kernel, and what it leaves
// behind. Built and run by tools/gpu_check.
//
// usage: launch_loop plain|bare|stepscope LIBRARY LAUNCHES ROUNDS
//        launch_loop residue|control LIBRARY LAUNCHES ROUNDS
//        launch_loop soak|exit LIBRARY LAUNCHES CAPTURE
//        launch_loop cycles LIBRARY LAUNCHES CAPTURE
//
// Prints one number a line: nanoseconds a launch. residue prints "before
// after" pairs, with one recorded session between the two (control: none); soak
// prints "launches seconds max-rss-KiB". exit ends the program while it
// records. cycles records ten captures, CAPTURE0 to CAPTURE9, while another
// thread launches all the time, and replays a graph in each. LIBRARY may be
// the one of bare CUPTI everywhere.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stepscope/c.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

__global__ void EmptyKernel() {}
__global__ void GraphKernel() {}
__global__ void OtherKernel() {}

namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

// Nanoseconds a launch; the device keeps up.
double Loop(long launches) {
  cudaDeviceSynchronize();
  const auto begin = Clock::now();
  for (long i = 0; i < launches; ++i) EmptyKernel<<<1, 32>>>();
  const double spent = Seconds(begin);
  cudaDeviceSynchronize();
  return spent * 1e9 / static_cast<double>(launches);
}

template <typename Function>
Function Find(void* library, const char* name) {
  auto* found = reinterpret_cast<Function>(dlsym(library, name));
  if (found == nullptr) {
    std::fprintf(stderr, "launch_loop: %s\n", dlerror());
    std::exit(1);
  }
  return found;
}

// What starts and stops the recording under test.
struct Recorder {
  void* library = nullptr;
  bool bare = false;
  bool none = false;

  void Start(const char* path) const {
    if (none) return;
    if (bare) {
      if (Find<int (*)()>(library, "bare_start")() != 0) std::exit(2);
      return;
    }
    stepscope_options options = {};
    options.struct_size = sizeof(options);
    options.path = path;
    if (Find<int (*)(const stepscope_options*)>(library, "stepscope_start")(
            &options) != STEPSCOPE_OK)
      std::exit(2);
  }
  void Stop() const {
    if (none) return;
    if (bare) {
      if (Find<unsigned long long (*)()>(library, "bare_stop")() == 0)
        std::exit(3);
      return;
    }
    Find<int (*)()>(library, "stepscope_stop")();
    const uint64_t session =
        Find<uint64_t (*)()>(library, "stepscope_session")();
    if (Find<int (*)(uint64_t, int)>(library, "stepscope_wait")(
            session, 60000) != STEPSCOPE_OK)
      std::exit(4);
  }
};

// A graph of three kernels, captured on a stream of its own.
cudaGraphExec_t MakeGraph(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < 3; ++i) GraphKernel<<<1, 32, 0, stream>>>();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  return exec;
}

int Cycles(const Recorder& recorder, long launches, const char* capture) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    while (!stop) {
      OtherKernel<<<1, 32, 0, stream>>>();
      cudaStreamSynchronize(stream);
    }
  });
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaGraphExec_t early = MakeGraph(stream);
  for (int i = 0; i < 10; ++i) {
    const std::string path = capture + std::to_string(i);
    unlink(path.c_str());
    recorder.Start(path.c_str());
    Loop(launches);
    cudaGraphLaunch(early, stream);
    cudaGraphExec_t late = MakeGraph(stream);
    cudaGraphLaunch(late, stream);
    cudaStreamSynchronize(stream);
    recorder.Stop();
    cudaGraphLaunch(late, stream);
    cudaStreamSynchronize(stream);
  }
  stop = true;
  other.join();
  return cudaGetLastError() == cudaSuccess ? 0 : 5;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const char* arm = argv[1];
  Recorder recorder;
  const bool control = std::strcmp(arm, "control") == 0;
  recorder.none = control || std::strcmp(arm, "plain") == 0;
  if (!recorder.none) {
    recorder.library = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL);
    if (recorder.library == nullptr) {
      std::fprintf(stderr, "launch_loop: %s\n", dlerror());
      return 1;
    }
    recorder.bare = dlsym(recorder.library, "bare_start") != nullptr;
  }
  const long launches = std::atol(argv[3]);
  Loop(20000);
  char path[64];
  std::snprintf(path, sizeof(path), "/tmp/launch_loop_%d.sscap", getpid());
  if (std::strcmp(arm, "cycles") == 0)
    return Cycles(recorder, launches, argv[4]);
  if (std::strcmp(arm, "exit") == 0) {
    unlink(argv[4]);
    recorder.Start(argv[4]);
    Loop(launches);
    return 0;
  }
  if (std::strcmp(arm, "soak") == 0) {
    unlink(argv[4]);
    recorder.Start(argv[4]);
    const auto begin = Clock::now();
    Loop(launches);
    const double spent = Seconds(begin);
    recorder.Stop();
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%ld %.1f %ld\n", launches, spent, usage.ru_maxrss);
    return 0;
  }
  const int rounds = std::atoi(argv[4]);
  if (control || std::strcmp(arm, "residue") == 0) {
    std::vector<double> before;
    for (int i = 0; i < rounds; ++i) before.push_back(Loop(launches));
    unlink(path);
    recorder.Start(path);
    Loop(10 * launches);
    recorder.Stop();
    unlink(path);
    for (const double ns : before) std::printf("%.1f %.1f\n", ns,
                                               Loop(launches));
    return 0;
  }
  unlink(path);
  recorder.Start(path);
  Loop(20000);
  for (int i = 0; i < rounds; ++i) std::printf("%.1f\n", Loop(launches));
  recorder.Stop();
  unlink(path);
  return 0;
}
