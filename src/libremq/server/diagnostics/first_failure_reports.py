"""First-failure reports: `errors/AMQ<process>.<n>.FDC`, what was known in the moment when something broke.

A report is text for the person who has to find out why: what failed and where, the traceback, what all threads were
doing, the last entries of the error log, the figures of the log manager, the limits of the process. It holds no message
data. Writing one never raises, and the number of reports of a process is limited: the first ones tell the story.
"""

from __future__ import annotations

import gc
import os
import platform
import resource
import socket
import sys
import textwrap
import threading
import time
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType

from libremq.common.release import release
from libremq.server.diagnostics.error_entry import user_name, utc
from libremq.server.diagnostics.error_log import FOLDER

REPORTS_MAX = 30
"""In one process; and of one probe, a tenth of it."""
_WIDTH = 78
_VALUE_MAX = 2000
_numbers = threading.Lock()
_written: dict[str, int] = {}


@dataclass(frozen=True, slots=True)
class Failure:
    """What broke."""

    queue_manager: str
    probe: str
    """Where it was noticed: two letters and six digits, as `QM001010`; docs/operating.md lists them."""
    component: str
    reason: str
    """What happened, in one sentence."""
    comment: str = ""
    """What it means for the queue manager, or what to do."""
    major: str = ""
    """The message id or exception."""
    minor: str = ""
    """The reason code, errno or signal."""
    error: BaseException | None = None
    error_log: Sequence[str] = ()
    figures: Mapping[str, object] = field(default_factory=dict)
    """Counters of the moment: log manager, connections."""
    more: Mapping[str, Iterable[str]] = field(default_factory=dict)
    """Further sections: a title and its lines."""


def write_report(folder: str, failure: Failure, *, now: float | None = None) -> str:
    """Write a report; its path, or "" if there were enough of them or it could not be written."""
    with _numbers:
        number = sum(_written.values())
        of_probe = _written.get(failure.probe, 0)
        if number >= REPORTS_MAX or of_probe >= REPORTS_MAX // 10:
            return ""
        _written[failure.probe] = of_probe + 1
    try:
        text = _report(failure, time.time() if now is None else now)
        os.makedirs(f"{folder}/{FOLDER}", 0o700, exist_ok=True)
        while True:
            path = f"{folder}/{FOLDER}/AMQ{os.getpid()}.{number}.FDC"
            try:
                fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
                break
            except FileExistsError:  # of a process that had this number long ago
                number += 1
        with open(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        return path
    except Exception:
        return ""  # there is trouble enough already


def _report(failure: Failure, now: float) -> str:
    error = failure.error
    rows = [
        ("Date/Time", utc(now)),
        ("Host Name", socket.gethostname()),
        ("Product", "LibreMQ"),
        ("Version", release()),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("System", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("Queue Manager", failure.queue_manager),
        ("Process", str(os.getpid())),
        ("Program", " ".join(sys.argv[:2])),
        ("Thread", threading.current_thread().name),
        ("User", f"{user_name()} ({os.getuid()})"),
        ("Probe Id", failure.probe),
        ("Component", failure.component),
        ("Reason", failure.reason),
        ("Comment", failure.comment),
        ("Major Code", failure.major or (type(error).__name__ if error is not None else "none")),
        ("Minor Code", failure.minor or (str(error) if error is not None else "none")),
    ]
    edge = f"+{'-' * (_WIDTH - 2)}+"
    lines = [edge, _boxed(""), _boxed("LibreMQ First Failure Report"), _boxed("=" * 28), _boxed("")]
    for name, value in rows:
        lines += _row(name, value)
    lines += [_boxed(""), edge, ""]
    sections: dict[str, Iterable[str]] = {"Traceback": _traceback(error)}
    sections |= failure.more
    sections["Threads"] = _threads()
    sections["Error log"] = failure.error_log or ["(no entries)"]
    sections["Figures"] = [f"{name:<28} {value}" for name, value in failure.figures.items()] or ["(none)"]
    sections["Process"] = _process()
    for title, content in sections.items():
        lines += [title, "-" * len(title), *content, ""]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _boxed(text: str) -> str:
    return f"| {text:<{_WIDTH - 4}} |"


def _row(name: str, value: str) -> list[str]:
    """`name :- value`, in as many lines as the value needs."""
    parts = textwrap.wrap(" ".join(value[:_VALUE_MAX].split()), _WIDTH - 4 - 20) or [""]
    return [_boxed(f"{name:<16} :- {parts[0]}"), *(_boxed(" " * 20 + part) for part in parts[1:])]


def _traceback(error: BaseException | None) -> list[str]:
    if error is None:
        return ["(no exception)"]
    return "".join(traceback.format_exception(error, limit=60)).splitlines()


def _threads() -> list[str]:
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    lines: list[str] = []
    for ident, frame in _frames().items():
        lines.append(f"Thread {names.get(ident, ident)}:")
        lines += "".join(traceback.format_stack(frame, limit=20)).splitlines()
    return lines


def _frames() -> dict[int, FrameType]:
    """Where every thread is. Python takes a lock for that, and a collection in the middle of it can wait for ever."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return sys._current_frames()
    finally:
        if collecting:
            gc.enable()


def _process() -> list[str]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        files = str(len(os.listdir("/proc/self/fd")))
    except OSError:
        files = "not known"
    return [
        f"memory, highest              {usage.ru_maxrss} KiB",
        f"processor time               {usage.ru_utime + usage.ru_stime:.2f} s",
        f"open files                   {files} of {soft} (hard limit {hard})",
        f"threads                      {threading.active_count()}",
    ]
