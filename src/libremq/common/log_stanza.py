"""The settings of the `Log:` stanza, one row each: key of qm.ini, field, default, range, meaning, flag of crtmqm.

A row is a field of `LogStanza`. What qm.ini may hold, what crtmqm takes, what the log itself checks and what a restart
may change all come from here, so that a new setting of the log is one row, and whatever makes use of it.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field, fields
from typing import Any

from libremq.common.setting import LOG, Setting, checked_section

EXTENTS_MAX = 511


def _row(default: int | str, key: str, line: int, meaning: str, fixed: bool = False, **more: Any) -> Any:
    """A field with its row. `line` is its place in a new qm.ini."""
    row = {"default": default, "key": key, "meaning": meaning, "fixed": fixed, **more}
    return field(default=default, metadata={"line": line, "fixed": fixed, "row": row})


@dataclass(frozen=True, slots=True)
class LogStanza:
    """What both the file and the log know."""

    primary_files: int = _row(
        3,
        "LogPrimaryFiles",
        1,
        "extents made with the log and kept",
        lowest=2,
        highest=510,
        flag="-lp",
        flag_help="primary extents of the log, {range}",
    )
    secondary_files: int = _row(
        2,
        "LogSecondaryFiles",
        2,
        "extents added when the others are in use",
        lowest=1,
        highest=509,
        flag="-ls",
        flag_help=f"secondary extents, {{range}}; {EXTENTS_MAX} in all",
    )
    file_pages: int = _row(
        4096,
        "LogFilePages",
        3,
        "size of an extent in pages of 4 KiB",
        fixed=True,
        lowest=64,
        highest=65535,
        flag="-lf",
        flag_help="size of an extent in pages of 4 KiB, {range}",
    )
    type: str = _row(
        "CIRCULAR",
        "LogType",
        4,
        "extents are used again, or all are kept for media recovery",
        fixed=True,
        choices=("CIRCULAR", "LINEAR"),
    )
    buffer_pages: int = _row(0, "LogBufferPages", 5, "log buffer in pages of 4 KiB; 0 is 512", lowest=18, highest=4096)
    write_integrity: str = _row(
        "TripleWrite",
        "LogWriteIntegrity",
        7,
        "how a page that is not full is written again; DoubleWrite is the same as TripleWrite",
        choices=("SingleWrite", "DoubleWrite", "TripleWrite"),
    )
    second_folder: str = _row(
        "",
        "LogSecondPath",
        9,
        "folder of a second copy of the log; none: one copy only",
        flag="--second-log",
        flag_help="keep a second copy of the log in PATH/QM",
    )
    log_management: str = _row(
        "Manual", "LogManagement", 8, "who removes extents of a linear log that are not needed",
        choices=("Manual", "Automatic", "Archive"),
    )  # fmt: skip

    direct_io: str = _row(
        "AUTO", "LogDirectIO", 10,
        "AUTO: past the cache of the system, where its files can be written so and it is not slower; NO: never",
        choices=("AUTO", "NO"),
    )  # fmt: skip

    def together(self) -> list[str]:
        """What is wrong with values that are right one by one."""
        if self.primary_files + self.secondary_files <= EXTENTS_MAX:
            return []
        return [
            f"log size not valid: LogPrimaryFiles={self.primary_files} and LogSecondaryFiles={self.secondary_files} "
            f"make more than {EXTENTS_MAX} extents; choose fewer"
        ]


@dataclass(frozen=True, slots=True)
class LogSettings(LogStanza):
    """The `Log:` stanza of qm.ini, which also says where the log is."""

    path: str = _row(
        "", "LogPath", 6, "folder of the log; none: `log` in the queue manager's folder", fixed=True,
        flag="-ld", flag_help="where the log is to be: in PATH/QM",
    )  # fmt: skip

    @classmethod
    def of(cls, stanza: LogStanza, path: str) -> LogSettings:
        return cls(**stanza_values(stanza), path=path)

    def checked(self) -> LogSettings:
        """The settings that apply: too low ones replaced. ConfigurationError for those that cannot be used."""
        return checked_section(self, LOG_SETTINGS, LogSettings.together)[0]

    def together(self) -> list[str]:
        problems = LogStanza.together(self)
        second = self.second_folder
        if second and self.path and posixpath.normpath(second) == posixpath.normpath(self.path):
            problems.append("LogSecondPath is the same folder as LogPath: a second copy there protects nothing")
        return problems


def _settings() -> tuple[Setting, ...]:
    rows = sorted(fields(LogSettings), key=lambda row: int(row.metadata["line"]))
    return tuple(Setting(stanza=LOG, field=row.name, **row.metadata["row"]) for row in rows)


LOG_SETTINGS = _settings()
"""In the order of a new qm.ini."""


def stanza_values(stanza: LogStanza) -> dict[str, Any]:
    """By field, what the file and the log both know."""
    return {row.name: getattr(stanza, row.name) for row in fields(LogStanza)}


def changeable_values(stanza: LogStanza) -> dict[str, Any]:
    """By field, what a restart may change."""
    return {row.name: getattr(stanza, row.name) for row in fields(LogStanza) if not row.metadata["fixed"]}
