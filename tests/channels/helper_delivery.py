"""A queue manager on files in memory, with channels whose agents a test plays itself."""

from __future__ import annotations

from typing import Any

from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.delivery import Delivered, Delivery
from libremq.host import lifecycle
from libremq.kernel.messages.transmission import frame
from libremq.kernel.objects.channel_definitions import ReceivingChannel
from libremq.kernel.state.waiting_gets import Got
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock

CCSID = 1208
CHANNEL = "FROM.QM2"


def framed(data: bytes = b"hello", *, queue: str = "TARGET", qmgr: str = "QM1", **fields: Any) -> bytes:
    """A message as it comes over a channel from QM2."""
    given: dict[str, Any] = {
        "MsgId": b"M" * 24, "Format": "MQSTR", "CodedCharSetId": 819, "Persistence": C.MQPER_PERSISTENT, "Priority": 4,
        "UserIdentifier": "alice", "PutApplType": C.MQAT_UNIX, "PutApplName": "teller", "PutDate": "20230101",
        "PutTime": "12000099",
    } | fields  # fmt: skip
    return frame(queue, qmgr, MQMD(Version=2, **given), data, CCSID)


class Receiving:
    """QM1, which has TARGET and a receiver channel."""

    def __init__(self, *, user: str = "", log: LogConfig | None = None, **channel: Any) -> None:
        self.clock, self.files = VirtualClock(), FaultyFiles()
        lifecycle.create(self.files, "qm", "QM1", self.clock, log or LogConfig(file_pages=64))
        self.qm = lifecycle.start(self.files, "qm", "QM1", self.clock)
        self.core = self.qm.core
        self.said: list[str] = []
        self.environment = ChannelEnvironment(self.qm, say=self.said.append)
        self.queue("TARGET")
        self.reader = self.qm.connect("reader", "reader")
        self.deliver_by(user, **channel)

    def deliver_by(self, user: str = "", *, proven: bool = False, **attributes: Any) -> None:
        """An agent of a channel with these attributes, from now on; `proven`: its partner has shown a certificate."""
        self.qm.define("RCVR", CHANNEL, {name.upper(): value for name, value in attributes.items()}, replace=True)
        channel = self.core.catalogue.find("CHANNEL", CHANNEL)
        assert isinstance(channel, ReceivingChannel)
        self.hconn = self.qm.connect(user, CHANNEL, C.MQAT_QMGR, privileged=not user)
        self.delivery = Delivery(self.environment, channel, self.hconn, proven=proven or bool(user))

    def queue(self, name: str, kind: str = "QLOCAL", **attributes: Any) -> None:
        self.qm.define(kind, name, {key.upper(): value for key, value in attributes.items()})

    def with_dead_letter_queue(self, **attributes: Any) -> None:
        self.queue("DLQ", **attributes)
        self.qm.alter("QMGR", "", {"DEADQ": "DLQ"})

    def put(self, data: bytes, *, syncpoint: bool = True, attempt: int = 0, **header: int) -> Delivered:
        header = {"encoding": C.MQENC_NATIVE, "ccsid": CCSID} | header
        return self.delivery.put(data, syncpoint=syncpoint, attempt=attempt, **header)

    def commit(self) -> None:
        self.qm.commit(self.hconn)

    def get(self, queue: str) -> tuple[MQMD, bytes]:
        hobj = self.qm.open(self.reader, MQOD(ObjectName=queue), C.MQOO_INPUT_SHARED)
        md = MQMD(Version=2)
        got = self.qm.get(self.reader, hobj, md, MQGMO(Options=C.MQGMO_NO_SYNCPOINT | C.MQGMO_PROPERTIES_FORCE_MQRFH2))
        assert isinstance(got, Got)
        self.qm.close(self.reader, hobj)
        return md, got.data

    def depth(self, queue: str = "TARGET") -> int:
        return self.qm.depth(queue)
