/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that says what requests it serves, as stepscope.request() does
 * (src/trace/request_events.h). Ends with code 3.
 *
 * usage: serve COUNT [until FILE]   COUNT requests, every third with a
 *                                   traceparent; then one that never ends, and
 *                                   it waits until FILE is there
 */
#include <stdio.h>
#include <stdlib.h>
#include <stepscope/c.h>
#include <string.h>
#include <unistd.h>

enum { kPrefill = 1, kDecode = 2 };

static void say(const char* name, const int64_t* numbers, size_t count,
                const char* id, const char* parent) {
  stepscope_scope scope = stepscope_begin(name, STEPSCOPE_REQUEST);
  stepscope_arg_i64s(scope, "stepscope.request", numbers, count);
  if (id != NULL) stepscope_arg_text(scope, "id", id, strlen(id));
  if (parent != NULL)
    stepscope_arg_text(scope, "traceparent", parent, strlen(parent));
  stepscope_end(scope);
}

static void begin(int64_t number, const char* parent) {
  char id[32];
  snprintf(id, sizeof(id), "req-%d", (int)number);
  const int64_t numbers[] = {number, 8, 0, 0};
  say("request", numbers, 4, id, parent);
}

static void iterate(const char* name, int64_t number, int64_t kind,
                    int64_t tokens) {
  stepscope_scope scope = stepscope_begin(name, STEPSCOPE_USER_DEFINED);
  const int64_t members[] = {number * 8 + kind, tokens};
  stepscope_arg_i64s(scope, "stepscope.members", members, 2);
  usleep(200);
  stepscope_end(scope);
}

static void serve(int64_t number) {
  static const char* const parents[] = {
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", NULL,
      "not a traceparent"};
  begin(number, parents[number % 3]);
  for (int token = 0; token < 3; ++token) {
    if (token == 0)
      iterate("iteration[prefill]", number, kPrefill, 8);
    else
      iterate("iteration[decode]", number, kDecode, 1);
    const int64_t numbers[] = {number, 1};
    say("request token", numbers, 2, NULL, NULL);
  }
  say("request end", &number, 1, NULL, NULL);
}

int main(int argc, char** argv) {
  stepscope_about_to_record();
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < count; ++i) serve(i);
  if (argc > 3) {
    begin(count, NULL);
    while (access(argv[3], F_OK) != 0) usleep(20000);
  }
  puts("served");
  return 3;
}
