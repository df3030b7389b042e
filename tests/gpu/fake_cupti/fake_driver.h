// SPDX-License-Identifier: Apache-2.0
//
// A driver with so many devices; the bits of `in_use` say of which of them the
// process has a context. One that is in use, unless a test says more.
#pragma once

#include <cstdint>

extern "C" void fake_driver_devices(int count, uint32_t in_use);
