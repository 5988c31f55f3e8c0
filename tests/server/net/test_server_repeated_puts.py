"""Puts that take the short way because they are like the one before: as soon as anything is special, they do not."""

from __future__ import annotations

from pathlib import Path

import libremq
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQPMO, MQSTS
from libremq.testing.serving import served_queue_manager


def test_a_group_that_was_begun_meanwhile_is_not_forgotten(tmp_path: Path) -> None:
    with served_queue_manager(folder=tmp_path) as served, libremq.connect(served.url()) as qm:
        qm.define_local("Q")
        queue = qm.queue("Q")
        hobj = queue.handle("output")

        def put(data: bytes) -> None:
            options = C.MQPMO_ASYNC_RESPONSE | C.MQPMO_SYNCPOINT
            qm.mqi.MQPUT(hobj, MQMD(Version=2), MQPMO(Version=3, Options=options), data)

        put(b"one")
        put(b"two")
        grouped = MQPMO(Version=3, Options=C.MQPMO_LOGICAL_ORDER | C.MQPMO_SYNCPOINT)
        qm.mqi.MQPUT(hobj, MQMD(Version=2, MsgFlags=C.MQMF_MSG_IN_GROUP), grouped, b"of a group")
        put(b"three")
        sts = MQSTS()
        qm.mqi.MQSTAT(C.MQSTAT_TYPE_ASYNC_ERROR, sts)
        assert (sts.CompCode, sts.Reason) == (C.MQCC_WARNING, C.MQRC_INCOMPLETE_GROUP)
        assert (sts.PutSuccessCount, sts.PutWarningCount) == (2, 1)
        qm.mqi.MQBACK()
