"""The configurations that a soak goes through, one line each: the log, the buffers of queues, the largest message."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from libremq.log import LogConfig
from libremq.store.queue_store import StoreLimits

SMALL_BUFFERS = StoreLimits(nonpersistent_buffer_bytes=8 * 1024, persistent_buffer_bytes=16 * 1024)
SMALL = 40_000  # bytes of a large message that a small log still takes
LARGE = 600_000


@dataclass(frozen=True)
class Configuration:
    """How a queue manager of the soak is made."""

    name: str
    log: LogConfig
    limits: StoreLimits = SMALL_BUFFERS
    message_bytes_max: int = SMALL
    dual: bool = False

    def log_config(self, folder: Path) -> LogConfig:
        return replace(self.log, second_folder=str(folder / "second-log")) if self.dual else self.log


CONFIGURATIONS = {
    one.name: one
    for one in (
        Configuration("circular", LogConfig(primary_files=2, secondary_files=1, file_pages=64)),
        Configuration("linear", LogConfig(type="LINEAR", file_pages=64, log_management="Automatic")),
        Configuration("dual", LogConfig(file_pages=64), dual=True),
        Configuration("default", LogConfig(), StoreLimits(), LARGE),
        Configuration("single-write", LogConfig(file_pages=64, write_integrity="SingleWrite", buffer_pages=18)),
        Configuration("dual-linear", LogConfig(type="LINEAR", file_pages=64, log_management="Automatic"), dual=True),
    )
}
