// SPDX-License-Identifier: Apache-2.0
//
// A program that does not know stepscope and loads a module that does, with
// RTLD_LOCAL, as Python does.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  void* const module =
      argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  void* const found = module != nullptr ? dlsym(module, "Profile") : nullptr;
  if (found == nullptr) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  reinterpret_cast<void (*)()>(found)();
  return 0;
}
