// SPDX-License-Identifier: Apache-2.0
#include "query/duckdb_library.h"

#include <dlfcn.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/file.h"

namespace stepscope::duckdb {
namespace {

constexpr const char* kFile = "libduckdb.so";
// What tools/fetch_duckdb.py fetches, too.
#if defined(__aarch64__)
constexpr const char* kPackage = "@duckdb/node-bindings-linux-arm64@1.5.5-r.5";
#else
constexpr const char* kPackage = "@duckdb/node-bindings-linux-x64@1.5.5-r.5";
#endif
// The releases 1.x keep the C interface; 1.4 is the first that has all of it.
constexpr int kMajor = 1;
constexpr int kOldestMinor = 4;

std::string Environment(const char* name) {
  const char* const value = secure_getenv(name);
  return value == nullptr ? "" : value;
}

// Of the program or library that holds this code.
std::string OwnFolder() {
  static const int here = 0;
  Dl_info info = {};
  if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return "";
  std::string path = info.dli_fname;
  // A program that the shell found by PATH has a name without a folder.
  if (path.find('/') == path.npos) path = "/proc/self/exe";
  char* const real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return "";
  path = real;
  std::free(real);
  return path.substr(0, path.rfind('/'));
}

std::string CacheFolder() {
  const std::string cache = Environment("XDG_CACHE_HOME");
  if (!cache.empty()) return cache + "/stepscope";
  const std::string home = Environment("HOME");
  return home.empty() ? "" : home + "/.cache/stepscope";
}

Error NotHere(const std::string& why) {
  return Fail(ErrorCode::kUnsupported,
              "SQL and Parquet need DuckDB's library (" + why +
                  "); get it with: " + HowToGetLibrary());
}

// "v1.5.5" -> 1, 5
bool KnownVersion(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  int numbers[2] = {};
  const char* at = version.data();
  const char* const end = at + version.size();
  for (int& number : numbers) {
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc() || stop == end || *stop != '.') return false;
    at = stop + 1;
  }
  return numbers[0] == kMajor && numbers[1] >= kOldestMinor;
}

// Functions into `api`; the name of the first that is missing, or "".
std::string FindFunctions(void* handle, Api& api) {
#define STEPSCOPE_DUCKDB_FIND(name, result, parameters)                       \
  api.name =                                                                  \
      reinterpret_cast<result(*) parameters>(dlsym(handle, "duckdb_" #name)); \
  if (api.name == nullptr) return "duckdb_" #name;
  STEPSCOPE_DUCKDB_FUNCTIONS(STEPSCOPE_DUCKDB_FIND)
#undef STEPSCOPE_DUCKDB_FIND
  return "";
}

// The file that a handle was loaded from.
std::string PathOf(const Api& api, const std::string& fallback) {
  Dl_info info = {};
  const auto* const address =
      reinterpret_cast<const void*>(api.library_version);
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return fallback;
  return info.dli_fname;
}

}  // namespace

std::string HowToGetLibrary() {
  return "mkdir -p ~/.cache/stepscope && cd ~/.cache/stepscope && npm pack " +
         std::string(kPackage) +
         " && tar xzf duckdb-node-bindings-*.tgz --strip-components=1 "
         "package/libduckdb.so";
}

std::vector<std::string> LibraryPlaces() {
  const std::string named = Environment("STEPSCOPE_DUCKDB");
  if (!named.empty()) return {named};
  std::vector<std::string> places;
  if (const std::string own = OwnFolder(); !own.empty()) {
    places.push_back(own + "/../lib/stepscope/" + kFile);
    places.push_back(own + "/" + kFile);
  }
  // A cache may be where others write too.
  if (const std::string cache = CacheFolder();
      !cache.empty() && IsOurs(cache + "/" + kFile))
    places.push_back(cache + "/" + kFile);
  places.emplace_back(kFile);
  return places;
}

Result<Library> LoadLibraryFrom(const std::vector<std::string>& files) {
  std::string why;
  for (const std::string& file : files) {
    const bool by_loader = file.find('/') == file.npos;
    if (!by_loader && !FileExists(file)) {
      if (files.size() == 1) why = file + " does not exist";
      continue;
    }
    // Kept to itself: programs that load stepscope may have another DuckDB.
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const reason = dlerror();
      if (!by_loader && why.empty() && reason != nullptr) why = reason;
      continue;
    }
    Library library;
    const std::string missing = FindFunctions(handle, library.api);
    if (!missing.empty()) {
      if (why.empty()) why = file + " has no " + missing;
      continue;  // never unloaded: its threads may already run
    }
    library.path = PathOf(library.api, file);
    library.version = library.api.library_version();
    if (KnownVersion(library.version)) return library;
    if (why.empty())
      why = library.path + " is " + library.version +
            ", needed is 1.4 or a "
            "later 1.x";
  }
  return NotHere(why.empty() ? "libduckdb.so is not found" : why);
}

Result<const Library*> LoadLibrary() {
  // Never destroyed: DuckDB's threads end with the process.
  static const auto* const loaded =
      new Result<Library>(LoadLibraryFrom(LibraryPlaces()));
  if (!*loaded) return loaded->error();
  return &**loaded;
}

}  // namespace stepscope::duckdb
