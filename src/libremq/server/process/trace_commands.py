"""strmqtrc and endmqtrc: the trace of a queue manager, turned on and off while it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from libremq.common.messages.amq_messages import amq
from libremq.server.diagnostics.flow_trace import FlowTrace
from libremq.server.diagnostics.trace_options import PROGRAMS_MAX, SIZE_MAX_MB, TYPES, TraceOptions
from libremq.server.net.event_loop import EventLoop
from libremq.server.process.control_socket import Request

START_TRACE, END_TRACE = "start trace", "end trace"


class TraceCommands:
    """`event_loop` gives that of a queue manager that serves; None otherwise."""

    def __init__(self, folder: str, event_loop: Callable[[], EventLoop | None], say: Callable[[str], None]) -> None:
        self._folder = folder
        self._event_loop = event_loop
        self._say = say

    def _usable(self) -> EventLoop:
        found = self._event_loop()
        if found is None:
            raise ValueError("the queue manager is starting or ending")
        return found

    def start(self, request: Request) -> dict[str, Any]:
        """Begin a trace, or go on with other options. ValueError if it cannot be."""
        event_loop = self._usable()
        options = _options(request)
        self._end(event_loop)
        try:
            event_loop.trace = FlowTrace(self._folder, options, lambda why: self._failed(event_loop, why))
        except OSError as error:
            raise ValueError(f"the trace cannot be written: {error}") from error
        return {"path": event_loop.trace.path}

    def stop(self) -> dict[str, Any]:
        """The file that was written; none if there was no trace."""
        return {"path": self._end(self._usable())}

    def _end(self, event_loop: EventLoop) -> str:
        trace, event_loop.trace = event_loop.trace, None
        if trace is None:
            return ""
        trace.end()
        return trace.path

    def _failed(self, event_loop: EventLoop, why: str) -> None:
        event_loop.trace = None
        self._say(amq(5089, why))


def _options(request: Request) -> TraceOptions:
    types, programs = request.get("types"), request.get("programs")
    data_bytes, size_mb = request.get("data_bytes"), request.get("size_mb")
    if (
        not isinstance(types, list) or not types or any(one not in TYPES for one in types)
        or not isinstance(programs, list) or not all(isinstance(one, str) for one in programs)
        or not isinstance(data_bytes, int) or not isinstance(size_mb, int) or not 0 < size_mb <= SIZE_MAX_MB
    ):  # fmt: skip
        raise ValueError("there is no such trace")
    if len(programs) > PROGRAMS_MAX:
        raise ValueError(f"a trace is of {PROGRAMS_MAX} programs at the most, not of {len(programs)}")
    return TraceOptions(frozenset(types), max(-1, data_bytes), frozenset(programs), size_mb)
