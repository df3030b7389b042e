# SPDX-License-Identifier: Apache-2.0
"""Traces of many ranks on a Spark cluster.

    python -m stepscope.spark --master spark://HOST:7077 --input TRACES \\
        --output DATASET --named top_kernels

Executors read the traces and write the dataset; Spark then answers the same
SQL as ``stepscope query``. From a program:

    import_traces(spark, ["traces"], "dataset")
    add_views(spark, "dataset")
    spark.sql("SELECT name, sum(dur_ns) FROM kernels GROUP BY name").show()
"""

from ._importing import Imported, ImportFailed, import_traces
from ._queries import NamedQuery, add_views, named_queries, named_query

__all__ = ["Imported", "ImportFailed", "NamedQuery", "add_views",
           "import_traces", "named_queries", "named_query"]
