// SPDX-License-Identifier: Apache-2.0
#include "guest/user_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "guest/ledger.h"

namespace stepscope::guest {
namespace {

// Never destroyed: other threads go on while the process exits.
std::string& user_folder = *new std::string;

std::string PathOf(int file) { return user_folder + std::to_string(file); }

}  // namespace

void SetUserFolder(const std::string& folder) {
  user_folder = folder + "/user/";
  mkdir(user_folder.c_str(), 0755);
}

const std::string& UserFolder() { return user_folder; }

int CreateUserFile(int flags, int* fd) {
  const uint32_t file = __atomic_fetch_add(&ledger->files, 1, __ATOMIC_RELAXED);
  if (file >= kFiles) return -1;
  *fd = open(PathOf(static_cast<int>(file)).c_str(),
             O_CREAT | O_EXCL | O_RDWR | flags, 0644);
  return *fd < 0 ? -1 : static_cast<int>(file);
}

void WriteUserFile(int file, int fd, uint64_t bytes) {
  FileRow& row = ledger->file[file];
  char line[64];
  const auto length = static_cast<uint64_t>(
      std::snprintf(line, sizeof(line), "file %d is the user's own\n", file));
  std::string text;
  for (uint64_t i = 0; i < bytes; ++i)
    text += line[(Read(&row.written) + i) % length];
  __atomic_store_n(&row.writing, row.written + bytes, __ATOMIC_RELAXED);
  const ssize_t done = write(fd, text.data(), text.size());
  if (done != static_cast<ssize_t>(bytes))
    Find("user file %d: a write of %llu bytes to descriptor %d gave %zd (%s)",
         file, static_cast<unsigned long long>(bytes), fd, done,
         strerror(errno));
  if (done > 0) Add(&row.written, static_cast<uint64_t>(done));
}

void CheckDescriptor(int file, int fd) {
  struct stat by_descriptor, by_path;
  if (fstat(fd, &by_descriptor) != 0) {
    Find("user file %d: its descriptor %d was closed", file, fd);
    return;
  }
  if (stat(PathOf(file).c_str(), &by_path) != 0) return;
  if (by_descriptor.st_ino != by_path.st_ino ||
      by_descriptor.st_dev != by_path.st_dev)
    Find("user file %d: its descriptor %d leads to another file", file, fd);
}

}  // namespace stepscope::guest
