// SPDX-License-Identifier: Apache-2.0
#include "importers/chrome/json_test_support.h"

#include <gtest/gtest.h>

#include "importers/chrome/chrome_importer.h"
#include "importers/input/input_source.h"
#include "trace/build/trace_builder.h"

namespace stepscope::json {

Result<std::shared_ptr<const Trace>> ReadText(std::string_view text) {
  const auto input = InputSource::FromBytes(
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()}, "text");
  EXPECT_TRUE(input);
  TraceBuilder builder;
  const Status status = JsonImporter().Import(**input, {}, builder);
  if (!status) return status.error();
  return builder.Finish();
}

std::shared_ptr<const Trace> ReadOrFail(std::string_view text) {
  const auto trace = ReadText(text);
  EXPECT_TRUE(trace) << trace.error().message << "\n" << text;
  return trace ? *trace : nullptr;
}

Row RowNamed(const Trace& trace, std::string_view name) {
  Row found = kNoRow;
  for (Row row = 0; row < trace.size(); ++row) {
    if (trace.str(trace.name()[row]) != name) continue;
    EXPECT_EQ(found, kNoRow) << "several rows named " << name;
    found = row;
  }
  EXPECT_NE(found, kNoRow) << "no row named " << name;
  return found;
}

bool HasName(const Trace& trace, std::string_view name) {
  for (const StringId id : trace.name())
    if (trace.str(id) == name) return true;
  return false;
}

std::string LedgerLine(const Trace& trace) {
  const Ledger& ledger = trace.ledger();
  std::string line = "kept " + std::to_string(ledger.kept());
  for (const auto& [reason, bin] : ledger.repaired())
    line += ", repaired " + reason + ' ' + std::to_string(bin.count);
  for (const auto& [reason, bin] : ledger.rejected())
    line += ", rejected " + reason + ' ' + std::to_string(bin.count);
  return line;
}

}  // namespace stepscope::json
