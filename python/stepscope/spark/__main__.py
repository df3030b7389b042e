# SPDX-License-Identifier: Apache-2.0
"""``python -m stepscope.spark``."""

import argparse
import json
import os
import sys

from ._importing import UNREADABLE, ImportFailed, import_traces
from ._queries import add_views, named_query

# Exit statuses, as those of `stepscope`.
WRONG_ARGUMENTS = 2
SPARK_FAILED = 4


def pair(text):
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text}: expected NAME=VALUE")
    return name, value


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m stepscope.spark",
        description="Reads traces on a Spark cluster, writes them as a dataset "
                    "of Parquet files, and answers SQL about it.")
    parser.add_argument("--master", metavar="URL",
                        help="the cluster, such as spark://HOST:7077 (default: "
                             "what spark-submit or the settings of Spark say)")
    parser.add_argument("--input", metavar="PATH", action="append", default=[],
                        help="a trace or a folder of traces; may be repeated")
    parser.add_argument("--output", metavar="DATASET", required=True,
                        help="the dataset to write to and to ask")
    parser.add_argument("--named", metavar="NAME",
                        help="answer a named query; stepscope query --list "
                             "prints them")
    parser.add_argument("--param", metavar="NAME=VALUE", type=pair,
                        action="append", default=[],
                        help="a parameter of the named query")
    parser.add_argument("--sql", metavar="TEXT", help="answer this query")
    parser.add_argument("--conf", metavar="NAME=VALUE", type=pair,
                        action="append", default=[], help="a setting of Spark")
    args = parser.parse_args(arguments)
    if args.named and args.sql:
        parser.error("give one of --named and --sql")
    if args.param and not args.named:
        parser.error("--param belongs to --named")
    if not (args.input or args.named or args.sql):
        parser.error("nothing to do: give --input, --named or --sql")
    return args


def session(args):
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        fail("no PySpark for this Python; get it with: pip install "
             "pyspark==4.1.4", WRONG_ARGUMENTS)
    builder = SparkSession.builder.appName("stepscope")
    if args.master:
        builder = builder.master(args.master)
    # Where executors find the library that writes Parquet.
    if "STEPSCOPE_DUCKDB" in os.environ:
        builder = builder.config("spark.executorEnv.STEPSCOPE_DUCKDB",
                                 os.environ["STEPSCOPE_DUCKDB"])
    for name, value in args.conf:
        builder = builder.config(name, value)
    return builder.getOrCreate()


def print_rows(frame):
    """A JSON object per line, as rows come."""
    for row in frame.toLocalIterator():
        print(json.dumps(row.asDict(recursive=True), default=str,
                         ensure_ascii=False))


def fail(message, status):
    """Ends the program with a line per line of `message`."""
    for line in message.splitlines():
        print(f"stepscope.spark: {line}", file=sys.stderr)
    sys.exit(status)


def first_line(error):
    return next(filter(None, str(error).splitlines()), type(error).__name__)


def ask(spark, dataset, sql):
    from pyspark.errors import AnalysisException, PySparkException

    try:
        add_views(spark, dataset)
    except PySparkException as error:
        fail(f"{dataset}: expected a dataset, which --input writes; Spark "
             f"says: {first_line(error)}", UNREADABLE)
    try:
        print_rows(spark.sql(sql))
    except AnalysisException as error:  # what was asked is wrong
        fail(first_line(error), WRONG_ARGUMENTS)
    except PySparkException as error:
        fail(first_line(error), SPARK_FAILED)


def run(args, sql, spark):
    """The exit status."""
    from py4j.protocol import Py4JJavaError

    status = 0
    try:
        if args.input:
            done = import_traces(spark, args.input, args.output)
            for note in done.notes:
                print(f"stepscope.spark: {note}", file=sys.stderr)
            status = 0 if done.complete else UNREADABLE
        if sql is not None:
            ask(spark, args.output, sql)
    except ImportFailed as error:
        fail(str(error), error.status)
    except Py4JJavaError as error:  # a task that failed several times
        cause = error.java_exception.getMessage() or str(error)
        fail(cause.splitlines()[0], SPARK_FAILED)
    return status


def main(arguments=None):
    args = parse(arguments)
    sql = args.sql
    try:
        if args.named:
            sql = named_query(args.named, **dict(args.param))
    except ValueError as error:
        fail(str(error), WRONG_ARGUMENTS)
    spark = session(args)
    try:
        return run(args, sql, spark)
    finally:
        spark.stop()


if __name__ == "__main__":
    sys.exit(main())
