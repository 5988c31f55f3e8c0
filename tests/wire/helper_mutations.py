"""Sessions that go wrong in every way: bytes flipped, lengths that lie, segments lost, doubled, cut and exchanged."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

_INTERESTING = (
    0, 1, 2, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF,
)  # fmt: skip
Mutation = Callable[[random.Random, list[bytearray], Sequence[bytes]], None]


def _pick(chance: random.Random, segments: list[bytearray]) -> bytearray:
    return segments[chance.randrange(len(segments))]


def _flip(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    raw = _pick(chance, segments)
    for _ in range(chance.choice((1, 1, 2, 8))):
        if raw:
            raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)


def _number(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    """A number that is at the edge of something, in either byte order."""
    raw = _pick(chance, segments)
    if len(raw) >= 4:
        at = chance.randrange(len(raw) - 3) & ~3
        order = chance.choice(("big", "little"))
        raw[at : at + 4] = chance.choice(_INTERESTING).to_bytes(4, order)  # type: ignore[arg-type]


def _fix_length(raw: bytearray) -> None:
    if len(raw) >= 8:
        raw[4:8] = len(raw).to_bytes(4, "big")


def _cut(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    raw = _pick(chance, segments)
    del raw[chance.randrange(len(raw) + 1) :]
    if chance.random() < 0.8:
        _fix_length(raw)


def _grow(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    raw = _pick(chance, segments)
    at = chance.randrange(len(raw) + 1)
    raw[at:at] = chance.randbytes(chance.choice((1, 4, 30, 500)))
    if chance.random() < 0.8:
        _fix_length(raw)


def _length(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    raw = _pick(chance, segments)
    if len(raw) >= 8:
        wrong = (*_INTERESTING, len(raw) - 1, len(raw) + 1, len(raw) + 36)
        raw[4:8] = (chance.choice(wrong) & 0xFFFFFFFF).to_bytes(4, "big")


def _header(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    """Type, flags, byte order, conversation, request."""
    raw = _pick(chance, segments)
    if len(raw) >= 28:
        raw[chance.randrange(8, 28 if len(raw) < 36 else 36)] = chance.choice((0, 1, 2, 0x10, 0x20, 0x30, 0x81, 0xFF))


def _drop(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    if len(segments) > 1:
        del segments[chance.randrange(len(segments))]


def _double(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    at = chance.randrange(len(segments))
    segments[at:at] = [bytearray(segments[at]) for _ in range(chance.choice((1, 1, 20)))]


def _exchange(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    one, two = chance.randrange(len(segments)), chance.randrange(len(segments))
    segments[one], segments[two] = segments[two], segments[one]


def _borrow(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    segments.insert(chance.randrange(len(segments) + 1), bytearray(chance.choice(others)))


def _body(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    """The body of another segment behind this one's header."""
    raw, other = _pick(chance, segments), chance.choice(others)
    del raw[36:]
    raw += other[36:]
    _fix_length(raw)


def _noise(chance: random.Random, segments: list[bytearray], others: Sequence[bytes]) -> None:
    raw = _pick(chance, segments)
    raw[36:] = chance.randbytes(len(raw) - 36 if len(raw) > 36 else 0)


_MUTATIONS: tuple[Mutation, ...] = (
    _flip, _flip, _number, _number, _cut, _grow, _length, _header, _drop, _double, _exchange, _borrow, _body, _noise,
)  # fmt: skip


def mutated(chance: random.Random, session: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """A session, with one to four things wrong with it. Its first segments are left alone more often than not."""
    segments = [bytearray(raw) for raw in session]
    kept = chance.choice((0, 0, 3, 5, 5, 5)) if len(segments) > 6 else 0
    head, rest = segments[:kept], segments[kept:]
    for _ in range(chance.choice((1, 1, 2, 4))):
        chance.choice(_MUTATIONS)(chance, rest, others)
        if not rest:
            break
    return b"".join((*head, *rest))
