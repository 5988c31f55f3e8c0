"""The control socket: questions and answers, and what does not deserve one."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from libremq.common.names.socket_paths import PATH_BYTES_MAX, socket_path
from libremq.server.process import control_socket
from libremq.server.process.control_socket import ControlClient, ControlError, ControlServer, control_path


def answer(request: dict[str, Any]) -> dict[str, Any]:
    if request["command"] == "refuse":
        raise ValueError("not today")
    return {"heard": request["command"], "state": request.get("mode")}


@contextmanager
def short_folder(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "QM1"
    folder.mkdir()
    yield folder
    for path in (control_path(str(folder)), socket_path(str(folder))):
        Path(path).unlink(missing_ok=True)


async def served(path: str, work: Any) -> Any:
    """What blocking work in a thread returns while a server is there."""
    server = ControlServer(path, answer)
    await server.start()
    try:
        return await asyncio.to_thread(work)
    finally:
        server.close()


def test_a_question_is_answered(tmp_path: Path) -> None:
    with short_folder(tmp_path) as folder:
        path = control_path(str(folder))

        def ask() -> list[dict[str, Any]]:
            answers = []
            for command, values in (("end", {"mode": "immediate"}), ("refuse", {})):
                client = ControlClient(path, 30)
                answers.append(client.ask(command, **values))
                client.close()
            assert os.stat(path).st_mode & 0o777 == 0o600
            return answers

        assert asyncio.run(served(path, ask)) == [
            {"libremq": 1, "ok": True, "heard": "end", "state": "immediate"},
            {"libremq": 1, "ok": False, "text": "not today"},
        ]


def test_who_waits_hears_of_the_end(tmp_path: Path) -> None:
    with short_folder(tmp_path) as folder:
        path = control_path(str(folder))

        async def run() -> None:
            server = ControlServer(path, answer)
            await server.start()
            client = await asyncio.to_thread(ControlClient, path, 30)
            await asyncio.to_thread(client.ask, "end")
            assert not await asyncio.to_thread(client.wait_closed, 0.01)
            server.close()
            assert await asyncio.to_thread(client.wait_closed, 30)
            client.close()

        asyncio.run(run())


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"nonsense\n",
        b"[]\n",
        b'{"command": "end"}\n',
        b'{"libremq": 99, "command": "end"}\n',
        b'{"libremq": 1}\n',
        b"[" * 5000 + b"\n",
        b"\xff\xfe\n",
    ],
)
def test_nonsense_is_refused_with_an_answer(tmp_path: Path, line: bytes) -> None:
    with short_folder(tmp_path) as folder:
        path = control_path(str(folder))

        def send() -> dict[str, Any]:
            with socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(30)
                peer.connect(path)
                peer.sendall(line)
                return dict(json.loads(peer.makefile().readline()))

        found = asyncio.run(served(path, send))
        assert (found["ok"], bool(found["text"])) == (False, True)


def test_who_asked_for_the_end_hears_a_farewell(tmp_path: Path) -> None:
    with short_folder(tmp_path) as folder:
        path = control_path(str(folder))

        async def farewells() -> list[dict[str, Any]]:
            server = ControlServer(path, answer)
            await server.start()
            clients = [await asyncio.to_thread(ControlClient, path, 60.0) for _ in range(2)]
            for client, command in zip(clients, ("end", "status"), strict=True):
                await asyncio.to_thread(client.ask, command)
            server.close({"ended": True, "note": "all is well"})
            for client in clients:
                assert await asyncio.to_thread(client.wait_closed, 60.0)
                client.close()
            return [client.farewell() for client in clients]

        assert asyncio.run(farewells()) == [
            {"libremq": control_socket.VERSION, "ended": True, "note": "all is well"},
            {},
        ]


def test_a_line_without_end_is_cut_off(tmp_path: Path) -> None:
    with short_folder(tmp_path) as folder:
        path = control_path(str(folder))

        def send() -> bytes:
            with socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(30)
                peer.connect(path)
                try:
                    for _ in range(100):
                        peer.sendall(b"x" * 65536)
                    return peer.recv(10)
                except (BrokenPipeError, ConnectionResetError):
                    return b""

        assert asyncio.run(served(path, send)) == b""


def test_one_who_says_nothing_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_socket, "REQUEST_S", 0.01)
    with short_folder(tmp_path) as folder:
        path = control_path(str(folder))

        def wait() -> bytes:
            with socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(30)
                peer.connect(path)
                return peer.recv(10)

        assert asyncio.run(served(path, wait)) == b""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_another_user_is_refused(tmp_path: Path) -> None:
    """By the system's word, not by what the other one says: the permissions of the file are opened for the test."""
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        assert control_socket._is_ours(ours)
    path = "/tmp/libremq-test-control-" + str(os.getpid())
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(path)
        os.chmod(path, 0o777)
        listener.listen()
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            with socket.socket(socket.AF_UNIX) as peer:
                peer.connect(path)
                peer.recv(1)
            os._exit(0)
        accepted, _ = listener.accept()
        assert not control_socket._is_ours(accepted)
        accepted.close()
        os.waitpid(child, 0)
    finally:
        listener.close()
        os.unlink(path)


def test_no_one_there(tmp_path: Path) -> None:
    with short_folder(tmp_path) as folder, pytest.raises(OSError):
        ControlClient(control_path(str(folder)), 1)


def test_a_server_that_hangs_or_babbles(tmp_path: Path) -> None:
    with short_folder(tmp_path) as folder:
        path = control_path(str(folder))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen()
            for words, expected in ((b"", "said nothing"), (b"babble\n", "makes no sense"), (b"[]\n", "version")):
                client = ControlClient(path, 0.05 if not words else 30)
                accepted, _ = listener.accept()
                accepted.sendall(words)
                with pytest.raises(ControlError, match=expected):
                    client.ask("end")
                client.close()
                accepted.close()


def test_the_path_fits_wherever_the_folder_is(tmp_path: Path) -> None:
    assert control_path("/q").endswith("/q/sock/ec")
    for length in range(60, 140):
        path = control_path("/" + "d" * length)
        assert len(os.fsencode(path)) <= PATH_BYTES_MAX
        assert path != socket_path("/" + "d" * length)
