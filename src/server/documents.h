// SPDX-License-Identifier: Apache-2.0
//
// What the commands print as JSON, of a trace that is open: by the same
// functions, so with the same numbers.
#pragma once

#include <string>
#include <vector>

#include "analysis/views/view_table.h"
#include "base/result.h"
#include "report/table_options.h"
#include "server/files/open_trace.h"
#include "server/kept_texts.h"

namespace stepscope::server {

// `words` as the command takes them; empty: its defaults.
Result<std::string> SummaryDocument(const OpenTrace& open,
                                    const SummaryWords& words);
// The file that `stepscope report` writes, with its usual options.
Result<std::string> ReportDocument(const OpenTrace& open,
                                   const std::string& steps);
Result<std::string> AdviseDocument(const OpenTrace& open,
                                   const std::string& steps);
Result<std::string> WhatifDocument(const OpenTrace& open,
                                   const std::vector<std::string>& changes,
                                   const std::string& steps);
// `name_a`, `name_b`: what sentences call them.
Result<std::string> CompareDocument(const OpenTrace& a, const OpenTrace& b,
                                    const std::string& steps,
                                    const std::string& name_a,
                                    const std::string& name_b);

// The declarations of all tables.
std::string TablesJson();
// One table: its columns and all rows.
Result<std::string> TableJson(const OpenTrace& open, const std::string& key,
                              const SummaryWords& words);
// One of the tables that only viewers ask for, made once for all that is asked
// with it. REQUIRES: FindViewTable(key).
Result<std::string> ViewTableDocument(const OpenTrace& open,
                                      const std::string& key,
                                      const ViewQuery& query,
                                      const std::string& steps,
                                      KeptTexts& kept);
// The forms of changes that whatif takes.
std::string ChangesJson();

}  // namespace stepscope::server
