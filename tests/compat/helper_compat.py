"""Structures as the packages pack them, and calls that must succeed."""

from __future__ import annotations

import ctypes
from typing import Any

from libremq.mqi import constants as C
from libremq.mqi.layout import Structure
from libremq.mqi.structs import MQCBC, MQCBD, MQCMHO, MQCTLO, MQGMO, MQIMPO, MQMD, MQOD, MQPD, MQPMO, MQSMPO


def packed(structure: type[Structure], version: int | None = None, **fields: Any) -> bytes:
    """The bytes of a structure of some version, at the full size that the packages send, unused fields NUL."""
    made = structure(**fields)
    if version is not None:
        made.Version = version  # type: ignore[attr-defined]
    return made.pack(fill=b"\0").ljust(structure.size(), b"\0")


def md(version: int = 2, **fields: Any) -> bytes:
    return packed(MQMD, version, **fields)


def od(name: str, version: int = 4, **fields: Any) -> bytes:
    return packed(MQOD, version, ObjectName=name, **fields)


def pmo(version: int = 3, **fields: Any) -> bytes:
    return packed(MQPMO, version, **fields)


def gmo(version: int = 4, **fields: Any) -> bytes:
    return packed(MQGMO, version, **fields)


def with_string(data: bytes, offset: int, buffer: ctypes.Array[ctypes.c_char], length: int, size: int = 0) -> bytes:
    """A structure whose MQCHARV at an offset points at a buffer."""
    address = ctypes.addressof(buffer)
    vstring = address.to_bytes(8, "little") + b"".join(n.to_bytes(4, "little") for n in (0, size, length, 0))
    return data[:offset] + vstring + data[offset + 24 :]


def done(result: tuple[Any, ...]) -> Any:
    """What a call that succeeded returned, without its completion code and reason."""
    assert result[-2:] == (C.MQCC_OK, C.MQRC_NONE), result
    return result[0] if len(result) == 3 else result[:-2]


CMHO = MQCMHO().pack()
SMPO = MQSMPO().pack()
PD = MQPD().pack()
IMPO = MQIMPO().pack()
CTLO = MQCTLO().pack()
CBD = MQCBD().pack()
CBC = MQCBC
