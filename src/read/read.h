/* SPDX-License-Identifier: Apache-2.0
 *
 * The C interface of libstepscope_read.so: traces read, analysed and handed
 * out, for the Python package, which loads the library when a trace is first
 * read. Internal: it changes with the package, and stepscope_read_version()
 * tells a library of another one.
 *
 * Functions that can fail return 0 or a stepscope_read_error, and give a text:
 * the answer, or one line that says what went wrong. All are thread-safe;
 * traces and tables are immutable and may be used by many threads at once.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STEPSCOPE_READ_VERSION 4
#define STEPSCOPE_READ_API __attribute__((visibility("default")))

enum stepscope_read_error {
  STEPSCOPE_READ_OK = 0,
  STEPSCOPE_READ_INVALID = 1, /* an argument, or what a file holds */
  STEPSCOPE_READ_NOT_FOUND = 2,
  STEPSCOPE_READ_IO = 3,
  STEPSCOPE_READ_CANCELLED = 4,
  STEPSCOPE_READ_NO_MEMORY = 5,
  STEPSCOPE_READ_NO_LIBRARY = 6 /* SQL needs DuckDB's, which is not here */
};

typedef struct stepscope_trace stepscope_trace;
typedef struct stepscope_table stepscope_table;
/* Lets another thread see how far a call is, and end it. */
typedef struct stepscope_watch stepscope_watch;

/* Gets the text of a call, once. */
typedef struct stepscope_reply {
  void (*text)(void* user, const char* text, size_t size);
  void* user;
} stepscope_reply;

/* Options by name, as in the CLI: "steps" = "settled". Null at the end:
 * {"steps", "settled", NULL}. Names that a question does not know are an
 * error. */
typedef const char* const* stepscope_read_options;

STEPSCOPE_READ_API int stepscope_read_version(void);

STEPSCOPE_READ_API stepscope_watch* stepscope_watch_new(void);
STEPSCOPE_READ_API void stepscope_watch_free(stepscope_watch* watch);
STEPSCOPE_READ_API void stepscope_watch_cancel(stepscope_watch* watch);
/* Bytes read, and in all; 0: not known. */
STEPSCOPE_READ_API void stepscope_watch_progress(const stepscope_watch* watch,
                                                 uint64_t* done,
                                                 uint64_t* total);

/* One trace of a file, of a folder that holds one job, or of several files,
 * its ranks on one clock; "align" = "no" leaves clocks as recorded.
 * "step_range" = "decode*": ranges of that name are the steps. The text has a
 * line for each thing that a user should be warned of. `watch` may be null. */
STEPSCOPE_READ_API int stepscope_read_files(
    const char* const* paths, size_t count, stepscope_read_options options,
    stepscope_watch* watch, stepscope_trace** trace, stepscope_reply reply);
/* The same of bytes, which are needed during the call only. Nothing is to be
 * aligned. */
STEPSCOPE_READ_API int stepscope_read_bytes(const void* bytes, size_t size,
                                            const char* name,
                                            stepscope_read_options options,
                                            stepscope_watch* watch,
                                            stepscope_trace** trace,
                                            stepscope_reply reply);
/* Tables and streams of it live on. */
STEPSCOPE_READ_API void stepscope_trace_free(stepscope_trace* trace);

/* A question as text or JSON: "summary", "advise", "whatif", "compare" (with
 * `other`), "info", "export", "timeline", "tables". */
STEPSCOPE_READ_API int stepscope_trace_ask(const stepscope_trace* trace,
                                           const stepscope_trace* other,
                                           const char* question,
                                           stepscope_read_options options,
                                           stepscope_reply reply);

/* A declared table by its key, or "events". */
STEPSCOPE_READ_API int stepscope_trace_table(const stepscope_trace* trace,
                                             const char* key,
                                             stepscope_read_options options,
                                             stepscope_table** table,
                                             stepscope_reply reply);
STEPSCOPE_READ_API void stepscope_table_free(stepscope_table* table);
STEPSCOPE_READ_API int64_t stepscope_table_rows(const stepscope_table* table);
/* "text", "columns" (JSON) or "rows" (JSON; options "first" and "count"). */
STEPSCOPE_READ_API int stepscope_table_ask(const stepscope_table* table,
                                           const char* question,
                                           stepscope_read_options options,
                                           stepscope_reply reply);
/* Fills a struct ArrowArrayStream with a new stream over the same memory. */
STEPSCOPE_READ_API int stepscope_table_stream(const stepscope_table* table,
                                              void* stream,
                                              stepscope_reply reply);

/* Rows of SQL, by DuckDB, whose library is loaded now and not before. `paths`
 * is one dataset, or files and folders of traces. Options: "sql" or "named"
 * (with "param" = "NAME=VALUE", any number), "memory" = "4GB", and "step_range"
 * as above. The text has a line for each thing that a user should be warned of.
 * `watch` may be null. */
STEPSCOPE_READ_API int stepscope_query(const char* const* paths, size_t count,
                                       stepscope_read_options options,
                                       stepscope_watch* watch,
                                       stepscope_table** table,
                                       stepscope_reply reply);

#ifdef __cplusplus
}
#endif
