// SPDX-License-Identifier: Apache-2.0
#include "python/reader_library.h"

#include <dlfcn.h>
#include <nanobind/nanobind.h>

#include <string>

namespace {

ReaderLibrary functions;
bool loaded = false;  // guarded by the GIL

[[noreturn]] void Refuse(const std::string& why) {
  throw nanobind::import_error(why.c_str());
}

void* Find(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) {
    Refuse(std::string("libstepscope_read.so has no ") + name +
           "; install the package stepscope again");
  }
  return found;
}

template <typename Function>
void Find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(Find(library, name));
}

}  // namespace

void LoadReader(const char* path) {
  if (loaded) return;
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    Refuse(std::string("traces cannot be read: ") +
           (why != nullptr ? why : path));
  }
  decltype(&stepscope_read_version) version = nullptr;
  Find(library, "stepscope_read_version", version);
  if (version() != STEPSCOPE_READ_VERSION) {
    Refuse(std::string(path) +
           " is of another version; install the package stepscope again");
  }
  Find(library, "stepscope_watch_new", functions.watch_new);
  Find(library, "stepscope_watch_free", functions.watch_free);
  Find(library, "stepscope_watch_cancel", functions.watch_cancel);
  Find(library, "stepscope_watch_progress", functions.watch_progress);
  Find(library, "stepscope_read_files", functions.read_files);
  Find(library, "stepscope_read_bytes", functions.read_bytes);
  Find(library, "stepscope_trace_free", functions.trace_free);
  Find(library, "stepscope_trace_ask", functions.trace_ask);
  Find(library, "stepscope_trace_table", functions.trace_table);
  Find(library, "stepscope_table_free", functions.table_free);
  Find(library, "stepscope_table_rows", functions.table_rows);
  Find(library, "stepscope_table_ask", functions.table_ask);
  Find(library, "stepscope_table_stream", functions.table_stream);
  Find(library, "stepscope_query", functions.query);
  loaded = true;
}

const ReaderLibrary& Reader() { return functions; }
