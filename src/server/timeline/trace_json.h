// SPDX-License-Identifier: Apache-2.0
//
// What a timeline must know of a trace before it draws: groups, tracks, steps,
// classes, zoom levels, and whether anything was lost.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "server/files/open_trace.h"
#include "server/files/preview_trace.h"

namespace stepscope::server {

std::string TraceJson(const OpenTrace& open);
// The same of a preview, which has no steps and no stages.
std::string TraceJson(const PreviewTrace& preview);

// All names, by id, where they are few; else only "all": false.
std::string NamesJson(const OpenTrace& open);
// These alone; ids that are none are left out.
std::string NamesJson(const OpenTrace& open, std::span<const uint32_t> ids);

}  // namespace stepscope::server
