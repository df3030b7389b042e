// SPDX-License-Identifier: Apache-2.0
//
// Which ranges are the steps, where the user says so and not the recorder.
#pragma once

#include <string>
#include <string_view>

#include "trace/build/trace_builder.h"

namespace stepscope {

// All that is read from now on has the ranges whose names match `glob` as its
// steps, and no others; empty: those that were recorded. For a program that
// does one thing with its traces: to be called once, before any is read. Who
// reads several has ImportOptions::step_range.
void SetStepRange(std::string glob);
const std::string& StepRange();

// Makes the host events that match steps, and those that were steps ranges,
// of the rows from `first` on. False: none matches.
bool MarkSteps(std::string_view glob, Row first, TraceBuilder& builder);

}  // namespace stepscope
