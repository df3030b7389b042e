// SPDX-License-Identifier: Apache-2.0
//
// Protobuf traces of so many events, as the frameworks write them.
#pragma once

#include <cstdint>
#include <string>

namespace stepscope::bench {

std::string MakeXSpace(int64_t events);
std::string MakeTree(int64_t events);
std::string MakeFluid(int64_t events);
std::string MakePerfetto(int64_t events);
std::string MakeStepStats(int64_t events);

}  // namespace stepscope::bench
