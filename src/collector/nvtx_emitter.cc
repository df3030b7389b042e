// SPDX-License-Identifier: Apache-2.0
#include "collector/nvtx_emitter.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "collector/names.h"

namespace stepscope::collector {

std::atomic<bool> nvtx_emitted{false};

namespace {

// NVTX's binary interface, of which a client hands a tool a table per module:
// an array, by callback id, of places for function pointers.
using Function = void (*)();
constexpr int kCoreModule = 1;
constexpr int kCore2Module = 5;
constexpr unsigned kIds = 16;
constexpr unsigned kMark = 2;
constexpr unsigned kPush = 9;
constexpr unsigned kPop = 11;
constexpr uint32_t kCallbacksTable = 1;

Function core_functions[kIds];
Function core2_functions[kIds];
Function* core_table[kIds];
Function* core2_table[kIds];

int GetModule(int module, Function*** table, unsigned* size) {
  if (module != kCoreModule && module != kCore2Module) return 0;
  for (unsigned i = 1; i < kIds; ++i) {
    core_table[i] = &core_functions[i];
    core2_table[i] = &core2_functions[i];
  }
  *table = module == kCoreModule ? core_table : core2_table;
  *size = kIds;
  return 1;
}

const void* GetTable(uint32_t id) {
  static const struct {
    size_t struct_size;
    int (*get_module)(int, Function***, unsigned*);
  } callbacks = {sizeof(callbacks), &GetModule};
  return id == kCallbacksTable ? &callbacks : nullptr;
}

// True if there is a tool that takes ranges.
bool LoadTool() {
  const char* path = secure_getenv("NVTX_INJECTION64_PATH");
  void* tool =
      path != nullptr && path[0] != '\0' ? dlopen(path, RTLD_LAZY) : nullptr;
  if (tool == nullptr ||
      dlsym(tool, "stepscope_injector_give_way_v1") != nullptr)
    return false;
  const auto start = reinterpret_cast<int (*)(const void* (*)(uint32_t))>(
      dlsym(tool, "InitializeInjectionNvtx2"));
  return start != nullptr && start(&GetTable) != 0 &&
         core_functions[kPush] != nullptr && core_functions[kPop] != nullptr;
}

// Names of the tool end in NUL; ours need not.
constexpr size_t kNameBytes = 512;

void CopyName(uint32_t site, char out[kNameBytes]) {
  const format::NameRecord* record = NameRecordOf(site);
  size_t length = record != nullptr ? record->length : 0;
  if (length >= kNameBytes) length = kNameBytes - 1;
  if (length > 0) std::memcpy(out, record + 1, length);
  out[length] = '\0';
}

// What this thread pushed. Deeper events are not shown.
struct Pushed {
  static constexpr uint32_t kDepth = 64;
  uint32_t size = 0;
  const void* slots[kDepth] = {};
};
thread_local constinit Pushed pushed;

}  // namespace

void SetEmitNvtx(bool on) {
  if (on) {
    static const bool loaded = LoadTool();
    on = loaded;
  }
  nvtx_emitted.store(on, std::memory_order_relaxed);
}

void EmitBegin(uint32_t site, const void* slot) {
  if (pushed.size == Pushed::kDepth) return;
  char name[kNameBytes];
  CopyName(site, name);
  reinterpret_cast<int (*)(const char*)>(core_functions[kPush])(name);
  pushed.slots[pushed.size++] = slot;
}

void EmitEnd(const void* slot) {
  uint32_t at = pushed.size;
  while (at > 0 && pushed.slots[at - 1] != slot) --at;
  if (at == 0) return;
  while (pushed.size >= at) {
    --pushed.size;
    reinterpret_cast<int (*)()>(core_functions[kPop])();
  }
}

void EmitMark(uint32_t site) {
  if (core_functions[kMark] == nullptr) return;
  char name[kNameBytes];
  CopyName(site, name);
  reinterpret_cast<void (*)(const char*)>(core_functions[kMark])(name);
}

}  // namespace stepscope::collector
