"""The log manager: records, pages, extents, writer, restart scan."""

from __future__ import annotations

from libremq.log.config import LogConfig
from libremq.log.control import CONTROL_FILE
from libremq.log.errors import LogDamaged, LogError, LogFailed, LogFull
from libremq.log.log import Log, LogScan, LogSpace
from libremq.log.records import Record, RecordType
from libremq.log.slots import SlotFile
from libremq.log.statistics import LogStatistics

__all__ = [
    "CONTROL_FILE",
    "Log",
    "LogConfig",
    "LogDamaged",
    "LogError",
    "LogFailed",
    "LogFull",
    "LogScan",
    "LogSpace",
    "LogStatistics",
    "Record",
    "RecordType",
    "SlotFile",
]
