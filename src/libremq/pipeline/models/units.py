"""The units of the models: what a name ending in `_kb`, `_mb` or `_gb` counts.

The planning guide writes MB for both 2**20 and 10**6 bytes. Its rates and space sums are binary, and so are ours; where
one of its examples is decimal, the model takes bytes and the caller multiplies by `DECIMAL_MB`.
"""

from __future__ import annotations

from typing import Final

KB: Final = 1024
MB: Final = 1024 * KB
GB: Final = 1024 * MB
DECIMAL_MB: Final = 1_000_000

PAGE_BYTES: Final = 4096
"""A page of a page set, of a buffer pool and of the log."""

SECONDS_PER_HOUR: Final = 3600
