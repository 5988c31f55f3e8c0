"""Which release of LibreMQ this is."""

from __future__ import annotations


def release() -> str:
    from importlib import metadata  # which takes longer to load than most of what asks for it

    try:
        return metadata.version("libremq")
    except metadata.PackageNotFoundError:  # run from a source tree that was never installed
        return "unknown"
