// SPDX-License-Identifier: Apache-2.0
#include "gpu/counter_api.h"

#include <dlfcn.h>

namespace stepscope::gpu {

bool CounterApi::Load(const CuptiApi& api) {
  cupti = &api;
#define STEPSCOPE_CUPTI_FIND(name)                                    \
  name = reinterpret_cast<decltype(name)>(dlsym(api.library, #name)); \
  if (name == nullptr) return false;
  STEPSCOPE_CUPTI_SAMPLING(STEPSCOPE_CUPTI_FIND)
#undef STEPSCOPE_CUPTI_FIND
  return true;
}

}  // namespace stepscope::gpu
