// SPDX-License-Identifier: Apache-2.0
//
// What a Trace holds beside its tables, as bytes: processes, threads, sources,
// ledgers, clocks, notes. Part of a snapshot (snapshot/snapshot.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

std::string EncodeFacts(const TraceFacts& facts);
// Its texts of threads are views into the bytes. Nothing: these are not such
// bytes. Reads nothing outside of them, whatever they are; that ids are in
// range is for the caller to check.
std::optional<TraceFacts> DecodeFacts(std::string_view bytes);

}  // namespace stepscope
