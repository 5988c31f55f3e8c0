"""Channel events of clients: started, stopped, stopped by a command, and no more instances to be had."""

from __future__ import annotations

from pathlib import Path

import pytest

import libremq
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFIN, MQCFST, unpack_message
from libremq.testing.serving import served_queue_manager

_QUEUE = "SYSTEM.ADMIN.CHANNEL.EVENT"


def events(manager: libremq.QueueManager, count: int) -> list[tuple[int, dict[int, object]]]:
    """So many events, waited for: a channel ends some time after its client."""
    found = []
    for _ in range(count):
        header, parameters = unpack_message(manager.queue(_QUEUE).get(wait=120).data)
        values: dict[int, object] = {}
        for one in parameters:
            if isinstance(one, MQCFIN):
                values[one.Parameter] = one.Value
            elif isinstance(one, MQCFST):
                values[one.Parameter] = one.String.rstrip()
        found.append((header.Reason, values))
    return found


def test_a_client_comes_and_goes(tmp_path: Path) -> None:
    with served_queue_manager(folder=tmp_path) as served, libremq.connect(served.url("local")) as manager:
        manager.alter("qmgr", chlev="enabled")
        with libremq.connect(served.url("mq")) as client:
            client.queue_names()
        started, stopped = events(manager, 2)
        assert [started[0], stopped[0]] == [C.MQRC_CHANNEL_STARTED, C.MQRC_CHANNEL_STOPPED]
        channel = started[1][C.MQCACH_CHANNEL_NAME]
        assert channel and stopped[1][C.MQCACH_CHANNEL_NAME] == channel
        assert started[1][C.MQCACH_CONNECTION_NAME] == "127.0.0.1"
        assert stopped[1][C.MQIACF_REASON_QUALIFIER] == C.MQRQ_CHANNEL_STOPPED_OK


@pytest.mark.parametrize(
    ("attribute", "qualifier", "told"),
    [
        ("maxinst", C.MQRQ_SVRCONN_INST_LIMIT, C.MQIACH_MAX_INSTANCES),
        ("maxinstc", C.MQRQ_CLIENT_INST_LIMIT, C.MQIACH_MAX_INSTS_PER_CLIENT),
    ],
)
def test_no_instance_is_left(tmp_path: Path, attribute: str, qualifier: int, told: int) -> None:
    with served_queue_manager(folder=tmp_path) as served, libremq.connect(served.url("local")) as manager:
        manager.alter("qmgr", chlev="exception")  # only what goes wrong
        channel = served.url("mq").partition("channel=")[2].partition("&")[0] or "SYSTEM.DEF.SVRCONN"
        manager.alter("channel", channel, **{attribute: 0})
        with pytest.raises(libremq.MQError), libremq.connect(served.url("mq")) as client:
            client.queue_names()
        ((reason, values),) = events(manager, 1)
        assert reason == C.MQRC_CHANNEL_NOT_AVAILABLE
        assert values[C.MQCACH_CHANNEL_NAME] == channel
        assert (values[C.MQIACF_REASON_QUALIFIER], values[told]) == (qualifier, 0)


def test_nothing_is_told_unless_asked_for(tmp_path: Path) -> None:
    with served_queue_manager(folder=tmp_path) as served, libremq.connect(served.url("local")) as manager:
        manager.alter("qmgr", chlev="disabled")
        with libremq.connect(served.url("mq")) as client:
            client.queue_names()
        assert manager.display("qlocal", _QUEUE)[0]["curdepth"] == 0
