"""From an `Outcome` to the messages that answer a PCF command.

One message for each thing shown, or one that says that the command was done; a failure is a message with the reason
and the id of the parameter that is wrong, and then a summary with MQRCCF_COMMAND_FAILED. Texts are filled with blanks
to the length of their attribute, as MQ sends them; long ones are as long as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from libremq.admin.command import Outcome, Row
from libremq.admin.steps import MADE, Steps
from libremq.kernel.objects.attribute_rows import NO_SELECTOR
from libremq.kernel.objects.attributes import Attribute, Kind, Value
from libremq.mqi import constants as C
from libremq.mqi.pcf import (
    MQCFBS,
    MQCFH,
    MQCFIL,
    MQCFIL64,
    MQCFIN,
    MQCFIN64,
    MQCFSL,
    MQCFST,
    PCFParameter,
    pack_message,
)

PADDED_MAX = C.MQ_CONN_NAME_LENGTH
"""Texts of attributes up to this length are filled with blanks."""
_LONG = range(-(2**31), 2**31)
# Names only: the list of names, and of the types that go with them
_NAME_LISTS: Mapping[int, tuple[int, int]] = {
    C.MQCMD_INQUIRE_Q_NAMES: (C.MQCACF_Q_NAMES, C.MQIACF_Q_TYPES),
    C.MQCMD_INQUIRE_CHANNEL_NAMES: (C.MQCACH_CHANNEL_NAMES, C.MQIACH_CHANNEL_TYPES),
    C.MQCMD_INQUIRE_PROCESS_NAMES: (C.MQCACF_PROCESS_NAMES, 0),
    C.MQCMD_INQUIRE_NAMELIST_NAMES: (C.MQCACF_NAMELIST_NAMES, 0),
    C.MQCMD_INQUIRE_TOPIC_NAMES: (C.MQCACF_TOPIC_NAMES, 0),
    C.MQCMD_INQUIRE_AUTH_INFO_NAMES: (C.MQCACF_AUTH_INFO_NAMES, 0),
}
# Where PCF has a reason of its own for what MQSC says with one word for all: it is not there
_NOT_FOUND: Mapping[int, int] = {
    C.MQCMD_INQUIRE_CHANNEL: C.MQRCCF_CHANNEL_NOT_FOUND,
    C.MQCMD_INQUIRE_CHANNEL_NAMES: C.MQRCCF_CHANNEL_NOT_FOUND,
    C.MQCMD_INQUIRE_LISTENER_STATUS: C.MQRCCF_LSTR_STATUS_NOT_FOUND,
    C.MQCMD_INQUIRE_SERVICE_STATUS: C.MQRCCF_SERV_STATUS_NOT_FOUND,
}
_TYPES = (C.MQIA_Q_TYPE, C.MQIACH_CHANNEL_TYPE)


@dataclass(frozen=True, slots=True)
class Answering:
    """What the answers to a command have in common."""

    command: int
    """MQCMD_*"""
    charset: str = "utf-8"
    version: int = C.MQCFH_VERSION_1

    def outcome(
        self, outcome: Outcome, *, parameter: int = 0, about: int = C.MQIACF_PARAMETER_ID
    ) -> Steps[list[bytes]]:
        """The messages. `parameter` is what a failure is about, if it is about one."""
        comp_code, reason = outcome.comp_code, outcome.reason
        if comp_code == C.MQCC_FAILED:
            if reason == C.MQRC_UNKNOWN_OBJECT_NAME:
                reason = _NOT_FOUND.get(self.command, reason)
            wrong: list[PCFParameter] = [MQCFIN(Parameter=about, Value=parameter)] if parameter else []
            return (yield from self._messages([wrong, []], comp_code, [reason, C.MQRCCF_COMMAND_FAILED]))
        lists = _NAME_LISTS.get(self.command)
        if lists is not None:
            return (yield from self._messages([self._names(outcome.rows, *lists)], comp_code, [reason]))
        contents = map(self._row, outcome.rows) if outcome.rows else [self._said(outcome)]
        return (yield from self._messages(contents, comp_code, [reason] * max(1, len(outcome.rows))))

    def _said(self, outcome: Outcome) -> list[PCFParameter]:
        """Warnings, as text: PCF has nothing of its own for a command that was done."""
        texts = [self._encodable(message.line) for message in outcome.warnings]
        return [MQCFST(Parameter=C.MQCACF_ESCAPE_TEXT, String="\n".join(texts))] if texts else []

    def lines(self, lines: Sequence[str], reason: int = C.MQRC_NONE) -> Steps[list[bytes]]:
        """The answer to an Escape command: a message for each line of text."""
        contents: Iterable[list[PCFParameter]] = map(self._line, lines)
        if reason:
            reasons = [reason] * len(lines) + [C.MQRCCF_COMMAND_FAILED]
            return (yield from self._messages(chain(contents, [[]]), C.MQCC_FAILED, reasons))
        return (yield from self._messages(contents if lines else [[]], C.MQCC_OK, [reason] * max(1, len(lines))))

    def _line(self, line: str) -> list[PCFParameter]:
        return [
            MQCFIN(Parameter=C.MQIACF_ESCAPE_TYPE, Value=C.MQET_MQSC),
            MQCFST(Parameter=C.MQCACF_ESCAPE_TEXT, String=self._encodable(line)),
        ]

    def _messages(
        self, contents: Iterable[Sequence[PCFParameter]], comp_code: int, reasons: Sequence[int]
    ) -> Steps[list[bytes]]:
        made: list[bytes] = []
        for number, (parameters, reason) in enumerate(zip(contents, reasons, strict=True), 1):
            header = MQCFH(
                Type=C.MQCFT_RESPONSE, Version=self.version, Command=self.command, MsgSeqNumber=number,
                Control=C.MQCFC_LAST if number == len(reasons) else C.MQCFC_NOT_LAST,
                CompCode=comp_code, Reason=reason,
            )  # fmt: skip
            made.append(pack_message(header, parameters, charset=self.charset))
            if number % MADE == 0:
                yield
        return made

    def _row(self, row: Row) -> list[PCFParameter]:
        made: list[PCFParameter] = []
        for attribute, value in row:
            if attribute.selector == NO_SELECTOR or attribute.secret:
                continue
            if attribute.selector == C.MQBACF_CONNECTION_ID and isinstance(value, bytes):
                outside = row.get("EXTCONN")
                value = (outside if isinstance(outside, bytes) else b"") + value
            made.append(self._parameter(attribute, value))
        return made

    def _names(self, rows: Sequence[Row], names: int, types: int) -> list[PCFParameter]:
        """All names in one list; a row begins with the name."""
        attribute = rows[0].values[0][0] if rows else None
        length = attribute.max_length if attribute else 0
        texts = [self._filled(str(row.values[0][1]), length) for row in rows]
        made: list[PCFParameter] = [MQCFSL(Parameter=names, Strings=texts)]
        if types:
            found = [value for row in rows for one, value in row if one.selector in _TYPES]
            made.append(MQCFIL(Parameter=types, Values=[value for value in found if isinstance(value, int)]))
        return made

    def _parameter(self, attribute: Attribute, value: Value) -> PCFParameter:
        selector = attribute.selector
        if isinstance(value, int):
            if value in _LONG:
                return MQCFIN(Parameter=selector, Value=value)
            return MQCFIN64(Parameter=selector, Value=value)
        if isinstance(value, str) and C.MQBACF_FIRST <= selector <= C.MQBACF_LAST_USED:
            return MQCFBS(Parameter=selector, String=value.encode("utf-8"))
        if isinstance(value, str):
            return MQCFST(Parameter=selector, String=self._filled(value, attribute.max_length))
        if isinstance(value, bytes):
            return MQCFBS(Parameter=selector, String=value)
        if attribute.kind in (Kind.NAME_LIST, Kind.TEXT_LIST):
            return MQCFSL(Parameter=selector, Strings=[self._filled(str(one), attribute.max_length) for one in value])
        numbers = [one for one in value if isinstance(one, int)]
        if all(one in _LONG for one in numbers):
            return MQCFIL(Parameter=selector, Values=numbers)
        return MQCFIL64(Parameter=selector, Values=numbers)

    def _filled(self, text: str, length: int) -> str:
        text = self._encodable(text)
        if length > PADDED_MAX:
            return text
        return text + " " * (length - len(text.encode(self.charset)))

    def _encodable(self, text: str) -> str:
        """Characters that the queue manager's character set has not become question marks."""
        return text.encode(self.charset, "replace").decode(self.charset)
