// SPDX-License-Identifier: Apache-2.0
//
// What stands before the list of events: readers that do not keep all of a
// file stop there.
#pragma once

#include <string>

#include "exporters/exporter.h"
#include "exporters/kineto/form.h"
#include "trace/trace.h"

namespace stepscope::kineto {

// From the start to the bracket of "traceEvents".
std::string Head(const Trace& trace, const Form& form,
                 const ExportOptions& options);

}  // namespace stepscope::kineto
