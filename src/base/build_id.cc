// SPDX-License-Identifier: Apache-2.0
#include "base/build_id.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <span>

#include "base/text.h"

namespace stepscope {
namespace {

// The description of the build-id note among `notes`; empty: none.
std::span<const uint8_t> FindNote(std::span<const uint8_t> notes,
                                  size_t align) {
  const auto padded = [align](size_t n) {
    return (n + align - 1) & ~(align - 1);
  };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const size_t name = sizeof note;
    const size_t text = name + padded(note.n_namesz);
    const size_t end = text + note.n_descsz;
    if (end > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes.data() + name, "GNU", 4) == 0)
      return notes.subspan(text, note.n_descsz);
    if (padded(end) >= notes.size()) break;
    notes = notes.subspan(padded(end));
  }
  return {};
}

std::string FromFile(const char* path) {
  struct stat status = {};
  if (stat(*path == '\0' ? "/proc/self/exe" : path, &status) != 0) return {};
  return Format("%llx-%llx-%llx-%llx.%lx",
                static_cast<unsigned long long>(status.st_dev),
                static_cast<unsigned long long>(status.st_ino),
                static_cast<unsigned long long>(status.st_size),
                static_cast<unsigned long long>(status.st_mtim.tv_sec),
                status.st_mtim.tv_nsec);
}

int Look(dl_phdr_info* info, size_t, void* result) {
  const auto here = reinterpret_cast<uintptr_t>(&Look);
  bool mine = false;
  std::span<const uint8_t> id;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && here >= begin && here - begin < part.p_memsz)
      mine = true;
    if (part.p_type == PT_NOTE && id.empty()) {
      id = FindNote({reinterpret_cast<const uint8_t*>(begin), part.p_memsz},
                    part.p_align == 8 ? 8 : 4);
    }
  }
  if (!mine) return 0;
  auto& text = *static_cast<std::string*>(result);
  for (const uint8_t byte : id) text += Format("%02x", byte);
  if (text.empty()) text = FromFile(info->dlpi_name);
  return 1;
}

}  // namespace

const std::string& BuildId() {
  static const std::string id = [] {
    std::string text;
    dl_iterate_phdr(Look, &text);
    return text;
  }();
  return id;
}

}  // namespace stepscope
