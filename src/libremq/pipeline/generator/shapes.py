"""What a written record needs beyond the layout of its structures: identifiers, lengths by release, header constants.

Tables only. The layout file says where a field lies; these say which release writes how much of a structure, what the
header section of a subtype holds, and in which order the sections lie. Where no real record has been seen (115/216,
116/2) the value is a choice, marked as such.
"""

from __future__ import annotations

from typing import Final, NamedTuple

Release = tuple[int, int, int]

NEWEST: Final = "10.0.0"

EXTENSION_RELEASE: Final[Release] = (10, 0, 0)
"""From here on a QWHX follows the header section, and the SMF header says 946."""

EXTENSION_LEVEL: Final = "946"

RECORD_BYTES_MAX: Final = 32768
SEGMENT_BYTES_MAX: Final = 32756

HEADER_BYTES: Final = 28
TRIPLET_BYTES: Final = 8

FLAG_SUBTYPES: Final = 0x5E
FLAG_MARKER: Final = 0x1E

BLOCK_IDS: Final = {
    "q5st": 0xF50F,
    "qcct": 0xE741,
    "qcst": 0xE74A,
    "qesd": 0xC523,
    "qest": 0xC513,
    "qis1": 0xC927,
    "qist": 0xC90F,
    "qjst": 0x0093,
    "qlst": 0xD30F,
    "qmac": 0xD414,
    "qmst": 0xD40F,
    "qpst": 0xD70F,
    "qqst": 0xD80F,
    "qsgm": 0xE20D,
    "qsph": 0xE20E,
    "qsrs": 0xE20C,
    "qsst": 0x003C,
    "qtst": 0xA302,
    "wq": 0xF702,
    "wtas": 0xF701,
    "wtid": 0xF700,
}
"""First two bytes, as real records carry them."""

SECTION_BYTES: Final[dict[str, tuple[tuple[Release, int], ...]]] = {
    "qmst": (((0, 0, 0), 48), ((7, 0, 0), 72), ((9, 0, 3), 104), ((9, 4, 3), 300), ((9, 4, 5), 328)),
    "qjst": (((0, 0, 0), 576), ((9, 1, 2), 592), ((9, 1, 4), 596), ((9, 4, 0), 720)),
    "qesd": (((0, 0, 0), 328), ((9, 1, 4), 336)),
    "qcct": (((0, 0, 0), 48), ((9, 3, 5), 64)),
    "qcst": (((0, 0, 0), 324), ((10, 0, 0), 340)),
    "qqst": (((0, 0, 0), 84), ((9, 3, 1), 120), ((9, 3, 3), 552), ((9, 4, 3), 672)),
    "wq": (((0, 0, 0), 2792), ((9, 3, 2), 2800)),
    "qwac": (((0, 0, 0), 176), ((10, 0, 0), 96)),
    "qsst": (((0, 0, 0), 80),),
    "qtst": (((0, 0, 0), 100),),
}
"""Bytes of a section from a release on; structures not named always have the length of the layout."""

VERSIONS: Final[dict[str, tuple[tuple[Release, int], ...]]] = {
    "wq": (((0, 0, 0), 6), ((8, 0, 0), 8), ((9, 3, 2), 9)),
    "wtas": (((0, 0, 0), 5), ((8, 0, 0), 8)),
}

VERB_EYECATCHERS: Final = {
    "openeye": "OPEN",
    "closeeye": "CLOS",
    "geteye": "GET",
    "puteye": "PUT",
    "put1eye": "PUT1",
    "inqeye": "INQ",
    "seteye": "SET",
    "cbeye": "CB",
}
"""Texts that stand before each verb of a WQ."""


class HeaderConstants(NamedTuple):
    """What QWHS says about the origin of a subtype."""

    component: int
    event: int
    writer: int
    """0x10 from the queue manager, 0 from the channel initiator."""


HEADERS: Final[dict[tuple[int, int], HeaderConstants]] = {
    (115, 1): HeaderConstants(0x1A, 1, 0x10),
    (115, 2): HeaderConstants(0x1A, 2, 0x10),
    (115, 5): HeaderConstants(0x1A, 0, 0x10),
    (115, 6): HeaderConstants(0x1A, 0, 0x10),
    (115, 7): HeaderConstants(0x1A, 0, 0x10),
    (115, 201): HeaderConstants(0x1A, 9, 0x10),
    (115, 215): HeaderConstants(0x1A, 8, 0x10),
    (115, 216): HeaderConstants(0x1A, 10, 0x10),  # a choice: no real record seen
    (115, 231): HeaderConstants(0xE7, 0, 0x00),
    (115, 240): HeaderConstants(0x1A, 12, 0x10),
    (116, 0): HeaderConstants(0x1A, 3, 0x10),
    (116, 1): HeaderConstants(0xF7, 25, 0x10),
    (116, 2): HeaderConstants(0xF7, 25, 0x10),  # a choice: no real record seen
    (116, 10): HeaderConstants(0xE7, 0, 0x00),
}

STUB_SUBTYPES: Final = frozenset({(115, 5), (115, 6), (115, 7)})
"""Header section of four bytes that lies before the data."""

STUB: Final = bytes((0x00, 0x01, 0x01, 0x80))

TRIPLETS: Final[dict[tuple[int, int], int]] = {
    (115, 1): 12,
    (115, 2): 9,
    (115, 5): 2,
    (115, 6): 2,
    (115, 7): 2,
    (115, 201): 2,
    (115, 215): 2,
    (115, 216): 2,
    (115, 231): 6,
    (115, 240): 4,
    (116, 0): 7,
    (116, 1): 4,
    (116, 2): 3,
    (116, 10): 2,
}
"""Triplets that lie in the record, the header's own included. A 116/1 without queues has one fewer."""

UNDERCOUNTED: Final = {(115, 231): (9, 0, 0)}
"""Before this release QWHS counts one triplet fewer than there are."""

INTERNAL_BYTES: Final[dict[tuple[int, int], dict[int, int]]] = {(115, 1): {4: 64, 5: 96}, (115, 240): {1: 64}}
"""Sections without a known structure, that are there all the same."""

EMPTY_KEEP_PLACE: Final[dict[tuple[int, int], frozenset[int]]] = {(115, 231): frozenset({2, 3, 4, 5})}
"""Triplets that give place and length even when they count nothing."""

CLOCK_UNITS: Final = frozenset({(115, 231), (116, 10)})
"""Subtypes whose interval duration is in clock units; elsewhere it is microseconds."""

QUEUES_PER_TASK_RECORD: Final = 8
QUEUES_PER_CONTINUATION: Final = 9


def release_of(text: str) -> Release:
    """The release as numbers that compare.

    >>> release_of("9.3.2") < release_of("10.0.0")
    True
    """
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        raise ValueError(f"release {text!r} is not of the form 9.4.0")
    return int(parts[0]), int(parts[1]), int(parts[2])


def by_release(steps: tuple[tuple[Release, int], ...], release: Release) -> int:
    """The last step that is not newer than the release."""
    return max((start, value) for start, value in steps if start <= release)[1]
