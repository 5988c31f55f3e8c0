"""SERVICE objects: programs that the queue manager starts with itself or by command, and ends.

A program is started without a shell, as the user of the queue manager, its words split as a shell would split them. Of
a service with SERVTYPE(SERVER) one process runs at a time, and it has a status; one with SERVTYPE(COMMAND) is started
and forgotten. +QMNAME+, +MQ_Q_MGR_DATA_PATH+ and +MQ_SERVER_PID+ stand for what they say.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass

from libremq.admin.operations import ServiceStatus
from libremq.common.messages.amq_messages import amq
from libremq.kernel.manager import QueueManager
from libremq.kernel.objects.object_types import Service
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

_STOP_S = 5.0
_WITH_QMGR = (C.MQSVC_CONTROL_Q_MGR, C.MQSVC_CONTROL_Q_MGR_START)


@dataclass
class _Program:
    process: subprocess.Popen[bytes]
    started: float
    stopping: bool = False


class Programs:
    """The programs of one queue manager. Called under the kernel's lock."""

    def __init__(self, manager: QueueManager, folder: str, say: Callable[[str], None]) -> None:
        self._manager = manager
        self._folder = folder
        self._say = say
        self._running: dict[str, _Program] = {}
        self._forgotten: list[subprocess.Popen[bytes]] = []
        self._ending: list[_Program] = []

    def start_all(self) -> None:
        """Those that start with the queue manager. What cannot be started is told, and no more."""
        for one in self._manager.definitions.select("SERVICE"):
            if isinstance(one, Service) and one.control in _WITH_QMGR and one.startcmd.strip():
                try:
                    self.start(one)
                except Exception as error:
                    self._say(amq(8735, one.startcmd, one.name, error))

    def stop_all(self) -> None:
        """Ask those to end that end with the queue manager; what cannot be asked is left to `wait_for_all`."""
        for one in self._manager.definitions.select("SERVICE"):
            program = self._alive(one.name)
            if isinstance(one, Service) and program is not None and one.control == C.MQSVC_CONTROL_Q_MGR:
                self._ending.append(program)
                try:
                    self._end(one, program)
                except MQError as error:
                    self._say(amq(8735, one.stopcmd, one.name, error))

    def wait_for_all(self) -> None:
        """Wait a little for those that `stop_all` has asked, and then end them by force. Without the kernel's lock."""
        until = time.monotonic() + _STOP_S
        for program in self._ending:
            try:
                program.process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                program.process.kill()

    def start(self, service: Service) -> None:
        if not service.startcmd.strip():
            raise mq_error(C.MQRCCF_NO_START_CMD, service.name, "STARTCMD is blank: there is nothing to start")
        if self._alive(service.name) is not None:
            raise mq_error(C.MQRCCF_SERVICE_RUNNING, service.name, "it runs already")
        process = self._run(service, service.startcmd, service.startarg)
        if service.servtype == C.MQSVC_TYPE_SERVER:
            self._running[service.name] = _Program(process, time.time())
        else:
            self._forget(process)

    def stop(self, service: Service) -> None:
        program = self._alive(service.name)
        if program is None and not (service.servtype == C.MQSVC_TYPE_COMMAND and service.stopcmd.strip()):
            raise mq_error(C.MQRCCF_SERVICE_STOPPED, service.name, "it does not run")
        self._end(service, program)

    def running(self) -> list[ServiceStatus]:
        return [
            ServiceStatus(
                name,
                C.MQSVC_STATUS_STOPPING if program.stopping else C.MQSVC_STATUS_RUNNING,
                program.process.pid,
                program.started,
            )
            for name in sorted(self._running)
            if (program := self._alive(name)) is not None
        ]

    def _alive(self, name: str) -> _Program | None:
        program = self._running.get(name)
        if program is not None and program.process.poll() is not None:
            del self._running[name]
            return None
        return program

    def _end(self, service: Service, program: _Program | None) -> None:
        if service.stopcmd.strip():
            self._forget(self._run(service, service.stopcmd, service.stoparg, program))
        elif program is not None:
            program.process.terminate()
        if program is not None:
            program.stopping = True

    def _forget(self, process: subprocess.Popen[bytes]) -> None:
        """Nobody asks for it again; those that have come to their end are let go here."""
        self._forgotten = [one for one in self._forgotten if one.poll() is None] + [process]

    def _run(
        self, service: Service, command: str, arguments: str, program: _Program | None = None
    ) -> subprocess.Popen[bytes]:
        try:
            words = [self._filled(command.strip(), program)]
            words += [self._filled(word, program) for word in shlex.split(arguments)]
        except ValueError as error:
            raise mq_error(C.MQRCCF_COMMAND_FAILED, service.name, f"its arguments cannot be read: {error}") from None
        opened: list[int] = []
        what = ""
        try:
            for keyword, path in (("STDOUT", service.stdout), ("STDERR", service.stderr)):
                what = f"{keyword}({path}) cannot be written"
                opened.append(self._open(self._filled(path.strip(), program)))
            what = f"{words[0]} cannot be started"
            return subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=opened[0],
                stderr=opened[1],
                cwd=self._folder,
                start_new_session=True,
            )
        except OSError as error:
            raise mq_error(C.MQRCCF_COMMAND_FAILED, service.name, f"{what}: {error.strerror}") from error
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def _filled(self, text: str, program: _Program | None) -> str:
        for name, value in (
            ("+QMNAME+", self._manager.name),
            ("+MQ_Q_MGR_DATA_PATH+", self._folder),
            ("+MQ_SERVER_PID+", str(program.process.pid) if program is not None else ""),
        ):
            text = text.replace(name, value)
        return text

    def _open(self, path: str) -> int:
        """Where the output goes: blank is nowhere; a path that is not whole is one in the queue manager's folder."""
        target = os.path.join(self._folder, path) if path else os.devnull
        return os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
