"""SYSTEM.ADMIN.COMMAND.QUEUE from the inside: commands taken from it under a unit of work, and their answers put.

The get of a command and its answers are one unit of work, committed after the command has had its effect: a crash in
between runs a persistent command again, never loses one. An answer is seen only when the log is on disk up to what it
tells of (contract 2). What a command says and does is for `libremq.admin.command_server`, which is handed in.

An answer is put with the authority of whoever gave the command. What cannot be answered goes to the dead-letter queue
or is dropped as its report options say.

A command may come in steps (a generator), and so does the putting of many answers: after each step applications have
their turn. Its unit of work stays open meanwhile, and may have to give way like any other when the log is full; then
the command is taken once more, and answered from the beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

from libremq.common.messages.amq_messages import amq
from libremq.kernel.authority import message_origin, object_authority
from libremq.kernel.messages import own_messages
from libremq.kernel.messages.time_to_live import time_left
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import FAILURES, PASSING, is_final
from libremq.kernel.state.queue_state import COMMAND_QUEUE, QueueState
from libremq.kernel.state.unit_of_work import PUT, UNDOING, UnitOfWork
from libremq.kernel.verb_calls import VerbCalls
from libremq.kernel.verbs import reports
from libremq.kernel.verbs.matching import MORE, first
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD
from libremq.store.space_handles import NONE
from libremq.store.stored_message import Message

COMMANDS_AT_ONCE = 100
"""So many are served in a row; applications have their turn before the others."""
ANSWERS_AT_ONCE = 20
"""So many answers to one command are put in a row."""
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
        self._under_way: Generator[None, None, bool] | None = None
        self._more = False  # so much has expired that the next command was not found yet

    def serve(self, run: Callable[[TakenCommand], Generator[None, None, bool]]) -> bool:
        """Have run what is on the queue, up to a limit or the next step of a long one; True if that was reached.

        `run` answers the command, now or later. False: the log has no room, the command stays for another time. Never
        raises.
        """
        try:
            for _ in range(COMMANDS_AT_ONCE):
                if self._under_way is None:
                    taken = self._take_next()
                    if taken is None:
                        return self._more
                    self._under_way = run(taken)
                try:
                    next(self._under_way)
                    return True
                except StopIteration as end:
                    self._under_way = None
                    if not end.value:
                        return False
        except (MQError, *FAILURES) as error:
            self._under_way = None
            self._cannot_go_on(error)
            return False
        return True

    def finish(self) -> None:
        """Run the command that is under way to its end, if there is one."""
        under_way, self._under_way = self._under_way, None
        try:
            for _ in under_way or ():
                pass
        except (MQError, *FAILURES) as error:
            self._cannot_go_on(error)

    def answer(self, taken: TakenCommand, answers: Sequence[bytes] | None) -> Generator[None, None, bool]:
        """The command had its effect: put the answers and commit. None: it is no command, nor can it be answered.

        False if the log has no room: the message stays for another time.
        """
        core, queue, unit = self._core, taken.queue, taken.unit
        put, before = 0, len(unit.operations)
        while True:
            if unit.id in core.units and unit.state is UNDOING:
                return False  # it has to give way, and there is no room even for that now
            if unit.id not in core.units:
                # The command needed room in the log, and this unit of work had to give way: its get was undone
                handles = queue.store.handles
                if queue.out_of_use or handles.sequence[taken.slot] != taken.sequence or not handles.flags[taken.slot]:
                    return True
                again = self._take(queue, taken.slot)
                if again is None:
                    return False
                unit, put = again, 0
                before = len(unit.operations)
            now = core.clock.now()
            try:
                with core.all_or_nothing(unit, behind=before):
                    if put == 0:
                        reports.confirm_delivery(core, taken.message, queue, unit, now)
                        if answers is None:
                            self._bury(taken, unit, now)
                    for data in (answers or ())[put : put + ANSWERS_AT_ONCE]:
                        self._put_answer(taken, data, unit, now)
            except PASSING as error:
                self._say_unanswered(taken.md.ReplyToQ, error)
                break
            put += ANSWERS_AT_ONCE
            if put >= len(answers or ()):
                break
            yield
        self._commit(unit)
        return True

    def answer_late(self, taken: TakenCommand, answers: Sequence[bytes] | None) -> None:
        """The outcome has come. A queue manager that ended or failed meanwhile has nothing more to say."""
        if self._manager.failure is not None or self._manager.ended or taken.queue.out_of_use:
            return
        try:
            for _ in self.answer(taken, answers):
                pass  # whoever brought the outcome cannot come again
        except (MQError, *FAILURES) as error:
            self._cannot_go_on(error)

    # Commands

    def _take_next(self) -> TakenCommand | None:
        queue = self._queue()
        slot = NONE if queue is None else first(self._core, None, queue)
        self._more = slot == MORE
        if queue is None or slot < 0:
            return None
        message = queue.store.message(slot)
        md = message.md.copy()
        md.Expiry = time_left(queue.store.handles.expiry_ms[slot], self._core.clock.now(), md.Expiry)
        unit = self._take(queue, slot)
        if unit is None:
            return None
        sender = message_origin.commander(self._core, message)
        return TakenCommand(queue, slot, queue.store.handles.sequence[slot], message, md, sender, unit)

    def _queue(self) -> QueueState | None:
        """The command queue, if a get from it is possible."""
        definition = self._core.catalogue.find("QLOCAL", COMMAND_QUEUE)
        if not isinstance(definition, LocalQueue) or definition.get == C.MQQA_GET_INHIBITED:
            return None
        queue = self._core.local_queue(definition)
        # An application that reads the queue itself, alone, is served by nobody
        return None if queue.exclusive else queue

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
        message = Message(_answer_descriptor(core, md, now), b"", data, taken.message.origin)
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
