"""The command server: takes PCF commands from SYSTEM.ADMIN.COMMAND.QUEUE, has them run, and answers.

It has no thread. A message that becomes visible on the command queue makes the queue manager call `serve` at the end of
that verb; commands that waited while it did not run are served when it starts. The get of a command and its answers
are one unit of work, committed after the command has had its effect: a crash in between runs a persistent command
again, never loses one. An answer is seen only when the log is on disk up to what it tells of (contract 2). A command
whose outcome comes over the network keeps its unit of work open until then; those behind it are served meanwhile.

A command acts as the user in its descriptor, as in MQ: whoever may set the identity context may act as another. That
user needs put authority on the reply queue too. What cannot be answered goes to the dead-letter queue or is dropped as
its report options say; nothing that comes on the queue stops the server.
"""

from __future__ import annotations

import os
import traceback
from typing import NamedTuple

from libremq.admin.command import Issuer, Outcome
from libremq.admin.executor import Executor
from libremq.admin.mqsc_session import FAILED, SYNTAX, Answer, begin_text
from libremq.admin.pcf_reading import read_command
from libremq.admin.pcf_structures import BadPCF, command_code, read_header, read_parameters
from libremq.admin.pcf_writing import Answering
from libremq.admin.pending import Pending, there
from libremq.common.messages.amq_messages import amq
from libremq.kernel.authority import object_authority
from libremq.kernel.manager import QueueManager
from libremq.kernel.messages import own_messages
from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import FAILURES, PASSING, is_final
from libremq.kernel.state.queue_state import COMMAND_QUEUE, QueueState
from libremq.kernel.state.unit_of_work import PUT, UnitOfWork
from libremq.kernel.verbs import expiry, reports
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFH, MQCFIN, MQCFST, PCFParameter
from libremq.mqi.structs import MQMD
from libremq.store.stored_message import Message

COMMANDS_AT_ONCE = 100
"""So many are served in a row; applications have their turn before the others."""
_ADMIN = C.MQFMT_ADMIN.strip()
_NATIVE_BIG = C.MQENC_NATIVE & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
_BYTE_ORDERS = {
    C.MQENC_INTEGER_UNDEFINED: _NATIVE_BIG, C.MQENC_INTEGER_NORMAL: True, C.MQENC_INTEGER_REVERSED: False,
}  # fmt: skip


class _Given(NamedTuple):
    """A command that was taken from the queue."""

    queue: QueueState
    slot: int
    sequence: int  # of the message, which tells it from a later one in the same place
    message: Message
    md: MQMD
    issuer: Issuer
    unit: UnitOfWork


class CommandServer:
    """One for each queue manager. All its methods run under the kernel's lock."""

    def __init__(self, manager: QueueManager, executor: Executor) -> None:
        self._manager = manager
        self._executor = executor

    @property
    def running(self) -> bool:
        return self._manager.serve_commands is not None

    def start(self) -> None:
        """Serve from now on, first what is on the queue already: with the next verb, or the next turn of the clock."""
        self._manager.serve_commands = self.serve
        self._manager.commands_wait = True
        self._manager.deadlines_changed()

    def start_with_manager(self) -> None:
        """At the start of the queue manager: SCMDSERV says whether the command server starts too."""
        if self._manager.core.catalogue.qmgr.scmdserv == C.MQSVC_CONTROL_Q_MGR:
            self.start()

    def stop(self) -> None:
        """Commands stay on the queue from now on."""
        self._manager.serve_commands = None

    # The queue

    def serve(self) -> None:
        """Serve what is on the queue, up to a limit. Never raises: trouble of the queue manager ends it as always."""
        try:
            for _ in range(COMMANDS_AT_ONCE):
                queue = self._queue()
                slot = None if queue is None else self._next(queue)
                if queue is None or slot is None:
                    return
                if not self._serve_one(queue, slot):
                    return
            self._manager.commands_wait = True
            self._manager.deadlines_changed()
        except FAILURES as error:
            self._trouble(error)
        except MQError as error:
            self._manager.say(amq(8506, self._manager.name, COMMAND_QUEUE, error))

    def _queue(self) -> QueueState | None:
        """The command queue, if a get from it is possible."""
        core = self._manager.core
        definition = core.catalogue.find("QLOCAL", COMMAND_QUEUE)
        if not isinstance(definition, LocalQueue) or definition.get == C.MQQA_GET_INHIBITED:
            return None
        queue = core.local_queue(definition)
        # An application that reads the queue itself, alone, is served by nobody
        return None if queue.exclusive else queue

    def _next(self, queue: QueueState) -> int | None:
        core = self._manager.core
        now_ms = int(core.clock.now() * 1000)
        while True:
            slot = next((slot for slot in queue.store.chains if slot not in queue.locks), None)
            if slot is None or not 0 < queue.store.handles.expiry_ms[slot] <= now_ms:
                return slot
            expiry.discard(core, queue, slot)

    def _serve_one(self, queue: QueueState, slot: int) -> bool:
        """False if the log has no room: the message stays for another time."""
        core = self._manager.core
        message = queue.store.message(slot)
        md = message.md.copy()
        md.Expiry = expiry.remaining(queue.store.handles.expiry_ms[slot], core.clock.now())
        unit = self._take(queue, slot)
        if unit is None:
            return False
        given = _Given(queue, slot, queue.store.handles.sequence[slot], message, md, self._issuer(md), unit)
        answers = self._answers(md, message, given.issuer)
        if isinstance(answers, Pending):
            answers.then(lambda found: self._answer_late(given, found))
            return True
        return self._answer(given, answers)

    def _answer(self, given: _Given, answers: list[bytes] | None) -> bool:
        core, queue, unit = self._manager.core, given.queue, given.unit
        if unit.id not in core.units:
            # The command needed room in the log, and this unit of work had to give way: its get was undone
            handles = queue.store.handles
            if queue.out_of_use or handles.sequence[given.slot] != given.sequence or not handles.flags[given.slot]:
                return True
            again = self._take(queue, given.slot)
            if again is None:
                return False
            unit = again
        now = core.clock.now()
        try:
            with core.all_or_nothing(unit):
                reports.confirm_delivery(core, given.message, queue, unit, now)
                if answers is None:
                    self._bury(given.md, given.message, unit, now)
                for data in answers or ():
                    self._put_answer(given.md, data, given.issuer, unit, now)
        except PASSING as error:
            self._manager.say(amq(8507, self._manager.name, given.md.ReplyToQ, error))
        self._commit(unit)
        return True

    def _answer_late(self, given: _Given, answers: list[bytes] | None) -> None:
        """The outcome has come. A queue manager that ended or failed meanwhile has nothing more to say."""
        if self._manager.failure is not None or self._manager.ended or given.queue.out_of_use:
            return
        try:
            self._answer(given, answers)
        except FAILURES as error:
            self._trouble(error)
        except MQError as error:
            self._manager.say(amq(8506, self._manager.name, COMMAND_QUEUE, error))

    def _trouble(self, error: Exception) -> None:
        if is_final(error):
            self._manager.fail(str(error))
        else:
            self._manager.say(amq(8506, self._manager.name, COMMAND_QUEUE, error))

    def _take(self, queue: QueueState, slot: int) -> UnitOfWork | None:
        core = self._manager.core
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

    def _commit(self, unit: UnitOfWork) -> None:
        """Answers depend on all that was logged before them: what the command did, and what an inquiry has seen."""
        core = self._manager.core
        for operation in unit.operations:
            if operation.kind == PUT:
                operation.queue.visible_lsn = max(operation.queue.visible_lsn, core.log.tail - 1)
        core.commit(unit)

    # The command

    def _issuer(self, md: MQMD) -> Issuer:
        """Who the descriptor says it is."""
        sender = object_authority.sender_of(self._manager.core, md.UserIdentifier)
        return Issuer(
            sender.user, sender.groups, sender.privileged, C.MQEVO_MSG, md.PutApplName, md.PutApplType,
            md.AccountingToken, md.ApplIdentityData,
        )  # fmt: skip

    def _answers(self, md: MQMD, message: Message, issuer: Issuer) -> list[bytes] | Pending[list[bytes] | None] | None:
        """What to answer, perhaps nothing; None for what cannot be a command, nor be answered."""
        if md.MsgType not in (C.MQMT_REQUEST, C.MQMT_DATAGRAM):
            return None
        big_endian = _BYTE_ORDERS.get(md.Encoding & C.MQENC_INTEGER_MASK)
        code = command_code(message.data, big_endian=bool(big_endian)) if md.Format.strip() == _ADMIN else 0
        answering = Answering(code, self._charset)
        try:
            if md.Format.strip() != _ADMIN:
                raise BadPCF(C.MQRCCF_MD_FORMAT_ERROR, f"format {md.Format!r} is not {_ADMIN}")
            if big_endian is None:
                raise BadPCF(C.MQRCCF_ENCODING_ERROR, f"encoding {md.Encoding} is not known")
            header = read_header(message.data, big_endian=big_endian)
            if header.Type == C.MQCFT_COMMAND_XR:
                answering = Answering(code, self._charset, C.MQCFH_VERSION_3)
            charset = own_messages.charset_of(md.CodedCharSetId)
            parameters = read_parameters(message.data, header, big_endian=big_endian, charset=charset)
            ran = self._run(header, parameters, issuer, answering)
            if not ran.is_there:
                return ran.map(lambda found: found[0] if _wants_answer(md, failed=found[1]) else [])
            answers, failed = ran.value
        except BadPCF as bad:
            if bad.reason == C.MQRCCF_MD_FORMAT_ERROR and not _wants_answer(md, failed=True):
                return None
            outcome = Outcome(reason=bad.reason, comp_code=C.MQCC_FAILED)
            answers, failed = answering.outcome(outcome, parameter=bad.parameter, about=bad.about), True
        except (MQError, *FAILURES):
            raise
        except Exception as error:  # no command may stop those behind it
            self._manager.say(amq(8508, self._manager.name, place_of(error)))
            outcome = Outcome(reason=C.MQRCCF_UNEXPECTED_ERROR, comp_code=C.MQCC_FAILED)
            answers, failed = answering.outcome(outcome), True
        return answers if _wants_answer(md, failed=failed) else []

    def _run(
        self, header: MQCFH, parameters: list[PCFParameter], issuer: Issuer, answering: Answering
    ) -> Pending[tuple[list[bytes], bool]]:
        """The answers, and whether the command failed."""
        if header.Command == C.MQCMD_ESCAPE:
            answers = begin_text(self._executor, _escaped(parameters), issuer)
            if answers.is_there and not answers.value:
                raise BadPCF(C.MQRCCF_PARM_VALUE_ERROR, "there is no command in the text", C.MQCACF_ESCAPE_TEXT)
            return answers.map(lambda found: _escape_answers(found, answering))
        command = read_command(header.Command, parameters, self._manager.core.catalogue)
        outcome = self._executor.run(command, issuer)
        return (outcome.pending or there(outcome)).map(lambda found: (answering.outcome(found), found.failed))

    # The answer

    @property
    def _charset(self) -> str:
        return own_messages.charset_of(self._manager.core.catalogue.qmgr.ccsid)

    def _put_answer(self, md: MQMD, data: bytes, issuer: Issuer, unit: UnitOfWork, now: float) -> None:
        core = self._manager.core
        message = Message(_answer_descriptor(core, md, now), b"", data)
        try:
            object_authority.check_reply(core, issuer, md.ReplyToQ, md.ReplyToQMgr)
        except MQError as error:
            if message.md.Report & C.MQRO_DISCARD_MSG:
                return
            if own_messages.bury(core, message, md.ReplyToQ, md.ReplyToQMgr, error.reason, unit, now) is not None:
                self._manager.say(amq(8507, self._manager.name, md.ReplyToQ, error))
            return
        if not own_messages.put(core, message, md.ReplyToQ, md.ReplyToQMgr, unit, now):
            problem = "it cannot be put there, and not on a dead-letter queue either"
            self._manager.say(amq(8507, self._manager.name, md.ReplyToQ, problem))

    def _bury(self, md: MQMD, message: Message, unit: UnitOfWork, now: float) -> None:
        """What is on the queue is no command, and nobody wants to hear that."""
        core = self._manager.core
        if md.Report & C.MQRO_DISCARD_MSG:
            return
        if own_messages.bury(core, message, COMMAND_QUEUE, "", C.MQRCCF_MD_FORMAT_ERROR, unit, now) is not None:
            problem = "a message that is no command was dropped, because there is no dead-letter queue for it"
            self._manager.say(amq(8507, self._manager.name, COMMAND_QUEUE, problem))


def place_of(error: Exception) -> str:
    """What went wrong, and where. What the exception says of values stays out: they are those of a message."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} ({os.path.basename(last.filename)}:{last.lineno})"


def _escape_answers(found: list[Answer], answering: Answering) -> tuple[list[bytes], bool]:
    """MQSC in a PCF message: its lines are the answer."""
    lines = [line for answer in found for line in answer.lines]
    failed = [answer for answer in found if answer.state in (FAILED, SYNTAX)]
    reason = (failed[0].reason or C.MQRCCF_COMMAND_FAILED) if failed else C.MQRC_NONE
    return answering.lines(lines, reason), bool(failed)


def _wants_answer(md: MQMD, *, failed: bool) -> bool:
    """A request is always answered, a datagram if it asks for positive or negative action notifications."""
    if not md.ReplyToQ:
        return False
    return md.MsgType == C.MQMT_REQUEST or bool(md.Report & (C.MQRO_NAN if failed else C.MQRO_PAN))


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


def _escaped(parameters: list[PCFParameter]) -> str:
    """The text of an Escape command."""
    given = {one.Parameter: one for one in parameters}
    kind, text = given.get(C.MQIACF_ESCAPE_TYPE), given.get(C.MQCACF_ESCAPE_TEXT)
    for selector, found in ((C.MQIACF_ESCAPE_TYPE, kind), (C.MQCACF_ESCAPE_TEXT, text)):
        if found is None:
            raise BadPCF(C.MQRCCF_PARM_COUNT_TOO_SMALL, f"Escape needs parameter {selector}", selector)
    if len(parameters) > 2:
        raise BadPCF(C.MQRCCF_PARM_COUNT_TOO_BIG, "Escape has two parameters")
    if not isinstance(kind, MQCFIN) or kind.Value != C.MQET_MQSC:
        raise BadPCF(C.MQRCCF_ESCAPE_TYPE_ERROR, "an escape is MQSC", C.MQIACF_ESCAPE_TYPE)
    if not isinstance(text, MQCFST):
        raise BadPCF(C.MQRCCF_CFST_PARM_ID_ERROR, "the text of an escape is an MQCFST", C.MQCACF_ESCAPE_TEXT)
    return text.String
