"""Where the socket of a queue manager is, and in which folders it is not looked for."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from libremq import MQError
from libremq.common.names import socket_paths


def test_it_is_in_the_folder_of_the_queue_manager(monkeypatch: pytest.MonkeyPatch) -> None:
    assert socket_paths.socket_path("/nowhere/qmgrs/QM1") == "/nowhere/qmgrs/QM1/sock/qm"


def test_the_same_folder_by_another_path_has_the_same_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("short", "l" * 120):
        real = tmp_path / name
        real.mkdir()
        link = tmp_path / f"{name[:5]}.link"
        link.symlink_to(real)
        monkeypatch.chdir(tmp_path)
        paths = {socket_paths.socket_path(path) for path in (str(real), str(link), name, f"{real}/../{name}/")}
        assert len(paths) == 1


def test_a_path_that_is_too_long_gets_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = "/" + "x" * (socket_paths.PATH_BYTES_MAX - len("//sock/qm"))
    assert len(socket_paths.socket_path(fits)) == socket_paths.PATH_BYTES_MAX
    assert socket_paths.socket_path(fits).startswith(fits)
    first, second = socket_paths.socket_path(fits + "x"), socket_paths.socket_path(fits + "y")
    assert first != second
    assert os.path.dirname(first) == f"/tmp/libremq-{os.getuid()}"
    assert len(os.fsencode(socket_paths.socket_path("/" + "ü" * 60))) <= socket_paths.PATH_BYTES_MAX
    for name in ("XDG_RUNTIME_DIR", "TMPDIR", "HOME"):  # a server at boot and a session have different ones
        monkeypatch.setenv(name, "/elsewhere")
    assert socket_paths.socket_path(fits + "x") == first


def test_the_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    path = str(tmp_path / "sock" / "qm")
    socket_paths.make_socket_folder(path)
    assert (tmp_path / "sock").stat().st_mode & 0o777 == 0o700
    (tmp_path / "sock").chmod(0o755)
    socket_paths.make_socket_folder(path)
    assert (tmp_path / "sock").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "sock"
    folder.mkdir()
    for mode in (0o777, 0o720, 0o1777):
        folder.chmod(mode)
        for check in (socket_paths.make_socket_folder, socket_paths.check_socket_folder):
            with pytest.raises(MQError, match="can be written to by others"):
                check(str(folder / "qm"))


def test_a_link_or_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "file").write_text("")
    for name in ("link", "file"):
        with pytest.raises(MQError, match="is no folder"):
            socket_paths.make_socket_folder(str(tmp_path / name / "qm"))


def test_a_folder_of_someone_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "sock"
    folder.mkdir(mode=0o700)
    mine = folder.stat().st_uid
    if mine == 0:
        os.chown(folder, 4711, -1)
    else:
        monkeypatch.setattr(os, "getuid", lambda: 4711)
    other = folder.stat().st_uid
    with pytest.raises(MQError, match=f"belongs to user number {other}"):
        socket_paths.check_socket_folder(str(folder / "qm"))
    socket_paths.check_socket_folder(str(folder / "qm"), owner=other)  # unless it is the owner of the queue manager


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(MQError, match=str(tmp_path / "not" / "there")):
        socket_paths.make_socket_folder(str(tmp_path / "not" / "there" / "qm"))
    socket_paths.check_socket_folder(str(tmp_path / "not" / "there" / "qm"))


def test_whether_a_server_answers(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    assert not socket_paths.answers(path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        assert not socket_paths.answers(path)  # nobody listens
        server.listen(1)
        assert socket_paths.answers(path)
    assert os.path.exists(path)
    assert not socket_paths.answers(path)  # as a killed server leaves it
    assert not socket_paths.answers(str(tmp_path))
    assert not socket_paths.answers("/" + "x" * 200)


def test_a_server_with_a_full_backlog_answers(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen(0)
        waiting = []
        try:
            for _ in range(3):
                one = socket.socket(socket.AF_UNIX)
                waiting.append(one)
                one.setblocking(False)
                one.connect_ex(path)
            assert socket_paths.answers(path, timeout_s=0.05)
        finally:
            for one in waiting:
                one.close()
