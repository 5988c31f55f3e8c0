"""LibreMQ: an open queue manager in Python. Not affiliated with IBM.

    import libremq

    with libremq.connect("embedded:QM1?create=1") as qm:
        qm.define_local("ORDERS", replace=True)
        orders = qm.queue("ORDERS")
        with qm.transaction():
            orders.put("two cups of tea", persistent=True)
        print(orders.get(wait=5).text)

Everything here is loaded when it is first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from libremq.client import backup as backup
    from libremq.client.browser import Browser as Browser
    from libremq.client.connecting import connect as connect
    from libremq.client.consumer import Consumer as Consumer
    from libremq.client.message import Message as Message
    from libremq.client.queue import Queue as Queue
    from libremq.client.queue_manager import QueueManager as QueueManager
    from libremq.client.transaction import Transaction as Transaction
    from libremq.client.verbs import MQCONN as MQCONN
    from libremq.client.verbs import MQCONNX as MQCONNX
    from libremq.client.verbs import MQI as MQI
    from libremq.common.configuration import TuningSettings as TuningSettings
    from libremq.log import LogConfig as LogConfig
    from libremq.mqi.argument_errors import BadValue as BadValue
    from libremq.mqi.argument_errors import WrongType as WrongType
    from libremq.mqi.errors import CallInProgress as CallInProgress
    from libremq.mqi.errors import ConnectionBroken as ConnectionBroken
    from libremq.mqi.errors import ConversionFailed as ConversionFailed
    from libremq.mqi.errors import GetInhibited as GetInhibited
    from libremq.mqi.errors import GroupError as GroupError
    from libremq.mqi.errors import HandleError as HandleError
    from libremq.mqi.errors import InvalidAttribute as InvalidAttribute
    from libremq.mqi.errors import InvalidName as InvalidName
    from libremq.mqi.errors import LimitReached as LimitReached
    from libremq.mqi.errors import MessageDescriptorError as MessageDescriptorError
    from libremq.mqi.errors import MessageTooBig as MessageTooBig
    from libremq.mqi.errors import MQError as MQError
    from libremq.mqi.errors import NoMessageAvailable as NoMessageAvailable
    from libremq.mqi.errors import NotAuthorized as NotAuthorized
    from libremq.mqi.errors import NotOpenFor as NotOpenFor
    from libremq.mqi.errors import ObjectChanged as ObjectChanged
    from libremq.mqi.errors import ObjectDamaged as ObjectDamaged
    from libremq.mqi.errors import ObjectExists as ObjectExists
    from libremq.mqi.errors import ObjectInUse as ObjectInUse
    from libremq.mqi.errors import ObjectTypeError as ObjectTypeError
    from libremq.mqi.errors import OptionsError as OptionsError
    from libremq.mqi.errors import PropertyError as PropertyError
    from libremq.mqi.errors import PropertyNotFound as PropertyNotFound
    from libremq.mqi.errors import PutInhibited as PutInhibited
    from libremq.mqi.errors import QueueFull as QueueFull
    from libremq.mqi.errors import QueueManagerNotAvailable as QueueManagerNotAvailable
    from libremq.mqi.errors import QueueManagerStopping as QueueManagerStopping
    from libremq.mqi.errors import QueueNotEmpty as QueueNotEmpty
    from libremq.mqi.errors import SelectorError as SelectorError
    from libremq.mqi.errors import StorageFull as StorageFull
    from libremq.mqi.errors import StructureError as StructureError
    from libremq.mqi.errors import TruncatedMessage as TruncatedMessage
    from libremq.mqi.errors import UnitOfWorkBackedOut as UnitOfWorkBackedOut
    from libremq.mqi.errors import UnitOfWorkError as UnitOfWorkError
    from libremq.mqi.errors import UnknownObject as UnknownObject

    __version__: str

_HOMES = {
    "client.browser": ("Browser",),
    "client.connecting": ("connect",),
    "client.consumer": ("Consumer",),
    "mqi.argument_errors": ("BadValue", "WrongType"),
    "client.message": ("Message",),
    "client.queue": ("Queue",),
    "client.queue_manager": ("QueueManager",),
    "client.transaction": ("Transaction",),
    "client.verbs": ("MQCONN", "MQCONNX", "MQI"),
    "common.configuration": ("TuningSettings",),
    "log": ("LogConfig",),
    "mqi.errors": (
        "CallInProgress", "ConnectionBroken", "ConversionFailed", "GetInhibited", "GroupError", "HandleError",
        "InvalidAttribute", "InvalidName", "LimitReached", "MQError", "MessageDescriptorError", "MessageTooBig",
        "NoMessageAvailable", "NotAuthorized", "NotOpenFor", "ObjectChanged", "ObjectDamaged", "ObjectExists",
        "ObjectInUse", "ObjectTypeError", "OptionsError", "PropertyError", "PropertyNotFound", "PutInhibited",
        "QueueFull", "QueueManagerNotAvailable", "QueueManagerStopping", "QueueNotEmpty", "SelectorError",
        "StorageFull", "StructureError", "TruncatedMessage", "UnitOfWorkBackedOut", "UnitOfWorkError", "UnknownObject",
    ),
}  # fmt: skip
_MODULES = {"aio": "aio", "backup": "client.backup"}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        from libremq.common.release import release

        return release()
    if name in _MODULES:
        return import_module(f"{__name__}.{_MODULES[name]}")
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_MODULES})
