"""The wait interval of a get that is made more than once: what is left of it."""

from __future__ import annotations

import time
from types import TracebackType

from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO


class Wait:
    """A `with` block around the attempts; the MQGMO has its own interval again when it ends."""

    def __init__(self, gmo: MQGMO) -> None:
        self._gmo = gmo
        self._interval_ms = gmo.WaitInterval
        self._deadline: float | None = None

    def __enter__(self) -> Wait:
        return self

    def go_on(self) -> None:
        """Before each attempt."""
        if self._interval_ms == C.MQWI_UNLIMITED or self._interval_ms < 0:
            return
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + self._interval_ms / 1000
        else:
            self._gmo.WaitInterval = max(0, int(1000 * (self._deadline - now)))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._gmo.WaitInterval = self._interval_ms
