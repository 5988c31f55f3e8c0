"""What a selector reads of the properties of a message, and no more than that.

A selector names the properties that it reads. A name that does not occur among the bytes of the properties is not the
name of one of them: that is told as fast as bytes can be searched, and nothing is parsed. Of those set through a handle
only the ones asked for are made; those in an MQRFH2 are parsed if one of the names is there.
"""

from __future__ import annotations

from functools import lru_cache

from libremq.kernel.properties.message_properties import Properties, Property, stored_count
from libremq.kernel.properties.property_delivery import may_hold_properties, properties_in_data
from libremq.mqi.structs import MQMD

_SEARCHED_BYTES = 10  # a unit of work (see `state.turns`) for each 1024 bytes that are searched
_NAMES = 3  # and for each 8 names


def look_up(md: MQMD, stored: bytes, data: bytes, names: frozenset[str]) -> tuple[Properties, int]:
    """The properties of these canonical names, and perhaps others; and what the look was worth, in units of work."""
    entries: list[Property] = []
    cost = 1
    if stored:
        spelled = _stored_names(names)
        cost += (len(stored) * len(spelled) >> _SEARCHED_BYTES) + (len(spelled) >> _NAMES)
        if any(name in stored for name in spelled):
            entries = Properties.decode_some(stored, spelled)
            cost += stored_count(stored)
    if may_hold_properties(md.Format):
        found, worth = properties_in_data(data, md.Format, md.CodedCharSetId, md.Encoding, _element_names(names))
        if found:
            known = {entry.name for entry in entries}
            entries += [entry for entry in found if entry.name not in known]
        cost += worth
    return Properties.from_entries(entries), cost


@lru_cache(maxsize=512)
def _stored_names(names: frozenset[str]) -> frozenset[bytes]:
    """As they stand in the stored form."""
    return frozenset(name.encode() for name in names)


@lru_cache(maxsize=512)
def _element_names(names: frozenset[str]) -> tuple[bytes, ...]:
    """The elements of an MQRFH2 that carry them, in each character set that it may be written in."""
    elements = {name.rpartition(".")[2] for name in names}
    return tuple({element.encode(codec) for element in elements for codec in ("utf-8", "utf-16-le", "utf-16-be")})
