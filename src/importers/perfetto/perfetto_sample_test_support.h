// SPDX-License-Identifier: Apache-2.0
//
// A small Perfetto file as another tool may write it; for tests.
#pragma once

#include <string>
#include <string_view>

#include "importers/perfetto/perfetto_importer.h"
#include "importers/proto/samples_test_support.h"

namespace stepscope::proto {

std::string PerfettoSample();
// As compressed packets are.
std::string Zipped(std::string_view plain);

}  // namespace stepscope::proto
