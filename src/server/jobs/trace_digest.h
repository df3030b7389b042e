// SPDX-License-Identifier: Apache-2.0
//
// TraceDigest: what is left of a trace once it has been read, so that neither
// a list of traces nor the tables of a job need it again: a card of a few
// facts, and the partial of its ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/partial/partial.h"
#include "base/result.h"
#include "trace/trace.h"

namespace stepscope::server {

// A line of the list of traces.
struct TraceCard {
  uint64_t events = 0;
  uint64_t steps = 0;              // settled ones: the median is of them
  std::optional<int64_t> step_ns;  // median of the settled ones
  bool complete = true;
  uint64_t rejected = 0;  // records
  std::vector<int64_t> ranks;
  std::vector<std::string> headline;  // sentences
};

struct TraceDigest {
  TraceCard card;
  Partial partial;
};

// `file`: what it is called; the path that it was read from is not kept.
// `reader`: the importer.
TraceDigest DigestTrace(const Trace& trace, const std::string& path,
                        const std::string& file, std::string_view reader);

// As bytes of a file: the card, then the partial.
std::string EncodeDigest(TraceDigest digest);
Result<TraceDigest> DecodeDigest(std::string_view bytes);
// The same without the body of the partial, of which only the checksum is
// compared.
Result<TraceDigest> DecodeDigestHead(std::string_view bytes);

}  // namespace stepscope::server
