"""The accounting token: who is accounted for a message, as a number that the operating system gives its users."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

import libremq
from libremq.kernel.messages.message_context import accounting_token
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQPMO


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
