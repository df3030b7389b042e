// SPDX-License-Identifier: Apache-2.0
//
// A C program that records through <stepscope/c.h> and checks the outcome.
// usage: c_program FOLDER
#include <stdio.h>
#include <stepscope/c.h>

static int Fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, stepscope_last_error());
  return 1;
}

int main(int argc, char** argv) {
  char path[4096];
  stepscope_options options = {0};
  stepscope_stats stats = {0};
  if (argc != 2) return 2;
  snprintf(path, sizeof(path), "%s/c_program.sscap", argv[1]);
  options.struct_size = sizeof(options);
  options.path = path;
  if (stepscope_enabled()) return Fail("enabled before start");
  if (stepscope_start(&options) != STEPSCOPE_OK) return Fail("start");
  for (int i = 0; i < 1000; ++i) {
    static stepscope_site site = {"inner", STEPSCOPE_OPERATOR, 0};
    stepscope_scope outer = stepscope_begin("outer", STEPSCOPE_USER_DEFINED);
    stepscope_scope inner = stepscope_begin_site(&site);
    if (outer.slot == NULL || inner.slot == NULL) return Fail("begin");
    stepscope_arg_i64(inner, "i", i);
    stepscope_end(inner);
    stepscope_end(outer);
  }
  if (stepscope_stop() != STEPSCOPE_OK) return Fail("stop");
  if (stepscope_wait(stepscope_session(), 10000) != STEPSCOPE_OK)
    return Fail("wait");
  stats.struct_size = sizeof(stats);
  if (stepscope_get_stats(&stats) != STEPSCOPE_OK) return Fail("stats");
  for (int i = 0; i < STEPSCOPE_DROP_REASONS; ++i)
    if (stats.dropped[i] != 0) return Fail("events were dropped");
  printf("stepscope %s wrote %s\n", stepscope_version(), path);
  return 0;
}
