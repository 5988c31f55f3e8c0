"""A client that dies while the log has no room even for its backout: that is done when there is."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from helper_peers import Line, wait_until

import libremq
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, VirtualClock
from libremq.testing.serving import served_queue_manager

LINEAR = LogConfig(primary_files=3, secondary_files=2, file_pages=64, type="LINEAR")
MANY = 300  # so that a backout does not fit into the rest of an extent


def test_what_a_client_has_left_behind_is_given_back_when_the_log_has_room(tmp_path: Path) -> None:
    files, clock, said = FaultyFiles(), VirtualClock(), list[str]()
    with served_queue_manager(
        folder=tmp_path, files=files, clock=clock, log_config=LINEAR, say=lambda text: said.append(str(text))
    ) as served:
        core = served.event_loop.manager.core
        with libremq.connect(served.url("local")) as qm:
            qm.define_local("A")
            qm.define_local("B")
            with qm.transaction():
                for number in range(MANY):
                    qm.put("A", b"%d" % number, persistent=True)
            with Line(served.port) as line:
                dead = libremq.connect(f"mq://127.0.0.1:{line.port}/QM1")
                transaction = dead.transaction()
                transaction.__enter__()  # and is never left
                queue = dead.queue("A")
                for _ in range(MANY):
                    queue.get()
                files.set_free_space(0)
                for size in (9_000, 300, 1):
                    while fits(qm, size):
                        pass
                before = len(core.connections)
            wait_until(lambda: any("AMQ5079" in text for text in said), "it is noticed that the client is gone")
            assert len(core.connections) == before
            files.set_free_space(None)
            clock.advance(11)
            wait_until(lambda: len(core.connections) == before - 1, "it is disconnected")
            found = qm.queue("A")
            assert [int(found.get().data) for _ in range(MANY)] == list(range(MANY))
            with suppress(MQError):
                dead.close()


def fits(qm: libremq.QueueManager, size: int) -> bool:
    try:
        qm.put("B", bytes(size), persistent=True)
        qm.queue("B").get()
    except MQError as error:
        return error.reason != C.MQRC_RESOURCE_PROBLEM
    return True
