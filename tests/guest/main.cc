// SPDX-License-Identifier: Apache-2.0
#include "guest/troubles.h"

int main(int argc, char** argv) { return stepscope::guest::Main(argc, argv); }
