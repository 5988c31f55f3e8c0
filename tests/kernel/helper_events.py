"""A queue manager whose event queues a test reads: each event as its reason and its parameters by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helper_qmgr import Session

from libremq.kernel.events.event_messages import (
    CHANNEL_EVENT,
    COMMAND_EVENT,
    CONFIG_EVENT,
    LOGGER_EVENT,
    PERFM_EVENT,
    QMGR_EVENT,
)
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.pcf import MQCFBS, MQCFGR, MQCFH, MQCFIL, MQCFIN, MQCFSL, MQCFST, PCFParameter, unpack_message
from libremq.mqi.structs import MQMD

__all__ = [
    "CHANNEL_EVENT", "COMMAND_EVENT", "CONFIG_EVENT", "LOGGER_EVENT", "PERFM_EVENT", "QMGR_EVENT", "Event", "Events",
    "parameters",
]  # fmt: skip


def value_of(parameter: PCFParameter) -> Any:
    match parameter:
        case MQCFIN():
            return parameter.Value
        case MQCFST() | MQCFBS():
            return parameter.String
        case MQCFIL():
            return list(parameter.Values)
        case MQCFSL():
            return list(parameter.Strings)
        case MQCFGR():
            return parameters(parameter.Parameters)
    raise AssertionError(parameter)


def parameters(found: Any) -> list[tuple[int, Any]]:
    return [(one.Parameter, value_of(one)) for one in found]


@dataclass
class Event:
    md: MQMD
    header: MQCFH
    raw: list[PCFParameter]

    @property
    def reason(self) -> int:
        return self.header.Reason

    @property
    def parameters(self) -> list[tuple[int, Any]]:
        return parameters(self.raw)

    def __getitem__(self, parameter: int) -> Any:
        return dict(self.parameters)[parameter]


class Events(Session):
    """With these attributes of the queue manager; what its start told is read away."""

    def __init__(self, log_config: LogConfig | None = None, **attributes: Any) -> None:
        super().__init__(log_config)
        self.qm.alter("QMGR", "", attributes)
        for queue in (QMGR_EVENT, CONFIG_EVENT):
            self.events(queue)

    def events(self, queue: str) -> list[Event]:
        """All that have come to an event queue since the last time."""
        hobj = self.open_input(queue)
        found = []
        for _ in range(self.depth(queue)):
            md, data = self.get(hobj)
            found.append(Event(md, *unpack_message(data)))
        self.close(hobj)
        return found

    def event(self, queue: str) -> Event:
        """The only one."""
        (event,) = self.events(queue)
        command = {
            QMGR_EVENT: C.MQCMD_Q_MGR_EVENT, PERFM_EVENT: C.MQCMD_PERFM_EVENT, CHANNEL_EVENT: C.MQCMD_CHANNEL_EVENT,
            CONFIG_EVENT: C.MQCMD_CONFIG_EVENT, COMMAND_EVENT: C.MQCMD_COMMAND_EVENT,
            LOGGER_EVENT: C.MQCMD_LOGGER_EVENT,
        }[queue]  # fmt: skip
        header = event.header
        assert (header.Type, header.Command, header.CompCode) == (C.MQCFT_EVENT, command, C.MQCC_WARNING)
        assert (event.md.Format, event.md.MsgType) == ("MQEVENT", C.MQMT_DATAGRAM)
        assert (event.md.PutApplType, event.md.PutApplName) == (C.MQAT_QMGR, "QM1")
        return event

    def reasons(self, queue: str) -> list[int]:
        return [event.reason for event in self.events(queue)]

    def attribute(self, queue: str, slot: str) -> int:
        return getattr(self.core.catalogue.queues[queue], slot)
