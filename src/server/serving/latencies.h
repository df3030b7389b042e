// SPDX-License-Identifier: Apache-2.0
//
// How long requests waited and iterations took, as histograms.
#pragma once

#include "base/json_writer.h"
#include "server/serving/serving.h"

namespace stepscope::server {

// "latencies": time to the first token, time per token, and the period of each
// kind of iteration; those of which nothing is known are left out.
void WriteLatencies(JsonWriter& json, const Serving& serving);

}  // namespace stepscope::server
