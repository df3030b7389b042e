/* SPDX-License-Identifier: Apache-2.0
 *
 * The same in C, a whole program. */
#include <stepscope/c.h>

int main(void) {
  static stepscope_site site = {"site", STEPSCOPE_OPERATOR, 0};
  const int64_t list[] = {1, 2};
  stepscope_read read = stepscope_reader_begin(&site);
  stepscope_scope scope = stepscope_begin("event", STEPSCOPE_USER_DEFINED);
  stepscope_arg_i64(scope, "int", 1);
  stepscope_arg_f64(scope, "double", 1.5);
  stepscope_arg_text(scope, "text", "t", 1);
  stepscope_arg_i64s(scope, "list", list, 2);
  stepscope_end(scope);
  scope = stepscope_begin_site(&site);
  scope = stepscope_next_id(scope, stepscope_site_id(&site));
  stepscope_end(scope);
  stepscope_end(stepscope_begin_id(stepscope_site_id(&site)));
  stepscope_end(stepscope_begin_name("name", 4, 0));
  stepscope_instant("instant", 0);
  stepscope_counter_f64("counter", 1.5);
  stepscope_counter_i64("counter", 1);
  stepscope_memory(STEPSCOPE_ALLOCATE, 1, 8, "Place(cpu)", 8, 8);
  stepscope_flow("flow", 1, 0);
  stepscope_set_thread_name("thread");
  stepscope_reader_end(read);
  stepscope_reader_cancel(read);
  stepscope_step();
  return stepscope_enabled();
}
