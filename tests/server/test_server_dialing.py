"""Channels that call an address where nobody answers."""

from __future__ import annotations

import socket
from pathlib import Path

from helper_partners import define
from helper_peers import wait_until

from libremq.mqi import constants as C
from libremq.server.engine import EngineLimits
from libremq.testing.serving import served_queue_manager


def test_an_address_that_does_not_answer_is_given_up_after_the_configured_time(tmp_path: Path) -> None:
    said: list[str] = []
    limits = EngineLimits(connect_s=0.1)
    with (
        served_queue_manager(folder=tmp_path, limits=limits, say=lambda text: said.append(str(text))) as served,
        socket.socket() as busy,
        socket.socket() as first,
        socket.socket() as second,
    ):
        busy.bind(("127.0.0.1", 0))
        busy.listen(0)  # one connection waits to be accepted, and the system is silent to all others
        for filler in (first, second):
            filler.setblocking(False)
            filler.connect_ex(busy.getsockname())
        define(served, "QLOCAL", "QM2", USAGE=C.MQUS_TRANSMISSION)
        define(served, "SDR", "TO.QM2", XMITQ="QM2", CONNAME=f"127.0.0.1({busy.getsockname()[1]})")
        with served.engine.lock:
            served.engine.initiator.start("TO.QM2")

        def retrying() -> bool:
            with served.engine.lock:
                return [one.status for one in served.engine.initiator.instances()] == [C.MQCHS_RETRYING]

        wait_until(retrying)
    assert any("AMQ9202" in text and "did not answer for 0.1 seconds" in text for text in said), said
