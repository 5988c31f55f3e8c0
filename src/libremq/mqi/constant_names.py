"""Names of MQI values: `name_of("MQRC", 2033)` is "MQRC_NO_MSG_AVAILABLE".

The tables are made from the constants on first use, one per prefix. Where several names share a value, one that
marks a range or a layout (`_FIRST`, `_LAST_USED`, `_VERSION_2`) yields to one that means something.
"""

from __future__ import annotations

import re

from libremq.mqi import constants

_names: dict[str, dict[object, str]] = {}
_MARKERS = re.compile(r"_(FIRST|LAST|LAST_USED|CURRENT_\w+|VERSION(_\d+)?|(\w+_)?LENGTH(_\w+)?|MASK|STRUC_ID)$")
# Two reason codes were renamed; these are the names in use.
_OLD_NAMES = frozenset({"MQRC_TRUNCATED", "MQRC_PAGESET_FULL"})


def names_of(prefix: str) -> dict[object, str]:
    """Value to name for all constants that start with `prefix` and an underscore."""
    table = _names.get(prefix)
    if table is None:
        start = prefix + "_"
        table = {}
        found = [(name, value) for name, value in vars(constants).items() if name.startswith(start)]
        # Stable sort: plain names first, so that setdefault keeps the best one.
        found.sort(key=lambda item: item[0] in _OLD_NAMES or _MARKERS.search(item[0]) is not None)
        for name, value in found:
            table.setdefault(value, name)
        _names[prefix] = table
    return table


def name_of(prefix: str, value: int | str | bytes) -> str:
    """The name of a value within a group of constants, or the value as text if it has none."""
    return names_of(prefix).get(value) or str(value)


def value_of(name: str) -> int | str | bytes | None:
    """The value of a constant by its name, or None if there is no such constant."""
    if not name.startswith("MQ"):
        return None
    value = vars(constants).get(name)
    return value if isinstance(value, int | str | bytes) else None
