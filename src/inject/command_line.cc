// SPDX-License-Identifier: Apache-2.0
#include "inject/command_line.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

namespace stepscope::inject {

void ReadCommandLine(char* out, size_t size) {
  out[0] = '\0';
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t n = read(fd, out, size - 1);
  close(fd);
  if (n <= 0) return;
  ssize_t length = n;
  while (length > 0 && out[length - 1] == '\0') --length;
  for (ssize_t i = 0; i < length; ++i)
    if (out[i] == '\0') out[i] = ' ';
  out[length] = '\0';
}

}  // namespace stepscope::inject
