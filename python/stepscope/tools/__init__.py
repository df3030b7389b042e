# SPDX-License-Identifier: Apache-2.0
"""Paddle's tools, as modules to run."""
