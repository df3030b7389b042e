// SPDX-License-Identifier: Apache-2.0
//
// How the processes of a running job and `stepscope trigger` talk: small text
// files in DIR/control, of lines "key value". docs/formats/job_control.md has
// the keys.
//
//   <host>_<pid>.process  written by the process about twice a second: who it
//                         is, its step, what became of the last request
//   request_000001 ...    made once, by whoever gets there first; every process
//                         reads them in turn
//
// The last line is "end": without it a file is still being written.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace stepscope::format {

inline constexpr char kControlFolder[] = "control";
inline constexpr char kProcessSuffix[] = ".process";
inline constexpr char kRequestFormat[] = "request_%06d";
inline constexpr char kProcessTitle[] = "stepscope process 1\n";
inline constexpr char kRequestTitle[] = "stepscope request 1\n";
inline constexpr size_t kControlBytes = 4096;  // of one file, at most

// The value of the line that begins with `key`, "" if there is none.
inline void ControlText(const char* file, const char* key, char* out,
                        size_t room) {
  const size_t length = std::strlen(key);
  out[0] = '\0';
  for (const char* line = file; line != nullptr && *line != '\0';) {
    const char* const stop = std::strchr(line, '\n');
    if (stop == nullptr) return;
    if (std::strncmp(line, key, length) == 0 && line[length] == ' ') {
      const char* const value = line + length + 1;
      std::snprintf(out, room, "%.*s", static_cast<int>(stop - value), value);
      return;
    }
    line = stop + 1;
  }
}

inline int64_t ControlNumber(const char* file, const char* key,
                             int64_t otherwise) {
  char text[32];
  ControlText(file, key, text, sizeof(text));
  char* stop = nullptr;
  const long long value = std::strtoll(text, &stop, 10);
  return stop != text && *stop == '\0' ? value : otherwise;
}

// True if the file is whole and of that kind.
inline bool IsWholeControl(const char* file, const char* title) {
  const size_t length = std::strlen(file);
  return std::strncmp(file, title, std::strlen(title)) == 0 && length >= 5 &&
         std::strcmp(file + length - 5, "\nend\n") == 0;
}

}  // namespace stepscope::format
