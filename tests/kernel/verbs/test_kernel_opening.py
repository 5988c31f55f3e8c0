"""MQOPEN fills the descriptor of one queue as that of a list: how many destinations are here, how many elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO


@pytest.fixture
def qm(tmp_path: Path) -> Iterator[libremq.QueueManager]:
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}") as qm:
        qm.define_local("LOCAL")
        qm.define_local("XMIT", usage="xmitq")
        qm.define_alias("ALIAS", "LOCAL")
        qm.define_remote("REMOTE", rname="THERE", rqmname="QM2", xmitq="XMIT")
        qm.define_alias("ALIAS.OF.REMOTE", "REMOTE")
        qm.define_process("PROCESS", applicid="x")
        yield qm


@pytest.mark.parametrize(
    ("od", "options", "counts"),
    [
        (MQOD(ObjectName="LOCAL"), C.MQOO_OUTPUT, (1, 0, 0)),
        (MQOD(ObjectName="LOCAL"), C.MQOO_INPUT_SHARED, (1, 0, 0)),
        (MQOD(ObjectName="LOCAL"), C.MQOO_BROWSE | C.MQOO_INQUIRE, (1, 0, 0)),
        (MQOD(ObjectName="ALIAS"), C.MQOO_OUTPUT, (1, 0, 0)),
        (MQOD(ObjectName="SYSTEM.DEFAULT.MODEL.QUEUE"), C.MQOO_OUTPUT, (1, 0, 0)),
        (MQOD(ObjectName="REMOTE"), C.MQOO_OUTPUT, (0, 1, 0)),
        (MQOD(ObjectName="ALIAS.OF.REMOTE"), C.MQOO_OUTPUT, (0, 1, 0)),
        (MQOD(ObjectName="ANY", ObjectQMgrName="XMIT"), C.MQOO_OUTPUT, (0, 1, 0)),
        (MQOD(ObjectType=C.MQOT_Q_MGR), C.MQOO_INQUIRE, (0, 0, 0)),
        (MQOD(ObjectType=C.MQOT_PROCESS, ObjectName="PROCESS"), C.MQOO_INQUIRE, (0, 0, 0)),
    ],
)
def test_how_many_destinations_were_opened(
    qm: libremq.QueueManager, od: MQOD, options: int, counts: tuple[int, int, int]
) -> None:
    od.Version = C.MQOD_VERSION_2
    od.KnownDestCount = od.UnknownDestCount = od.InvalidDestCount = 77
    qm.mqi.MQOPEN(od, options)
    assert (od.KnownDestCount, od.UnknownDestCount, od.InvalidDestCount) == counts


def test_a_descriptor_of_the_first_version_has_no_such_fields(qm: libremq.QueueManager) -> None:
    od = MQOD(Version=C.MQOD_VERSION_1, ObjectName="LOCAL", KnownDestCount=77)
    qm.mqi.MQOPEN(od, C.MQOO_OUTPUT)
    assert od.KnownDestCount == 77


def test_mqput1_fills_the_descriptor_only_if_it_puts(qm: libremq.QueueManager) -> None:
    od = MQOD(Version=C.MQOD_VERSION_2, ObjectName="LOCAL")
    qm.mqi.MQPUT1(od, MQMD(), MQPMO(), b"x")
    assert (od.KnownDestCount, od.UnknownDestCount) == (1, 0)
    qm.alter("QLOCAL", "LOCAL", put="disabled")
    od = MQOD(Version=C.MQOD_VERSION_2, ObjectName="LOCAL")
    with pytest.raises(libremq.MQError):
        qm.mqi.MQPUT1(od, MQMD(), MQPMO(), b"x")
    assert od == MQOD(Version=C.MQOD_VERSION_2, ObjectName="LOCAL")
