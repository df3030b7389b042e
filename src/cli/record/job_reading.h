// SPDX-License-Identifier: Apache-2.0
//
// The captures of a run that is still going on, read as others read them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace stepscope {

// All that the processes of the run recorded up to now, live files included.
// kNotFound: there is nothing yet. `bytes`: of the captures.
Result<std::shared_ptr<const Trace>> ReadRun(const std::string& folder,
                                             const std::string& run_id,
                                             uint64_t* bytes);

// Processor time of the recorder's threads in the processes of the trace that
// run on this machine, in seconds.
double RecorderCpuSeconds(const Trace& trace);

}  // namespace stepscope
