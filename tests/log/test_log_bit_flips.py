"""One bit flipped anywhere in any file of a log: recovered, refused, or harmless; never wrong data.

The one thing no log can notice is damage to its very last force before a crash, when there is one copy only: nothing
was written after it that could tell. What was promised before that force is checked even then. (SingleWrite keeps no
earlier version of the last page, so there it is all that is in that page.)
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from helper_log_crash import CIRCULAR, DUAL, FOLDER, LINEAR, SECOND, SINGLE, Kind, Ledger

from libremq.log import Log, LogDamaged
from libremq.testing import FaultyFiles

FLIPS_EACH = 70


def filled(kind: Kind, orderly: bool) -> tuple[FaultyFiles, Ledger, int]:
    """A log with every kind of file; returns also how many records were promised before the last force."""
    files = kind.template()
    ledger = Ledger()
    log = kind.open(files)
    for size in (100, 200, 300, 5000, 60_000, 70, 70, 9000, 70_000, 70_000, 90_000):
        ledger.append(log, size)
        ledger.force(log)
    if kind.config.linear:
        log.set_media(ledger.appended[2][0])
    ledger.checkpoint(log, ledger.appended[8][0])
    ledger.append(log, 5000)
    ledger.force(log)
    log.abandon()
    log = kind.open(files)  # leaves a tail file
    for size in (100, 200, 6000, 50, 60, 70):
        before = ledger.promised
        ledger.append(log, size)
        ledger.force(log)
    if orderly:
        log.close()
        before = ledger.promised
    else:
        if kind is SINGLE:
            last_page = log.tail - log.tail % 4096
            before = len([1 for lsn, payload in ledger.appended if lsn + 28 + len(payload) <= last_page])
        log.abandon()
    return files, ledger, before


def flip(files: FaultyFiles, path: str, bit: int) -> None:
    byte = files.content(path)[bit // 8]
    files.overwrite(path, bit // 8, bytes([byte ^ (1 << bit % 8)]))


def outcome(kind: Kind, files: FaultyFiles, ledger: Ledger, promised: int, label: str) -> str:
    try:
        log = kind.open(files)
        start = min(log.head, log.media) if log.config.linear else log.head
        found = [(record.lsn, record.payload) for record in log.scan(start)]
    except LogDamaged as error:
        assert error.path.startswith((FOLDER, SECOND)) and error.action, label
        return "refused"
    expected = [row for row in ledger.appended if row[0] >= start]
    missing = len(expected) - len(found)
    assert found == expected[: len(found)], label
    assert missing <= len(ledger.appended) - promised, label
    for lsn, payload in found:
        assert log.read(lsn).payload == payload, label
    return "last force lost" if missing else "whole"


def flips(files: FaultyFiles, rng: random.Random) -> list[tuple[str, int]]:
    """A sample of bits of every file, most of them where something is."""
    chosen = []
    for folder in (FOLDER, SECOND):
        for name in files.list(folder) if files.exists(folder) else []:
            path = f"{folder}/{name}"
            content = files.content(path)
            pages = [n for n in range(0, len(content), 4096) if any(content[n : n + 4096])] or [0]
            for _ in range(FLIPS_EACH):
                if rng.random() < 0.8:
                    offset = rng.choice(pages) + rng.choice((rng.randrange(90), rng.randrange(4096)))
                else:
                    offset = rng.randrange(len(content))
                chosen.append((path, offset * 8 + rng.randrange(8)))
    return chosen


@pytest.mark.parametrize("orderly", [True, False], ids=["ended", "crashed"])
@pytest.mark.parametrize("kind", [CIRCULAR, SINGLE, LINEAR, DUAL], ids=str)
def test_a_flipped_bit_never_brings_wrong_data(kind: Kind, orderly: bool) -> None:
    files, ledger, promised = filled(kind, orderly)
    outcomes: Counter[str] = Counter()
    kinds_of_file: Counter[str] = Counter()
    for path, bit in flips(files, random.Random(11)):
        copy = files.copy()
        flip(copy, path, bit)
        result = outcome(kind, copy, ledger, promised, f"{kind} bit {bit} of {path}")
        outcomes[result] += 1
        kinds_of_file["extent" if path.endswith(".LOG") else path[-12:]] += 1
    expected = {"extent", "amqhlctl.lfh", "amqhltal.lfh"} | (set() if kind is SINGLE else {"amqhlshd.lfh"})
    assert set(kinds_of_file) == expected
    if kind is DUAL:
        assert set(outcomes) == {"whole"}
    else:
        assert outcomes["refused"] and outcomes["whole"]
        assert outcomes["last force lost"] == 0 or not orderly


def test_the_control_file_survives_any_one_flip() -> None:
    files, ledger, promised = filled(CIRCULAR, False)
    path = f"{FOLDER}/amqhlctl.lfh"
    for bit in range(0, 2 * 4096 * 8, 61):
        copy = files.copy()
        flip(copy, path, bit)
        assert outcome(CIRCULAR, copy, ledger, promised, f"bit {bit}") == "whole"


def test_both_slots_of_the_control_file_flipped_is_refused() -> None:
    files, _, _ = filled(CIRCULAR, True)
    path = f"{FOLDER}/amqhlctl.lfh"
    for bit in (0, 8 * 20, 8 * 50):
        copy = files.copy()
        flip(copy, path, bit)
        flip(copy, path, 4096 * 8 + bit)
        with pytest.raises(LogDamaged):
            Log.open(copy, FOLDER)
