// SPDX-License-Identifier: Apache-2.0
//
// What every fuzz target does: import bytes as a file, finish the Trace, read
// all of it, and stop the process if it is not sound. Sanitizers do the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "importers/importer.h"

namespace stepscope::fuzz {

// Always 0, as libFuzzer wants it.
//
// With STEPSCOPE_FUZZ_PLANT set in the environment, a trace of which one part
// was kept and another rejected is read past its end: no seed is such a trace,
// so a run that does not stop on it does not reach what it should.
int FuzzImport(const Importer& importer, std::span<const uint8_t> bytes);

}  // namespace stepscope::fuzz
