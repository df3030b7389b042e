// SPDX-License-Identifier: Apache-2.0
//
// A thread that is cancelled inside the profiler would unwind through functions
// that do not throw, which ends the process. It is cancelled afterwards.
#pragma once

#include <pthread.h>

namespace stepscope::profiler {

class CancelOff {
 public:
  CancelOff() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancelOff() { pthread_setcancelstate(before_, nullptr); }
  CancelOff(const CancelOff&) = delete;
  CancelOff& operator=(const CancelOff&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace stepscope::profiler
