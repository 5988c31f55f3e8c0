"""One bit flipped in any file of a queue manager at rest: recovered, refused clearly, or harmless; never wrong data.

Flips are drawn by seed over every file, most of them where something is. "Recovered": the bit was put right, from the
other slot, version or copy, or by being replaced. "Harmless": nothing needs what is there. "Last force lost" is the one
limit of a log with a single copy (see crash_prepared.py), and cannot happen with two.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest
from crash_driver import resolve_all, second_life
from crash_kinds import kind_of, report_outcomes
from crash_matrix import AUTOMATIC, CIRCULAR, DUAL, DUAL_LINEAR, PAGE, SINGLE, TURNING, Configuration, replace_file
from crash_points import Record, by_level
from crash_prepared import (
    HARMLESS,
    LAST_FORCE,
    QUEUE_REFUSED,
    RECOVERED,
    REFUSED,
    Prepared,
    check_refusal,
    ended,
    killed,
    outcome_of,
)

from libremq.mqi.errors import MQError

FLIPS_EACH = by_level(10, 40, 2000)
SECOND_LIFE_EVERY = by_level(11, 11, 3)
CONFIGURATIONS = (CIRCULAR, TURNING, SINGLE, AUTOMATIC, DUAL, DUAL_LINEAR)


def positions(content: bytes, rng: random.Random) -> list[int]:
    """Bytes to damage: in headers, where something is, and a few anywhere."""
    size = len(content)
    pages = [at for at in range(0, size, PAGE) if any(content[at : at + PAGE])] or [0]
    used = [at for at in range(0, size, 64) if any(content[at : at + 64])] or [0]
    chosen = set()
    for _ in range(FLIPS_EACH):
        draw = rng.random()
        if draw < 0.3:
            at = rng.choice(pages) + rng.randrange(48)
        elif draw < 0.85:
            at = rng.choice(used) + rng.randrange(64)
        else:
            at = rng.randrange(max(1, size))
        if at < size:
            chosen.add(at)
    return sorted(chosen)


def flip_outcome(prepared: Prepared, path: str, at: int, bit: int, number: int) -> str:
    files = prepared.files.copy()
    before = files.content(path)[at]
    flipped = bytes([before ^ bit])
    files.overwrite(path, at, flipped)
    outcome, life = outcome_of(files, prepared, path, path, slice(at, at + 1))
    if outcome == REFUSED and number % SECOND_LIFE_EVERY == 0:
        # A refusal leaves the other files as good as they were
        replace_file(files, path, prepared.files.content(path))
        again, life = outcome_of(files, prepared, path, path)
        assert again in (HARMLESS, RECOVERED), again
    if life is not None:
        if number % SECOND_LIFE_EVERY == 0:
            try:
                resolve_all(life, bool(number % 2))
                second_life(life)
            except MQError as error:
                # Found when it was needed: of a message that a branch in doubt had got
                check_refusal(error, path)
                outcome = QUEUE_REFUSED
        life.qm.abandon()
    return outcome


@pytest.mark.parametrize("prepare", [ended, killed], ids=["ended", "killed"])
@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=str)
def test_flipped_bits(configuration: Configuration, prepare: Callable[..., Prepared], record_property: Record) -> None:
    prepared = prepare(configuration)
    rows: dict[str, Counter[str]] = {}
    number = 0
    for path in prepared.paths():
        rng = random.Random(f"{configuration} {path}")
        row = rows.setdefault(kind_of(path), Counter())
        for at in positions(prepared.files.content(path), rng):
            number += 1
            bit = 1 << rng.randrange(8)
            try:
                row[flip_outcome(prepared, path, at, bit, number)] += 1
            except Exception as error:
                where = f"{configuration}: {path} with bit {bit:#x} flipped at {at}"
                raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error
    copies = "two copies" if configuration.log.second_folder else "one copy"
    report_outcomes(record_property, f"bit flips, log with {copies}", rows)
    assert {"extent", "control file", "checkpoint file", "catalogue", "queue file", "handle file"} <= rows.keys()
    if configuration.log.second_folder or prepare is ended:
        assert not any(row[LAST_FORCE] for row in rows.values())
    if configuration.log.second_folder:
        for kind in ("extent", "control file", "shadow file"):
            assert not rows[kind][REFUSED], rows


@pytest.mark.parametrize("configuration", (CIRCULAR, SINGLE, AUTOMATIC, DUAL, DUAL_LINEAR), ids=str)
def test_the_last_force_before_a_crash(configuration: Configuration, record_property: Record) -> None:
    """Damage to it may cost what it held, and nothing before it, if there is one copy; with two it costs nothing."""
    prepared = killed(configuration)
    rng = random.Random(str(configuration))
    row: Counter[str] = Counter()
    assert prepared.last_pages
    for path, page in prepared.last_pages:
        used = len(prepared.files.content(path)[page : page + PAGE].rstrip(b"\0"))
        for at in {page + rng.randrange(used) for _ in range(by_level(20, 100, 3000))}:
            bit = 1 << rng.randrange(8)
            try:
                row[flip_outcome(prepared, path, at, bit, at)] += 1
            except Exception as error:
                where = f"{configuration}: {path} with bit {bit:#x} flipped at {at}"
                raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error
    copies = "two copies" if configuration.log.second_folder else "one copy"
    report_outcomes(record_property, f"bit flips, log with {copies}", {"extent and shadow, last force": row})
    if configuration.log.second_folder:
        assert row.keys() <= {RECOVERED, HARMLESS}, row
    else:
        assert row[LAST_FORCE], row
