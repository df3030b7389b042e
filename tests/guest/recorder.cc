// SPDX-License-Identifier: Apache-2.0
#include "guest/recorder.h"

#include <cstdio>
#include <cstring>

namespace stepscope::guest {

thread_local ThreadRow* my_row = nullptr;
thread_local volatile std::sig_atomic_t inside_stepscope = 0;

namespace {

void AttemptSite() {
  static stepscope_site site = {"site", STEPSCOPE_USER_DEFINED, 0};
  Attempt([] { return stepscope_begin_site(&site); });
}

void AttemptName(const char* name) {
  Attempt([name] { return stepscope_begin(name, STEPSCOPE_USER_DEFINED); });
}

void AttemptWithArguments(uint64_t i) {
  Attempt([i] {
    const stepscope_scope scope =
        stepscope_begin("with arguments", STEPSCOPE_USER_DEFINED);
    stepscope_arg_i64(scope, "i", static_cast<int64_t>(i));
    stepscope_counter_i64("counter", static_cast<int64_t>(i));
    return scope;
  });
}

void AttemptNested() {
  Attempt([] {
    const stepscope_scope outer =
        stepscope_begin("outer", STEPSCOPE_USER_DEFINED);
    AttemptSite();
    inside_stepscope = 1;
    return outer;
  });
}

}  // namespace

void EnterThread(const char* what) {
  my_row = AddThread(what);
  inside_stepscope = 1;
  stepscope_set_thread_name(my_row->name);
  inside_stepscope = 0;
}

void RecordLongNames(int count) {
  char name[1024];
  std::memset(name, 'n', sizeof(name));
  name[sizeof(name) - 1] = '\0';
  for (int i = 0; i < count; ++i) {
    const int n = std::snprintf(name, 64, "%s long %d", my_row->name, i);
    name[n] = ' ';
    AttemptName(name);
  }
}

void RecordEvents(uint64_t count, uint32_t styles, Rng* rng) {
  char name[64];
  for (uint64_t i = 0; i < count;) {
    if (__atomic_load_n(&ledger->ended, __ATOMIC_RELAXED) != 0) return;
    ExpectSignals();
    const uint64_t number = (*rng)();
    switch (1u << (number % 5)) {
      case kKnownNames:
        if ((styles & kKnownNames) == 0) break;
        std::snprintf(name, sizeof(name), "known %d",
                      static_cast<int>(number >> 8) & 63);
        AttemptName(name);
        ++i;
        continue;
      case kNewNames:
        if ((styles & kNewNames) == 0) break;
        std::snprintf(name, sizeof(name), "%s new %llu", my_row->name,
                      static_cast<unsigned long long>(i));
        AttemptName(name);
        ++i;
        continue;
      case kNested:
        if ((styles & kNested) == 0) break;
        AttemptNested();
        i += 2;
        continue;
      case kArguments:
        if ((styles & kArguments) == 0) break;
        AttemptWithArguments(i);
        ++i;
        continue;
      default:
        break;
    }
    // Sites are the quick way: a run of them.
    for (int run = 0; run < 20 && i < count; ++run, ++i) AttemptSite();
  }
}

}  // namespace stepscope::guest
