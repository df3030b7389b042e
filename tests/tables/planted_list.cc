// SPDX-License-Identifier: Apache-2.0
//
// The list of tables with one line more.
#define STEPSCOPE_MORE_TABLES(TABLE) TABLE(Planted)
#include "analysis/tables/all_tables.cc"
