// SPDX-License-Identifier: Apache-2.0
#include "cli/dataset/query.h"

namespace stepscope {

Command QueryCommand(QueryArguments& arguments) {
  return {
      .name = "query",
      .group = "Find out where the time goes",
      .summary = "query a trace or a dataset with SQL",
      .description =
          "Runs an SQL query with DuckDB. A trace is read first; a dataset "
          "that convert --to parquet wrote needs no reading. The tables are "
          "those of docs/formats/dataset.md; the views are operators, "
          "kernels, launches, steps, collectives and gaps. Queries cannot "
          "write, and see no other file.",
      .operands = {{.name = "TRACE",
                    .meaning = "a trace file of any supported format, a folder "
                               "of traces, or a dataset",
                    .target = &arguments.input,
                    .optional = true},
                   {.name = "SQL",
                    .meaning = "the query; - for standard input",
                    .kind = ValueKind::kText,
                    .target = &arguments.sql,
                    .optional = true}},
      .options = {{.name = "--named",
                   .value = "NAME",
                   .kind = ValueKind::kText,
                   .meaning =
                       "run the query of this name instead; --list shows them",
                   .offers = QueryNames(),
                   .group = "Which query",
                   .target = &arguments.named},
                  {.name = "--param",
                   .value = "NAME=VALUE",
                   .kind = ValueKind::kText,
                   .meaning = "set a parameter of that query; may be repeated",
                   .group = "Which query",
                   .target = &arguments.parameters},
                  {.name = "--file",
                   .value = "FILE",
                   .kind = ValueKind::kFile,
                   .meaning = "read the SQL from a file",
                   .group = "Which query",
                   .target = &arguments.file},
                  {.name = "--list",
                   .meaning = "list the named queries and their parameters",
                   .group = "Which query",
                   .target = &arguments.list},
                  {.name = "--format",
                   .value = "FORMAT",
                   .kind = ValueKind::kChoice,
                   .meaning = "how to print",
                   .fallback = "table",
                   .choices = {"table", "csv", "json", "parquet", "arrow"},
                   .group = "Output",
                   .target = &arguments.format},
                  {.name = "--output",
                   .short_name = "-o",
                   .value = "FILE",
                   .kind = ValueKind::kFile,
                   .meaning = "file to write; - for standard output",
                   .fallback = "-",
                   .group = "Output",
                   .target = &arguments.output},
                  {.name = "--limit",
                   .value = "N",
                   .kind = ValueKind::kCount,
                   .meaning = "print the first N rows; 0 prints all",
                   .fallback = "1000 of a table, else all",
                   .group = "Output",
                   .target = &arguments.limit},
                  {.name = "--memory",
                   .value = "SIZE",
                   .kind = ValueKind::kText,
                   .meaning =
                       "memory for the query, such as 4GB; more goes to disk",
                   .fallback = "most of the machine's",
                   .group = "Output",
                   .target = &arguments.memory}},
      .example_title = "which kernels take the most time?",
      .example = "stepscope query job.sscap --named top_kernels",
      .run = [&arguments] { return RunQuery(arguments); }};
}

}  // namespace stepscope
