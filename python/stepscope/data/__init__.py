# SPDX-License-Identifier: Apache-2.0
"""Traces as data: what stepscope.load() and stepscope.query() return."""

from .query import QueryTable, query
from .report import Report
from .result import Result, load
from .table import Column, Table

__all__ = ["Column", "QueryTable", "Report", "Result", "Table", "load",
           "query"]
