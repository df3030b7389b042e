// SPDX-License-Identifier: Apache-2.0
//
// NameCache: the host's ids of names that come again and again. Device thread
// only. Kernel names are looked up by CUPTI's pointer and verified by content,
// since the library may use the memory of an unloaded module again.
#pragma once

#include <stepscope/plugin.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/cupti_api.h"

namespace stepscope::gpu {

class NameCache {
 public:
  void Start(const stepscope_plugin_host* host, const CuptiApi* api);

  uint32_t Of(const char* name, uint32_t type);
  uint32_t Kernel(const char* name);
  // "Memcpy HtoD (Pageable -> Device)" and the like.
  uint32_t Copy(uint8_t kind, uint8_t from, uint8_t to);
  uint32_t Set(uint16_t memory);
  // A call of the runtime or driver API, without the version of its symbol.
  uint32_t Call(CUpti_CallbackDomain domain, uint32_t cbid);
  uint32_t Wait(uint32_t type);
  uint32_t Overhead(uint32_t kind);
  uint32_t Place(uint32_t memory_kind, uint32_t device);
  uint32_t Graph(uint32_t id);

 private:
  struct Entry {
    const char* pointer = nullptr;
    uint32_t id = 0;
    std::string text;
  };
  static constexpr uint32_t kEntries = 4096;  // direct-mapped
  static constexpr uint32_t kCalls = 2048;

  const stepscope_plugin_host* host_ = nullptr;
  const CuptiApi* api_ = nullptr;
  std::vector<Entry> kernels_;
  std::vector<uint32_t> calls_[2];
  uint32_t copies_[16][8][8] = {};
  uint32_t sets_[8] = {};
  uint32_t waits_[8] = {};
};

// `name` without "_v7000", "_ptsz" and "_ptds" at its end.
std::string BareCallName(const char* name);

}  // namespace stepscope::gpu
