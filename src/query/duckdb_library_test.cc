// SPDX-License-Identifier: Apache-2.0
#include "query/duckdb_library.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "query/duckdb_test_support.h"

namespace stepscope::duckdb {
namespace {

void ExpectHelp(const Result<Library>& library, const std::string& why) {
  ASSERT_FALSE(library);
  const std::string& message = library.error().message;
  EXPECT_EQ(library.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(message.find(why), message.npos) << message;
  EXPECT_NE(message.find("npm pack @duckdb/node-bindings-linux-"),
            message.npos);
  EXPECT_EQ(message.find('\n'), message.npos);
}

TEST(DuckdbLibrary, AbsentSaysHowToGetIt) {
  ExpectHelp(LoadLibraryFrom({"/nowhere/libduckdb.so"}),
             "/nowhere/libduckdb.so does not exist");
  ExpectHelp(LoadLibraryFrom({"/nowhere/a.so", "/nowhere/b.so"}),
             "libduckdb.so is not found");
}

TEST(DuckdbLibrary, FileThatIsNoLibraryIsNamed) {
  const std::string path =
      testing::TempDir() + "not_a_library" + std::to_string(getpid()) + ".so";
  std::ofstream(path) << "text";
  ExpectHelp(LoadLibraryFrom({path}), path);
  unlink(path.c_str());
}

TEST(DuckdbLibrary, LibraryOfAnotherKindIsNamed) {
  ExpectHelp(LoadLibraryFrom({"libc.so.6"}), "libc.so.6 has no duckdb_");
}

TEST(DuckdbLibrary, NamedFileIsTheOnlyPlace) {
  const char* const before = std::getenv("STEPSCOPE_DUCKDB");
  const std::string kept = before == nullptr ? "" : before;
  setenv("STEPSCOPE_DUCKDB", "/x/y.so", 1);
  EXPECT_EQ(LibraryPlaces(), std::vector<std::string>{"/x/y.so"});
  unsetenv("STEPSCOPE_DUCKDB");
  const std::vector<std::string> places = LibraryPlaces();
  ASSERT_GE(places.size(), 2u);
  EXPECT_TRUE(places[0].ends_with("/../lib/stepscope/libduckdb.so"));
  EXPECT_EQ(places.back(), "libduckdb.so");
  if (!kept.empty()) setenv("STEPSCOPE_DUCKDB", kept.c_str(), 1);
}

TEST(DuckdbLibrary, Loads) {
  STEPSCOPE_NEED_DUCKDB();
  const Library& library = **LoadLibrary();
  EXPECT_TRUE(library.version.starts_with("v1.")) << library.version;
  EXPECT_TRUE(library.path.ends_with(".so")) << library.path;
}

}  // namespace
}  // namespace stepscope::duckdb
