"""The log manager: records, pages, extents, writer, copies, restart scan, archive, shipping, figures and advice."""

from __future__ import annotations

from libremq.log.advice import Finding, findings
from libremq.log.config import LogConfig
from libremq.log.log import Log
from libremq.log.log_control_file import CONTROL_FILE, log_identity
from libremq.log.log_errors import LogDamaged, LogError, LogFailed, LogFull
from libremq.log.log_space import LogSpace
from libremq.log.log_statistics import LogStatistics, SlowWrite
from libremq.log.management import ExtentState
from libremq.log.records import Record, RecordFields, RecordType, new_record
from libremq.log.scan import LogScan
from libremq.log.shipped import ShippedLog
from libremq.log.slots import SlotFile

__all__ = [
    "CONTROL_FILE",
    "ExtentState",
    "Finding",
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
    "RecordFields",
    "RecordType",
    "ShippedLog",
    "SlotFile",
    "SlowWrite",
    "findings",
    "log_identity",
    "new_record",
]
