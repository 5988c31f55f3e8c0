"""Structures as bytes: those of puts and gets are read and written by parts, and come out as the others do."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from libremq.compat.packed_structures import read, write
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQPMO, Structure

TEXTS = ("", "A", "QUEUE.ONE", "Größe", " leading", "x y")
NUMBERS = (0, 1, -1, 7, 1 << 30, -(1 << 31), (1 << 31) - 1)


def random_fields(structure: type[Structure], chance: Random) -> dict[str, Any]:
    """Values for some of the fields, each of which fits."""
    found: dict[str, Any] = {}
    for name, field in structure._current.fields.items():
        if name in ("StrucId", "Version") or chance.random() < 0.6:
            continue
        if isinstance(field.default, int):
            found[name] = abs(chance.choice(NUMBERS)) if field.code == "Q" else chance.choice(NUMBERS)
        elif isinstance(field.default, str):
            found[name] = chance.choice(TEXTS)[: field.length]
        else:
            found[name] = chance.randbytes(field.length)
    return found


@pytest.mark.parametrize("structure", [MQMD, MQGMO, MQPMO])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_remembered_is_what_is_in_the_bytes(structure: type[Structure], seed: int) -> None:
    chance = Random(seed)
    for _ in range(150):
        version = chance.choice(list(structure._shapes))
        made = structure(Version=version, **random_fields(structure, chance))
        rest = chance.randbytes(structure.size() - structure.size(version))
        data = made.pack(fill=chance.choice([b" ", b"\0"])) + rest
        for _ in range(2):  # anew, and from memory
            found = read(structure, data)
            assert found == structure.unpack(data)
            assert type(found) is structure
        for name, value in random_fields(structure, chance).items():
            setattr(found, name, value)
        assert write(found, data) == found.pack() + rest


@pytest.mark.parametrize("structure", [MQMD, MQGMO, MQPMO])
def test_what_is_no_such_structure_is_refused_as_ever(structure: type[Structure]) -> None:
    data = structure().pack()
    for wrong in (b"XX  " + data[4:], data[:4] + b"\x63\0\0\0" + data[8:]):
        with pytest.raises(MQError) as caught:
            read(structure, wrong)
        assert caught.value.reason == structure._error


def test_a_name_in_another_alphabet_does_not_make_a_get_fail() -> None:
    data = MQGMO(Version=C.MQGMO_VERSION_4).pack()
    assert write(MQGMO(Version=C.MQGMO_VERSION_4, ResolvedQName="Ω"), data)[24:26] == b"? "
