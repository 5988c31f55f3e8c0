"""How a log is laid out and written: the settings of the `Log:` stanza, whose rows are in `common.log_stanza`.

Type and file size are fixed when the log is made (and so is its path); all the others may be given anew when it is
opened.
"""

from __future__ import annotations

from dataclasses import dataclass

from libremq.common.log_stanza import LOG_SETTINGS, LogStanza
from libremq.common.setting import checked_section
from libremq.log.pages import PAGE_BYTES

BUFFER_PAGES_DEFAULT = 512
SECOND_FOLDER_BYTES_MAX = 1024

ROWS = {row.field: row for row in LOG_SETTINGS if row.choices or isinstance(row.default, int)}
"""Numbers, which have ranges, and words. What a path is like is for the file system to say."""
CHANGEABLE = {name for name, row in ROWS.items() if not row.fixed}
CHOICES = {name: row.choices for name, row in ROWS.items() if row.choices}


@dataclass(frozen=True, slots=True)
class LogConfig(LogStanza):
    """How a log is laid out and written; `buffer_pages=0` stands for 512 pages, 2 MB.

    `write_integrity`: SingleWrite overwrites a partly filled page in place, safe only where the device writes 4 KiB as
    a whole; TripleWrite never touches the only good copy of a page; DoubleWrite is another name for it.
    `second_folder`: where a second copy of the log is kept; none if empty.
    `log_management`, for linear logs: what happens to extents that nothing needs any more. Manual keeps them,
    Automatic deletes them at checkpoints, Archive deletes them at checkpoints once they are known to be archived.
    `direct_io`: may pages be written past the system's cache? Not kept with the log, but given at each opening.
    """

    def checked(self) -> LogConfig:
        """The settings that apply: too low ones replaced. Raises ValueError for those too high, or unknown."""
        config, _ = checked_section(self, ROWS.values(), LogConfig.together, show=str)
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
