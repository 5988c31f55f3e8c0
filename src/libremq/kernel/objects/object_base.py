"""What all objects are: a name, a kind and a table, with the values of the attributes in the instance.

The kinds themselves are in `channel_definitions.py` and its neighbours; `object_types.py` has them all.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import ClassVar, TypeVar

from libremq.kernel.objects.attributes import AttributeTable, Value

_Object = TypeVar("_Object", bound="MQObject")


class MQObject:
    """What all objects have. Those that commands define also have DESCR, ALTDATE and ALTTIME."""

    kind: ClassVar[str]  # the MQSC word: QLOCAL, PROCESS, ...
    object_type: ClassVar[int]  # MQOT_*
    table: ClassVar[AttributeTable]

    name: str

    def __repr__(self) -> str:
        return f"{self.kind}({self.name})"


class DefinedObject(MQObject):
    """An object that DEFINE makes: with a description, and the time of the last change."""

    altdate: str
    alttime: str
    descr: str


def new_object(cls: type[_Object], name: str, values: dict[str, Value]) -> _Object:
    """An object with these values, which must be checked and complete."""
    made = cls.__new__(cls)
    made.__dict__.update(values)
    made.name = name
    return made


def date_and_time(now: float) -> tuple[str, str]:
    """The date and time of a definition as MQ shows them, in UTC."""
    return _in_second(int(now))


@lru_cache(maxsize=2)
def _in_second(second: int) -> tuple[str, str]:
    stamp = time.strftime("%Y-%m-%d %H.%M.%S", time.gmtime(second))
    return stamp[:10], stamp[11:]
