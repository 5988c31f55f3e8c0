"""The settings of the `Log:` stanza: their ranges, what happens outside them, and which of them a restart may change.

Type and file size are fixed when the log is made (and so is its path); all the others may be given anew when it is
opened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from libremq.log.pages import PAGE_BYTES

EXTENTS_MAX = 511
BUFFER_PAGES_DEFAULT = 512
SECOND_FOLDER_BYTES_MAX = 1024

# Setting: lowest, highest, default. Too high is an error, too low takes the default.
RANGES = {
    "primary_files": (2, 510, 3),
    "secondary_files": (1, 509, 2),
    "file_pages": (64, 65535, 4096),
    "buffer_pages": (18, 4096, 0),
}
STANZA_NAMES = {
    "primary_files": "LogPrimaryFiles",
    "secondary_files": "LogSecondaryFiles",
    "file_pages": "LogFilePages",
    "buffer_pages": "LogBufferPages",
    "type": "LogType",
    "write_integrity": "LogWriteIntegrity",
    "log_management": "LogManagement",
    "second_folder": "LogSecondPath",
}
CHOICES = {
    "type": ("CIRCULAR", "LINEAR"),
    "write_integrity": ("SingleWrite", "DoubleWrite", "TripleWrite"),
    "log_management": ("Manual", "Automatic", "Archive"),
}


@dataclass(frozen=True, slots=True)
class LogConfig:
    """How a log is laid out and written; `buffer_pages=0` stands for 512 pages, 2 MB.

    `write_integrity`: SingleWrite overwrites a partly filled page in place, safe only where the device writes 4 KiB as
    a whole; TripleWrite never touches the only good copy of a page; DoubleWrite is another name for it.
    `second_folder`: where a second copy of the log is kept; none if empty.
    `log_management`, for linear logs: what happens to extents that nothing needs any more. Manual keeps them,
    Automatic deletes them at checkpoints, Archive deletes them at checkpoints once they are known to be archived.
    """

    primary_files: int = 3
    secondary_files: int = 2
    file_pages: int = 4096
    type: str = "CIRCULAR"
    buffer_pages: int = 0
    write_integrity: str = "TripleWrite"
    second_folder: str = ""
    log_management: str = "Manual"

    def checked(self) -> LogConfig:
        """The settings that apply: too low ones replaced. Raises ValueError for those too high, or unknown."""
        changes: dict[str, int | str] = {}
        for name, (lowest, highest, default) in RANGES.items():
            value: int = getattr(self, name)
            if value > highest:
                raise ValueError(
                    f"log size not valid: {STANZA_NAMES[name]}={value} is more than {highest}; choose {lowest} to "
                    f"{highest}"
                )
            if value < lowest:
                changes[name] = default
        for name, choices in CHOICES.items():
            word: str = getattr(self, name)
            known = {choice.casefold(): choice for choice in choices}
            if word.casefold() not in known:
                raise ValueError(f"{STANZA_NAMES[name]}={word} is not known; choose {' or '.join(choices)}")
            changes[name] = known[word.casefold()]
        config = replace(self, **changes)  # type: ignore[arg-type]
        if config.primary_files + config.secondary_files > EXTENTS_MAX:
            raise ValueError(
                f"log size not valid: LogPrimaryFiles={config.primary_files} and "
                f"LogSecondaryFiles={config.secondary_files} make more than {EXTENTS_MAX} extents; choose fewer"
            )
        if len(config.second_folder.encode()) > SECOND_FOLDER_BYTES_MAX:
            raise ValueError(f"the path of the second log folder is longer than {SECOND_FOLDER_BYTES_MAX} bytes")
        return config

    @property
    def linear(self) -> bool:
        return self.type == "LINEAR"

    @property
    def rewrites_in_place(self) -> bool:
        """Is a partly filled page simply overwritten?"""
        return self.write_integrity == "SingleWrite"

    @property
    def files_max(self) -> int:
        """Extents in the active log at most."""
        return self.primary_files + self.secondary_files

    @property
    def extent_bytes(self) -> int:
        return self.file_pages * PAGE_BYTES

    @property
    def buffer_bytes(self) -> int:
        return (self.buffer_pages or BUFFER_PAGES_DEFAULT) * PAGE_BYTES
