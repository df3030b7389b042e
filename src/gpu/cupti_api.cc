// SPDX-License-Identifier: Apache-2.0
#include "gpu/cupti_api.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "gpu/library.h"

namespace stepscope::gpu {
namespace {

const char* Remedy(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "; another profiler is attached to this process: end it, or "
             "record without it";
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "; set NVreg_RestrictProfilingToAdminUsers=0 for the nvidia "
             "kernel module, or give the process CAP_SYS_ADMIN";
    case CUPTI_ERROR_NOT_INITIALIZED:
      return "; the library is a stub or does not fit the driver: put the one "
             "of the CUDA in use into STEPSCOPE_CUPTI_PATH";
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "; another tool (DCGM, say) holds the hardware: pause it";
    case CUPTI_ERROR_OUT_OF_MEMORY:
      return "; the device or the host is short of memory";
    default:
      return "";
  }
}

}  // namespace

void CuptiApi::Explain(const char* function, CUptiResult result, char* text,
                       size_t size) const {
  const char* name = nullptr;
  if (cuptiGetResultString == nullptr ||
      cuptiGetResultString(result, &name) != CUPTI_SUCCESS || name == nullptr)
    name = "unknown error";
  std::snprintf(text, size, "%s: %s (%d)%s", function, name,
                static_cast<int>(result), Remedy(result));
}

bool LoadCupti(CuptiApi* api, char* why, size_t size) {
  void* library = OpenCupti(why, size);
  if (library == nullptr) return false;
  api->library = library;
#define STEPSCOPE_CUPTI_FIND(name) \
  api->name = reinterpret_cast<decltype(api->name)>(dlsym(library, #name));
  STEPSCOPE_CUPTI_REQUIRED(STEPSCOPE_CUPTI_FIND)
  STEPSCOPE_CUPTI_OPTIONAL(STEPSCOPE_CUPTI_FIND)
#undef STEPSCOPE_CUPTI_FIND
  Dl_info info = {};
  if (api->cuptiGetVersion != nullptr &&
      dladdr(reinterpret_cast<void*>(api->cuptiGetVersion), &info) != 0 &&
      info.dli_fname != nullptr)
    std::snprintf(api->path, sizeof(api->path), "%s", info.dli_fname);
#define STEPSCOPE_CUPTI_CHECK(name)                                      \
  if (api->name == nullptr) {                                            \
    std::snprintf(why, size, "%s: has no %s; not a whole libcupti",      \
                  api->path[0] != '\0' ? api->path : "libcupti", #name); \
    return false;                                                        \
  }
  STEPSCOPE_CUPTI_REQUIRED(STEPSCOPE_CUPTI_CHECK)
#undef STEPSCOPE_CUPTI_CHECK
  const CUptiResult result = api->cuptiGetVersion(&api->version);
  if (result != CUPTI_SUCCESS) {
    api->Explain("cuptiGetVersion", result, why, size);
    return false;
  }
  const char* any = secure_getenv("STEPSCOPE_CUPTI_ANY_VERSION");
  if (any != nullptr && std::strcmp(any, "1") == 0) return true;
  if (api->version < kOldestVersion || api->version >= kUnknownVersion) {
    std::snprintf(why, size,
                  "%s: CUPTI API version %u; 12 and 13 are known (%u to %u). "
                  "STEPSCOPE_CUPTI_PATH chooses another library",
                  api->path, api->version, kOldestVersion, kUnknownVersion - 1);
    return false;
  }
  return true;
}

}  // namespace stepscope::gpu
