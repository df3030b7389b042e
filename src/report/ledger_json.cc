// SPDX-License-Identifier: Apache-2.0
#include "report/ledger_json.h"

namespace stepscope {
namespace {

void WriteBins(JsonWriter& json, std::string_view key,
               const std::map<std::string, Ledger::Bin, std::less<>>& bins) {
  json.Key(key).BeginObject();
  for (const auto& [reason, bin] : bins) json.Field(reason, bin.count);
  json.EndObject();
}

}  // namespace

void WriteSource(JsonWriter& json, const Trace& trace) {
  json.Key("source").BeginObject().Field("format", trace.format());
  json.Key("files").BeginArray();
  for (const std::string& file : trace.files()) json.String(file);
  json.EndArray().EndObject();
}

void WriteLedger(JsonWriter& json, const Trace& trace, AmongKept among_kept) {
  const Ledger& ledger = trace.ledger();
  json.Key("ledger").BeginObject();
  json.Field("seen", ledger.seen()).Field("kept", ledger.kept());
  WriteBins(json, "repaired", ledger.repaired());
  WriteBins(json, "rejected", ledger.rejected());
  json.Field("no_launch", among_kept.no_launch);
  json.Field("outlives_parent", among_kept.outlives_parent).EndObject();
}

}  // namespace stepscope
