// SPDX-License-Identifier: Apache-2.0
//
// A file descriptor, or none (-1). None is all zero bytes, so that the
// collector's state needs no room in the program's file, only in its memory,
// and what lies around it there stays close together.
#pragma once

namespace stepscope::collector {

class Descriptor {
 public:
  constexpr Descriptor() = default;
  Descriptor& operator=(int fd) {
    above_ = fd + 1;
    return *this;
  }
  operator int() const { return above_ - 1; }

 private:
  int above_ = 0;
};

}  // namespace stepscope::collector
