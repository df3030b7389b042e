# SPDX-License-Identifier: Apache-2.0
"""The views and named queries of ``stepscope query``, from the same files."""

import re
from pathlib import Path
from typing import NamedTuple

SQL = Path(__file__).parent / "sql"
TABLES = ["events", "tracks", "args", "flows", "counters", "memory", "steps",
          "collectives", "ledger", "ranks"]
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


class NamedQuery(NamedTuple):
    """A file of SQL, with what its head says."""
    name: str
    meaning: str
    parameters: dict  # name: value unless another is given
    sql: str

    def fill(self, values):
        """The SQL. ValueError for a parameter that it does not have, or a
        value that is not a number."""
        for name, value in values.items():
            if name not in self.parameters:
                have = ", ".join(self.parameters) or "none"
                raise ValueError(f"{self.name}: no parameter {name}; "
                                 f"it has: {have}")
            if not NUMBER.fullmatch(str(value)):
                raise ValueError(f"{self.name}: {name}={value}: expected a "
                                 "number")
        filled = self.sql
        for name, value in {**self.parameters, **values}.items():
            filled = filled.replace("${" + name + "}", str(value))
        return filled


def _parse(path):
    meaning, parameters, body = [], {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if body or not line.startswith("-- "):
            body.append(line)
        elif line.startswith("-- param "):
            name, rest = line[len("-- param "):].split(" = ", 1)
            parameters[name] = rest.split(": ", 1)[0]
        else:
            meaning.append(line[3:])
    return NamedQuery(path.stem, " ".join(meaning), parameters,
                      "\n".join(body))


def named_queries():
    """All of them, by name."""
    return {path.stem: _parse(path)
            for path in sorted((SQL / "named").glob("*.sql"))}


def named_query(name, **parameters):
    """The SQL of a named query. ValueError where there is none."""
    queries = named_queries()
    if name not in queries:
        raise ValueError(f"{name}: no such query; there are: "
                         + ", ".join(queries))
    return queries[name].fill(parameters)


def add_views(spark, dataset):
    """Makes the tables of a dataset and the views over them known to Spark,
    by the names that ``stepscope query`` has. `dataset` may be any address
    that Spark reads."""
    folder = str(dataset).rstrip("/")
    # What a writer has not finished has no row in `ranks`.
    for table in ["ranks", *(name for name in TABLES if name != "ranks")]:
        rows = spark.read.parquet(f"{folder}/{table}")
        others = [f"`{name}`" for name in rows.columns
                  if name not in ("job", "rank")]
        # Spark takes the narrowest type for the name of a folder.
        rows = rows.selectExpr(*others, "CAST(job AS STRING) AS job",
                               "CAST(rank AS BIGINT) AS rank")
        if table != "ranks":
            counting = spark.table("raw_ranks").select("source_id")
            rows = rows.join(counting, "source_id", "left_semi")
        rows.createOrReplaceTempView(f"raw_{table}")
        spark.table(f"raw_{table}").createOrReplaceTempView(table)
    for path in sorted((SQL / "views").glob("*.sql")):
        spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {path.stem} AS\n"
                  + path.read_text(encoding="utf-8"))
