// SPDX-License-Identifier: Apache-2.0
//
// What the tests of src/query share.
#pragma once

#include <gtest/gtest.h>

#include "query/duckdb_library.h"

// For the body of a test that needs DuckDB.
#define STEPSCOPE_NEED_DUCKDB()                                        \
  do {                                                                 \
    const auto stepscope_library = ::stepscope::duckdb::LoadLibrary(); \
    if (!stepscope_library)                                            \
      GTEST_SKIP() << stepscope_library.error().message                \
                   << " (tools/bootstrap test fetches it)";            \
  } while (false)
