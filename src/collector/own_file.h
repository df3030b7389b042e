// SPDX-License-Identifier: Apache-2.0
//
// A file that stays open in somebody else's process. The program may close any
// descriptor, or all, and open its own files under the same numbers. So our
// files are opened and used by threads that have left the program's table of
// descriptors (LeaveDescriptors). Where the system refuses that, the file gets
// a high number, and is compared with what was opened before each use.
#pragma once

#include <sys/types.h>

namespace stepscope::collector {

// Gives the calling thread an empty table of descriptors of its own. Threads
// that it starts share that table. False: refused; the thread then shares the
// program's, as before.
bool LeaveDescriptors();

class OwnFile {
 public:
  // As open(2), always O_CLOEXEC and O_NOFOLLOW, and never 0, 1 or 2. False
  // with errno set.
  bool Open(const char* path, int flags, mode_t mode);
  // The descriptor, for one use at once; -1 with errno EBADF if the program
  // has closed it or put another file in its place.
  int Use() const;
  void Close();
  // In a forked child, which has a copy only of what the program's table held.
  void ForgetAfterFork();
  bool is_open() const { return above_ > 0; }
  // Takes over what `other` has open.
  void TakeFrom(OwnFile* other);

 private:
  void Forget() { above_ = 0; }

  // The descriptor plus 1. All zero bytes are no file, so that the collector's
  // state needs no room in the program's file, only in its memory, and what
  // lies around it there stays close together.
  int above_ = 0;
  bool shared_ = false;  // in the program's table
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace stepscope::collector
