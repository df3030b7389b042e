// SPDX-License-Identifier: Apache-2.0
//
// Reader: what one document of rocprofiler-sdk says. A record of the ledger
// is an element of one of the lists of `buffer_records`; its offset is its
// number there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "trace/build/trace_builder.h"

namespace stepscope::rocprofiler {

class Reader {
 public:
  explicit Reader(TraceBuilder& builder) : builder_(builder) {}

  // Fails where the text is not such a document.
  Status Read(std::string_view text);

 private:
  // Parts of the document, which are simdjson's: rocprofiler_reader.cc.
  class Parts;

  struct Agent {
    int64_t device = 0;  // its number among the GPUs
    bool is_gpu = false;
  };
  struct Kind {
    std::vector<StringId> operations;
  };

  uint32_t Track(TrackKind kind, int64_t device, int64_t id);

  TraceBuilder& builder_;
  uint32_t process_ = 0;
  std::unordered_map<int64_t, Agent> agents_;      // by handle
  std::unordered_map<int64_t, StringId> kernels_;  // by id
  std::unordered_map<int64_t, StringId> markers_;  // by correlation id
  std::vector<Kind> kinds_;                        // by number
  std::map<std::tuple<TrackKind, int64_t, int64_t>, uint32_t> tracks_;
};

}  // namespace stepscope::rocprofiler
