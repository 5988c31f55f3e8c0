"""A served queue manager tells that it was asked to end, and how; who waits for that hears it before the end."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from libremq import connect
from libremq.client.remote.remote_access import RemoteAccess
from libremq.client.urls import ClientAddress, parse
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFIN, unpack_message
from libremq.mqi.structs import MQGMO, MQMD, MQOD
from libremq.testing.serving import WaitingGet, served_queue_manager

QUEUE = "SYSTEM.ADMIN.QMGR.EVENT"


def what_it_says(data: bytes) -> tuple[int, int]:
    """Reason and qualifier."""
    header, parameters = unpack_message(data)
    qualifier = parameters[1]
    assert isinstance(qualifier, MQCFIN)
    return header.Reason, qualifier.Value


def test_a_waiting_monitor_hears_of_the_end(tmp_path: Path) -> None:
    with served_queue_manager(folder=tmp_path) as served:
        address = parse(served.url("local"))
        assert isinstance(address, ClientAddress)
        access = RemoteAccess([address])
        monitor = access.connect("", "")
        hobj = monitor.open(MQOD(ObjectName=QUEUE), C.MQOO_INPUT_SHARED)
        start = monitor.get(hobj, MQMD(), MQGMO(), None).data
        gmo = MQGMO(Options=C.MQGMO_WAIT | C.MQGMO_FAIL_IF_QUIESCING, WaitInterval=C.MQWI_UNLIMITED)
        waiting = WaitingGet(served, monitor, lambda: monitor.get(hobj, MQMD(), gmo, None))
        end = threading.Thread(target=lambda: served.run(served.event_loop.end("quiesce")))
        end.start()
        try:
            while not waiting.done:
                pass
        finally:
            access.close()
            end.join(120)
        assert waiting.result is not None, waiting.error
        assert what_it_says(start) == (C.MQRC_Q_MGR_ACTIVE, C.MQRQ_FAILOVER_NOT_PERMITTED)
        assert what_it_says(waiting.result.data) == (C.MQRC_Q_MGR_NOT_ACTIVE, C.MQRQ_Q_MGR_QUIESCING)


@pytest.mark.parametrize(
    ("mode", "qualifier"), [("quiesce", C.MQRQ_Q_MGR_QUIESCING), ("immediate", C.MQRQ_Q_MGR_STOPPING)]
)
def test_the_event_says_how_it_was_ended(tmp_path: Path, mode: str, qualifier: int) -> None:
    with served_queue_manager(folder=tmp_path) as served:
        with connect(served.url("local")) as qm:
            qm.alter("QLOCAL", QUEUE, DEFPSIST="YES")
        served.run(served.event_loop.end(mode))  # type: ignore[arg-type]
    with connect(f"embedded:QM1?data={tmp_path}") as qm:
        told = [what_it_says(message.data) for message in qm.queue(QUEUE).browse()]
    assert told == [
        (C.MQRC_Q_MGR_NOT_ACTIVE, qualifier),
        (C.MQRC_Q_MGR_ACTIVE, C.MQRQ_FAILOVER_NOT_PERMITTED),
    ]
