"""What DISPLAY found as plain Python values, for the Python API and JSON."""

from __future__ import annotations

from typing import Any

from libremq.admin.command import Row
from libremq.kernel.objects.attributes import Attribute, Kind, Value


def plain(row: Attribute, value: Value) -> Any:
    """Words where MQSC has words, numbers, text, lists of those; bytes as hexadecimal digits."""
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, tuple):
        return [plain(row, item) for item in value]
    if isinstance(value, int) and (row.kind in (Kind.ENUM, Kind.ENUM_LIST) or value in row.words.values()):
        return row.word(value)
    return value


def plain_row(row: Row) -> dict[str, Any]:
    return {attribute.keyword.lower(): plain(attribute, value) for attribute, value in row}
