"""Channels that are started by messages on their transmission queues: the reader of the initiation queues.

The queue manager puts a trigger message there when a transmission queue with TRIGGER wants to be emptied. Which channel
it means is said by TRIGDATA of the queue, by USERDATA of its process, or else by the channel whose XMITQ it is. Trigger
messages are never persistent and can be thrown away: the queue manager looks at its queues again by itself, when the
initiation queue is opened and when a channel closes its queue.
"""

from __future__ import annotations

from collections.abc import Callable

from libremq.channels.channel_environment import ChannelEnvironment
from libremq.common.ccsid import charset_of
from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.channel_definitions import Sender, Server
from libremq.kernel.objects.definitions import Definitions
from libremq.mqi import constants as C
from libremq.mqi.byte_order import is_big_endian
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQTM

INITIATION_QUEUE = "SYSTEM.CHANNEL.INITQ"
APPLICATION = "LibreMQ channel initiator"
_AT_A_TIME = 100  # messages: others want their turn


class Triggers:
    """The initiation queues that the channel initiator reads."""

    def __init__(self, environment: ChannelEnvironment, start: Callable[[str], None], wake: Callable[[], None]) -> None:
        self._environment = environment
        self._start = start
        self._wake = wake
        self._hconn = 0
        self._open: dict[str, int] = {}  # hobj by name

    @property
    def queues(self) -> list[str]:
        return list(self._open)

    def open(self, name: str, most: int) -> None:
        """Read this queue from now on. From here on triggers come, also for what waits already."""
        if name in self._open:
            raise mq_error(C.MQRC_OBJECT_IN_USE, name, "the channel initiator reads this queue already")
        if len(self._open) >= most:
            raise mq_error(C.MQRCCF_CHANNEL_INITIATOR_ERROR, name, f"{most} initiation queues are read (MaxInitiators)")
        manager = self._environment.manager
        if not self._hconn:
            self._hconn = manager.connect("", APPLICATION, C.MQAT_QMGR)
        options = C.MQOO_INPUT_SHARED | C.MQOO_FAIL_IF_QUIESCING
        hobj = self._open[name] = manager.open(self._hconn, MQOD(ObjectName=name), options)
        queue = manager.handle(self._hconn, hobj).queue
        if queue is not None:
            queue.notified = self._wake
        self._wake()

    def close(self) -> None:
        """Read none any more."""
        for name in list(self._open):
            self._close(name)
        hconn, self._hconn = self._hconn, 0
        if hconn in self._environment.manager.connections:
            try:
                self._environment.manager.disconnect(hconn, back_out=True)
            except MQError:
                pass  # the queue manager has failed; so has the connection

    def _close(self, name: str) -> None:
        manager, hobj = self._environment.manager, self._open.pop(name)
        try:
            queue = manager.handle(self._hconn, hobj).queue
            if queue is not None:
                queue.notified = None
            manager.close(self._hconn, hobj)
        except MQError:
            pass  # it was gone already

    def read(self) -> None:
        """Start what the trigger messages ask for."""
        for name, hobj in list(self._open.items()):
            for _ in range(_AT_A_TIME):
                try:
                    found = self._next(hobj)
                except MQError as error:
                    if error.reason != C.MQRC_NO_MSG_AVAILABLE:
                        self._broken(name, error)
                    break
                if found is None:
                    break
                self._obey(name, *found)
            else:
                self._wake()

    def _next(self, hobj: int) -> tuple[MQMD, bytes] | None:
        """None: nothing is found yet, and it is told to look again."""
        md = MQMD(Version=C.MQMD_VERSION_2)
        gmo = MQGMO(Options=C.MQGMO_NO_SYNCPOINT | C.MQGMO_NO_WAIT | C.MQGMO_FAIL_IF_QUIESCING)
        got = self._environment.manager.get_if_found(self._hconn, hobj, md, gmo)
        return None if got is None else (md, got.data)

    def _broken(self, name: str, error: MQError) -> None:
        if error.reason == C.MQRC_GET_INHIBITED:
            return  # no triggers come either while it is; it is looked at again when that changes
        if error.reason not in (C.MQRC_Q_MGR_QUIESCING, C.MQRC_CONNECTION_BROKEN):
            self._environment.say(amq(9602, name, error))
        self._close(name)

    def _obey(self, name: str, md: MQMD, data: bytes) -> None:
        try:
            if md.Format.strip() != C.MQFMT_TRIGGER.strip():
                raise mq_error(C.MQRC_TM_ERROR, name, f"its format is {md.Format.strip()!r}")
            trigger = MQTM.unpack(data, big_endian=is_big_endian(md.Encoding), charset=charset_of(md.CodedCharSetId))
            channel = channel_of(self._environment.manager.definitions, trigger)
            if not channel:
                raise mq_error(C.MQRCCF_CHANNEL_NOT_FOUND, trigger.QName, "no channel has it as XMITQ")
            self._start(channel)
        except MQError as error:
            self._environment.say(amq(9603, name, error))


def channel_of(definitions: Definitions, trigger: MQTM) -> str:
    """The channel that a trigger message means; blank if there is none."""
    named = trigger.TriggerData.strip() or trigger.UserData.strip()
    return named or next((one.name for one in senders_of(definitions, trigger.QName.strip())), "")


def senders_of(definitions: Definitions, xmitq: str) -> list[Sender | Server]:
    """The channels that empty this transmission queue."""
    channels = definitions.channels.values()
    return [one for one in channels if isinstance(one, Sender | Server) and one.xmitq == xmitq]
