# SPDX-License-Identifier: Apache-2.0
"""Traces as data: what stepscope.load() returns."""

from .load import load
from .report import Report
from .result import Result
from .table import Column, Table

__all__ = ["Column", "Report", "Result", "Table", "load"]
