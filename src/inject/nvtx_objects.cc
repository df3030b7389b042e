// SPDX-License-Identifier: Apache-2.0
#include "inject/nvtx_objects.h"

#include <pthread.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "collector/sync.h"
#include "torch/range_kind.h"

namespace stepscope::inject::nvtx {

constinit Domain default_domain;

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

class Lock : public collector::MutexLock {
 public:
  Lock() : MutexLock(&mutex) {}
};

struct ThreadName {
  uint32_t tid;
  char name[64];
};
constexpr int kThreadNames = 256;  // later ones replace the oldest
ThreadName thread_names[kThreadNames];
std::atomic<uint32_t> thread_names_given{0};
thread_local uint32_t thread_names_taken = 0;

uint32_t ThisThread() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

// Heads every object. They last for ever, since a range may outlive its domain;
// the list is for who looks for leaks.
struct alignas(std::max_align_t) Made {
  Made* before;
};
std::atomic<Made*> last_made{nullptr};

template <typename T>
T* Make() {
  void* memory = std::malloc(sizeof(Made) + sizeof(T));
  if (memory == nullptr) return nullptr;
  auto* made = new (memory) Made{last_made.load(std::memory_order_relaxed)};
  while (!last_made.compare_exchange_weak(made->before, made,
                                          std::memory_order_release)) {
  }
  return new (made + 1) T();
}

// A byte sequence for one code point; returns its length.
size_t Encode(uint32_t code, char out[4]) {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
  if (code < 0x80) {
    out[0] = static_cast<char>(code);
    return 1;
  }
  const size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = length - 1; i > 0; --i) {
    out[i] = static_cast<char>(0x80 | (code & 0x3f));
    code >>= 6;
  }
  const uint32_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
  out[0] = static_cast<char>(marks[length] | code);
  return length;
}

}  // namespace

const char* Domain::CategoryName(uint32_t id) const {
  for (const Category* c = categories.load(std::memory_order_acquire);
       c != nullptr; c = c->next)
    if (c->id == id) return c->name;
  return nullptr;
}

Domain* MakeDomain(const char* name) {
  auto* domain = Make<Domain>();
  if (domain == nullptr) return nullptr;
  domain->name = name != nullptr ? strdup(name) : "";
  if (domain->name == nullptr) domain->name = "";
  domain->is_nccl = strcasecmp(domain->name, "nccl") == 0;
  return domain;
}

RegisteredString* RegisterString(const Domain& domain, const char* text) {
  auto* string = Make<RegisteredString>();
  if (string == nullptr) return nullptr;
  string->text = text != nullptr ? strdup(text) : "(null)";
  if (string->text == nullptr) string->text = "(no memory)";
  string->length = std::strlen(string->text);
  string->site = {string->text, EventType(domain, string->text), 0};
  return string;
}

void NameCategory(Domain& domain, uint32_t id, const char* name) {
  auto* category = Make<Category>();
  if (category == nullptr || name == nullptr) return;
  category->id = id;
  category->name = strdup(name);
  const Lock lock;
  category->next = domain.categories.load(std::memory_order_relaxed);
  if (category->name != nullptr)
    domain.categories.store(category, std::memory_order_release);
}

void NameThread(uint32_t tid, const char* name) {
  if (name == nullptr) return;
  if (tid == ThisThread()) {
    stepscope_set_thread_name(name);
    return;
  }
  const Lock lock;
  const uint32_t given = thread_names_given.load(std::memory_order_relaxed);
  ThreadName& entry = thread_names[given % kThreadNames];
  entry.tid = tid;
  std::snprintf(entry.name, sizeof(entry.name), "%.63s", name);
  thread_names_given.store(given + 1, std::memory_order_release);
}

void TakeThreadName() {
  const uint32_t given = thread_names_given.load(std::memory_order_acquire);
  if (given == thread_names_taken) return;
  const uint32_t self = ThisThread();
  char name[64] = {};
  {
    const Lock lock;
    for (const ThreadName& entry : thread_names)
      if (entry.tid == self) std::memcpy(name, entry.name, sizeof(name));
  }
  thread_names_taken = given;
  if (name[0] != '\0') stepscope_set_thread_name(name);
}

void Narrow(const wchar_t* text, char* out, size_t size) {
  size_t used = 0;
  for (; text != nullptr && *text != 0; ++text) {
    char bytes[4];
    const size_t length = Encode(static_cast<uint32_t>(*text), bytes);
    if (used + length >= size) break;
    std::memcpy(out + used, bytes, length);
    used += length;
  }
  out[used] = '\0';
}

uint32_t EventType(const Domain& domain, const char* name) {
  if (KindOf(name) == RangeKind::kStep) return STEPSCOPE_PROFILE_STEP;
  return domain.is_nccl ? STEPSCOPE_COMMUNICATION : STEPSCOPE_USER_DEFINED;
}

void ResetObjectsInForkedChild() { mutex = PTHREAD_MUTEX_INITIALIZER; }

}  // namespace stepscope::inject::nvtx
