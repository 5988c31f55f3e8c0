"""The size of a log: the settings of the `Log:` stanza, their ranges, and what happens outside them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from libremq.log.pages import PAGE_BYTES

EXTENTS_MAX = 511
BUFFER_PAGES_DEFAULT = 512

# Setting: lowest, highest, default. Too high is an error, too low takes the default.
RANGES = {
    "primary_files": (2, 510, 3),
    "secondary_files": (1, 509, 2),
    "file_pages": (64, 65535, 4096),
    "buffer_pages": (18, 4096, 0),
}
_STANZA_NAMES = {
    "primary_files": "LogPrimaryFiles",
    "secondary_files": "LogSecondaryFiles",
    "file_pages": "LogFilePages",
    "buffer_pages": "LogBufferPages",
}
TYPES = ("CIRCULAR",)


@dataclass(frozen=True, slots=True)
class LogConfig:
    """Number and size of extents, and of the buffer; `buffer_pages=0` stands for 512 pages, 2 MB."""

    primary_files: int = 3
    secondary_files: int = 2
    file_pages: int = 4096
    type: str = "CIRCULAR"
    buffer_pages: int = 0

    def checked(self) -> LogConfig:
        """The settings that apply: too low ones replaced. Raises ValueError for those too high."""
        changes: dict[str, int] = {}
        for name, (lowest, highest, default) in RANGES.items():
            value: int = getattr(self, name)
            if value > highest:
                raise ValueError(
                    f"log size not valid: {_STANZA_NAMES[name]}={value} is more than {highest}; choose {lowest} to "
                    f"{highest}"
                )
            if value < lowest:
                changes[name] = default
        config = replace(self, **changes)  # type: ignore[arg-type]
        if config.primary_files + config.secondary_files > EXTENTS_MAX:
            raise ValueError(
                f"log size not valid: LogPrimaryFiles={config.primary_files} and "
                f"LogSecondaryFiles={config.secondary_files} make more than {EXTENTS_MAX} extents; choose fewer"
            )
        if config.type not in TYPES:
            raise ValueError(f"LogType={config.type} is not known; choose {' or '.join(TYPES)}")
        return config

    @property
    def extent_bytes(self) -> int:
        return self.file_pages * PAGE_BYTES

    @property
    def buffer_bytes(self) -> int:
        return (self.buffer_pages or BUFFER_PAGES_DEFAULT) * PAGE_BYTES
