"""strmqtrc: what goes over the sockets of a queue manager, in words, in a file of its own.

A line for each flow with the time, the partner, the conversation and what the flow says; under it its first bytes, but
never those of passwords. The trace is the least of a queue manager's tasks: if its file cannot be written it ends, says
so in the error log, and nothing else happens. When the file has reached its size it becomes the one before, as in MQ.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from libremq.server.diagnostics.trace_options import ALL, COMMS, TraceOptions
from libremq.wire.flow_words import CONFIDENTIAL, flags_of, is_call, kind_of, words_of
from libremq.wire.segments import Flow

FOLDER = "trace"
_MB = 1 << 20
_ROW = 16
_PRINTABLE = bytes(byte if 32 <= byte < 127 else ord(".") for byte in range(256))


class FlowTrace:
    """One trace, from strmqtrc to endmqtrc."""

    def __init__(self, folder: str, options: TraceOptions, failed: Callable[[str], None]) -> None:
        """OSError if the file cannot be made. `failed` hears why a trace has ended by itself."""
        self.options = options
        self._failed = failed
        os.makedirs(os.path.join(folder, FOLDER), mode=0o700, exist_ok=True)
        self.path = os.path.join(folder, FOLDER, f"AMQ{os.getpid()}.0.TRC")
        self._file: TextIO | None = self._opened()
        self._bytes = 0
        self._everything = ALL in options.types
        self._put(time.strftime("Trace begun on %Y-%m-%d at %H:%M:%S %z, times are local\n"))

    def _opened(self) -> TextIO:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        return os.fdopen(os.open(self.path, flags, 0o600), "w", encoding="utf-8", errors="backslashreplace")

    def wants(self, applications: Iterator[str]) -> bool:
        """Is somebody meant who is connected over a link? Before MQCONN everybody may be."""
        if not self.options.programs:
            return True
        found = set(applications)
        return not found or not found.isdisjoint(self.options.programs)

    def received(self, partner: str, flow: Flow) -> None:
        self._flow("<-", partner, flow)

    def sent(self, partner: str, flow: Flow) -> None:
        self._flow("->", partner, flow)

    def note(self, partner: str, text: str) -> None:
        """Something that is no flow: a link that came or went."""
        self._put(f"{_now()} -- {partner:<24} {text}\n")

    def _flow(self, direction: str, partner: str, flow: Flow) -> None:
        types = self.options.types
        if not self._everything and COMMS not in types and not is_call(flow):
            return
        words = words_of(flow)
        text = f"{_now()} {direction} {partner:<24} {flow.conversation:>3}.{flow.request:<6} {kind_of(flow):<18}"
        text += f" {len(flow.body):>7} bytes {flags_of(flow)}"
        self._put(f"{text}  {words}\n" if words else f"{text}\n")
        if self._everything or COMMS in types:
            self._dump(flow)

    def _dump(self, flow: Flow) -> None:
        if flow.kind in CONFIDENTIAL:
            return
        limit = self.options.data_bytes
        data = flow.body if limit < 0 else flow.body[:limit]
        for at in range(0, len(data), _ROW):
            row = data[at : at + _ROW]
            self._put(f"    {at:08X}: {row.hex(' ', -2).upper():<39} '{row.translate(_PRINTABLE).decode()}'\n")

    def _put(self, text: str) -> None:
        if self._file is None:
            return
        try:
            self._file.write(text)
            self._file.flush()
            self._bytes += len(text)
            if self._bytes > self.options.size_mb * _MB:
                self._begin_anew()
        except (OSError, ValueError) as error:
            self.end()
            self._failed(f"{self.path}: {error}")

    def _begin_anew(self) -> None:
        assert self._file is not None
        self._file.close()
        os.replace(self.path, f"{self.path.removesuffix('.TRC')}.TRS")
        self._file, self._bytes = self._opened(), 0

    def end(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError:
                pass  # the disk is full: what was written before is there


def _now() -> str:
    now = time.time()
    return time.strftime("%H:%M:%S", time.localtime(now)) + f".{int(now % 1 * 1_000_000):06d}"
