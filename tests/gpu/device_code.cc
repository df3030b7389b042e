// SPDX-License-Identifier: Apache-2.0
//
// A library as nvcc makes one: with device code, here an empty piece.
extern "C" {
[[gnu::section(".nv_fatbin"), gnu::used]] extern const char device_code[8] = {};
}
