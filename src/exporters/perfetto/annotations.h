// SPDX-License-Identifier: Apache-2.0
//
// What an event says of itself, as debug annotations.
#pragma once

#include <span>
#include <string>

#include "exporters/perfetto/packets.h"
#include "trace/trace.h"

namespace stepscope::perfetto {

class Annotations {
 public:
  Annotations(const Trace& trace, Packets& packets)
      : trace_(trace), packets_(packets), raw_(trace) {}

  // Appends the arguments, links and flags of `row` to the event.
  void Append(proto::Message& event, Row row, std::span<const Arg> args,
              std::span<const Link> links);

 private:
  void AppendArg(proto::Message& event, const Arg& arg);
  void AppendText(proto::Message& event, uint64_t key, std::string_view text);

  const Trace& trace_;
  Packets& packets_;
  RawArgReader raw_;
  proto::Message annotation_;
};

}  // namespace stepscope::perfetto
