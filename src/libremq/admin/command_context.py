"""What a command works with: the queue manager, the server around it, who gives the command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from libremq.admin.command import Command, Issuer
from libremq.admin.operations import Operations
from libremq.kernel.manager import QueueManager
from libremq.kernel.objects.attributes import Attribute, GivenValue, Value, convert
from libremq.kernel.objects.definitions import Definitions
from libremq.security.authorities import bit


@dataclass(frozen=True, slots=True)
class Context:
    manager: QueueManager
    operations: Operations
    issuer: Issuer

    @property
    def definitions(self) -> Definitions:
        return self.manager.definitions

    def need(self, object_type: int, name: str, needed: int) -> None:
        """MQRC_NOT_AUTHORIZED unless the issuer has this authority on the object."""
        self.manager.authority.check(self.issuer, object_type, name, needed)

    def may(self, object_type: int, name: str, needed: int) -> bool:
        return self.manager.authority.allows(self.issuer, object_type, name, bit(needed))


def option(command: Command, row: Attribute) -> Value | None:
    """The value of a parameter that is no attribute, checked; None if it was not given."""
    names = (row.keyword, *row.synonyms)
    for keyword, value in command.parameters.items():
        if keyword.upper() in names:
            return convert(row, value, command.name)
    return None


def number(command: Command, row: Attribute, default: int = 0) -> int:
    found = option(command, row)
    return default if found is None else cast(int, found)


def word(command: Command, row: Attribute) -> str:
    found = option(command, row)
    return "" if found is None else str(found)


def without(given: Mapping[str, GivenValue], *options: Attribute) -> dict[str, GivenValue]:
    """The parameters that are attributes."""
    names = {keyword for row in options for keyword in (row.keyword, *row.synonyms)}
    return {keyword: value for keyword, value in given.items() if keyword.upper() not in names}
