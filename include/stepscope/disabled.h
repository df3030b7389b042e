// SPDX-License-Identifier: Apache-2.0
//
// What STEPSCOPE_DISABLE leaves of the functions that mark a program: nothing.
// Included by c.h; do not include it yourself.
//
// Each name below becomes an empty function. Arguments are still evaluated and
// used, so that code compiles without warnings as before. Calls cost nothing
// and need no symbol of the library. Sessions and the profiler stay.
#pragma once

#if !defined(STEPSCOPE_DISABLE)
#error "include <stepscope/c.h>, and define STEPSCOPE_DISABLE before it"
#endif

#define STEPSCOPE_NOTHING(name) STEPSCOPE_INLINE void stepscope_disabled_##name
#define STEPSCOPE_NO_SCOPE(name) \
  STEPSCOPE_INLINE stepscope_scope stepscope_disabled_##name

STEPSCOPE_INLINE stepscope_scope stepscope_disabled_scope(void) {
  stepscope_scope scope = {NULL, 0};
  return scope;
}

STEPSCOPE_INLINE int stepscope_disabled_enabled(void) { return 0; }

STEPSCOPE_INLINE uint32_t stepscope_disabled_site_id(stepscope_site* site) {
  (void)site;
  return 0;
}

STEPSCOPE_NO_SCOPE(begin)(const char* name, uint32_t type) {
  (void)name, (void)type;
  return stepscope_disabled_scope();
}
STEPSCOPE_NO_SCOPE(begin_name)(const char* name, size_t length, uint32_t type) {
  (void)name, (void)length, (void)type;
  return stepscope_disabled_scope();
}
STEPSCOPE_NO_SCOPE(begin_id)(uint32_t site) {
  (void)site;
  return stepscope_disabled_scope();
}
STEPSCOPE_NO_SCOPE(begin_site)(stepscope_site* site) {
  (void)site;
  return stepscope_disabled_scope();
}
STEPSCOPE_NO_SCOPE(next_id)(stepscope_scope scope, uint32_t site) {
  (void)scope, (void)site;
  return stepscope_disabled_scope();
}
STEPSCOPE_NOTHING(end)(stepscope_scope scope) { (void)scope; }

STEPSCOPE_NOTHING(arg_i64)
(stepscope_scope scope, const char* key, int64_t value) {
  (void)scope, (void)key, (void)value;
}
STEPSCOPE_NOTHING(arg_f64)
(stepscope_scope scope, const char* key, double value) {
  (void)scope, (void)key, (void)value;
}
STEPSCOPE_NOTHING(arg_text)
(stepscope_scope scope, const char* key, const char* text, size_t length) {
  (void)scope, (void)key, (void)text, (void)length;
}
STEPSCOPE_NOTHING(arg_i64s)
(stepscope_scope scope, const char* key, const int64_t* values, size_t count) {
  (void)scope, (void)key, (void)values, (void)count;
}

STEPSCOPE_NOTHING(instant)(const char* name, uint32_t type) {
  (void)name, (void)type;
}
STEPSCOPE_NOTHING(counter_f64)(const char* name, double value) {
  (void)name, (void)value;
}
STEPSCOPE_NOTHING(counter_i64)(const char* name, int64_t value) {
  (void)name, (void)value;
}
STEPSCOPE_NOTHING(memory)
(uint32_t kind, uint64_t address, uint64_t bytes, const char* place,
 uint64_t total_allocated, uint64_t total_reserved) {
  (void)kind, (void)address, (void)bytes, (void)place;
  (void)total_allocated, (void)total_reserved;
}
STEPSCOPE_NOTHING(flow)(const char* name, uint64_t id, uint32_t phase) {
  (void)name, (void)id, (void)phase;
}
STEPSCOPE_NOTHING(set_thread_name)(const char* name) { (void)name; }
STEPSCOPE_NOTHING(about_to_record)(void) {}

STEPSCOPE_INLINE stepscope_read
stepscope_disabled_reader_begin(const void* reader) {
  stepscope_read read = {{NULL, 0}, 0, NULL};
  read.reader = reader;
  return read;
}
STEPSCOPE_NOTHING(reader_end)(stepscope_read read) { (void)read; }
STEPSCOPE_NOTHING(reader_cancel)(stepscope_read read) { (void)read; }
STEPSCOPE_NOTHING(step)(void) {}

#undef STEPSCOPE_NOTHING
#undef STEPSCOPE_NO_SCOPE

#define stepscope_enabled stepscope_disabled_enabled
#define stepscope_site_id stepscope_disabled_site_id
#define stepscope_begin stepscope_disabled_begin
#define stepscope_begin_name stepscope_disabled_begin_name
#define stepscope_begin_id stepscope_disabled_begin_id
#define stepscope_begin_site stepscope_disabled_begin_site
#define stepscope_next_id stepscope_disabled_next_id
#define stepscope_end stepscope_disabled_end
#define stepscope_arg_i64 stepscope_disabled_arg_i64
#define stepscope_arg_f64 stepscope_disabled_arg_f64
#define stepscope_arg_text stepscope_disabled_arg_text
#define stepscope_arg_i64s stepscope_disabled_arg_i64s
#define stepscope_instant stepscope_disabled_instant
#define stepscope_counter_f64 stepscope_disabled_counter_f64
#define stepscope_counter_i64 stepscope_disabled_counter_i64
#define stepscope_memory stepscope_disabled_memory
#define stepscope_flow stepscope_disabled_flow
#define stepscope_set_thread_name stepscope_disabled_set_thread_name
#define stepscope_about_to_record stepscope_disabled_about_to_record
#define stepscope_reader_begin stepscope_disabled_reader_begin
#define stepscope_reader_end stepscope_disabled_reader_end
#define stepscope_reader_cancel stepscope_disabled_reader_cancel
#define stepscope_step stepscope_disabled_step
