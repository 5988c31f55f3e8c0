"""What a served queue manager says about itself in its folder, for commands in other processes.

`run.json` is there while it runs: who runs it, since when, where it listens, and whether it is starting or ending.
`end.json` says how it ended last. Neither is a promise: whether a queue manager runs at all is known by the lock on its
folder, and a `run.json` without that lock was left behind by a process that was killed.
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import asdict, dataclass
from typing import Any, Literal

from libremq.common.files.lock_state import locked_by
from libremq.common.files.queue_manager_files import CHECKPOINT, LOCK
from libremq.store.reserve import NO_SPACE

RUN_FILE = "run.json"
END_FILE = "end.json"

STARTING = "Starting"
RUNNING = "Running"
QUIESCING = "Quiescing"
ENDING_IMMEDIATELY = "Ending immediately"
ENDING_PREEMPTIVELY = "Ending preemptively"

EndMode = Literal["quiesce", "immediate", "preemptive"]
MODES: tuple[EndMode, ...] = ("quiesce", "immediate", "preemptive")
"""The gentlest first."""
ENDING: dict[EndMode, str] = {
    "quiesce": QUIESCING,
    "immediate": ENDING_IMMEDIATELY,
    "preemptive": ENDING_PREEMPTIVELY,
}
ENDED: dict[EndMode, str] = {
    "quiesce": "Ended normally",
    "immediate": "Ended immediately",
    "preemptive": "Ended preemptively",
}

_RUN_FORMAT = "libremq run"
_END_FORMAT = "libremq end"
_VERSION = 1
_BYTES_MAX = 1 << 20


@dataclass(frozen=True, slots=True)
class RunState:
    """A queue manager that runs."""

    queue_manager: str
    process_id: int
    controller_id: int
    """The process that watches it; 0 if there is none."""
    state: str
    started: float
    """Seconds since 1970."""
    release: str = ""
    ports: tuple[int, ...] = ()
    listeners: tuple[str, ...] = ()
    """`host:port` each."""
    socket: str = ""
    control: str = ""
    connections_max: int = 0


@dataclass(frozen=True, slots=True)
class EndState:
    """How a queue manager ended."""

    process_id: int
    how: str
    at: float


def save_run(folder: str, state: RunState) -> None:
    """Replace the file. Only for the process that has the queue manager open. OSError if that is not possible."""
    _save(f"{folder}/{RUN_FILE}", {"format": _RUN_FORMAT, "version": _VERSION, **asdict(state)})


def load_run(folder: str) -> RunState | None:
    """What the file says, true or not; None if there is none that can be used."""
    content = _load(f"{folder}/{RUN_FILE}", _RUN_FORMAT)
    try:
        return RunState(
            queue_manager=str(content["queue_manager"]),
            process_id=int(content["process_id"]),
            controller_id=int(content["controller_id"]),
            state=str(content["state"]),
            started=float(content["started"]),
            release=str(content["release"]),
            ports=tuple(map(int, content["ports"])),
            listeners=tuple(map(str, content["listeners"])),
            socket=str(content["socket"]),
            control=str(content["control"]),
            connections_max=int(content["connections_max"]),
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def current_run(folder: str) -> RunState | None:
    """The process that serves the queue manager now; None if none does, or an application has it embedded."""
    holder = locked_by(f"{folder}/{LOCK}")
    state = load_run(folder)
    if state is None:
        return None
    if not holder:
        # qm.lock may have been removed, but not what else the process has locked
        return state if locked_by(f"{folder}/{CHECKPOINT}") else None
    return state if f"{holder} ".startswith(f"process {state.process_id} ") else None


def save_end(folder: str, state: EndState) -> None:
    _save(f"{folder}/{END_FILE}", {"format": _END_FORMAT, "version": _VERSION, **asdict(state)})


def load_end(folder: str) -> EndState | None:
    content = _load(f"{folder}/{END_FILE}", _END_FORMAT)
    try:
        return EndState(int(content["process_id"]), str(content["how"]), float(content["at"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def forget_run(folder: str) -> None:
    """The queue manager does not run any more. Only for one that holds the lock, or held it until now."""
    state = load_run(folder)
    for path in (f"{folder}/{RUN_FILE}", *(filter(None, (state.socket, state.control)) if state else ())):
        try:
            os.unlink(path)
        except OSError:
            pass


def _save(path: str, content: dict[str, Any]) -> None:
    data = json.dumps(content, indent=1).encode() + b"\n"
    temporary = f"{path}.{os.getpid()}.new"
    try:
        _write(temporary, data, os.O_CREAT)
    except OSError as error:
        if os.path.exists(temporary):
            os.unlink(temporary)
        if error.errno not in NO_SPACE or not os.path.exists(path):
            raise
        _write(path, data)  # over the one before, in its block: who reads it just now makes nothing of it
        return
    os.replace(temporary, path)


def _write(path: str, data: bytes, flags: int = 0) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC | flags, 0o600)
    try:
        if os.write(fd, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        os.ftruncate(fd, len(data))
    finally:
        os.close(fd)


def _load(path: str, kind: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            content = json.loads(file.read(_BYTES_MAX))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(content, dict) or content.get("format") != kind or content.get("version") != _VERSION:
        return {}
    return content
