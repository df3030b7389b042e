// SPDX-License-Identifier: Apache-2.0
//
// Which of Kineto's forms a file is written in. Readers round and classify
// differently by them, so that a file of Kineto keeps the one it had.
#pragma once

#include <cstdint>
#include <string>

#include "trace/trace.h"

namespace stepscope::kineto {

struct Form {
  bool from_kineto = false;   // ids, arguments and flows are Kineto's own
  bool old_words = false;     // categories of torch 1.8 to 1.10
  bool whole_micros = false;  // no time has a fraction
  bool states_base = true;    // else times count from 1970
  int64_t base_ns = 0;        // UTC of what is written as 0
  // Recorded by stepscope.torch: without what torch's own profiler does not
  // have, stages of ours and, where there was no schedule, steps.
  bool as_torch = false;
  bool without_steps = false;
};

Form FindForm(const Trace& trace);

// The metadata of the first process under `key`; empty if there is none.
std::string_view MetadataOf(const Trace& trace, std::string_view key);

// A time of the trace, as microseconds of the file.
void AppendTime(std::string& out, const Trace& trace, const Form& form,
                int64_t time_ns);
void AppendDuration(std::string& out, const Form& form, int64_t ns);

}  // namespace stepscope::kineto
