"""The Python API as commands: `qm.define_local("Q", maxdepth=5)` is DEFINE QLOCAL(Q) MAXDEPTH(5)."""

from __future__ import annotations

from collections.abc import Mapping

from libremq.admin import command_lookup
from libremq.admin.command import Command
from libremq.kernel.objects.attribute_tables import GENERIC_TYPES
from libremq.kernel.objects.attributes import GivenValue
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

_TYPED_BY = {"CHANNEL": "CHLTYPE", "AUTHINFO": "AUTHTYPE"}


def python_command(
    verb: str, kind: str, name: str, attributes: Mapping[str, GivenValue], options: Mapping[str, GivenValue]
) -> Command:
    """The command; MQRC_OBJECT_TYPE_ERROR for a kind that it does not work on."""
    kind, parameters = kind.upper(), {**attributes, **options}
    for sort, keyword in _TYPED_BY.items():
        if kind in GENERIC_TYPES[sort] and verb in ("DEFINE", "ALTER"):
            kind, parameters = sort, {keyword: kind, **parameters}
    spec = command_lookup.find(verb, kind)
    if spec is None or spec.object != kind:
        permitted = ", ".join(command_lookup.objects_of(verb))
        raise mq_error(C.MQRC_OBJECT_TYPE_ERROR, name, f"{kind} is nothing that {verb} works on; use {permitted}")
    return Command(spec, name, parameters)
