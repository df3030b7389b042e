// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_use.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace stepscope::gpu {
namespace {

// Libraries of CUDA by the beginning of their names. Those of frameworks carry
// device code themselves.
constexpr const char* kCudaLibraries[] = {"libcuda.so", "libcudart.so",
                                          "libtorch_cuda", "libcublas",
                                          "xla_cuda_plugin"};

bool ReadAt(int file, uint64_t offset, void* to, size_t bytes) {
  return pread(file, to, bytes, static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(bytes);
}

// nvcc leaves device code in a section of its own; a program that is linked
// with the static runtime shows no other sign before its first call.
bool HasDeviceCode(int file) {
  constexpr char kSection[] = ".nv_fatbin";
  ElfW(Ehdr) head;
  if (!ReadAt(file, 0, &head, sizeof(head)) ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_shentsize != sizeof(ElfW(Shdr)) || head.e_shstrndx >= head.e_shnum)
    return false;
  const auto section_at = [&](uint64_t index) {
    return head.e_shoff + index * sizeof(ElfW(Shdr));
  };
  ElfW(Shdr) names;
  if (!ReadAt(file, section_at(head.e_shstrndx), &names, sizeof(names)))
    return false;
  for (uint64_t i = 0; i < head.e_shnum; ++i) {
    ElfW(Shdr) section;
    char name[sizeof(kSection)];
    if (!ReadAt(file, section_at(i), &section, sizeof(section))) return false;
    if (section.sh_name < names.sh_size &&
        ReadAt(file, names.sh_offset + section.sh_name, name, sizeof(name)) &&
        std::memcmp(name, kSection, sizeof(kSection)) == 0)
      return true;
  }
  return false;
}

bool HasDeviceCode(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool has = HasDeviceCode(file);
  close(file);
  return has;
}

struct Search {
  uint64_t loads = 0;  // how many libraries were ever loaded
  bool first = true;   // the program itself comes first
  bool found = false;
};

int Look(dl_phdr_info* info, size_t size, void* data) {
  auto* search = static_cast<Search*>(data);
  if (search->first && size >= offsetof(dl_phdr_info, dlpi_subs)) {
    if (info->dlpi_adds == search->loads) return 1;  // nothing is new
    search->loads = info->dlpi_adds;
  }
  const char* path = search->first ? "/proc/self/exe" : info->dlpi_name;
  search->first = false;
  if (path == nullptr || path[0] != '/') return 0;
  const char* name = std::strrchr(path, '/') + 1;
  for (const char* library : kCudaLibraries)
    search->found |= std::strncmp(name, library, std::strlen(library)) == 0;
  search->found = search->found || HasDeviceCode(path);
  return search->found ? 1 : 0;
}

}  // namespace

bool ProcessUsesCuda() {
  static uint64_t loads = 0;
  if (void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD)) {
    dlclose(driver);  // the reference, not the library
    return true;
  }
  Search search;
  search.loads = loads;
  dl_iterate_phdr(Look, &search);
  // What was found may be closed again: then it is looked for anew.
  loads = search.found ? 0 : search.loads;
  return search.found;
}

bool SystemShowsDriver() {
  // Of Linux itself, of Windows's subsystem, of boards that share memory.
  for (const char* path : {"/proc/driver/nvidia/version", "/dev/nvidiactl",
                           "/dev/dxg", "/dev/nvmap"})
    if (access(path, F_OK) == 0) return true;
  return false;
}

}  // namespace stepscope::gpu
