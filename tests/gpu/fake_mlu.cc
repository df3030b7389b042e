// SPDX-License-Identifier: Apache-2.0
//
// A plugin for a device that does not exist: two kernels and a copy on each of
// two MLUs, written through <stepscope/plugin.h> alone.
#include <link.h>
#include <stepscope/plugin.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr uint32_t kDevices = 2;
bool written = false;  // since it attached

uint32_t Name(const stepscope_plugin_host* host, const char* name,
              uint32_t type) {
  return host->intern(host->context, name, std::strlen(name), type);
}

int Query(const stepscope_plugin_host*) { return STEPSCOPE_OK; }

// FAKE_MLU_UNUSED: how many times the devices are found out of use.
bool Unused() {
  static int left = [] {
    const char* text = std::getenv("FAKE_MLU_UNUSED");
    return text != nullptr ? std::atoi(text) : 0;
  }();
  return left > 0 && left-- > 0;
}

int Linger(dl_phdr_info*, size_t, void* ms) {
  usleep(static_cast<useconds_t>(*static_cast<int*>(ms)) * 1000);
  return 1;
}

// FAKE_MLU_LOADING_MS: how long the loader's lock is held, as by a plugin that
// looks for its libraries.
void HoldTheLoader() {
  const char* text = std::getenv("FAKE_MLU_LOADING_MS");
  int ms = text != nullptr ? std::atoi(text) : 0;
  if (ms > 0) dl_iterate_phdr(Linger, &ms);
}

// FAKE_MLU_FORKS: attaching runs a program, as a driver does that makes its
// device files.
void RunAProgram() {
  if (std::getenv("FAKE_MLU_FORKS") == nullptr) return;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
}

int Attach(const stepscope_plugin_host* host) {
  HoldTheLoader();
  RunAProgram();
  if (Unused()) return STEPSCOPE_NOT_RUNNING;
  written = false;
  host->report_capability(host->context, STEPSCOPE_DEVICE_RECORDING,
                          "two imaginary devices");
  return STEPSCOPE_OK;
}

// Lays records one behind the other.
class Block {
 public:
  explicit Block(void* bytes) : next_(static_cast<uint8_t*>(bytes)) {}
  template <typename Record>
  void Add(Record record, uint16_t kind, uint32_t name) {
    record.head = {kind, sizeof(record), name};
    std::memcpy(next_ + used_, &record, sizeof(record));
    used_ += sizeof(record);
    ++records_;
  }
  size_t used() const { return used_; }
  uint32_t records() const { return records_; }

 private:
  uint8_t* next_;
  size_t used_ = 0;
  uint32_t records_ = 0;
};

void Write(const stepscope_plugin_host* host) {
  const uint64_t now = host->now_ticks(host->context);
  void* bytes = host->reserve_block(host->context, 4096);
  if (bytes == nullptr) return;
  Block block(bytes);
  uint64_t correlation = 0;
  for (uint32_t device = 0; device < kDevices; ++device) {
    stepscope_record_device described = {};
    described.device = device;
    block.Add(described, STEPSCOPE_RECORD_DEVICE,
              Name(host, "Imaginary", STEPSCOPE_USER_DEFINED));
    for (uint64_t i = 0; i < 3; ++i) {
      stepscope_record_call call = {};
      call.start = now + 10000 * (3 * device + i) + 100;
      call.end = call.start + 1000;
      call.correlation = ++correlation;
      call.thread = static_cast<uint32_t>(getpid());
      block.Add(call, STEPSCOPE_RECORD_CALL,
                Name(host, "mluLaunch", STEPSCOPE_CUDA_RUNTIME));
      stepscope_record_work work = {};
      work.start = call.start + 2000;
      work.end = work.start + 4000;
      work.correlation = correlation;
      work.device = device;
      work.stream = 3;
      work.amount = i == 2 ? 64 : 0;
      block.Add(work, STEPSCOPE_RECORD_WORK,
                i < 2 ? Name(host, "mlu_matmul", STEPSCOPE_KERNEL)
                      : Name(host, "Memcpy HtoD", STEPSCOPE_MEMCPY));
    }
  }
  host->commit_block(host->context, bytes, block.used(), block.records());
  written = true;
}

// FAKE_MLU_AWAITS: a file; the devices work once it is there.
bool IsAwaited() {
  const char* path = std::getenv("FAKE_MLU_AWAITS");
  return path == nullptr || access(path, F_OK) == 0;
}

int Poll(const stepscope_plugin_host* host, uint32_t) {
  uint64_t begin = 0;
  uint64_t end = 0;
  host->window(host->context, &begin, &end);
  if (begin != 0 && !written && IsAwaited()) Write(host);
  return STEPSCOPE_OK;
}

int Detach(const stepscope_plugin_host*, uint32_t) { return STEPSCOPE_OK; }

// FAKE_MLU_HELD: a file; as long as it is there work is not taken in or left
// out, and whoever waits in here has made that file with ".in" behind it.
int SetRecording(const stepscope_plugin_host*, uint32_t) {
  const char* held = std::getenv("FAKE_MLU_HELD");
  if (held == nullptr) return STEPSCOPE_OK;
  char inside[4096];
  std::snprintf(inside, sizeof(inside), "%s.in", held);
  if (std::FILE* file = std::fopen(inside, "w")) std::fclose(file);
  while (access(held, F_OK) == 0) usleep(1000);
  return STEPSCOPE_OK;
}

stepscope_plugin plugin = {sizeof(stepscope_plugin),
                           STEPSCOPE_PLUGIN_ABI,
                           "fake_mlu",
                           "MLU",
                           Query,
                           Attach,
                           Poll,
                           Detach,
                           SetRecording};

}  // namespace

extern "C" const stepscope_plugin* stepscope_plugin_v1(void) noexcept {
  // FAKE_MLU_OLD: of the first version of the interface.
  if (std::getenv("FAKE_MLU_OLD") != nullptr)
    plugin.struct_size = offsetof(stepscope_plugin, set_recording);
  return &plugin;
}
