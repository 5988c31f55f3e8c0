"""The command server: takes PCF commands from SYSTEM.ADMIN.COMMAND.QUEUE, has them run, and answers.

It has no thread. A message that becomes visible on the command queue makes the queue manager call `serve` at the end of
that verb; commands that waited while it did not run are served when it starts. How a command is taken and its answers
are put is `libremq.kernel.verbs.command_queue`. One that takes long is gone on with in later turns, in steps, and those
behind it wait: they are to see what it has done. A command whose outcome comes over the network keeps its unit of work
open until then; those behind it are served meanwhile.

A command acts as the user in its descriptor, as in MQ: whoever may set the identity context may act as another. Nothing
that comes on the queue stops the server.
"""

from __future__ import annotations

import os
import traceback

from libremq.admin.command import Issuer, Outcome
from libremq.admin.executor import Executor
from libremq.admin.mqsc_session import FAILED, SYNTAX, Answer, text_steps
from libremq.admin.pcf_reading import read_command
from libremq.admin.pcf_structures import BadPCF, command_code, read_header, read_parameters
from libremq.admin.pcf_writing import Answering
from libremq.admin.pending_outcome import Pending, there
from libremq.admin.steps import Steps, run_through
from libremq.common.ccsid import charset_of
from libremq.common.messages.amq_messages import amq
from libremq.kernel.manager import QueueManager
from libremq.kernel.state.failure_reasons import FAILURES
from libremq.kernel.verbs.command_queue import CommandQueue, TakenCommand
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFH, MQCFIN, MQCFST, PCFParameter
from libremq.mqi.structs import MQMD

_ADMIN = C.MQFMT_ADMIN.strip()
_NATIVE_BIG = C.MQENC_NATIVE & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL
_BYTE_ORDERS = {
    C.MQENC_INTEGER_UNDEFINED: _NATIVE_BIG, C.MQENC_INTEGER_NORMAL: True, C.MQENC_INTEGER_REVERSED: False,
}  # fmt: skip


class CommandServer:
    """One for each queue manager. All its methods run under the kernel's lock."""

    def __init__(self, manager: QueueManager, executor: Executor) -> None:
        self._manager = manager
        self._executor = executor
        self._queue = CommandQueue(manager)

    @property
    def running(self) -> bool:
        return self._manager.serves_commands

    def start(self) -> None:
        """Serve from now on, first what is on the queue already: with the next verb, or the next turn of the clock."""
        self._manager.set_command_server(self.serve)

    def start_with_manager(self) -> None:
        """At the start of the queue manager: SCMDSERV says whether the command server starts too."""
        if self._manager.definitions.qmgr.scmdserv == C.MQSVC_CONTROL_Q_MGR:
            self.start()

    def stop(self) -> None:
        """Commands stay on the queue from now on; one that is under way is ended, as it may have had its effect."""
        self._manager.set_command_server(None)
        self._queue.finish()

    # The queue

    def serve(self) -> bool:
        """Serve what is on the queue, up to a limit; True if more may be there. Never raises."""
        return self._queue.serve(self._serve_one)

    def _serve_one(self, taken: TakenCommand) -> Steps[bool]:
        """False if the log has no room: the message stays for another time."""
        answers = yield from self._answers(taken)
        if isinstance(answers, Pending):
            answers.then(lambda found: self._queue.answer_late(taken, found))
            return True
        return (yield from self._queue.answer(taken, answers))

    # The command

    def _answers(self, taken: TakenCommand) -> Steps[list[bytes] | Pending[list[bytes] | None] | None]:
        """What to answer, perhaps nothing; None for what cannot be a command, nor be answered."""
        md, data = taken.md, taken.data
        if md.MsgType not in (C.MQMT_REQUEST, C.MQMT_DATAGRAM):
            return None
        big_endian = _BYTE_ORDERS.get(md.Encoding & C.MQENC_INTEGER_MASK)
        code = command_code(data, big_endian=bool(big_endian)) if md.Format.strip() == _ADMIN else 0
        answering = Answering(code, self._charset)
        try:
            if md.Format.strip() != _ADMIN:
                raise BadPCF(C.MQRCCF_MD_FORMAT_ERROR, f"format {md.Format!r} is not {_ADMIN}")
            if big_endian is None:
                raise BadPCF(C.MQRCCF_ENCODING_ERROR, f"encoding {md.Encoding} is not known")
            header = read_header(data, big_endian=big_endian)
            if header.Type == C.MQCFT_COMMAND_XR:
                answering = Answering(code, self._charset, C.MQCFH_VERSION_3)
            charset = charset_of(md.CodedCharSetId)
            parameters = read_parameters(data, header, big_endian=big_endian, charset=charset)
            ran = yield from self._run(header, parameters, _issuer(taken), answering)
            if not ran.is_there:
                return ran.map(lambda found: found[0] if _wants_answer(md, failed=found[1]) else [])
            answers, failed = ran.value
        except BadPCF as bad:
            if bad.reason == C.MQRCCF_MD_FORMAT_ERROR and not _wants_answer(md, failed=True):
                return None
            outcome = Outcome(reason=bad.reason, comp_code=C.MQCC_FAILED)
            answers, failed = run_through(answering.outcome(outcome, parameter=bad.parameter, about=bad.about)), True
        except (MQError, *FAILURES):
            raise
        except Exception as error:  # no command may stop those behind it
            self._manager.say(amq(8508, self._manager.name, place_of(error)))
            outcome = Outcome(reason=C.MQRCCF_UNEXPECTED_ERROR, comp_code=C.MQCC_FAILED)
            answers, failed = run_through(answering.outcome(outcome)), True
        return answers if _wants_answer(md, failed=failed) else []

    def _run(
        self, header: MQCFH, parameters: list[PCFParameter], issuer: Issuer, answering: Answering
    ) -> Steps[Pending[tuple[list[bytes], bool]]]:
        """The answers, and whether the command failed."""
        if header.Command == C.MQCMD_ESCAPE:
            texts = yield from text_steps(self._executor, _escaped(parameters), issuer)
            if not texts.is_there:
                return texts.map(lambda found: run_through(_escape_answers(found, answering)))
            if not texts.value:
                raise BadPCF(C.MQRCCF_PARM_VALUE_ERROR, "there is no command in the text", C.MQCACF_ESCAPE_TEXT)
            return there((yield from _escape_answers(texts.value, answering)))
        command = read_command(header.Command, parameters, self._manager.definitions)
        outcome = yield from self._executor.steps(command, issuer)
        if outcome.pending is not None:
            return outcome.pending.map(lambda found: (run_through(answering.outcome(found)), found.failed))
        return there(((yield from answering.outcome(outcome)), outcome.failed))

    # The answer

    @property
    def _charset(self) -> str:
        return charset_of(self._manager.definitions.qmgr.ccsid)


def place_of(error: Exception) -> str:
    """What went wrong, and where. What the exception says of values stays out: they are those of a message."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} ({os.path.basename(last.filename)}:{last.lineno})"


def _escape_answers(found: list[Answer], answering: Answering) -> Steps[tuple[list[bytes], bool]]:
    """MQSC in a PCF message: its lines are the answer."""
    lines = [line for answer in found for line in answer.lines]
    failed = [answer for answer in found if answer.state in (FAILED, SYNTAX)]
    reason = (failed[0].reason or C.MQRCCF_COMMAND_FAILED) if failed else C.MQRC_NONE
    return (yield from answering.lines(lines, reason)), bool(failed)


def _wants_answer(md: MQMD, *, failed: bool) -> bool:
    """A request is always answered, a datagram if it asks for positive or negative action notifications."""
    if not md.ReplyToQ:
        return False
    return md.MsgType == C.MQMT_REQUEST or bool(md.Report & (C.MQRO_NAN if failed else C.MQRO_PAN))


def _issuer(taken: TakenCommand) -> Issuer:
    """Who the descriptor says it is."""
    md, sender = taken.md, taken.sender
    return Issuer(
        sender.user, sender.groups, sender.privileged, C.MQEVO_MSG, md.PutApplName, md.PutApplType,
        md.AccountingToken, md.ApplIdentityData,
    )  # fmt: skip


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
