// SPDX-License-Identifier: Apache-2.0
//
// How often this thread has waited by usleep(), in whatever library: the
// library with this function takes its place.
#pragma once

extern "C" long counted_waits(void);
