/* SPDX-License-Identifier: Apache-2.0
 *
 * The client side of NVTX as far as the tests need it: what the header-only
 * library does at its first call, written from its documentation, so that the
 * tests need no NVIDIA package. Where nvtx3/nvToolsExt.h is found the same
 * tests run through that as well.
 */
#pragma once

#ifdef TEST_WITH_NVTX_HEADERS
#include <nvtx3/nvToolsExt.h>
#else

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define NVTX_VERSION 3
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomain* nvtxDomainHandle_t;
typedef struct nvtxString* nvtxStringHandle_t;
enum {
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3
};
typedef struct nvtxEventAttributes {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union {
    int64_t llValue;
    double dValue;
  } payload;
  int32_t messageType;
  union {
    const char* ascii;
    const wchar_t* unicode;
    nvtxStringHandle_t registered;
  } message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef void (*nvtx_function)(void);
static nvtx_function nvtx_core_functions[16];
static nvtx_function nvtx_core2_functions[16];

static int nvtx_get_module(int module, nvtx_function*** table, unsigned* size) {
  static nvtx_function* core[16];
  static nvtx_function* core2[16];
  for (int i = 0; i < 16; ++i) {
    core[i] = i > 0 ? &nvtx_core_functions[i] : NULL;
    core2[i] = i > 0 ? &nvtx_core2_functions[i] : NULL;
  }
  if (module != 1 && module != 5) return 0;
  *table = module == 1 ? core : core2;
  *size = 16;
  return 1;
}

static const void* nvtx_get_table(uint32_t id) {
  static const struct {
    size_t struct_size;
    int (*get_module)(int, nvtx_function***, unsigned*);
  } callbacks = {sizeof(callbacks), &nvtx_get_module};
  return id == 1 ? &callbacks : NULL;
}

static nvtx_function nvtx_find(int module, int id) {
  static int tried = 0;
  if (!tried) {
    tried = 1;
    const char* path = getenv("NVTX_INJECTION64_PATH");
    void* tool = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
    int (*start)(const void* (*)(uint32_t)) = NULL;
    if (tool != NULL) *(void**)&start = dlsym(tool, "InitializeInjectionNvtx2");
    if (start != NULL) start(&nvtx_get_table);
  }
  return module == 1 ? nvtx_core_functions[id] : nvtx_core2_functions[id];
}

#define NVTX_CALL(module, id, none, type, ...)    \
  nvtx_function function = nvtx_find(module, id); \
  return function != NULL ? ((type)function)(__VA_ARGS__) : (none)

static inline void nvtxMarkA(const char* text) {
  nvtx_function function = nvtx_find(1, 2);
  if (function != NULL) ((void (*)(const char*))function)(text);
}
static inline nvtxRangeId_t nvtxRangeStartA(const char* text) {
  NVTX_CALL(1, 5, 0, nvtxRangeId_t(*)(const char*), text);
}
static inline nvtxRangeId_t nvtxRangeStartW(const wchar_t* text) {
  NVTX_CALL(1, 6, 0, nvtxRangeId_t(*)(const wchar_t*), text);
}
static inline void nvtxRangeEnd(nvtxRangeId_t id) {
  nvtx_function function = nvtx_find(1, 7);
  if (function != NULL) ((void (*)(nvtxRangeId_t))function)(id);
}
static inline int nvtxRangePushEx(const nvtxEventAttributes_t* attributes) {
  NVTX_CALL(1, 8, -2, int (*)(const nvtxEventAttributes_t*), attributes);
}
static inline int nvtxRangePushA(const char* text) {
  NVTX_CALL(1, 9, -2, int (*)(const char*), text);
}
static inline int nvtxRangePop(void) {
  nvtx_function function = nvtx_find(1, 11);
  return function != NULL ? ((int (*)(void))function)() : -2;
}
static inline void nvtxNameCategoryA(uint32_t category, const char* name) {
  nvtx_function function = nvtx_find(1, 12);
  if (function != NULL)
    ((void (*)(uint32_t, const char*))function)(category, name);
}
static inline void nvtxNameOsThreadA(uint32_t thread, const char* name) {
  nvtx_function function = nvtx_find(1, 14);
  if (function != NULL)
    ((void (*)(uint32_t, const char*))function)(thread, name);
}
static inline int nvtxDomainRangePushEx(
    nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  NVTX_CALL(5, 4, -2, int (*)(nvtxDomainHandle_t, const nvtxEventAttributes_t*),
            domain, attributes);
}
static inline int nvtxDomainRangePop(nvtxDomainHandle_t domain) {
  NVTX_CALL(5, 5, -2, int (*)(nvtxDomainHandle_t), domain);
}
static inline nvtxStringHandle_t nvtxDomainRegisterStringA(
    nvtxDomainHandle_t domain, const char* text) {
  NVTX_CALL(5, 10, NULL, nvtxStringHandle_t(*)(nvtxDomainHandle_t, const char*),
            domain, text);
}
static inline nvtxDomainHandle_t nvtxDomainCreateA(const char* name) {
  NVTX_CALL(5, 12, NULL, nvtxDomainHandle_t(*)(const char*), name);
}

#endif
