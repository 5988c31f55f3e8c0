"""How far the measurements of the source go, for models that are lines through them.

Beyond its last measurement a line still gives a figure, and nobody measured that it holds. Whoever shows such a figure
says so, with the range: `extrapolations` has the words.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from libremq.pipeline.models.loaded_models import known_models


@dataclass(frozen=True, slots=True)
class Range:
    parameter: str
    lowest: float
    highest: float
    unit: str
    lines: str


MEASURED: dict[str, Range] = {
    "log_processing_seconds": Range("transactions", 0, 10_000, "transactions", "L1708-L1709"),
    "restart_seconds_by_transactions": Range("transactions", 0, 10_000, "transactions", "L1708-L1709"),
    "object_processing_seconds": Range("objects", 140, 14_484, "objects", "L1730-L1733"),
    "commit_cpu_us": Range("messages_per_commit", 1, 1000, "messages to a commit", "L7133"),
    "commit_elapsed_us": Range("messages_per_commit", 1, 1000, "messages to a commit", "L7133"),
    "commits_cpu_us": Range("messages_per_commit", 1, 1000, "messages to a commit", "L7133"),
    "commits_elapsed_us": Range("messages_per_commit", 1, 1000, "messages to a commit", "L7133"),
    "get_share_log_bytes": Range("message_bytes", 0, 102_400, "bytes", "L834"),
    "put_share_log_bytes": Range("message_bytes", 0, 102_400, "bytes", "L834"),
}
"""By model; one that is not here is a formula that holds as far as it is used, or stays level beyond its table."""


def extrapolations(tree: ast.expr, values: Mapping[str, Any]) -> tuple[str, ...]:
    """What to say of an expression whose models are used beyond what was measured; nothing if none is."""
    return tuple(dict.fromkeys(_found(tree, values)))


def _found(tree: ast.expr, values: Mapping[str, Any]) -> Iterator[str]:
    from libremq.pipeline.rules.expressions import PlainAlgebra, work_out

    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords) if name in MEASURED:
                measured = MEASURED[name]
                given = dict(zip(inspect.signature(known_models()[name].function).parameters, arguments))
                given |= {keyword.arg or "": keyword.value for keyword in keywords}
                if measured.parameter not in given:
                    continue
                value = work_out(given[measured.parameter], PlainAlgebra(values))
                if value is not None and not measured.lowest <= value <= measured.highest:
                    yield (
                        f"extrapolated: the source measured {measured.lowest:,.0f} to {measured.highest:,.0f}"
                        f" {measured.unit} ({measured.lines}), here it is {value:,.0f}"
                    )
            case _:
                pass
