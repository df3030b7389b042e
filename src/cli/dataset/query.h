// SPDX-License-Identifier: Apache-2.0
//
// query: SQL over traces or a dataset.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "cli/frame/exit_code.h"

namespace stepscope {

struct QueryArguments {
  std::string input;  // a trace, a folder of them or a dataset
  std::string sql;
  std::string named;                    // a query that is there by name
  std::vector<std::string> parameters;  // NAME=VALUE, of that one
  std::string file;                     // of SQL; -: standard input
  std::string format = "table";
  std::string output = "-";
  std::string memory;  // as "4GB"
  int limit = -1;      // rows; 0: all; -1: what suits the format
  bool list = false;   // of the named queries
};
Command QueryCommand(QueryArguments& arguments);
ExitCode RunQuery(const QueryArguments& arguments);
// Of the queries that are there by name.
std::vector<std::string> QueryNames();

}  // namespace stepscope
