// SPDX-License-Identifier: Apache-2.0
//
// libstepscope_read.so, loaded when a trace is first read: importing the
// package must stay quick, and no module of it holds the importers.
#pragma once

#include "read/read.h"

struct ReaderLibrary {
  decltype(&stepscope_watch_new) watch_new;
  decltype(&stepscope_watch_free) watch_free;
  decltype(&stepscope_watch_cancel) watch_cancel;
  decltype(&stepscope_watch_progress) watch_progress;
  decltype(&stepscope_read_files) read_files;
  decltype(&stepscope_read_bytes) read_bytes;
  decltype(&stepscope_trace_free) trace_free;
  decltype(&stepscope_trace_ask) trace_ask;
  decltype(&stepscope_trace_table) trace_table;
  decltype(&stepscope_table_free) table_free;
  decltype(&stepscope_table_rows) table_rows;
  decltype(&stepscope_table_ask) table_ask;
  decltype(&stepscope_table_stream) table_stream;
  decltype(&stepscope_query) query;
};

// Loads it, once. Raises ImportError if it cannot be.
void LoadReader(const char* path);
// REQUIRES: LoadReader() before.
const ReaderLibrary& Reader();
