// SPDX-License-Identifier: Apache-2.0
//
// DuckDB's library: found and loaded when SQL or Parquet is first asked for,
// never linked, never downloaded by stepscope. Without it everything else
// works, and one line says how to get it. Looked for in this order:
//
//   STEPSCOPE_DUCKDB                       a file; then nowhere else
//   ../lib/stepscope/libduckdb.so          from the folder of this program or
//   ./libduckdb.so                         library
//   ~/.cache/stepscope/libduckdb.so        XDG_CACHE_HOME counts
//   libduckdb.so                           as the system's loader finds it
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "query/duckdb_abi.h"

namespace stepscope::duckdb {

struct Library {
  std::string path;
  std::string version;  // "v1.5.5"
  Api api;
};

// Loaded once per process and kept. kUnsupported where there is none or it is
// of another version; the message ends with what to do. Thread-safe.
Result<const Library*> LoadLibrary();

// For tests: the same without memory. `files` are tried in this order; a name
// without a slash is left to the system's loader.
Result<Library> LoadLibraryFrom(const std::vector<std::string>& files);
std::vector<std::string> LibraryPlaces();

// The shell command that fetches the library for this machine.
std::string HowToGetLibrary();

}  // namespace stepscope::duckdb
