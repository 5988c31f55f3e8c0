"""What applications see: constants, structures, reason codes. No I/O.

Import from the modules (`constants`, `structs`, `errors`, `reasons`, `pcf`); the names below are here for
convenience, and loaded only when they are used, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from libremq.mqi.constant_names import name_of as name_of
    from libremq.mqi.errors import MQError as MQError
    from libremq.mqi.errors import mq_error as mq_error
    from libremq.mqi.reasons import Reason as Reason
    from libremq.mqi.reasons import reason as reason
    from libremq.mqi.structs import MQCNO as MQCNO
    from libremq.mqi.structs import MQGMO as MQGMO
    from libremq.mqi.structs import MQMD as MQMD
    from libremq.mqi.structs import MQOD as MQOD
    from libremq.mqi.structs import MQPMO as MQPMO

_HOME = {
    "MQError": "errors",
    "mq_error": "errors",
    "name_of": "constant_names",
    "Reason": "reasons",
    "reason": "reasons",
    "MQCNO": "connection_structures",
    "MQGMO": "descriptors",
    "MQMD": "descriptors",
    "MQOD": "descriptors",
    "MQPMO": "descriptors",
}


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return value
