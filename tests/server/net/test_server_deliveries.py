"""Many messages for one request: what goes wrong in the middle of them is not lost on the way to the client."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import libremq
from libremq.kernel.recovery import log_room
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.testing.serving import served_queue_manager


def test_a_unit_of_work_that_gave_way_in_the_middle_of_a_batch_cannot_be_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is backed out for log space between two of its gets: the answer that it was must not be swallowed."""
    with served_queue_manager(folder=tmp_path / "libremq") as served:
        manager = served.embedded.manager
        get_plain, gets = manager.get_plain, 0

        def give_way_at_once(*arguments: Any) -> Any:
            nonlocal gets
            gets += 1
            if gets == 1:
                log_room.give_way(manager.core)
            return get_plain(*arguments)

        with libremq.connect(served.url("mq")) as qm:
            qm.define_local("IN")
            qm.define_local("OUT")
            qm.queue("IN").put_many([b"%d" % number for number in range(10)], persistent=True)
            monkeypatch.setattr(manager, "get_plain", give_way_at_once)
            with pytest.raises(MQError) as told, qm.transaction():
                qm.queue("OUT").put(b"the answer", persistent=True)
                got = qm.queue("IN").get_many(10)
                assert 0 < len(got) < 10
            assert told.value.reason == C.MQRC_BACKED_OUT
            monkeypatch.undo()
            assert (qm.queue("OUT").depth, qm.queue("IN").depth) == (0, 10)
