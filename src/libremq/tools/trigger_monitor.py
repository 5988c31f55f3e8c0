"""The trigger monitor: reads an initiation queue and starts the program that each trigger message names.

The program gets the trigger message as one argument, an MQTMC2 of 732 characters, between ApplId and EnvData of the
PROCESS. As in MQ a shell runs that line, so EnvData may redirect output or, with `&`, let the monitor go on at once.
ApplId and EnvData are the administrator's, so only messages that a queue manager has made are obeyed, and of those no
report, whose data is an application's; all else that can come with a trigger message (UserData, TriggerData) is quoted
and never seen by the shell.

A trigger message leaves the queue when its program was started, not before. One that cannot be used goes to the
dead-letter queue with an MQFB code that says why, and the monitor goes on.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from libremq.common.ccsid import charset_of
from libremq.common.messages.amq_messages import amq
from libremq.mqi import constants as C
from libremq.mqi.byte_order import is_big_endian
from libremq.mqi.errors import MQError, NoMessageAvailable
from libremq.mqi.structs import MQTM, MQTMC2

if TYPE_CHECKING:
    from libremq.client.message import Message
    from libremq.client.queue_manager import QueueManager

DEFAULT_QUEUE = "SYSTEM.DEFAULT.INITIATION.QUEUE"
_FORMAT = C.MQFMT_TRIGGER.strip()
_APPL_TYPES = (C.MQAT_UNIX, C.MQAT_DEFAULT, C.MQAT_JAVA)
"""What is started here: programs of this system."""
_NOT_EXECUTABLE, _NOT_FOUND = 126, 127
"""What the shell answers for a program that it could not start."""
_LOOK_S = 0.05
_SHELL = "/bin/sh"
_QUIESCING = (C.MQRC_Q_MGR_QUIESCING, C.MQRC_CONNECTION_QUIESCING)
_MADE_BY_QUEUE_MANAGER = C.MQAT_QMGR
_UNPRINTABLE = str.maketrans({"\0": " "})

Say = Callable[[str], None]

# Numbers of AMQ messages
_STARTED, _ENDED, _WAITING, _STARTING = 8601, 8602, 8612, 8624
_APPLICATION_ENDED, _NOT_VALID, _NOT_STARTED, _WRONG_TYPE, _DROPPED = 8616, 8617, 8618, 8619, 8620


class Refusal(NamedTuple):
    """Why a trigger message cannot be used."""

    feedback: int
    """MQFB_*, for the dead-letter header."""
    number: int
    """Of the AMQ message."""
    text: str


def command_line(trigger: MQTM, manager: str) -> str:
    """The line for the shell. Only ApplId and EnvData mean something to it; an ApplId that is a file is quoted too."""
    program = trigger.ApplId.strip()
    if os.path.isfile(program):
        program = shlex.quote(program)
    line = f"{program} {shlex.quote(character_form(trigger, manager))}"
    rest = trigger.EnvData.strip()
    return f"{line} {rest}" if rest else line


def character_form(trigger: MQTM, manager: str) -> str:
    """The MQTMC2 as text of 732 characters. ApplType is always blank in it, as in MQ."""
    given = {
        name: getattr(trigger, name).translate(_UNPRINTABLE)
        for name in ("QName", "ProcessName", "TriggerData", "ApplId", "EnvData", "UserData")
    }
    form = MQTMC2(**given, QMgrName=manager)
    sizes = (
        ("StrucId", 4), ("Version", 4), ("QName", 48), ("ProcessName", 48), ("TriggerData", 64), ("ApplType", 4),
        ("ApplId", 256), ("EnvData", 128), ("UserData", 128), ("QMgrName", 48),
    )  # fmt: skip
    return "".join(str(getattr(form, name)).ljust(size)[:size] for name, size in sizes)


def read_trigger(message: Message) -> MQTM | Refusal:
    """What a message asks for, or why it cannot be done."""
    md = message.md
    if message.format != _FORMAT:
        return Refusal(C.MQFB_TM_ERROR, _NOT_VALID, f"its format is {message.format!r}, not {_FORMAT}")
    if md.PutApplType != _MADE_BY_QUEUE_MANAGER:
        who = f"{md.PutApplName.strip() or 'an application'}, user {md.UserIdentifier.strip() or 'unknown'}"
        return Refusal(C.MQFB_TM_ERROR, _NOT_VALID, f"no queue manager made it, but {who}")
    if md.MsgType != C.MQMT_DATAGRAM:
        who = md.UserIdentifier.strip() or "unknown"
        return Refusal(C.MQFB_TM_ERROR, _NOT_VALID, f"it is no datagram but a report or reply, for user {who}")
    try:
        charset = charset_of(md.CodedCharSetId)
        trigger = MQTM.unpack(message.data, big_endian=is_big_endian(md.Encoding), charset=charset)
    except MQError as error:
        return Refusal(C.MQFB_TM_ERROR, _NOT_VALID, error.detail)
    if trigger.ApplType not in _APPL_TYPES:
        text = f"process {trigger.ProcessName or '(none)'} of queue {trigger.QName} has type {trigger.ApplType}"
        return Refusal(C.MQFB_APPL_TYPE_ERROR, _WRONG_TYPE, text)
    if not trigger.ApplId.strip():
        text = f"process {trigger.ProcessName} of queue {trigger.QName} names no program (APPLICID)"
        return Refusal(C.MQFB_APPL_CANNOT_BE_STARTED, _NOT_STARTED, text)
    return trigger


class TriggerMonitor:
    """Starts programs for one initiation queue, one after the other, in the thread that calls `run`."""

    def __init__(self, manager: QueueManager, queue: str = DEFAULT_QUEUE, *, say: Say = lambda text: None) -> None:
        self._manager = manager
        self._name = queue
        self._queue = manager.queue(queue)
        self._say = say
        self._stopping = threading.Event()
        self.started = 0
        """Programs started so far."""
        self.refused = 0
        """Trigger messages that could not be used."""

    def run(self) -> None:
        """Until `stop`, or until the queue manager quiesces. MQError if the queue cannot be read."""
        self._queue.handle("input")  # triggering begins when somebody has it open
        self._say(amq(_STARTED, self._name, self._manager.name))
        try:
            while not self._stopping.is_set():
                self._say(amq(_WAITING))
                self._next()
        except MQError as error:
            if error.reason not in _QUIESCING and not self._stopping.is_set():
                raise
        finally:
            self._queue.close()
        self._say(amq(_ENDED))

    def run_pending(self) -> int:
        """Do what is on the queue now and return how many programs were started; for tests and schedulers."""
        before = self.started
        while self._next(wait=None):
            pass
        return self.started - before

    def stop(self) -> None:
        """End `run`. From any thread: a get that waits ends, a program that runs is left alone."""
        self._stopping.set()
        self._queue.close()

    def _next(self, wait: float | None = float("inf")) -> bool:
        """Deal with one trigger message; False if there is none."""
        process: subprocess.Popen[bytes] | None = None
        with self._manager.transaction():
            try:
                message = self._queue.get(wait)
            except NoMessageAvailable:
                return False
            trigger = read_trigger(message)
            if isinstance(trigger, MQTM):
                self._say(amq(_STARTING, trigger.ApplId.strip(), trigger.QName, trigger.ProcessName))
                try:
                    process = self._start(trigger)
                except OSError as error:
                    text = f"{_SHELL}: {error.strerror or error}"
                    trigger = Refusal(C.MQFB_APPL_CANNOT_BE_STARTED, _NOT_STARTED, text)
            if isinstance(trigger, Refusal):
                self._refuse(message, trigger)
                return True
        assert process is not None
        self.started += 1
        status = self._wait(process)
        if status in (_NOT_EXECUTABLE, _NOT_FOUND):
            what = "is not found" if status == _NOT_FOUND else "may not be run"
            text = f"{trigger.ApplId.strip()} of process {trigger.ProcessName} {what}"
            self.started -= 1
            with self._manager.transaction():
                self._refuse(message, Refusal(C.MQFB_APPL_CANNOT_BE_STARTED, _NOT_STARTED, text))
        elif status is not None:
            self._say(amq(_APPLICATION_ENDED, trigger.ApplId.strip(), status))
        return True

    def _start(self, trigger: MQTM) -> subprocess.Popen[bytes]:
        line = command_line(trigger, self._manager.name)
        return subprocess.Popen([_SHELL, "-c", line], stdin=subprocess.DEVNULL, start_new_session=True)

    def _wait(self, process: subprocess.Popen[bytes]) -> int | None:
        """The exit status; None if the monitor was stopped before the program ended."""
        while (status := process.poll()) is None:
            if self._stopping.wait(_LOOK_S):
                return None
        return status

    def _refuse(self, message: Message, refusal: Refusal) -> None:
        """To the dead-letter queue, in the transaction that got it; where that takes none, it is dropped."""
        self.refused += 1
        self._say(amq(refusal.number, refusal.text))
        try:
            self._manager.dead_letter(message, refusal.feedback, queue=self._name)
        except MQError as error:
            if error.reason in _QUIESCING:
                raise
            self._say(amq(_DROPPED, error.detail or error))
