# SPDX-License-Identifier: Apache-2.0
"""paddle.profiler.profiler_statistic, as far as programs use it. Sums by name
are tables here: ``prof.result.operators``, ``prof.result.model_summary``."""

from __future__ import annotations

from .._enums import (SortedKeys, SummaryView, TracerEventType,
                      TracerMemEventType)

# typing is for readers and checkers; importing it would double the time of
# importing this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List

__all__ = ["SortedKeys", "SummaryView", "TracerEventType",
           "TracerMemEventType", "get_device_nodes", "traverse_tree"]


def _all_nodes(root: Any) -> List[Any]:
    found, open_nodes = [], [root]
    while open_nodes:
        node = open_nodes.pop()
        found.append(node)
        open_nodes.extend(reversed(node.children_node))
    return found


def traverse_tree(nodetrees: Dict[int, Any]) -> Dict[int, List[Any]]:
    """The nodes of each thread of ``prof.profiler_result.get_data()``, parents
    before their children."""
    return {thread: _all_nodes(root) for thread, root in nodetrees.items()}


def get_device_nodes(hostnode: Any) -> List[Any]:
    """What the calls below a node made the device do."""
    return [device for node in _all_nodes(hostnode)
            for runtime in node.runtime_node
            for device in runtime.device_node]
