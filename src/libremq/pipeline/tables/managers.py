"""Which queue managers the conformed tables know: the names of their folders, with no need of Spark."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

_PREFIX = "qmgr="


def queue_managers(root: Path) -> list[str]:
    """Names of all queue managers in the conformed tables under `root`, in order."""
    places = (root / "conformed").glob(f"*/day=*/{_PREFIX}*")
    # Folders spell a character by its number, not by its bytes in UTF-8.
    return sorted({unquote(place.name.removeprefix(_PREFIX), encoding="latin-1") for place in places})
