// SPDX-License-Identifier: Apache-2.0
//
// One file of the program is compiled with STEPSCOPE_DISABLE, one without:
// exactly the marks of the second are recorded.
#include <stepscope/c.h>

#include <cstdio>

void Disabled();
void Enabled();

int main() {
  stepscope_options options = {};
  options.struct_size = sizeof(options);
  options.path = "mixed.sscap";
  if (stepscope_start(&options) != STEPSCOPE_OK) {
    std::printf("%s\n", stepscope_last_error());
    return 1;
  }
  Disabled();
  Enabled();
  stepscope_stop();
  return stepscope_wait(stepscope_session(), 60000);
}
