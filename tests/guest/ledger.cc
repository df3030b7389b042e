// SPDX-License-Identifier: Apache-2.0
#include "guest/ledger.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace stepscope::guest {

Ledger* ledger = nullptr;
int process_index = 0;

namespace {

void Append(char* text, uint32_t* used, const char* format, va_list arguments) {
  char line[512];
  int n = std::vsnprintf(line, sizeof(line) - 1, format, arguments);
  if (n < 0) return;
  if (n > static_cast<int>(sizeof(line)) - 2)
    n = static_cast<int>(sizeof(line)) - 2;
  line[n++] = '\n';
  const uint32_t at =
      __atomic_fetch_add(used, static_cast<uint32_t>(n), __ATOMIC_RELAXED);
  if (at + static_cast<uint32_t>(n) <= kTextBytes)
    std::memcpy(text + at, line, static_cast<size_t>(n));
}

uint32_t Take(uint32_t* used, uint32_t limit) {
  const uint32_t index = __atomic_fetch_add(used, 1, __ATOMIC_RELAXED);
  return index < limit ? index : limit - 1;
}

}  // namespace

bool OpenLedger(const char* path) {
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  void* mapped = MAP_FAILED;
  if (ftruncate(fd, sizeof(Ledger)) == 0)
    mapped = mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED,
                  fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) return false;
  ledger = static_cast<Ledger*>(mapped);
  std::memcpy(ledger->magic, "GUEST01", 8);
  return true;
}

void Find(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Append(ledger->text, &ledger->text_used, format, arguments);
  va_end(arguments);
}

void Say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Append(ledger->words, &ledger->words_used, format, arguments);
  va_end(arguments);
}

void ExpectExit(int code) {
  ledger->ends_by_signal = 0;
  ledger->ends_with = code;
}

void ExpectSignal(int signal) {
  ledger->ends_by_signal = 1;
  ledger->ends_with = signal;
}

int AddProcess(Bound bound) {
  process_index = static_cast<int>(Take(&ledger->processes, kProcesses));
  ProcessRow* row = ThisProcess();
  row->pid = static_cast<int32_t>(getpid());
  row->bound = bound;
  return process_index;
}

ProcessRow* ThisProcess() { return &ledger->process[process_index]; }

ThreadRow* AddThread(const char* what) {
  const uint32_t index = Take(&ledger->threads, kThreads);
  ThreadRow* row = &ledger->thread[index];
  row->process = process_index;
  std::snprintf(row->name, sizeof(row->name), "%s %u", what, index);
  return row;
}

uint64_t CompletedSoFar() {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < ledger->threads && i < kThreads; ++i) {
    const ThreadRow& row = ledger->thread[i];
    if (row.process == process_index)
      sum += Read(&row.completed) + Read(&row.handler_completed);
  }
  return sum;
}

}  // namespace stepscope::guest
