"""What the queue manager's process tells the controller, and the controller tells `strmqm`: lines of JSON in a pipe.

`say` is a message for people, `ready` means that applications may connect, `failed` that it could not start and why. A
pipe that nobody reads any more, or nobody reads now, loses lines and stops nobody.
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

LOCKED = "locked"
"""A `cause`: another process has the queue manager open."""
_LINE_MAX = 1 << 16
_TEXT_MAX = 3000
"""So that a line is written whole: a pipe takes 4096 bytes in one piece."""


class StartFailure(NamedTuple):
    """Why a queue manager did not start: enough to build the error again in the process that tells it."""

    text: str
    reason: int = 0
    """MQRC_..., or 0."""
    cause: str = ""
    """The class of the error below it."""
    errno: int = 0


class ProgressWriter:
    """The writing end."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        if fd >= 0:
            os.set_blocking(fd, False)
            os.set_inheritable(fd, False)

    def say(self, text: str) -> None:
        self._write({"say": text[:_TEXT_MAX]})

    def ready(self, text: str = "") -> None:
        """It is ready; the text says so to people, in the same moment."""
        self._write({"ready": True, **({"say": text[:_TEXT_MAX]} if text else {})})

    def failed(self, failure: StartFailure) -> None:
        self._write({"failed": failure._replace(text=failure.text[:_TEXT_MAX])._asdict()})

    def _write(self, content: dict[str, Any]) -> None:
        if self._fd >= 0:
            try:
                os.write(self._fd, json.dumps(content, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            except OSError:
                pass

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class ProgressReader:
    """The reading end: bytes in, what they say out. Whatever the other process writes, it is only text."""

    def __init__(self) -> None:
        self._rest = b""
        self.is_ready = False
        self.failure: StartFailure | None = None

    def feed(self, data: bytes) -> list[str]:
        """What there is to be said to people."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LINE_MAX:
            self._rest = b""
        texts = []
        for line in lines:
            try:
                content = json.loads(line)
                if "say" in content:
                    texts.append(str(content["say"]))
                if "ready" in content:
                    self.is_ready = True
                if "failed" in content:
                    failed = content["failed"]
                    self.failure = StartFailure(
                        str(failed["text"]), int(failed["reason"]), str(failed["cause"]), int(failed["errno"])
                    )
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
        return texts
