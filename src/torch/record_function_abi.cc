// SPDX-License-Identifier: Apache-2.0
#include "torch/record_function_abi.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

namespace stepscope::torch_abi {
namespace {

struct Path {
  char text[4096] = {};
};

int Look(dl_phdr_info* info, size_t, void* data) {
  const char* name = info->dlpi_name;
  const char* base = name != nullptr ? std::strrchr(name, '/') : nullptr;
  if (base == nullptr || std::strncmp(base, "/libtorch_cpu.so", 16) != 0)
    return 0;
  Path* path = static_cast<Path*>(data);
  std::snprintf(path->text, sizeof(path->text), "%s", name);
  return 1;
}

}  // namespace

void* FindLoadedTorch() {
  Path path;
  dl_iterate_phdr(&Look, &path);
  if (path.text[0] == '\0') return nullptr;
  return dlopen(path.text, RTLD_NOLOAD | RTLD_LAZY);
}

bool FindFunctions(void* torch, Functions* functions) {
  return Find(torch, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE",
              &functions->add_global_callback) &&
         Find(torch, "_ZN2at14removeCallbackEm", &functions->remove_callback) &&
         Find(torch, "_ZNK2at14RecordFunction4nameEv", &functions->name) &&
         Find(torch, "_ZNK2at14RecordFunction10num_inputsEv",
              &functions->num_inputs);
}

}  // namespace stepscope::torch_abi
