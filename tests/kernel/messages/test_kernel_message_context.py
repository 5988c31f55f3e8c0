"""The accounting token, a number that the operating system gives its users; and contexts that are passed on."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest
from helper_qmgr import Session

import libremq
from libremq.kernel.messages.message_context import accounting_token
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.store.stored_message import Message, Origin


@pytest.mark.parametrize(
    ("number", "token"),
    [
        (0, b"\x010" + bytes(29) + b"\x06"),
        (1001, b"\x041001" + bytes(26) + b"\x06"),
        (4294967294, b"\x0a4294967294" + bytes(20) + b"\x06"),
        (None, C.MQACT_NONE),
    ],
)
def test_the_token_of_a_user_number(number: int | None, token: bytes) -> None:
    assert accounting_token(number) == token
    assert len(token) == C.MQ_ACCOUNTING_TOKEN_LENGTH


def test_the_token_in_the_context_of_messages(tmp_path: Path) -> None:
    me = pwd.getpwuid(os.getuid())
    mine = accounting_token(me.pw_uid)
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}", user=me.pw_name) as qm:
        qm.define_local("Q")
        queue = qm.queue("Q")
        queue.put("mine")
        assert queue.get().md.AccountingToken == mine
        md = MQMD(AccountingToken=b"\x01" * 32)  # what an application says of itself does not count ...
        queue.put("mine", md=md, pmo=MQPMO())
        assert queue.get().md.AccountingToken == mine
        queue.put("nobody's", pmo=MQPMO(Options=C.MQPMO_NO_CONTEXT))
        assert queue.get().md.AccountingToken == C.MQACT_NONE
        with qm.queue("Q", open_options=C.MQOO_SET_IDENTITY_CONTEXT) as other:  # ... unless it may say it
            other.put("x", md=MQMD(AccountingToken=b"\x01" * 32), pmo=MQPMO(Options=C.MQPMO_SET_IDENTITY_CONTEXT))
        assert queue.get().md.AccountingToken == b"\x01" * 32
    with libremq.connect(f"embedded:QM1?data={tmp_path}", user="nobody-here") as qm:
        qm.queue("Q").put("x")
        assert qm.queue("Q").get().md.AccountingToken == C.MQACT_NONE


_OF_CHANNEL = Origin("carol", False)


@pytest.mark.parametrize("browses", [False, True])
@pytest.mark.parametrize(
    ("option", "expected"),
    [
        (C.MQPMO_PASS_IDENTITY_CONTEXT, _OF_CHANNEL), (C.MQPMO_PASS_ALL_CONTEXT, _OF_CHANNEL),
        (C.MQPMO_SET_IDENTITY_CONTEXT, _OF_CHANNEL), (C.MQPMO_SET_ALL_CONTEXT, _OF_CHANNEL),
        (C.MQPMO_DEFAULT_CONTEXT, None), (C.MQPMO_NO_CONTEXT, None),
    ],
)  # fmt: skip
def test_whoever_passes_a_context_on_passes_on_where_it_came_from(
    option: int, expected: Origin | None, browses: bool
) -> None:
    session = Session()
    session.queue("FROM")
    session.queue("TO")
    md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT, UserIdentifier="root")
    session.core.put(session.core.queues["FROM"], Message(md, b"", b"x", _OF_CHANNEL), 0, True, 0, None)
    hobj = session.open("FROM", C.MQOO_INPUT_SHARED | C.MQOO_BROWSE | C.MQOO_SAVE_ALL_CONTEXT)
    looks = (C.MQGMO_BROWSE_FIRST, C.MQGMO_MSG_UNDER_CURSOR) if browses else (C.MQGMO_NO_SYNCPOINT,)
    passes = option in (C.MQPMO_PASS_IDENTITY_CONTEXT, C.MQPMO_PASS_ALL_CONTEXT)
    if browses and not passes:
        looks = looks[:1]  # who sets a context may have seen it by a browse
    for look in looks:
        session.qm.get(session.hconn, hobj, MQMD(Version=2), MQGMO(Options=look))
    pmo = MQPMO(Options=option | C.MQPMO_NO_SYNCPOINT, Context=hobj)
    session.qm.put1(session.hconn, MQOD(ObjectName="TO"), MQMD(Version=2), pmo, b"x")
    store = session.core.queues["TO"].store
    assert [store.message(slot).origin for slot in store.chains] == [expected]
