// SPDX-License-Identifier: Apache-2.0
//
// The part of NVTX's interface between its header-only client, version 3, and
// a tool that we need, written from its documentation. Binary: never change.
//
// The client loads the library that NVTX_INJECTION64_PATH names and calls its
// InitializeInjectionNvtx2 with a function that hands out tables. A module's
// table is an array, by callback id, of the addresses of function pointers; a
// tool stores its own functions there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::inject::nvtx {

enum MessageType : int32_t {
  kMessageNone = 0,
  kMessageAscii = 1,  // UTF-8 in practice
  kMessageWide = 2,
  kMessageRegistered = 3,
};

enum PayloadType : int32_t {
  kPayloadNone = 0,
  kPayloadU64 = 1,
  kPayloadI64 = 2,
  kPayloadF64 = 3,
  kPayloadU32 = 4,
  kPayloadI32 = 5,
  kPayloadF32 = 6,
};

struct EventAttributes {
  uint16_t version;
  uint16_t size;
  uint32_t category;  // 0: none
  int32_t color_type;
  uint32_t color;
  int32_t payload_type;
  int32_t reserved;
  union {
    uint64_t u64;
    int64_t i64;
    double f64;
    uint32_t u32;
    int32_t i32;
    float f32;
  } payload;
  int32_t message_type;
  union {
    const char* ascii;
    const wchar_t* wide;
    const void* registered;
  } message;
};
static_assert(sizeof(EventAttributes) == 48);
static_assert(offsetof(EventAttributes, payload) == 24);
static_assert(offsetof(EventAttributes, message) == 40);

using Function = void (*)();

enum Module : int32_t { kModuleCore = 1, kModuleCore2 = 5 };

enum CoreId : unsigned {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
  kNameCategoryA,
  kNameCategoryW,
  kNameOsThreadA,
  kNameOsThreadW,
};

enum Core2Id : unsigned {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainNameCategoryA = 8,
  kDomainNameCategoryW,
  kDomainRegisterStringA,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
  kDomainDestroy,
};

inline constexpr uint32_t kCallbacksTable = 1;

struct CallbacksTable {
  size_t struct_size;
  int (*get_module)(Module module, Function*** table, unsigned* size);
};

using GetExportTable = const void* (*)(uint32_t id);

}  // namespace stepscope::inject::nvtx
