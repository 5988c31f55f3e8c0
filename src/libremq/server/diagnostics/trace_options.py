"""What strmqtrc can be asked for: apart from the trace itself, so that the command loads nothing of a server."""

from __future__ import annotations

from dataclasses import dataclass

API, COMMS, ALL = "api", "comms", "all"
TYPES = (ALL, API, COMMS)
DATA_BYTES = 64
SIZE_MB = 100
SIZE_MAX_MB = 2000
PROGRAMS_MAX = 25


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """What is traced, and how much of it."""

    types: frozenset[str] = frozenset({ALL})
    """`api`: calls of the MQI; `comms`: all flows, with their bytes; `all`: both."""
    data_bytes: int = DATA_BYTES
    """Of each flow; -1: all."""
    programs: frozenset[str] = frozenset()
    """Only of applications with these names; empty: of all."""
    size_mb: int = SIZE_MB
