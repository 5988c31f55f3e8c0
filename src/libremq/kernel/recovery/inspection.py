"""What administrators look at from outside: units of work in doubt, and the files in which objects are kept."""

from __future__ import annotations

from typing import NamedTuple

from libremq.kernel.objects.object_types import LocalQueue
from libremq.kernel.recovery import catalogue_file
from libremq.kernel.state import media_image
from libremq.kernel.state.core import Core
from libremq.kernel.state.unit_of_work import PUT


class UnitInDoubt(NamedTuple):
    """A unit of work that is prepared and not decided."""

    number: int
    xid: str
    """In hexadecimal."""
    queues: tuple[str, ...]
    puts: int
    gets: int


class DecidedUnit(NamedTuple):
    """A unit of work that an administrator has decided, and its transaction manager has not heard of."""

    number: int
    xid: str
    """In hexadecimal."""
    committed: bool


class ObjectFiles(NamedTuple):
    """An object and where it is kept."""

    kind: str
    name: str
    paths: tuple[str, ...]


def units_in_doubt(core: Core) -> list[UnitInDoubt]:
    """Oldest first."""
    found = []
    for unit in sorted(core.prepared_units(), key=lambda one: one.id):
        puts = sum(operation.kind == PUT for operation in unit.operations)
        queues = dict.fromkeys(operation.queue.name for operation in unit.operations)
        found.append(UnitInDoubt(unit.id, unit.xid.hex(), tuple(queues), puts, len(unit.operations) - puts))
    return found


def object_files(core: Core, type_name: str, pattern: str) -> list[ObjectFiles]:
    """The objects that a type of rcdmqimg and a name mean. A definition is in the catalogue, messages in a folder."""
    catalogue = catalogue_file.path_of(core.folder, core.catalogue_generation)
    if media_image.selects_catalogue(type_name):
        return [ObjectFiles(media_image.CATALOGUE, "", (catalogue,))]
    found = []
    for obj in media_image.select(core, type_name, pattern):
        paths = (catalogue,)
        if isinstance(obj, LocalQueue) and obj.name in core.queue_files:
            paths = (f"{core.folder}/queues/{core.queue_files[obj.name][1]}",)
        found.append(ObjectFiles(obj.kind, obj.name, paths))
    return found
