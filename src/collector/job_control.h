// SPDX-License-Identifier: Apache-2.0
//
// The recorder's side of a job's control files (format/job_control.h): says who
// this process is and how far it has come, reads what is asked of the job, and
// asks the other processes to save what they have. For one thread, the watch of
// the flight recorder; only Close() may be called by another.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace stepscope::collector {

enum class RequestKind : uint32_t { kSteps, kSeconds, kSave };

// What the job is asked for.
struct JobRequest {
  int number = 0;
  RequestKind kind = RequestKind::kSave;
  int64_t first = 0;  // kSteps: [first, last)
  int64_t last = 0;
  int64_t length_ns = 0;  // kSeconds
  char folder[256] = {};  // a name in the job's folder
  char reason[256] = {};
};

// What this process says of itself.
struct ProcessState {
  int64_t step = -1;    // that it is in; -1: none seen
  int64_t step_ns = 0;  // median; 0: not known
  const char* keeps = "";
  int request = 0;          // the last one read
  const char* answer = "";  // to it
  const char* detail = "";  // a file, or why not
};

class JobControl {
 public:
  // Enters the process into the job of `folder`. Requests that are there
  // already are not for it. False with the last error set.
  bool Open(const char* folder);
  void Close();
  void Abandon();  // in a forked child: only stores
  bool is_open() const { return open_; }

  // At once if `urgent`, else a few times a second.
  void Say(const ProcessState& state, bool urgent);
  // The next request; false: there is none yet.
  bool Next(JobRequest* request);
  // Asks all processes, this one included, to save. False: another process has
  // just asked for something; Next() will tell.
  bool AskToSave(const char* what, int64_t step, const char* reason);

 private:
  // What is there under a request's name. Only a regular file that we, root
  // or the folder's owner made is read.
  enum class Found : uint32_t { kNothing, kFile, kOther };
  Found Read(int number, char* out, size_t room) const;
  bool ReadNext(char* out, size_t room);
  void RequestPath(int number, char* out, size_t room) const;

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;  // the process's file
  bool open_ = false;
  int next_ = 1;
  int64_t torn_since_ns_ = 0;
  uid_t owner_ = 0;  // of folder_
  char folder_[3072] = {};
  char process_path_[3500] = {};
  char last_[4096] = {};  // what was said last
  int64_t said_ns_ = 0;
};

// Of this process: "rank3" if it has a rank, else its program's name.
void ProcessLabel(char* out, size_t room);

}  // namespace stepscope::collector
