"""SYSTEM.ADMIN.COMMAND.QUEUE from the inside: commands taken from it under a unit of work, and their answers put.

The get of a command and its answers are one unit of work, committed after the command has had its effect: a crash in
between runs a persistent command again, never loses one. An answer is seen only when the log is on disk up to what it
tells of (contract 2). What a command says and does is for `libremq.admin.command_server`, which is handed in.

An answer is put with the authority of whoever gave the command. What cannot be answered goes to the dead-letter queue
or is dropped as its report options say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from libremq.common.messages.amq_messages import amq
from libremq.kernel.authority import object_authority
from libremq.kernel.messages import own_messages
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import FAILURES, PASSING, is_final
from libremq.kernel.state.queue_state import COMMAND_QUEUE, QueueState
from libremq.kernel.state.unit_of_work import PUT, UnitOfWork
from libremq.kernel.verb_calls import VerbCalls
from libremq.kernel.verbs import expiry, reports
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD
from libremq.store.stored_message import Message

COMMANDS_AT_ONCE = 100
"""So many are served in a row; applications have their turn before the others."""
_ADMIN = C.MQFMT_ADMIN.strip()


class TakenCommand(NamedTuple):
    """A command that was taken from the queue."""

    queue: QueueState
    slot: int
    sequence: int  # of the message, which tells it from a later one in the same place
    message: Message
    md: MQMD
    sender: object_authority.Issuer
    unit: UnitOfWork

    @property
    def data(self) -> bytes:
        return self.message.data


class CommandQueue:
    """All methods run under the kernel's lock, outside any verb. Trouble of the queue manager ends it as always."""

    def __init__(self, manager: VerbCalls) -> None:
        self._manager = manager
        self._core = manager.core

    def serve(self, run: Callable[[TakenCommand], bool]) -> bool:
        """Have run what is on the queue, up to a limit; True if that was reached. Never raises.

        `run` answers the command, now or later. False: the log has no room, the command stays for another time.
        """
        try:
            for _ in range(COMMANDS_AT_ONCE):
                taken = self._take_next()
                if taken is None or not run(taken):
                    return False
        except (MQError, *FAILURES) as error:
            self._cannot_go_on(error)
            return False
        return True

    def answer(self, taken: TakenCommand, answers: Sequence[bytes] | None) -> bool:
        """The command had its effect: put the answers and commit. None: it is no command, nor can it be answered.

        False if the log has no room: the message stays for another time.
        """
        core, queue, unit = self._core, taken.queue, taken.unit
        if unit.id not in core.units:
            # The command needed room in the log, and this unit of work had to give way: its get was undone
            handles = queue.store.handles
            if queue.out_of_use or handles.sequence[taken.slot] != taken.sequence or not handles.flags[taken.slot]:
                return True
            again = self._take(queue, taken.slot)
            if again is None:
                return False
            unit = again
        now = core.clock.now()
        try:
            with core.all_or_nothing(unit):
                reports.confirm_delivery(core, taken.message, queue, unit, now)
                if answers is None:
                    self._bury(taken, unit, now)
                for data in answers or ():
                    self._put_answer(taken, data, unit, now)
        except PASSING as error:
            self._say_unanswered(taken.md.ReplyToQ, error)
        self._commit(unit)
        return True

    def answer_late(self, taken: TakenCommand, answers: Sequence[bytes] | None) -> None:
        """The outcome has come. A queue manager that ended or failed meanwhile has nothing more to say."""
        if self._manager.failure is not None or self._manager.ended or taken.queue.out_of_use:
            return
        try:
            self.answer(taken, answers)
        except (MQError, *FAILURES) as error:
            self._cannot_go_on(error)

    # Commands

    def _take_next(self) -> TakenCommand | None:
        queue = self._queue()
        slot = None if queue is None else self._next(queue)
        if queue is None or slot is None:
            return None
        message = queue.store.message(slot)
        md = message.md.copy()
        md.Expiry = expiry.remaining(queue.store.handles.expiry_ms[slot], self._core.clock.now())
        unit = self._take(queue, slot)
        if unit is None:
            return None
        sender = object_authority.sender_of(self._core, md.UserIdentifier)
        return TakenCommand(queue, slot, queue.store.handles.sequence[slot], message, md, sender, unit)

    def _queue(self) -> QueueState | None:
        """The command queue, if a get from it is possible."""
        definition = self._core.catalogue.find("QLOCAL", COMMAND_QUEUE)
        if not isinstance(definition, LocalQueue) or definition.get == C.MQQA_GET_INHIBITED:
            return None
        queue = self._core.local_queue(definition)
        # An application that reads the queue itself, alone, is served by nobody
        return None if queue.exclusive else queue

    def _next(self, queue: QueueState) -> int | None:
        now_ms = int(self._core.clock.now() * 1000)
        while True:
            slot = next((slot for slot in queue.store.chains if slot not in queue.locks), None)
            if slot is None or not 0 < queue.store.handles.expiry_ms[slot] <= now_ms:
                return slot
            expiry.discard(self._core, queue, slot)

    def _take(self, queue: QueueState, slot: int) -> UnitOfWork | None:
        core = self._core
        for _ in range(2):
            unit = core.begin_unit()
            try:
                core.take(queue, slot, unit)
                return unit
            except LogFull as error:
                core.backout(unit, counted=False)
                if error.hopeless or not self._manager.make_log_room():
                    break
        self._manager.say(amq(8506, self._manager.name, COMMAND_QUEUE, "the log has no room"))
        return None

    def _cannot_go_on(self, error: Exception) -> None:
        if is_final(error):
            self._manager.fail(str(error))
        else:
            self._manager.say(amq(8506, self._manager.name, COMMAND_QUEUE, error))

    # Answers

    def _commit(self, unit: UnitOfWork) -> None:
        """Answers depend on all that was logged before them: what the command did, and what an inquiry has seen."""
        core = self._core
        for operation in unit.operations:
            if operation.kind == PUT:
                operation.queue.visible_lsn = max(operation.queue.visible_lsn, core.log.tail - 1)
        core.commit(unit)

    def _put_answer(self, taken: TakenCommand, data: bytes, unit: UnitOfWork, now: float) -> None:
        core, md = self._core, taken.md
        message = Message(_answer_descriptor(core, md, now), b"", data)
        try:
            object_authority.check_reply(core, taken.sender, md.ReplyToQ, md.ReplyToQMgr)
        except MQError as error:
            if message.md.Report & C.MQRO_DISCARD_MSG:
                return
            if own_messages.bury(core, message, md.ReplyToQ, md.ReplyToQMgr, error.reason, unit, now) is not None:
                self._say_unanswered(md.ReplyToQ, error)
            return
        if not own_messages.put(core, message, md.ReplyToQ, md.ReplyToQMgr, unit, now):
            self._say_unanswered(md.ReplyToQ, "it cannot be put there, and not on a dead-letter queue either")

    def _bury(self, taken: TakenCommand, unit: UnitOfWork, now: float) -> None:
        """What is on the queue is no command, and nobody wants to hear that."""
        if taken.md.Report & C.MQRO_DISCARD_MSG:
            return
        reason = C.MQRCCF_MD_FORMAT_ERROR
        if own_messages.bury(self._core, taken.message, COMMAND_QUEUE, "", reason, unit, now) is not None:
            problem = "a message that is no command was dropped, because there is no dead-letter queue for it"
            self._say_unanswered(COMMAND_QUEUE, problem)

    def _say_unanswered(self, queue: str, problem: Exception | str) -> None:
        self._manager.say(amq(8507, self._manager.name, queue, problem))


def _answer_descriptor(core: Core, md: MQMD, now: float) -> MQMD:
    report = md.Report
    answer = MQMD(
        Version=C.MQMD_VERSION_2, MsgType=C.MQMT_REPLY, Format=_ADMIN, CodedCharSetId=core.catalogue.qmgr.ccsid,
        Priority=md.Priority, Persistence=md.Persistence,
        MsgId=md.MsgId if report & C.MQRO_PASS_MSG_ID else core.identifiers.next_id(),
        CorrelId=md.CorrelId if report & C.MQRO_PASS_CORREL_ID else md.MsgId,
        ReplyToQMgr=core.qmgr_name, UserIdentifier=md.UserIdentifier, AccountingToken=md.AccountingToken,
        ApplIdentityData=md.ApplIdentityData,
    )  # fmt: skip
    if report & C.MQRO_PASS_DISCARD_AND_EXPIRY:
        answer.Report = report & C.MQRO_DISCARD_MSG
        answer.Expiry = md.Expiry
    own_messages.sign(core, answer, now)
    return answer
