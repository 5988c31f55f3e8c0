"""The queue manager under test: QM1 with the developer configuration, made, started and ended by the commands."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from interop.packages import Trouble
from libremq.client.connecting import reach
from libremq.client.urls import Address
from libremq.common import users_file
from libremq.common.files.file_layer import RealFiles

_COMMAND_TIMEOUT_S = 60
_APP_RULE = """
SET CHLAUTH(DEV.APP.SVRCONN) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT({check}) ACTION(REPLACE)
"""


class Server:
    """A context manager: the queue manager runs while it is entered."""

    name = "QM1"
    host = "127.0.0.1"
    password = "password"

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = _free_port()

    def __enter__(self) -> Server:
        self._command("crtmqm", self.name, "--dev", "-p", str(self.port))
        self._command("strmqm", self.name)
        return self

    @property
    def url(self) -> str:
        return f"local:{self.name}?data={quote(str(self.data))}"

    def add_user(self, name: str) -> None:
        """A user that the queue manager knows, so that it can have authorities."""
        users_file.set_password(RealFiles(), self._folder, name, self.password)

    @property
    def _folder(self) -> str:
        return Address("embedded", self.name, data=str(self.data)).folder

    def run(self, mqsc: str) -> None:
        """Commands that must succeed."""
        access = reach(self.url)
        try:
            for answer in access.mqsc(mqsc):
                if answer.reason:
                    raise Trouble(f"{answer.command}\n{answer.lines}")
        finally:
            access.close()

    def __exit__(self, *_: object) -> None:
        self._command("endmqm", "-i", self.name)

    @contextmanager
    def app_without_password(self) -> Iterator[None]:
        """The user of DEV.APP.SVRCONN has no password for a while, so clients of that channel need none either."""
        users_file.remove_user(RealFiles(), self._folder, "app")
        self.run(_APP_RULE.format(check="ASQMGR"))
        try:
            yield
        finally:
            self.run(_APP_RULE.format(check="REQUIRED"))
            self.add_user("app")

    def _command(self, *arguments: str) -> None:
        values = {
            **os.environ,
            "LIBREMQ_DATA": str(self.data),
            "MQ_ADMIN_PASSWORD": self.password,
            "MQ_APP_PASSWORD": self.password,
        }
        command = [sys.executable, "-m", "libremq.commands.main", *arguments]
        # Output goes to a file: a server in the background would keep a pipe open for ever
        log = self.data.parent / "commands.log"
        with log.open("a") as file:
            file.write(f"$ libremq {' '.join(arguments)}\n")
            file.flush()
            ended = subprocess.run(
                command, env=values, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=_COMMAND_TIMEOUT_S
            )
        if ended.returncode:
            raise Trouble(f"libremq {' '.join(arguments)} ended with {ended.returncode}\n{log.read_text()}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((Server.host, 0))
        port: int = probe.getsockname()[1]
        return port
