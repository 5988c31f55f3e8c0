"""Where a dump can be cut, and what it is known by: the look that many workers can share before the reading starts.

A cut must be at the start of a record, and only a walk from the start of the file knows surely where records start. To
walk a large file in parallel, each worker takes a stretch, looks for what must be the first record in it, and walks on
from there. Afterwards the seams are checked: the walk that comes out of one stretch goes on into the next until it is
at the record where that one began. From there on both are the same walk, for at the start of a record a walk has no
memory. Where they do not meet (damage, or data that looks like a record) the walk goes on by itself until it does.

A dump is known by the digest of its content, worked out block by block so that it can be shared too. A gzip file cannot
be cut. It is one stretch and one piece, and its digest is that of what is inside.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from libremq.pipeline.smf.files import DumpStream, FormOption, Piece, Stamp, stamp_of
from libremq.pipeline.smf.framing import BLOCK_BYTES, Form, Framer, Walked, walks

STRETCH_BYTES = 64 * 1024 * 1024
"""What one worker looks at, and what is digested at a time. To change it changes the digest of all dumps."""
PIECE_BYTES_MIN = 16 * 1024 * 1024
PIECE_BYTES_MAX = 128 * 1024 * 1024
PIECES_PER_WORKER = 4
"""So that the slowest piece does not keep the others waiting for long."""

_SEAM_BYTES = 256 * 1024
_MARKS_PER_PIECE = 16


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a file for one worker to look at; all of it when it is packed."""

    path: str
    form: Form
    start: int
    length: int
    stamp: Stamp
    packed: bool
    step: int
    """Bytes between the places noted."""


@dataclass(slots=True)
class Look:
    """What a worker saw in a stretch. Places are those of the walk that began at `first`."""

    digests: list[bytes] = field(default_factory=list)
    first: int | None = None
    """The first record that starts here, if one was found."""
    marks: list[int] = field(default_factory=list)
    """Starts of records, about one in each `step` bytes."""
    onward: int = 0
    """Where the walk stood at the end of the stretch."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Survey:
    """A file, the pieces it can be read in, and the digest of its content."""

    path: str
    size: int
    pieces: tuple[Piece, ...]
    digest: str = ""
    problem: str = ""
    """Why it cannot be read; then there are no pieces."""


def piece_bytes_for(sizes: Iterable[int], workers: int) -> int:
    """Size of the pieces that keeps every worker busy, within sensible limits."""
    return max(PIECE_BYTES_MIN, min(PIECE_BYTES_MAX, sum(sizes) // (max(1, workers) * PIECES_PER_WORKER)))


def survey(path: str, piece_bytes: int, *, form: FormOption = "auto", stretch_bytes: int = STRETCH_BYTES) -> Survey:
    """Find out how one file is framed, where to cut it into pieces of about `piece_bytes`, and its digest."""
    [done] = surveys([path], piece_bytes, form=form, stretch_bytes=stretch_bytes)
    return done


def pieces_of(path: str, piece_bytes: int, *, form: FormOption = "auto") -> tuple[Piece, ...]:
    """The pieces of a file that need not be known again; a small one is not looked at beforehand."""
    with DumpStream(path, form=form) as stream:
        if stream.packed or stream.stamp.size <= piece_bytes:
            return (Piece(path, stream.form),)
    done = survey(path, piece_bytes, form=form)
    if done.problem:
        raise OSError(f"{path}: {done.problem}")
    return done.pieces


def surveys(
    paths: Sequence[str],
    piece_bytes: int,
    *,
    form: FormOption = "auto",
    stretch_bytes: int = STRETCH_BYTES,
    run: Callable[[list[Stretch]], list[Look]] | None = None,
) -> list[Survey]:
    """Survey files. `run` looks at all stretches, wherever it likes; here, one after the other, by default."""
    stretches = [_stretches(path, piece_bytes, form, stretch_bytes) for path in paths]
    every = [stretch for found in stretches if not isinstance(found, str) for stretch in found]
    looks = iter((run or _one_by_one)(every))
    done: list[Survey] = []
    for path, found in zip(paths, stretches):
        if isinstance(found, str):
            done.append(Survey(path, 0, (), problem=found))
        else:
            done.append(_survey(found, [next(looks) for _ in found], piece_bytes))
    return done


def _one_by_one(stretches: list[Stretch]) -> list[Look]:
    return [look_at(stretch) for stretch in stretches]


def _stretches(path: str, piece_bytes: int, option: FormOption, stretch_bytes: int) -> list[Stretch] | str:
    """The stretches of a file, at least one; or why it cannot be read."""
    try:
        with DumpStream(path, form=option) as stream:
            stamp, packed, form = stream.stamp, stream.packed, stream.form
    except OSError as problem:
        return told(problem)
    step = max(1, piece_bytes // _MARKS_PER_PIECE)
    length = max(1, stamp.size) if packed else stretch_bytes
    return [
        Stretch(path, form, start, min(length, stamp.size - start), stamp, packed, step)
        for start in range(0, max(1, stamp.size), length)
    ]


def told(problem: OSError) -> str:
    """What the operating system said, without its number."""
    return problem.strerror or str(problem)


def look_at(stretch: Stretch) -> Look:
    """Look at a stretch: its digest, and the walk from the first record in it."""
    look = Look()
    try:
        with DumpStream(stretch.path, stretch.start, form=stretch.form) as stream:
            if stretch.packed:
                _digest_all(stream, look)
            else:
                _walk(stream, stretch, look)
            stream.check_unchanged(stretch.stamp)
    except OSError as problem:
        look.problem = told(problem)
    return look


def _digest_all(stream: DumpStream, look: Look) -> None:
    hasher, left = hashlib.sha256(), STRETCH_BYTES
    while data := stream.read(min(left, BLOCK_BYTES)):
        hasher.update(data)
        left -= len(data)
        if left == 0:
            look.digests.append(hasher.digest())
            hasher, left = hashlib.sha256(), STRETCH_BYTES
    if left < STRETCH_BYTES:
        look.digests.append(hasher.digest())
    if stream.error:
        # What could be unpacked of a damaged archive is not the dump that it was.
        look.digests.append(hashlib.sha256(stream.error.encode()).digest())


def _walk(stream: DumpStream, stretch: Stretch, look: Look) -> None:
    hasher = hashlib.sha256()
    framer = Framer(stretch.form, searching=stretch.start > 0)
    look.first = None if stretch.start else 0
    rest, base, left = b"", stretch.start, stretch.length
    while left > 0 and (fresh := stream.read(min(left, BLOCK_BYTES))):
        left -= len(fresh)
        hasher.update(fresh)
        rest = rest + fresh if rest else fresh
        full = True
        while full:
            walked = framer.walk(rest, base, final=False)
            if look.first is None:
                look.first = min(_starts(walked, base), default=None)
            _mark(look.marks, walked, base, stretch.step)
            rest, full = rest[walked.used :], walked.full
            base += walked.used
    look.onward = base if framer.lost_at is None else framer.lost_at
    if stretch.length:
        look.digests.append(hasher.digest())


def _starts(walked: Walked, base: int) -> set[int]:
    """Places of all records of a walk over one block."""
    skip = base + walked.lead
    return {start + skip for start in walked.starts} | {base + pieces[0][0] for pieces in walked.spanned}


def _mark(marks: list[int], walked: Walked, base: int, step: int) -> None:
    """Note the next record that is whole after each step."""
    starts, skip = walked.starts, base + walked.lead
    at = bisect_left(starts, (marks[-1] + step if marks else 0) - skip)
    while at < len(starts):
        marks.append(starts[at] + skip)
        at = bisect_left(starts, marks[-1] + step - skip)


def _survey(stretches: list[Stretch], looks: list[Look], piece_bytes: int) -> Survey:
    [path, form, stamp, packed] = [getattr(stretches[0], name) for name in ("path", "form", "stamp", "packed")]
    problem = next((look.problem for look in looks if look.problem), "")
    marks: list[int] = []
    if not problem and not packed:
        try:
            marks = _joined(stretches, looks)
            if stamp_of(path) != stamp:
                problem = "the file changed while it was read; add it again when it is complete"
        except OSError as refused:
            problem = told(refused)
    if problem:
        return Survey(path, stamp.size, (), problem=problem)
    cuts = [0]
    for mark in marks:
        if mark >= cuts[-1] + piece_bytes:
            cuts.append(mark)
    if len(cuts) > 1 and stamp.size - cuts[-1] < piece_bytes // 4:
        cuts.pop()
    ends: list[int | None] = [*cuts[1:], None]
    pieces = tuple(Piece(path, form, start, end, stamp) for start, end in zip(cuts, ends))
    digest = hashlib.sha256(b"".join(part for look in looks for part in look.digests)).hexdigest()
    return Survey(path, stamp.size, pieces, digest)


def _joined(stretches: list[Stretch], looks: list[Look]) -> list[int]:
    """The marks of the one walk over the whole file: of each stretch that it meets, and those of its own between."""
    path, form, step = stretches[0].path, stretches[0].form, stretches[0].step
    marks = list(looks[0].marks)
    onward, number = looks[0].onward, 1
    while number < len(looks):
        with DumpStream(path, onward, form=form) as stream:
            for walked, _, base in walks(stream, form, onward, block_bytes=_SEAM_BYTES):
                starts, reached = _starts(walked, base), base + walked.used
                while number < len(looks) and _passed(looks[number], starts, reached):
                    number += 1
                if number < len(looks) and looks[number].first in starts:
                    marks.extend(looks[number].marks)
                    onward = looks[number].onward
                    break
                _mark(marks, walked, base, step)
            else:
                return marks
        number += 1
    return marks


def _passed(look: Look, starts: set[int], reached: int) -> bool:
    """Has the walk gone by where this look began, without beginning a record there?"""
    return look.first is None or (look.first not in starts and look.first < reached)
