"""Records out of bytes: record descriptor words, joined segments, files without descriptor words.

Bytes go in block by block, whole records come out as positions in one buffer; no file in sight. The same walk is used
to find where a large file can be cut and to read each piece, so both see the same records: at the start of a record
(segment code 0 or 1) the walk has no memory. What cannot be followed is never an error to the caller: it becomes a
`Damage` with its place and reason, and the walk goes on at the next bytes that look like a record beyond doubt.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from libremq.pipeline.smf.blocks import block_length
from libremq.pipeline.smf.smf_layout import HEADER_LENGTH, MQ_RECORD_TYPES, TRIPLET_LENGTH, TRIPLETS_MAX

Form = Literal["rdw", "bare", "blocked"]
"""`rdw`: each segment starts with a record descriptor word. `bare`: without, segments already joined. `blocked`: as
`rdw`, and each block starts with a word of its own, which is gone when the bytes come here."""

RDW_LENGTH = 4
JOINED_BYTES_MAX = 256 * 1024
"""Joined records are 32 KiB or so; more than this is damage, and the limit on what is kept while joining."""

BARE_BYTES_MAX = 64 * 1024
BLOCK_BYTES = 8 * 1024 * 1024
RECORDS_MAX = 65536
"""Records and damages found at a time: a block of tiny ones, which only a hostile file has, is walked in parts."""
MARKER_LENGTH = 18
"""Length of the dump's first and last record (types 2 and 3), the shortest there is."""

_PAD = 4352
"""Zero bytes after the records, so that the longest structure can be lifted from anywhere without a bounds check."""

_RDW = struct.Struct(">HBB")
_TRIPLET = struct.Struct(">IHH")

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]


class Damage(NamedTuple):
    """Bytes that make no record: where, how many, why."""

    offset: int
    length: int
    reason: str


@dataclass(slots=True)
class Walked:
    """What a walk over one block found: whole records, spanned ones as their pieces, damage, and how far it came."""

    starts: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    spanned: list[list[tuple[int, int]]] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    lead: int = 0
    """By how much the starts lie before the first byte that is really there."""
    used: int = 0
    full: bool = False
    """It stopped early, and is to be given what is left before anything new."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Joined records in one buffer. `starts` is where the descriptor word is, or would be, in `data`."""

    data: Bytes
    starts: Numbers
    lengths: Numbers
    offsets: Numbers
    """Place of each record in its file."""
    damage: list[Damage]


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Framer:
    """Walks over blocks of one file or one piece of it, in order. Not to be shared between files."""

    def __init__(self, form: Form, *, searching: bool = False) -> None:
        """With `searching` the first block need not start at a record: the walk begins at the first sure one."""
        self.form: Form = "bare" if form == "bare" else "rdw"
        self._lost: tuple[int, str] | None = (-1, "") if searching else None

    @property
    def lost_at(self) -> int | None:
        """Where the damage began that the walk is in, if it is in any: a walk from there is the same walk."""
        return None if self._lost is None else self._lost[0]

    def walk(self, block: bytes, base: int, *, final: bool) -> Walked:
        """Find the records in a block that starts at `base` in its file.

        What is left after `used` must be given again in front of the next block. With `final` nothing is left, unless
        the walk is `full`.
        """
        walked = Walked(lead=0 if self.form == "rdw" else RDW_LENGTH)
        position = 0
        size = len(block)
        while position < size:
            if self._lost is not None:
                position = self._find(walked, block, base, position, final)
                if self._lost is not None:
                    break
            position = (self._walk_rdw if self.form == "rdw" else self._walk_bare)(walked, block, base, position, final)
            if self._lost is None:
                break
            walked.full = len(walked.damage) >= RECORDS_MAX
            if walked.full:
                break
        if final and not walked.full:
            self._end_damage(walked, base + size)
            position = size
        walked.used = position
        return walked

    def _walk_rdw(self, walked: Walked, block: bytes, base: int, position: int, final: bool) -> int:
        size = len(block)
        unpack = _RDW.unpack_from
        add_start, add_length = walked.starts.append, walked.lengths.append
        pieces: list[tuple[int, int]] = []
        joined = 0
        while position + RDW_LENGTH <= size:
            length, segment, zero = unpack(block, position)
            if segment > 3 or zero or length <= RDW_LENGTH:
                self._drop(walked, pieces, base, position, "a first segment without its last")
                self._lost = (base + position, "no record descriptor word")
                return position
            if position + length > size:
                if not final:
                    break
                self._drop(walked, pieces, base, position, "a first segment without its last")
                self._lost = (base + position, "cut off, or a length that is too large")
                return position
            if segment <= 1 and len(walked.starts) + len(walked.damage) + len(walked.spanned) >= RECORDS_MAX:
                self._drop(walked, pieces, base, position, "a first segment without its last")
                walked.full = True
                return position
            if segment == 0:
                if pieces:
                    self._drop(walked, pieces, base, position, "a first segment without its last")
                add_start(position)
                add_length(length)
            elif segment == 1:
                self._drop(walked, pieces, base, position, "a first segment without its last")
                pieces = [(position, length)]
                joined = length
            elif not pieces:
                walked.damage.append(Damage(base + position, length, "a segment without its first"))
                if len(walked.damage) >= RECORDS_MAX:
                    walked.full = True
                    return int(position + length)
            else:
                joined += length - RDW_LENGTH
                pieces.append((position + RDW_LENGTH, length - RDW_LENGTH))
                if joined > JOINED_BYTES_MAX:
                    self._drop(walked, pieces, base, position + length, "joined segments longer than any record")
                elif segment == 2:
                    walked.spanned.append(pieces)
                    pieces = []
            position += length
        if not final:
            # A record whose last segment is still to come is given again with the next block.
            return pieces[0][0] if pieces else position
        self._drop(walked, pieces, base, position, "a first segment without its last")
        if position < size:
            walked.damage.append(Damage(base + position, size - position, "bytes left over at the end"))
        return size

    @staticmethod
    def _drop(walked: Walked, pieces: list[tuple[int, int]], base: int, end: int, reason: str) -> None:
        if pieces:
            walked.damage.append(Damage(base + pieces[0][0], end - pieces[0][0], reason))
            pieces.clear()

    def _walk_bare(self, walked: Walked, block: bytes, base: int, position: int, final: bool) -> int:
        size = len(block)
        while position < size:
            length = bare_length(block, position)
            if length is None or position + length > size:
                if not final and size - position < BARE_BYTES_MAX:
                    return position
                reason = (
                    "no record that can be measured" if length is None else "cut off, or offsets that are too large"
                )
                self._lost = (base + position, reason)
                return position
            walked.starts.append(position - RDW_LENGTH)
            walked.lengths.append(length + RDW_LENGTH)
            position += length
            if len(walked.starts) >= RECORDS_MAX:
                walked.full = True
                break
        return position

    def _find(self, walked: Walked, block: bytes, base: int, position: int, final: bool) -> int:
        """Go on at the next sure record start after the damage, if this block has one."""
        assert self._lost is not None
        size = len(block)
        begin = max(position, self._lost[0] + 1 - base)
        window = 512
        data = np.frombuffer(block, dtype=np.uint8)
        while begin < size:
            # Windows grow with the distance searched: the cost stays in proportion to the bytes given up.
            stop = min(size, begin + window)
            for candidate in _candidates(data[begin : stop + 16], self.form):
                place = begin + int(candidate)
                if place >= stop:
                    break
                sure = self._is_start(block, place, final)
                if sure is None:
                    return place
                if sure:
                    self._end_damage(walked, base + place)
                    return place
            begin = stop
            window *= 2
        # A record start may lie across the end of the block.
        return size if final else max(position, size - 16)

    def _is_start(self, block: bytes, place: int, final: bool) -> bool | None:
        """Does a record start here? None when the next block is needed to tell."""
        size = len(block)
        if self.form == "bare":
            length = bare_length(block, place)
            if length is None or place + length > size:
                return None if not final and size - place < BARE_BYTES_MAX else False
            return True
        length, _, _ = _RDW.unpack_from(block, place)
        if length < MARKER_LENGTH:
            return False
        after = place + length
        if after == size and final:
            return True
        if after + RDW_LENGTH > size:
            return None if not final else False
        following, segment, zero = _RDW.unpack_from(block, after)
        return segment <= 3 and not zero and following > RDW_LENGTH

    def _end_damage(self, walked: Walked, end: int) -> None:
        if self._lost is not None:
            offset, reason = self._lost
            walked.damage.append(Damage(offset, end - offset, reason))
            self._lost = None


def bare_length(block: bytes, position: int) -> int | None:
    """Length of the record without descriptor word at `position`, worked out from its triplets; None if it cannot be.

    Triplets run from their first place up to the lowest offset that one of them names.
    """
    if position + 14 > len(block):
        return None
    flags, record_type = block[position], block[position + 1]
    if not flags & 0x40:
        return 14 if record_type in (2, 3) else None
    if record_type not in MQ_RECORD_TYPES or not packed_date_is_valid(block, position + 6):
        return None
    lowest, highest, place = 1 << 32, HEADER_LENGTH, HEADER_LENGTH
    for _ in range(TRIPLETS_MAX):
        if place + TRIPLET_LENGTH > lowest:
            break
        if position + place - RDW_LENGTH + TRIPLET_LENGTH > len(block):
            return None
        offset, length, count = _TRIPLET.unpack_from(block, position + place - RDW_LENGTH)
        place += TRIPLET_LENGTH
        if count:
            if offset < place or offset + length * count > BARE_BYTES_MAX:
                return None
            lowest = min(lowest, offset)
            highest = max(highest, offset + length * count)
    return highest - RDW_LENGTH


def packed_date_is_valid(block: bytes, position: int) -> bool:
    """Is this a date of the form 0cyydddF?"""
    date = block[position : position + 4].hex()
    return len(date) == 8 and date[0] == "0" and date[1] in "01" and date[2:7].isdigit() and date[7] == "f"


def _candidates(data: Bytes, form: Form) -> Numbers:
    """Places in a window where a record header may begin, by segment code, record type and the shape of the date."""
    skew = 0 if form == "rdw" else RDW_LENGTH
    count = len(data) - (14 - skew) + 1
    if count <= 0:
        return np.empty(0, dtype=np.int64)

    def at(offset: int) -> Bytes:
        return data[offset - skew : offset - skew + count]

    found = (at(10) <= 1) & ((at(13) & 0x0F) == 0x0F) & (at(13) >> 4 <= 9)
    for digits in (11, 12):
        found &= (at(digits) >> 4 <= 9) & ((at(digits) & 0x0F) <= 9)
    if form == "rdw":
        found &= (at(2) <= 1) & (at(3) == 0) & ((at(0) > 0) | (at(1) >= MARKER_LENGTH))
    else:
        found &= ((at(5) == 115) | (at(5) == 116)) & ((at(4) & 0x40) != 0)
    return np.flatnonzero(found)


def form_of(opening: bytes) -> Form:
    """Tell from the first bytes of a file whether it has words of records, or of blocks and records.

    They cannot be told apart by one field, so the record type and the packed date are looked for at each place.
    """
    if (
        len(opening) >= 18
        and opening[6] <= 1
        and packed_date_is_valid(opening, 14)
        and block_length(opening, 0) is not None
    ):
        return "blocked"
    with_words = len(opening) >= 14 and opening[2] <= 3 and opening[3] == 0 and packed_date_is_valid(opening, 10)
    if with_words:
        return "rdw"
    bare = len(opening) >= 10 and opening[1] in (2, 3, *MQ_RECORD_TYPES) and packed_date_is_valid(opening, 6)
    return "bare" if bare else "rdw"


def chunk_of(walked: Walked, block: bytes, base: int) -> Chunk:
    """The records of a walk in one padded buffer, spanned ones joined and put behind the others, in order of place."""
    joined = [b"".join(block[start : start + length] for start, length in pieces) for pieces in walked.spanned]
    extra = b"".join(joined)
    data = np.zeros(RDW_LENGTH + len(block) + len(extra) + _PAD, dtype=np.uint8)
    data[RDW_LENGTH : RDW_LENGTH + len(block)] = np.frombuffer(block, dtype=np.uint8)
    data[RDW_LENGTH + len(block) : RDW_LENGTH + len(block) + len(extra)] = np.frombuffer(extra, dtype=np.uint8)
    whole = np.array(walked.starts, dtype=np.int64)
    starts, lengths, offsets = whole + RDW_LENGTH, np.array(walked.lengths, dtype=np.int64), whole + base + walked.lead
    if joined:
        sizes = np.array([len(record) for record in joined], dtype=np.int64)
        behind = RDW_LENGTH + len(block) + np.concatenate(([0], np.cumsum(sizes)[:-1]))
        places = np.array([pieces[0][0] for pieces in walked.spanned], dtype=np.int64) + base
        starts, lengths = np.concatenate((starts, behind)), np.concatenate((lengths, sizes))
        offsets = np.concatenate((offsets, places))
        order = np.argsort(offsets, kind="stable")
        starts, lengths, offsets = starts[order], lengths[order], offsets[order]
    return Chunk(data, starts, lengths, offsets, walked.damage)


def walks(
    stream: Stream, form: Form, start: int = 0, end: int | None = None, block_bytes: int = BLOCK_BYTES
) -> Iterator[tuple[Walked, bytes, int]]:
    """Walk over a stream that stands at `start`, up to `end` or as far as it goes, keeping one block at a time."""
    framer = Framer(form)
    rest, base, place, full, final = b"", start, start, False, False
    while not final or full:
        if not full:
            wanted = block_bytes if end is None else min(block_bytes, end - place)
            fresh = stream.read(wanted) if wanted > 0 else b""
            place += len(fresh)
            final = not fresh
            rest = rest + fresh if rest else fresh
        walked = framer.walk(rest, base, final=final)
        yield walked, rest, base
        rest, full = rest[walked.used :], walked.full
        base += walked.used


def chunks(
    stream: Stream, form: Form, start: int = 0, end: int | None = None, block_bytes: int = BLOCK_BYTES
) -> Iterator[Chunk]:
    """The records of a stream, or of its part from `start` to `end`, chunk by chunk."""
    for walked, block, base in walks(stream, form, start, end, block_bytes):
        if walked.starts or walked.spanned or walked.damage:
            yield chunk_of(walked, block, base)
