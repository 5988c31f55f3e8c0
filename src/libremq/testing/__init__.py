"""Public test helpers: a queue manager for one test, files that fail on purpose, a clock that moves on command.

pytest finds the fixture `queue_manager` by itself once LibreMQ is installed. Every test suite on such a machine loads
this package, used or not: so what is in it is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from libremq.testing.faulty_files import FaultyFiles as FaultyFiles
    from libremq.testing.faulty_files import PowerCut as PowerCut
    from libremq.testing.queue_managers import temporary_queue_manager as temporary_queue_manager
    from libremq.testing.virtual_clock import VirtualClock as VirtualClock

_HOME = {
    "FaultyFiles": "faulty_files",
    "PowerCut": "faulty_files",
    "VirtualClock": "virtual_clock",
    "temporary_queue_manager": "queue_managers",
}
__all__ = ["FaultyFiles", "PowerCut", "VirtualClock", "temporary_queue_manager"]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
