"""How commands talk to a queue manager that serves: a Unix-domain socket beside the one for applications.

A request is a line of JSON and so is the answer; both carry the version of the protocol. The connection then stays open
as long as the command likes: when the queue manager has ended, it breaks, which is what `endmqm -w` waits for. Only the
user who runs the queue manager, and root, are listened to; the system says who is at the other end.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Any

from libremq.common.names.socket_paths import make_socket_folder, socket_path

VERSION = 1
LINE_BYTES_MAX = 1 << 16
REQUEST_S = 10.0
"""Within this time a command must have said what it wants."""

Request = dict[str, Any]
Handler = Callable[[Request], dict[str, Any] | Awaitable[dict[str, Any]]]
_PEER = struct.Struct("3i")  # process, user, group


def control_path(folder: str) -> str:
    """The path of the control socket of the queue manager in a folder."""
    path = socket_path(folder)
    parent, name = os.path.split(path)
    return os.path.join(parent, "ec") if name == "qm" else f"{path}.ec"


class ControlError(Exception):
    """The queue manager gave no usable answer."""


class ControlServer:
    """The queue manager's end. `handle` answers a request; a ValueError from it is a refusal with that text.

    `gone` is told of a command that was answered and has let go of its connection.
    """

    def __init__(self, path: str, handle: Handler, gone: Callable[[Request], Awaitable[None]] | None = None) -> None:
        self.path = path
        self._handle = handle
        self._gone = gone
        self._server: asyncio.Server | None = None
        self._writers: dict[asyncio.StreamWriter, Request] = {}

    async def start(self) -> None:
        """Listen. Only for the process that has the queue manager open: what is left of another one is removed."""
        make_socket_folder(self.path)
        try:
            os.unlink(self.path)
        except FileNotFoundError:
            pass
        self._server = await asyncio.start_unix_server(self._serve, self.path, limit=LINE_BYTES_MAX)
        os.chmod(self.path, 0o600)

    def close(self, farewell: dict[str, Any] | None = None) -> None:
        """Stop listening, and let go of the commands that wait: for them it has ended.

        The farewell is for those who asked for the end. The socket's file stays: without the lock it may be that of
        the next queue manager already.
        """
        if self._server is not None:
            self._server.close()
            self._server = None
            for writer, request in list(self._writers.items()):
                if farewell is not None and request.get("command") == "end":
                    writer.write(_line(farewell))
                writer.close()

    def release(self, command: str) -> None:
        """Let go of the connections on which a command was asked for; who waits there hears that it is over."""
        for writer, request in list(self._writers.items()):
            if request.get("command") == command:
                writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers[writer] = {}
        try:
            if not _is_ours(writer.get_extra_info("socket")):
                writer.write(_line({"ok": False, "text": "only the user who runs the queue manager may do this"}))
                return
            line = await asyncio.wait_for(reader.readline(), REQUEST_S)
            writer.write(_line(await self._answer(line, writer)))
            await writer.drain()
            await reader.read(1)  # it has asked, and may now listen as long as it likes
        except (OSError, ValueError, TimeoutError, asyncio.CancelledError):
            pass  # it went away, or makes no sense
        finally:
            answered = self._writers.pop(writer, {})
            writer.close()
            if answered and self._gone is not None:
                await self._gone(answered)

    async def _answer(self, line: bytes, writer: asyncio.StreamWriter) -> dict[str, Any]:
        try:
            request = json.loads(line)
            if not isinstance(request, dict) or request.get("libremq") != VERSION:
                raise ValueError(f"this is version {VERSION} of the protocol: use the commands of the same release")
            answer = self._handle(request)
            if inspect.isawaitable(answer):
                answer = await answer
            self._writers[writer] = request
            return {"ok": True, **answer}
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            return {"ok": False, "text": str(error) or type(error).__name__}


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps({"libremq": VERSION, **content}).encode() + b"\n"


def _content(line: bytes) -> dict[str, Any]:
    try:
        content = json.loads(line)
        if not isinstance(content, dict) or content.get("libremq") != VERSION:
            raise ValueError("unknown version")
    except (ValueError, RecursionError) as error:
        raise ControlError(f"its answer makes no sense: {error}") from error
    return content


def _is_ours(peer: socket.socket) -> bool:
    """Is the other end the same user, or root?"""
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the folder and the socket are the owner's alone
    user = _PEER.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[1]
    return user in (0, os.getuid())


class ControlClient:
    """A command's end, blocking. ConnectionError or ControlError if the queue manager does not answer."""

    def __init__(self, path: str, timeout_s: float) -> None:
        self._rest = b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout_s)
        try:
            self._socket.connect(path)
        except TimeoutError as error:
            self._socket.close()
            raise ControlError("it does not take the call") from error
        except OSError:
            self._socket.close()
            raise

    def ask(self, command: str, **values: Any) -> dict[str, Any]:
        """Send a request; the answer."""
        self._socket.sendall(_line({"command": command, **values}))
        data = b""
        try:
            while b"\n" not in data:
                part = self._socket.recv(4096)
                if not part:
                    raise ControlError("it broke off instead of an answer")
                data += part
                if len(data) > LINE_BYTES_MAX:
                    raise ControlError("its answer has no end")
        except TimeoutError as error:
            raise ControlError("it took the call, and then said nothing") from error
        line, _, self._rest = data.partition(b"\n")
        return _content(line)

    def wait_closed(self, timeout_s: float) -> bool:
        """Wait until the queue manager lets go of the connection; False if it has not after this time."""
        self._socket.settimeout(timeout_s)
        try:
            while part := self._socket.recv(4096):
                self._rest = (self._rest + part)[:LINE_BYTES_MAX]
        except TimeoutError:
            return False
        except OSError:
            pass
        return True

    def farewell(self) -> dict[str, Any]:
        """What it said before it let go; empty if that was nothing."""
        try:
            return _content(self._rest)
        except ControlError:
            return {}

    def close(self) -> None:
        self._socket.close()
