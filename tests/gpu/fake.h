// SPDX-License-Identifier: Apache-2.0
//
// Loads the fake driver and the fake libcupti under the names that the plugin
// looks for, and gives tests the fake's controls.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "fake_cupti/fake_cupti.h"

struct Fake {
#define FAKE_CONTROL(name) decltype(&::fake_cupti_##name) name = nullptr
  FAKE_CONTROL(reset);
  FAKE_CONTROL(fail);
  FAKE_CONTROL(set);
  FAKE_CONTROL(work);
  FAKE_CONTROL(call);
  FAKE_CONTROL(driver_call);
  FAKE_CONTROL(enter);
  FAKE_CONTROL(leave);
  FAKE_CONTROL(wait);
  FAKE_CONTROL(event);
  FAKE_CONTROL(memory);
  FAKE_CONTROL(overhead);
  FAKE_CONTROL(unknown_kind);
  FAKE_CONTROL(finish);
  FAKE_CONTROL(destroy_context);
  FAKE_CONTROL(node);
  FAKE_CONTROL(complete_twice);
  FAKE_CONTROL(sample);
  FAKE_CONTROL(metric);
  FAKE_CONTROL(run_over);
  FAKE_CONTROL(samplers);
  FAKE_CONTROL(count);
#undef FAKE_CONTROL

  static void* Open(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      std::abort();
    }
    return library;
  }

  // The one of this process, healthy. `path`: a libcupti that can do less; to
  // be said in the first call.
  static Fake& Get(const char* path = FAKE_CUPTI) {
    static Fake fake = [path] {
      Open(FAKE_DRIVER);
      void* library = Open(path);
      Fake found;
#define FAKE_CONTROL(name)                             \
  found.name = reinterpret_cast<decltype(found.name)>( \
      dlsym(library, "fake_cupti_" #name))
      FAKE_CONTROL(reset);
      FAKE_CONTROL(fail);
      FAKE_CONTROL(set);
      FAKE_CONTROL(work);
      FAKE_CONTROL(call);
      FAKE_CONTROL(driver_call);
      FAKE_CONTROL(enter);
      FAKE_CONTROL(leave);
      FAKE_CONTROL(wait);
      FAKE_CONTROL(event);
      FAKE_CONTROL(memory);
      FAKE_CONTROL(overhead);
      FAKE_CONTROL(unknown_kind);
      FAKE_CONTROL(finish);
      FAKE_CONTROL(destroy_context);
      FAKE_CONTROL(node);
      FAKE_CONTROL(complete_twice);
      FAKE_CONTROL(sample);
      FAKE_CONTROL(metric);
      FAKE_CONTROL(run_over);
      FAKE_CONTROL(samplers);
      FAKE_CONTROL(count);
#undef FAKE_CONTROL
      return found;
    }();
    return fake;
  }

  uint32_t Kernel(const char* name = "kernel") {
    FakeWork launch;
    launch.name = name;
    return work(&launch);
  }
};
