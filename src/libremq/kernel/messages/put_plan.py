"""May this message be put there? Decided here, for everybody who puts.

What the definitions on the way of a put say is worked out once for an open queue, and again when a definition changes:
that is the plan. What can change between two puts is asked each time. Four sorts of puts use it: the verbs (MQPUT,
MQPUT1, each queue of a distribution list), puts that repeat the one before, puts of message channels, and messages of
the queue manager's own (reports, events, triggers, answers to commands, dead letters).

The checks, in their order, with who is asked; "short" are repeated puts and the short way of channels, which do nothing
and leave it to the ordinary way when a check speaks against them:

    what                                        reason                    verb  short  channel  own
     1 its unit of work was not backed out      MQRC_BACKED_OUT           x     x      x        -  1)
     2 the user may put there                   MQRC_NOT_AUTHORIZED       x     x      x        x  2)
     3 the options of the call are known        MQRC_OPTIONS_ERROR        x     =      -        -
     4 no definition has changed since          MQRC_OBJECT_CHANGED       =     x      =        =  3)
     5 the queue is there                       MQRC_Q_DELETED            x     x      x        x
     6 the queue manager does not quiesce       MQRC_Q_MGR_QUIESCING      x     x      -        -  4)
     7 no definition on the way is disabled     MQRC_PUT_INHIBITED        x     x      x        x  5)
     8 the descriptor means something           MQRC_..._ERROR            x     =      x        -
     9 its unit of work is not being undone     MQRC_BACKED_OUT           x     x      x        x
    10 the unit of work has room (MAXUMSGS)     MQRC_SYNCPOINT_LIMIT_...  x     x      -        -  6)
    11 defaults: persistence, priority, ids, character set, expiry (CAPEXPRY)
    12 a temporary queue: no persistent ones    MQRC_PERSISTENT_NOT_...   x     x      x        x
    13 groups, context, properties              MQRC_...                  x     =      -        -
    14 MAXMSGL of queue and queue manager       MQRC_MSG_TOO_BIG_FOR_...  x     x      x        x  7)
    15 MAXDEPTH, if no getter waits for it      MQRC_Q_FULL               x     x      x        x
    15a a partner that proves nobody, and a     MQRC_NOT_AUTHORIZED       x     =      x        x  8)
        queue where messages are obeyed
    16 queue not damaged, room in log and disk  (see `Core.put`)          x     x      x        x

x: asked. =: cannot be otherwise: the put is like one that was asked, or the plan was made just now. -: not asked.
1) They belong to no application, or to the unit of work of the verb that they follow from, which was asked.
2) At MQOPEN, and not again (`object_authority`): a channel opens a queue anew when any definition or authority has
   changed, and an MQPUT1 like one before is done anew then; an application keeps what it has open. Reports have the
   authority of whoever put the message.
3) The ordinary ways make a plan of what is true now.
4) Only with MQPMO_FAIL_IF_QUIESCING. A channel never asks for it: the batch that is under way must be able to end, and
   who stops channels is the server. What the queue manager itself has to say follows from what still goes on.
5) An application or a channel that fails so is worth an event. A message of the queue manager's own is not.
6) How many messages a batch has was agreed on; reports come on top.
7) A message of the queue manager's own is never cut in segments.
8) It stays with a message that came over a channel (`authority.message_origin`): in reports and dead letters, and where
   an application passes the context on.
"""

from __future__ import annotations

from typing import NamedTuple

from libremq.kernel.objects.object_types import LocalQueue, Queue
from libremq.kernel.state.connection import Destination
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import COMMAND_QUEUE
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQMD

MAX_PRIORITY = 9
_INITIATION_QUEUES = ("SYSTEM.CHANNEL.INITQ", "SYSTEM.DEFAULT.INITIATION.QUEUE")
_NO_ID = bytes(24)


class Way(NamedTuple):
    """Who puts, as far as that makes a difference that is meant: the columns of the table above."""

    tells_of_inhibition: bool  # 5)
    is_limited: bool  # 6)
    may_be_cut: bool  # 7)


APPLICATION = Way(tells_of_inhibition=True, is_limited=True, may_be_cut=True)
CHANNEL = Way(tells_of_inhibition=True, is_limited=False, may_be_cut=True)
OWN = Way(tells_of_inhibition=False, is_limited=False, may_be_cut=False)


class PutPlan:
    """What the definitions say about puts to a destination, as long as none of them changes."""

    __slots__ = (
        "bytes_max", "default_persistence", "default_priority", "depth_max", "destination", "expiry_max",
        "inhibited_by", "is_plain", "nonpersistent_only", "obeyed_as", "qmgr_bytes_max", "queue", "queue_bytes_max",
        "version",
    )  # fmt: skip

    def __init__(self, core: Core, destination: Destination) -> None:
        self.destination = destination
        self.queue = destination.queue
        self.version = core.definitions_version
        self.inhibited_by = ""  # the definition on the way that says PUT(DISABLED)
        self.expiry_max = -1  # the least CAPEXPRY on the way, in tenths of a second; -1: there is none
        for one in destination.path:
            assert isinstance(one, Queue)
            if one.put == C.MQQA_PUT_INHIBITED and not self.inhibited_by:
                self.inhibited_by = one.name
            if one.capexpry >= 0 and (self.expiry_max < 0 or one.capexpry < self.expiry_max):
                self.expiry_max = one.capexpry
        first = destination.path[0]
        assert isinstance(first, Queue)
        self.default_persistence = first.defpsist
        self.default_priority = first.defprty
        definition = destination.queue.definition
        self.nonpersistent_only = definition.is_temporary
        self.depth_max = definition.maxdepth
        self.queue_bytes_max = definition.maxmsgl
        self.qmgr_bytes_max = core.catalogue.qmgr.maxmsgl
        self.bytes_max = min(self.queue_bytes_max, self.qmgr_bytes_max)
        self.obeyed_as = "" if destination.is_remote else _obeyed_as(core, definition)
        # A put of a message that leaves nothing open means no more than to store it
        self.is_plain = not (
            destination.is_remote
            or self.nonpersistent_only
            or self.inhibited_by
            or self.expiry_max >= 0
            or self.obeyed_as
        )

    def closed_because(self, core: Core, options: int) -> int:
        """Checks 4 to 7: the reason why nothing can be put there now with these put options, or MQRC_NONE."""
        if self.version != core.definitions_version:
            return C.MQRC_OBJECT_CHANGED
        if self.queue.deleted:
            return C.MQRC_Q_DELETED
        if core.quiescing and options & C.MQPMO_FAIL_IF_QUIESCING:
            return C.MQRC_Q_MGR_QUIESCING
        return C.MQRC_PUT_INHIBITED if self.inhibited_by else C.MQRC_NONE

    def fill_defaults(self, core: Core, md: MQMD, options: int, name: str) -> int:
        """Checks 11 and 12: what the application left to the queue manager. Returns the reason of a warning.

        Default priority and persistence are those that the first definition on the way has at this moment.
        """
        warning = C.MQRC_NONE
        if md.Persistence == C.MQPER_PERSISTENCE_AS_Q_DEF:
            md.Persistence = self.default_persistence
        if md.Priority == C.MQPRI_PRIORITY_AS_Q_DEF:
            md.Priority = self.default_priority
        elif md.Priority > MAX_PRIORITY:
            warning = C.MQRC_PRIORITY_EXCEEDS_MAXIMUM
        if options & C.MQPMO_NEW_MSG_ID or md.MsgId == _NO_ID:
            md.MsgId = core.identifiers.next_id()
        if options & C.MQPMO_NEW_CORREL_ID:
            md.CorrelId = core.identifiers.next_id()
        if md.CodedCharSetId == C.MQCCSI_Q_MGR:
            md.CodedCharSetId = core.catalogue.qmgr.ccsid
        if self.expiry_max >= 0 and (md.Expiry == C.MQEI_UNLIMITED or md.Expiry > self.expiry_max):
            md.Expiry = self.expiry_max
        if self.nonpersistent_only:
            self.check_persistence(md, name)
        return warning

    def check_persistence(self, md: MQMD, name: str) -> None:
        """Check 12."""
        if self.nonpersistent_only and md.Persistence == C.MQPER_PERSISTENT:
            raise mq_error(
                C.MQRC_PERSISTENT_NOT_ALLOWED, name, "a temporary dynamic queue takes only non-persistent messages"
            )

    def no_room_because(self, length: int, properties_length: int = 0, count: int = 1) -> int:
        """Checks 14 and 15: the reason why so many messages, of this length at most, have no place on the queue.

        MQRC_NONE if they have. Properties count for the queue manager, not for the queue.
        """
        if length + properties_length > self.bytes_max:
            if length > self.queue_bytes_max:
                return C.MQRC_MSG_TOO_BIG_FOR_Q
            if length + properties_length > self.qmgr_bytes_max:
                return C.MQRC_MSG_TOO_BIG_FOR_Q_MGR
        return C.MQRC_Q_FULL if self.queue.store.depth + count > self.depth_max else C.MQRC_NONE

    def refusal(self, core: Core, reason: int, name: str, length: int = 0) -> MQError:
        """What the application is told that opened the queue as `name`."""
        if reason == C.MQRC_Q_DELETED:
            return mq_error(reason, name, "the dynamic queue no longer exists")
        if reason == C.MQRC_Q_MGR_QUIESCING:
            return mq_error(reason, core.qmgr_name)
        if reason == C.MQRC_PUT_INHIBITED:
            return mq_error(reason, self.inhibited_by, "PUT(DISABLED) on this definition")
        if reason == C.MQRC_Q_FULL:
            return mq_error(reason, self.queue.name, f"the queue holds MAXDEPTH({self.depth_max}) messages")
        limit, whose = self.queue_bytes_max, "queue"
        if reason == C.MQRC_MSG_TOO_BIG_FOR_Q_MGR:
            limit, whose = self.qmgr_bytes_max, "queue manager"
        return mq_error(reason, self.queue.name, f"{length} bytes are more than MAXMSGL({limit}) of the {whose}")


def _obeyed_as(core: Core, definition: LocalQueue) -> str:
    """Where messages make somebody act, for the user in them or by what they say: the sort of queue"""
    if definition.name == COMMAND_QUEUE:
        return "the command queue"
    if definition.is_transmission_queue:
        return "a transmission queue"
    if definition.name in _INITIATION_QUEUES or core.catalogue.triggered.served_by(definition.name):
        return "an initiation queue"
    return ""


def plan_of(core: Core, destination: Destination) -> PutPlan:
    """The plan for puts to a destination, made anew if a definition has changed since."""
    plan = destination.put_plan
    if plan is None or plan.version != core.definitions_version:
        plan = destination.put_plan = PutPlan(core, destination)
    return plan
