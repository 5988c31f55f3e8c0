"""A server of the benchmark: a process on loopback with its data in the benchmark's folder, ended with it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from contenders import Absent
from pipeline_processes import end

LOOPBACK = "127.0.0.1"
_START_S = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def program(name: str, package: str, *folders: str) -> str:
    """The path of a program, looked for in these folders too; Absent names the package that has it."""
    found = shutil.which(name, path=os.pathsep.join([*folders, os.environ.get("PATH", ""), "/usr/sbin"]))
    if found is None:
        raise Absent(f"{name} is not installed (Debian: apt-get install {package})")
    return found


def own_folder(parent: str, name: str) -> Path:
    """A folder for one server. The parent lets other users through: a server may run under one of its own."""
    os.chmod(parent, 0o711)
    folder = Path(parent, name)
    folder.mkdir()
    return folder


@contextmanager
def running(
    command: Sequence[str], folder: Path, port: int, environment: Mapping[str, str] | None = None
) -> Iterator[int]:
    """A server process in a session of its own, from when its port answers; its process id."""
    log_path = folder / "output.log"
    with open(log_path, "wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        _wait_for_port(process, port, log_path)
        yield process.pid
    finally:
        end(process)


def _wait_for_port(process: subprocess.Popen[bytes], port: int, log_path: Path) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        if answers(port):
            return
        time.sleep(0.05)
    said = log_path.read_text(errors="replace").strip()[-500:]
    raise Absent(f"{os.path.basename(str(process.args[0]))} did not start: {said}")  # type: ignore[index]


def answers(port: int) -> bool:
    try:
        socket.create_connection((LOOPBACK, port), timeout=1).close()
    except OSError:
        return False
    return True


def listener_pid(port: int) -> int:
    """The process that listens at a port; 0 if it cannot be seen."""
    wanted = f":{port:04X}"
    inodes: set[str] = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        inodes |= {f"socket:[{row[9]}]" for row in map(str.split, lines) if row[1].endswith(wanted) and row[3] == "0A"}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if any(os.readlink(fd) in inodes for fd in (entry / "fd").iterdir()):
                return int(entry.name)
        except OSError:
            continue
    return 0
