"""The error log of a queue manager: `errors/AMQERR01.LOG`, and 02 and 03, which hold what is older.

What happened is an entry of two lines and a rule, with the time, the process, the severity and MQ's message id, so that
people can read it and scripts can split it. Both processes of a queue manager write to it, an entry at a time under a
lock. Nothing here ever raises: a full disk must not end a queue manager because of what it had to say. A message that
repeats itself without end is counted instead of written.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime

FOLDER = "errors"
FILES = ("AMQERR01.LOG", "AMQERR02.LOG", "AMQERR03.LOG")
FILE_BYTES_MAX = 32 << 20
TEXT_MAX = 4000
SAME_MAX = 100
"""Entries of one message id in a minute; more are counted."""

_LOCK = "AMQERR.LCK"
_RULE = "-" * 79
_MESSAGE_ID = re.compile(r"AMQ\d{4}([IWEST]): ")
_SEVERITIES = {"I": "Information", "W": "Warning", "E": "Error", "S": "Severe error", "T": "Termination"}
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_WINDOW_S = 60.0
_RECENT = 40


def severity_of(text: str) -> str:
    """The severity of a message, by the last letter of its id."""
    found = _MESSAGE_ID.match(text)
    return _SEVERITIES[found[1]] if found else "Information"


def utc(at: float) -> str:
    """A time for people and scripts: 2026-11-15T18:53:00.123Z."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def user_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


class ErrorLog:
    """The error log in the folder of a queue manager. May be used from any thread, and by several processes."""

    def __init__(
        self,
        folder: str,
        queue_manager: str,
        program: str,
        *,
        file_bytes_max: int = FILE_BYTES_MAX,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.folder = f"{folder}/{FOLDER}"
        self.file_bytes_max = file_bytes_max
        self.recent: deque[str] = deque(maxlen=_RECENT)
        """The last entries of this process, for a first-failure report."""
        self._now = now
        self._guard = threading.Lock()
        self._waiting: list[bytes] = []
        self._same: dict[str, tuple[float, int]] = {}
        self._origin = (
            f"Process({os.getpid()}) User({user_name()}) Program({program}) Host({socket.gethostname()}) "
            f"QMgr({queue_manager})"
        )

    def write(self, text: str) -> None:
        """Add an entry, and bring it to the file at once."""
        self.note(text)
        self.flush()

    def note(self, text: str) -> None:
        """Add an entry that `flush` brings to the file: for those who must not wait for a disk."""
        text = _UNPRINTABLE.sub(" ", text)[:TEXT_MAX]
        at = self._now()
        with self._guard:
            more, repeated = self._repetitions(text, at)
            if more:
                self._add(f"The message {more} came {repeated} more times within a minute.", at)
            elif not repeated:
                self._add(text, at)

    def _add(self, text: str, at: float) -> None:
        self.recent.append(f"{utc(at)} {text}")
        head = f"{utc(at)} - {self._origin} Severity({severity_of(text)})"
        self._waiting.append(f"{head}\n{text}\n{_RULE}\n".encode("utf-8", "backslashreplace"))
        del self._waiting[:-1000]  # if the disk has been full for so long, the oldest ones give way

    def _repetitions(self, text: str, at: float) -> tuple[str, int]:
        """("", 0) to write the text, ("", n) to leave it out, or the id to say how often it was left out."""
        found = _MESSAGE_ID.match(text)
        key = text[:8] if found else text[:60]
        since, count = self._same.get(key, (at, 0))
        if not 0 <= at - since < _WINDOW_S:
            self._same[key] = (at, 1)
            if len(self._same) > 1000:
                self._same = {key: (at, 1)}
            return (key, count - SAME_MAX) if count > SAME_MAX else ("", 0)
        self._same[key] = (since, count + 1)
        return "", max(0, count + 1 - SAME_MAX)

    def flush(self) -> bool:
        """Write what has been noted. False if that is not possible now; it is kept for the next time."""
        with self._guard:
            if not self._waiting:
                return True
            try:
                os.makedirs(self.folder, 0o700, exist_ok=True)
                lock = os.open(f"{self.folder}/{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    self._append(b"".join(self._waiting))
                finally:
                    os.close(lock)
            except OSError:
                return False
            self._waiting.clear()
            return True

    def _append(self, data: bytes) -> None:
        path = f"{self.folder}/{FILES[0]}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        fd = os.open(path, flags, 0o600)
        try:
            size = os.fstat(fd).st_size
            if size and size + len(data) > self.file_bytes_max:
                os.close(fd)
                fd = -1
                for older, newer in ((2, 1), (1, 0)):
                    if os.path.exists(f"{self.folder}/{FILES[newer]}"):
                        os.replace(f"{self.folder}/{FILES[newer]}", f"{self.folder}/{FILES[older]}")
                fd = os.open(path, flags, 0o600)
                size = 0
            if os.write(fd, data) != len(data):
                os.ftruncate(fd, size)  # half an entry is none; the disk is full
                raise OSError("the entry did not fit")
        finally:
            if fd >= 0:
                os.close(fd)


def last_entries(folder: str, bytes_max: int = 8192) -> list[str]:
    """The last lines of the error log, whoever wrote them; the rules left out."""
    data = b""
    for name in FILES[:2]:
        try:
            with open(f"{folder}/{FOLDER}/{name}", "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - (bytes_max - len(data))))
                data = file.read(bytes_max - len(data)) + data
        except OSError:
            continue
        if len(data) >= bytes_max:
            break
    lines = data.decode("utf-8", "replace").splitlines()[1 if len(data) == bytes_max else 0 :]
    return [line for line in lines if line != _RULE]
