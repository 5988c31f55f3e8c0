"""Distribution lists: what a put message record says of its own destination."""

from __future__ import annotations

from typing import Any

import pytest
from helper_qmgr import Session

from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQOR, MQPMO, MQPMR

OWN = {
    "MsgId": (C.MQPMRF_MSG_ID, b"1" * 24),
    "CorrelId": (C.MQPMRF_CORREL_ID, b"2" * 24),
    "GroupId": (C.MQPMRF_GROUP_ID, b"3" * 24),
    "Feedback": (C.MQPMRF_FEEDBACK, C.MQFB_APPL_FIRST),
    "AccountingToken": (C.MQPMRF_ACCOUNTING_TOKEN, b"4" * 32),
}


@pytest.mark.parametrize("given", [(), *((name,) for name in OWN), tuple(OWN)])
def test_the_fields_that_are_named_are_taken_from_the_record_and_no_others(given: tuple[str, ...]) -> None:
    session = Session()
    for name in ("A", "B"):
        session.queue(name)
    hobj = session.qm.open(
        session.hconn, MQOD(Version=2), C.MQOO_OUTPUT | C.MQOO_SET_IDENTITY_CONTEXT,
        [MQOR(ObjectName="A"), MQOR(ObjectName="B")],
    )  # fmt: skip
    values: dict[str, Any] = {name: value for name, (_, value) in OWN.items()}
    records = [MQPMR(), MQPMR(**values)]
    pmo = MQPMO(
        Version=2, Options=C.MQPMO_NO_SYNCPOINT | C.MQPMO_SET_IDENTITY_CONTEXT,
        PutMsgRecFields=sum(OWN[name][0] for name in given),
    )  # fmt: skip
    md = MQMD(
        Version=2, MsgId=b"m" * 24, CorrelId=b"c" * 24, GroupId=b"g" * 24, MsgFlags=C.MQMF_MSG_IN_GROUP, MsgSeqNumber=1,
        MsgType=C.MQMT_REPORT, AccountingToken=b"a" * 32,
    )  # fmt: skip
    session.qm.put(session.hconn, hobj, md, pmo, b"x", records)
    got = session.get("B")[0]
    for name, value in values.items():
        assert getattr(got, name) == (value if name in given else getattr(md, name)), name
