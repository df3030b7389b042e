// SPDX-License-Identifier: Apache-2.0
//
// Why a call failed, for stepscope_last_error(). Each thread of the program
// has a text of its own, in its ThreadState: no allocation, gone with the
// thread. The collector's own threads share another one, which a thread sees
// whose last call did not fail.
#pragma once

namespace stepscope::collector {

// printf-style; keeps at most 511 bytes. The shared text is set instead where
// the calling thread is the collector's, is in the middle of recording an
// event, or has been torn down.
__attribute__((format(printf, 1, 2))) void SetLastError(const char* format,
                                                        ...);

// Sets the text and returns `status`.
__attribute__((format(printf, 2, 3))) int Fail(int status, const char* format,
                                               ...);

// The calling thread's last call did not fail.
void ClearLastError();

const char* LastError();

// From now on the calling thread is one of the collector's.
void MarkBackgroundThread();

// What a thread of ours says meanwhile is for one caller, who is told, and not
// for all.
class SaidForOne {
 public:
  SaidForOne();
  ~SaidForOne();
  SaidForOne(const SaidForOne&) = delete;
  SaidForOne& operator=(const SaidForOne&) = delete;

 private:
  const char* before_;
};

}  // namespace stepscope::collector
