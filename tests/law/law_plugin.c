/* SPDX-License-Identifier: Apache-2.0
 *
 * Not a plugin: it leaves a mark where it is loaded. */
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) static void LeaveMark(void) {
  close(open("loaded", O_CREAT | O_WRONLY, 0666));
}
