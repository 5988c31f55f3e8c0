"""A handle that is closed in the very moment in which another thread begins to wait for a message with it.

The close once saw no get that waits, and then waited for one that had just begun, for ever.
"""

from __future__ import annotations

import threading
from pathlib import Path

import libremq
from libremq.testing.serving import served_queue_manager

ROUNDS = 150


def test_a_close_never_waits_for_a_get_that_has_just_begun(tmp_path: Path) -> None:
    with served_queue_manager(folder=tmp_path) as served, libremq.connect(served.url("local")) as qm:
        qm.define_local("Q")
        reasons: list[int] = []
        for _ in range(ROUNDS):
            opened = threading.Event()
            queue = qm.queue("Q")

            def wait(queue: libremq.Queue = queue, opened: threading.Event = opened) -> None:
                queue.handle("input")
                opened.set()
                try:
                    queue.get(float("inf"))
                except libremq.MQError as error:
                    reasons.append(error.reason)

            thread = threading.Thread(target=wait, daemon=True)
            thread.start()
            opened.wait(120)
            closing = threading.Thread(target=queue.close, daemon=True)
            closing.start()
            closing.join(120)
            thread.join(120)
            assert not closing.is_alive() and not thread.is_alive()
        assert len(reasons) == ROUNDS
