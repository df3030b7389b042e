// SPDX-License-Identifier: Apache-2.0
//
// All of a trace as text, to compare two of them in tests.
#pragma once

#include <string>

#include "base/text.h"
#include "importers/proto/samples_test_support.h"
#include "trace/trace.h"

namespace stepscope::proto {

inline std::string ValueText(const Trace& trace, const Arg& arg) {
  switch (arg.kind) {
    case ArgKind::kInt:
      return std::to_string(arg.int_value);
    case ArgKind::kDouble:
      return Format("%a", arg.double_value);
    case ArgKind::kText:
    case ArgKind::kJson:
      return Format("#%u ", arg.text.v) + std::string(trace.str(arg.text));
    case ArgKind::kIntList:
      break;
  }
  std::string list;
  for (uint32_t i = 0; i < arg.list_count; ++i)
    list += std::to_string(trace.arg_ints()[arg.list_first + i]) + ",";
  return list;
}

inline std::string WholeText(const Trace& trace) {
  std::string all = Drawn(trace) + LedgerText(trace) + "\n";
  for (Row row = 0; row < trace.size(); ++row)
    all += Format("%u %u\n", trace.name()[row].v, unsigned{trace.flags()[row]});
  for (const Arg& arg : trace.args())
    all += Format("arg %u ", arg.row) + std::string(trace.str(arg.key)) + " " +
           ValueText(trace, arg) + "\n";
  for (const Link& link : trace.links())
    all += Format("link %u %u %llu\n", link.process, link.row,
                  static_cast<unsigned long long>(link.id));
  for (const Flow& flow : trace.flows())
    all += Format("flow %u %lld %llu\n", flow.track,
                  static_cast<long long>(flow.time_ns),
                  static_cast<unsigned long long>(flow.id));
  for (const MemoryEvent& event : trace.memory())
    all += Format("memory %u %u %lld %lld %llu #%u\n", event.track, event.owner,
                  static_cast<long long>(event.time_ns),
                  static_cast<long long>(event.bytes),
                  static_cast<unsigned long long>(event.total_allocated),
                  event.place.v);
  for (const Process& process : trace.processes())
    all += Format("process %lld %lld\n", static_cast<long long>(process.pid),
                  static_cast<long long>(process.start_ns));
  for (const auto* bins :
       {&trace.ledger().repaired(), &trace.ledger().rejected()})
    for (const auto& [reason, bin] : *bins)
      for (const Ledger::Example& example : bin.examples)
        all += reason + ": " + example.what + "\n";
  for (const std::string& note : trace.notes()) all += note + "\n";
  return all;
}

// Where in the file the examples of the ledger lie.
inline std::string OffsetsText(const Trace& trace) {
  std::string all;
  for (const auto* bins :
       {&trace.ledger().repaired(), &trace.ledger().rejected()})
    for (const auto& [reason, bin] : *bins)
      for (const Ledger::Example& example : bin.examples)
        all += std::to_string(example.offset) + "\n";
  return all;
}

// Both for bytes that several threads read at once.
inline std::string ReadAtOnceText(ImportFunction import, std::string_view bytes,
                                  unsigned readers) {
  Input input;
  input.bytes = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  input.path = "sample";
  input.readers = readers;
  TraceBuilder builder;
  import(input, builder);
  const auto trace = builder.Finish();
  return trace ? WholeText(**trace) + OffsetsText(**trace)
               : trace.error().message;
}

}  // namespace stepscope::proto
