// SPDX-License-Identifier: Apache-2.0
//
// What a program makes before it records: domains, registered strings, names
// of categories and of threads. Made rarely, under a lock, with memory that is
// never given back, so that a handle stays good whatever the program does with
// it; read without a lock. Thread-safe.
#pragma once

#include <stepscope/c.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stepscope::inject::nvtx {

struct Category {
  uint32_t id;
  const char* name;
  Category* next;
};

struct Domain {
  const char* name = "";  // "" is the default domain
  bool is_nccl = false;
  std::atomic<Category*> categories{nullptr};

  // The name of a category, or null.
  const char* CategoryName(uint32_t id) const;
};

struct RegisteredString {
  const char* text;
  size_t length;
  stepscope_site site;
};

extern Domain default_domain;

// Null where there is no memory: NVTX takes it for "no such tool".
Domain* MakeDomain(const char* name);
RegisteredString* RegisterString(const Domain& domain, const char* text);
void NameCategory(Domain& domain, uint32_t id, const char* name);

// Gives a thread its name: the calling one at once, another when it next asks.
void NameThread(uint32_t tid, const char* name);
// Takes the name that another thread gave to this one. Cheap when no thread
// was named since the last call.
void TakeThreadName();

// UTF-8 of a wide string, clipped at `size` - 1 bytes.
void Narrow(const wchar_t* text, char* out, size_t size);

// As what a range or mark of this name is recorded.
uint32_t EventType(const Domain& domain, const char* name);

// REQUIRES: only this thread exists.
void ResetObjectsInForkedChild();

}  // namespace stepscope::inject::nvtx
