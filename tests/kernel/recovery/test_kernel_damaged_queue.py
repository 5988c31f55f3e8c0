"""A queue whose files are damaged is refused each time it is asked for, and nothing is written over it."""

from __future__ import annotations

import pytest
from helper_qmgr import Session

from libremq.host import lifecycle
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQOD


def test_a_damaged_queue_stays_refused() -> None:
    session = Session()
    session.queue("Q")
    for number in range(3):
        session.put("Q", b"%d" % number, Persistence=C.MQPER_PERSISTENT)
    files = session.core.files
    session.qm.end()
    path = "qm/queues/Q/handles.000001"
    whole = files.content(path)  # type: ignore[attr-defined]
    files.overwrite(path, len(whole) - 1, bytes([whole[-1] ^ 1]))  # type: ignore[attr-defined]
    damaged = files.content(path)  # type: ignore[attr-defined]
    manager = lifecycle.start(files, "qm", "QM1", session.clock)
    hconn = manager.connect()
    for _ in range(2):
        with pytest.raises(MQError) as caught:
            manager.open(hconn, MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
        assert caught.value.reason == C.MQRC_OBJECT_DAMAGED
    manager.checkpoint()
    assert files.content(path) == damaged  # type: ignore[attr-defined]
    manager.end()
