"""What an entry of the error log looks like: MQ's form for people, and MQ's names in one line of JSON for programs.

Pure: a message and where it came from go in, bytes come out. The text of a message stays on one line, so that a search
finds it whole; its explanation and what to do follow, as far as the tables of messages have it.
"""

from __future__ import annotations

import json
import os
import pwd
import re
import socket
import textwrap
import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime

from libremq.common.messages.amq_messages import ROWS, SEVERITIES, AmqMessage, one_line
from libremq.common.release import release

TEXT_MAX = 4000
INSTALLATION = "LibreMQ"
RULE = "-" * 79
_INDENT = " " * 20
_MESSAGE_ID = re.compile(r"AMQ(\d{4})([IWEST]): ")
_LOG_LEVELS = {"I": "INFO", "W": "WARNING"}
_TIME = re.compile(r"^ +Time\((.*)\)$", re.MULTILINE)


def user_name() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def utc(at: float) -> str:
    """A time for people and scripts: 2026-11-15T18:53:00.123Z."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def message_id(text: str) -> str:
    """`AMQ9513E`, or "" if the text has none."""
    found = _MESSAGE_ID.match(text)
    return found[0][:8] if found else ""


def severity_of(text: str) -> str:
    """The severity of a message, by the last letter of its id."""
    return SEVERITIES[message_id(text)[-1:] or "I"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Who writes: the same for all entries of a process."""

    queue_manager: str
    program: str
    process_id: int = field(default_factory=os.getpid)
    user: str = field(default_factory=user_name)
    host: str = field(default_factory=socket.gethostname)
    version: str = field(default_factory=release)


class Entry:
    """One message in one moment. Whatever the text holds, it is one line."""

    def __init__(self, text: str, at: float, origin: Origin) -> None:
        self.at = at
        self.text = one_line(str(text), TEXT_MAX)
        self.id = message_id(text)
        self._origin = origin
        main = threading.current_thread() is threading.main_thread()
        self._thread = 1 if main else threading.get_native_id()
        inserts = text.inserts if isinstance(text, AmqMessage) else ()
        self._numbers = [insert for insert in inserts if isinstance(insert, int)]
        self._words = [insert for insert in inserts if isinstance(insert, str)]

    def as_text(self) -> bytes:
        origin = self._origin
        local = datetime.fromtimestamp(self.at)
        lines = [
            f"{local:%m/%d/%Y %I:%M:%S %p} - Process({origin.process_id}.{self._thread}) User({origin.user}) "
            f"Program({origin.program})",
            f"{_INDENT}Host({origin.host}) Installation({INSTALLATION})",
            f"{_INDENT}VRMF({origin.version}) QMgr({origin.queue_manager})",
            f"{_INDENT}Time({utc(self.at)})",
        ]
        lines += [f"{_INDENT}ArithInsert{n}({value})" for n, value in enumerate(self._numbers, 1)]
        lines += [f"{_INDENT}CommentInsert{n}({value})" for n, value in enumerate(self._words, 1)]
        lines += ["", self.text, ""]
        row = ROWS.get(int(self.id[3:7])) if self.id else None
        if row is not None:
            lines += ["EXPLANATION:", *textwrap.wrap(row.explanation, 79), "ACTION:", *textwrap.wrap(row.action, 79)]
        return "\n".join([*lines, RULE, ""]).encode("utf-8", "backslashreplace")

    def as_json(self) -> bytes:
        origin = self._origin
        severity = self.id[-1:] or "I"
        numbers = [*self._numbers, *[0] * (2 - len(self._numbers))]
        content: dict[str, object] = {
            "ibm_messageId": self.id,
            **{f"ibm_arithInsert{n}": value for n, value in enumerate(numbers, 1)},
            **{f"ibm_commentInsert{n}": value for n, value in enumerate(self._words, 1)},
            "ibm_datetime": utc(self.at),
            "ibm_serverName": origin.queue_manager,
            "type": "mq_log",
            "host": origin.host,
            "loglevel": _LOG_LEVELS.get(severity, "ERROR"),
            "module": origin.program,
            "ibm_sequence": f"{int(self.at)}_{int(self.at % 1 * 1e9):09}",
            "ibm_processId": str(origin.process_id),
            "ibm_threadId": str(self._thread),
            "ibm_version": origin.version,
            "ibm_processName": origin.program,
            "ibm_userName": origin.user,
            "ibm_installationName": INSTALLATION,
            "message": self.text,
        }
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def summaries(text: str) -> list[str]:
    """Of each entry in a part of the log its time and its message, in one line. The first may be cut off: left out."""
    found = []
    for entry in text.split(f"{RULE}\n"):
        head, _, rest = entry.partition("\n\n")
        time = _TIME.search(head)
        if time is not None and rest:
            found.append(f"{time[1]} {rest.partition(chr(10))[0]}")
    return found
