// SPDX-License-Identifier: Apache-2.0
#include "gpu/library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace stepscope::gpu {
namespace {

constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12"};

// Folders of loaded libraries that come with a CUDA of their own.
struct Folders {
  static constexpr int kMax = 8;
  char path[kMax][1024];
  int count = 0;
};

int CollectFolder(dl_phdr_info* info, size_t, void* data) {
  auto* folders = static_cast<Folders*>(data);
  const char* path = info->dlpi_name;
  const char* slash = path != nullptr ? std::strrchr(path, '/') : nullptr;
  if (slash == nullptr || folders->count == Folders::kMax) return 0;
  constexpr const char* kLibraries[] = {"libcudart.so", "libtorch_cuda",
                                        "libcublas.so", "xla_cuda_plugin"};
  for (const char* library : kLibraries) {
    if (std::strncmp(slash + 1, library, std::strlen(library)) != 0) continue;
    std::snprintf(folders->path[folders->count++], sizeof(folders->path[0]),
                  "%.*s", static_cast<int>(slash - path), path);
    break;
  }
  return 0;
}

void* Open(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }

// <folder><suffix>/libcupti.so.N, whichever N is there.
void* OpenIn(const char* folder, const char* suffix) {
  for (const char* name : kNames) {
    char path[2048];
    std::snprintf(path, sizeof(path), "%s%s/%s", folder, suffix, name);
    if (void* library = Open(path)) return library;
  }
  return nullptr;
}

void* OpenBesideCuda() {
  Folders folders;
  dl_iterate_phdr(CollectFolder, &folders);
  // Where packages put it, seen from the library that is loaded.
  constexpr const char* kPlaces[] = {
      "",
      "/../../cuda_cupti/lib",         // from nvidia/cuda_runtime/lib
      "/../../nvidia/cu13/lib",        // from torch/lib
      "/../../nvidia/cuda_cupti/lib",  // likewise, CUDA 12
      "/../nvidia/cu13/lib",           // from a plugin of jax
      "/../extras/CUPTI/lib64"};       // from a toolkit's lib64
  for (int i = 0; i < folders.count; ++i)
    for (const char* place : kPlaces)
      if (void* library = OpenIn(folders.path[i], place)) return library;
  return nullptr;
}

void* OpenInToolkit(const char* root) {
  if (root == nullptr || root[0] == '\0') return nullptr;
  for (const char* place : {"/extras/CUPTI/lib64", "/lib64", "/lib"})
    if (void* library = OpenIn(root, place)) return library;
  return nullptr;
}

}  // namespace

bool HasDriver(char* why, size_t size) {
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) != nullptr) return true;
  if (Open("libcuda.so.1") != nullptr) return true;
  std::snprintf(why, size, "no NVIDIA driver (libcuda.so.1 cannot be loaded)");
  return false;
}

void* OpenCupti(char* why, size_t size) {
  const char* chosen = secure_getenv("STEPSCOPE_CUPTI_PATH");
  if (chosen != nullptr && chosen[0] != '\0') {
    void* library = Open(chosen);
    const char* error = library == nullptr ? dlerror() : nullptr;
    if (library == nullptr)
      std::snprintf(why, size, "STEPSCOPE_CUPTI_PATH: %.400s",
                    error != nullptr ? error : chosen);
    return library;
  }
  for (const char* name : kNames)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  if (void* library = OpenBesideCuda()) return library;
  if (void* library = OpenInToolkit(secure_getenv("CUDA_HOME"))) return library;
  if (void* library = OpenInToolkit(secure_getenv("CUDA_PATH"))) return library;
  for (const char* name : kNames)
    if (void* library = Open(name)) return library;
  if (void* library = OpenInToolkit("/usr/local/cuda")) return library;
  std::snprintf(why, size,
                "libcupti.so.13 and .12 are not beside the CUDA libraries in "
                "use, in CUDA_HOME, or known to the loader; put its path into "
                "STEPSCOPE_CUPTI_PATH");
  return nullptr;
}

}  // namespace stepscope::gpu
