"""PCF as an administrator's program sends it: real messages to the command queue, and what comes back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from libremq.client.verbs import MQI
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import (
    MQCFBS,
    MQCFGR,
    MQCFH,
    MQCFIL,
    MQCFIL64,
    MQCFIN,
    MQCFSL,
    MQCFST,
    PCFParameter,
    pack_message,
    unpack_message,
)
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

COMMAND_QUEUE = "SYSTEM.ADMIN.COMMAND.QUEUE"
WAIT_MS = 20_000

Given = dict[int, Any]


@dataclass
class Reply:
    header: MQCFH
    md: MQMD
    parameters: list[PCFParameter]

    @property
    def reason(self) -> int:
        return self.header.Reason

    def __getitem__(self, selector: int) -> Any:
        """The value of a parameter; texts without the blanks at their end."""
        found = [one for one in self.parameters if one.Parameter == selector]
        if not found:
            raise KeyError(selector)
        one = found[0]
        assert not isinstance(one, MQCFGR)
        if isinstance(one, MQCFSL):
            return [text.rstrip() for text in one.Strings]
        if isinstance(one, MQCFIL | MQCFIL64):
            return list(one.Values)
        if isinstance(one, MQCFST):
            return one.String.rstrip()
        return one.String if isinstance(one, MQCFBS) else one.Value  # type: ignore[union-attr]

    def __contains__(self, selector: int) -> bool:
        return any(one.Parameter == selector for one in self.parameters)


def parameters_of(given: Given | Iterable[PCFParameter]) -> list[PCFParameter]:
    """A dictionary as parameters, the structure by the type of the value; lists of structures stay as they are."""
    if not isinstance(given, dict):
        return list(given)
    made: list[PCFParameter] = []
    for selector, value in given.items():
        if isinstance(value, str):
            made.append(MQCFST(Parameter=selector, String=value))
        elif isinstance(value, int):
            made.append(MQCFIN(Parameter=selector, Value=value))
        elif isinstance(value, bytes):
            made.append(MQCFBS(Parameter=selector, String=value))
        elif value and isinstance(value[0], int):
            made.append(MQCFIL(Parameter=selector, Values=value))
        else:
            made.append(MQCFSL(Parameter=selector, Strings=value))
    return made


def command(code: int, given: Given | Iterable[PCFParameter] = (), **header: int) -> bytes:
    return pack_message(MQCFH(**{"Command": code, **header}), parameters_of(given), charset="utf-8")


class Sender:
    """Sends commands over a connection and collects the replies from a dynamic queue."""

    def __init__(self, mqi: MQI) -> None:
        self.mqi = mqi
        od = MQOD(ObjectName="SYSTEM.DEFAULT.MODEL.QUEUE", DynamicQName="PCF.TEST.*")
        self.hobj = mqi.MQOPEN(od, C.MQOO_INPUT_EXCLUSIVE)
        self.queue = od.ObjectName

    def __enter__(self) -> Sender:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.mqi.MQCLOSE(self.hobj, C.MQCO_NONE)

    def put(self, data: bytes, **descriptor: Any) -> MQMD:
        """Put a message on the command queue, as a request unless the descriptor says otherwise."""
        fields = {
            "MsgType": C.MQMT_REQUEST, "Format": C.MQFMT_ADMIN, "ReplyToQ": self.queue, "CodedCharSetId": 1208,
            **descriptor,
        }  # fmt: skip
        md = MQMD(Version=C.MQMD_VERSION_2, **fields)
        self.mqi.MQPUT1(MQOD(ObjectName=COMMAND_QUEUE), md, MQPMO(), data)
        return md

    def replies(self, md: MQMD, *, wait_ms: int = WAIT_MS) -> list[Reply]:
        """All replies to one command, up to the last."""
        found: list[Reply] = []
        while not found or found[-1].header.Control != C.MQCFC_LAST:
            got = MQMD(Version=C.MQMD_VERSION_2, CorrelId=md.MsgId)
            gmo = MQGMO(
                Version=C.MQGMO_VERSION_2, Options=C.MQGMO_WAIT | C.MQGMO_CONVERT, WaitInterval=wait_ms,
                MatchOptions=C.MQMO_MATCH_CORREL_ID,
            )  # fmt: skip
            data = self.mqi.MQGET(self.hobj, got, gmo).data
            header, parameters = unpack_message(data, charset="utf-8")
            found.append(Reply(header, got, parameters))
            assert header.MsgSeqNumber == len(found)
            assert header.Type == C.MQCFT_RESPONSE
        return found

    def send(self, code: int, given: Given | Iterable[PCFParameter] = (), **header: int) -> list[Reply]:
        return self.replies(self.put(command(code, given, **header)))

    def done(self, code: int, given: Given | Iterable[PCFParameter] = ()) -> list[Reply]:
        """Send a command that must succeed."""
        found = self.send(code, given)
        assert [reply.reason for reply in found] == [C.MQRC_NONE] * len(found), named(found)
        assert all(reply.header.Command == code for reply in found)
        return found

    def refused(self, code: int, given: Given | Iterable[PCFParameter] = (), **header: int) -> tuple[int, int]:
        """Send a command that must fail: its reason, and the parameter that it is about."""
        return failure(self.send(code, given, **header))

    def nothing_more(self) -> bool:
        try:
            self.mqi.MQGET(self.hobj, MQMD(), MQGMO())
        except MQError as error:
            return error.reason == C.MQRC_NO_MSG_AVAILABLE
        return False


def failure(found: list[Reply]) -> tuple[int, int]:
    """The reason, and the id of the parameter in error (0: none), of the replies to a command that failed."""
    first, summary = found
    assert first.header.CompCode == summary.header.CompCode == C.MQCC_FAILED
    assert summary.reason == C.MQRCCF_COMMAND_FAILED and not summary.parameters
    assert len(first.parameters) <= 1
    for about in (C.MQIACF_PARAMETER_ID, C.MQIACF_SELECTOR):
        if about in first:
            return first.reason, first[about]
    return first.reason, 0


def named(found: list[Reply]) -> str:
    from libremq.mqi.errors import mq_error

    return ", ".join(f"{mq_error(reply.reason).name} ({reply.reason}) {reply.parameters}" for reply in found)
