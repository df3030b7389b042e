// SPDX-License-Identifier: Apache-2.0
#include "collector/process_info.h"

#include <fcntl.h>
#include <stepscope/c.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "collector/clock.h"
#include "collector/sync.h"

namespace stepscope::collector {
namespace {

struct Pair {
  char key[64];
  char value[256];
};
constexpr int kMaxPairs = 64;
Pair pairs[kMaxPairs];  // guarded by pairs_lock
int pair_count = 0;
BoundedLock pairs_lock;

size_t ReadSmallFile(const char* path, char* out, size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = read(fd, out, size - 1);
  close(fd);
  const size_t length = n > 0 ? static_cast<size_t>(n) : 0;
  out[length] = '\0';
  return length;
}

// Appends {u32 key bytes, u32 value bytes, key, value} while there is room.
class PairWriter {
 public:
  PairWriter(uint8_t* out, size_t room) : out_(out), room_(room) {}
  void Add(const char* key, const char* value) {
    if (value == nullptr || value[0] == '\0') return;
    const auto key_bytes = static_cast<uint32_t>(std::strlen(key));
    const auto value_bytes = static_cast<uint32_t>(std::strlen(value));
    if (8 + key_bytes + value_bytes > room_ - used_) return;
    Put(&key_bytes, 4);
    Put(&value_bytes, 4);
    Put(key, key_bytes);
    Put(value, value_bytes);
  }
  void AddNumber(const char* key, long long value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%lld", value);
    Add(key, text);
  }
  size_t used() const { return used_; }

 private:
  void Put(const void* data, size_t n) {
    std::memcpy(out_ + used_, data, n);
    used_ += n;
  }
  uint8_t* out_;
  size_t room_;
  size_t used_ = 0;
};

const char* FirstOf(std::initializer_list<const char*> variables) {
  for (const char* variable : variables) {
    const char* value = secure_getenv(variable);
    if (value != nullptr && value[0] != '\0') return value;
  }
  return nullptr;
}

}  // namespace

long long ProcessStart() {
  char stat[1024];
  if (ReadSmallFile("/proc/self/stat", stat, sizeof(stat)) == 0) return 0;
  const char* p = std::strrchr(stat, ')');  // the name may hold anything
  for (int field = 2; p != nullptr && field < 22; ++field)
    p = std::strchr(p + 1, ' ');
  return p != nullptr ? std::atoll(p + 1) : 0;
}

const char* RankText() {
  return FirstOf({"STEPSCOPE_RANK", "RANK", "PADDLE_TRAINER_ID",
                  "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"});
}

void SetMetadata(const char* key, const char* value) {
  const SignalsHeld held;
  if (key == nullptr || value == nullptr || !pairs_lock.Lock()) return;
  int at = 0;
  while (at < pair_count && std::strncmp(pairs[at].key, key, 63) != 0) ++at;
  if (at < kMaxPairs) {
    std::snprintf(pairs[at].key, sizeof(pairs[at].key), "%s", key);
    std::snprintf(pairs[at].value, sizeof(pairs[at].value), "%s", value);
    if (at == pair_count) ++pair_count;
  }
  pairs_lock.Unlock();
}

void ResetMetadataAfterFork() { pairs_lock.ResetAfterFork(); }

size_t DescribeProcess(const char* live_path, uint8_t* out, size_t room) {
  PairWriter writer(out, room);
  writer.Add("stepscope", stepscope_version());
  writer.Add("live_path", live_path);
  utsname system;
  if (uname(&system) == 0) {
    writer.Add("host", system.nodename);
    writer.Add("kernel", system.release);
    writer.Add("machine", system.machine);
  }
  char text[4096];
  if (ReadSmallFile("/proc/sys/kernel/random/boot_id", text, 40) >= 36) {
    text[36] = '\0';
    writer.Add("boot_id", text);
  }
  writer.AddNumber("pid", getpid());
  writer.AddNumber("pid_start", ProcessStart());
  const ssize_t n = readlink("/proc/self/exe", text, sizeof(text) - 1);
  if (n > 0) {
    text[n] = '\0';
    writer.Add("exe", text);
  }
  writer.AddNumber("cpus", sysconf(_SC_NPROCESSORS_ONLN));
  writer.Add("rank", RankText());
  writer.Add("local_rank", FirstOf({"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
                                    "SLURM_LOCALID"}));
  writer.Add("world_size", FirstOf({"WORLD_SIZE", "PADDLE_TRAINERS_NUM",
                                    "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"}));
  writer.Add("job", FirstOf({"STEPSCOPE_JOB", "SLURM_JOB_ID"}));
  if (pairs_lock.Lock()) {
    for (int i = 0; i < pair_count; ++i)
      writer.Add(pairs[i].key, pairs[i].value);
    pairs_lock.Unlock();
  }
  return writer.used();
}

format::UsageSample TakeUsage() {
  format::UsageSample sample{};
  sample.tick = Now();
  rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    sample.process_user_ns = int64_t{usage.ru_utime.tv_sec} * 1000000000 +
                             usage.ru_utime.tv_usec * 1000;
    sample.process_system_ns = int64_t{usage.ru_stime.tv_sec} * 1000000000 +
                               usage.ru_stime.tv_usec * 1000;
  }
  char text[512];
  long long v[8] = {};  // user nice system idle iowait irq softirq steal
  if (ReadSmallFile("/proc/stat", text, sizeof(text)) > 0 &&
      std::sscanf(text, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &v[0],
                  &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) == 8) {
    const long long tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
    sample.machine_busy_ns =
        (v[0] + v[1] + v[2] + v[5] + v[6] + v[7]) * tick_ns;
    sample.machine_idle_ns = (v[3] + v[4]) * tick_ns;
  }
  return sample;
}

}  // namespace stepscope::collector
