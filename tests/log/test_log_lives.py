"""Many lives of a log: each begins with a restart and ends in order, in a power cut, in a failed write or a lost copy.

Whatever one life was promised, and whatever a restart has shown, every later life finds again, in order, and nothing
else. Power cuts come in restarts and repairs too.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from helper_log_crash import CIRCULAR, DUAL, FOLDER, LINEAR, LINEAR_DUAL, SECOND, SINGLE, Kind, Ledger

from libremq.log import Log, LogDamaged, LogError, LogFailed, LogFull
from libremq.log.config import ROWS
from libremq.testing import FaultyFiles, PowerCut

LIVES = 6
SIZES = (0, 10, 50, 700, 700, 700, 3900, 4028, 5000, 13000, 40000)


def plan_fault(kind: Kind, files: FaultyFiles, rng: random.Random) -> None:
    draw = rng.random()
    if draw < 0.35:
        files.crash_at = files.operations + rng.randrange(1, 80 if kind.config.second_folder else 40)
    elif draw < 0.6 and kind is not SINGLE:  # a failed sync tears pages, which SingleWrite does not claim to survive
        paths = rng.choice(("*.LOG", "*.lfh", "*shd.lfh", "*tal.lfh", "*ctl.lfh", "/copy/*"))
        how = rng.choice(("sync", "write"))
        files.fail(how, paths, after=rng.randrange(30), torn=rng.random() < 0.5, data_lost=rng.random() < 0.7)


def work(log: Log, ledger: Ledger, rng: random.Random) -> None:
    for _ in range(rng.randrange(1, 30)):
        for _ in range(rng.randrange(1, 4)):
            ledger.append(log, rng.choice(SIZES))
        if rng.random() < 0.8:
            ledger.force(log)
        if rng.random() < 0.15 and ledger.promised > 3:
            head = max(log.head, ledger.appended[ledger.promised - 1 - rng.randrange(3)][0])
            if log.config.linear and rng.random() < 0.5:
                log.set_media(max(log.media, head))
            ledger.checkpoint(log, head)
        if rng.random() < 0.1:
            log.prepare_next()
    if rng.random() < 0.3:
        log.close()
        ledger.promised = len(ledger.appended)


def live(kind: Kind, files: FaultyFiles, ledger: Ledger, rng: random.Random, label: str) -> tuple[str, bool]:
    """One life; returns how it ended, and whether its restart came to an end."""
    log = None
    try:
        log = kind.open(files)
        found = ledger.check(log, label)
        # What the restart did not find is gone for good; what it found must stay.
        start = min(log.head, log.media) if log.config.linear else log.head
        ledger.appended = [row for row in ledger.appended if row[0] < start] + found
        ledger.promised = len(ledger.appended)
        work(log, ledger, rng)
        ended = "ended"
    except PowerCut:
        ended = "cut"
    except LogDamaged:
        raise
    except (LogFailed, OSError):
        ended = "failed"
    except LogFull:
        ended = "full"
    except LogError as error:
        assert "cannot be repaired" in str(error), label
        ended = "not repaired"
    if log is not None:
        log.abandon()
    return ended, log is not None


@pytest.mark.parametrize("kind", [CIRCULAR, SINGLE, DUAL, LINEAR, LINEAR_DUAL], ids=str)
def test_many_lives(kind: Kind) -> None:
    many_lives(kind)


@pytest.mark.parametrize("kind", [CIRCULAR, LINEAR_DUAL], ids=str)
def test_many_lives_with_extents_of_a_few_pages(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Smaller than anybody may have them: then a single force runs over several, and the ring turns all the time."""
    monkeypatch.setitem(ROWS, "file_pages", ROWS["file_pages"]._replace(lowest=4))
    many_lives(Kind(f"{kind}, tiny", replace(kind.config, file_pages=7, primary_files=3, secondary_files=8)))


def many_lives(kind: Kind) -> None:
    ends: Counter[str] = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        files = kind.template()
        ledger = Ledger()
        for number in range(LIVES):
            plan_fault(kind, files, rng)
            ended, opened = live(kind, files, ledger, rng, f"{kind}, seed {seed}, life {number}")
            ends[ended] += 1
            files.heal()
            if not files.powered or rng.random() < 0.5:
                files = rng.choice(list(kind.states(files, rng, 25)))
            else:
                files = files.copy()  # the process was killed: what is unsynced stays in the cache
            if kind.config.second_folder and opened and rng.random() < 0.15:
                files.remove_folder(rng.choice((FOLDER, SECOND)))
                files.sync_folder("/")
                ends["copy lost"] += 1
    assert ends["ended"] > 100 and ends["cut"] > 60
    assert ends["failed"] > 10 or kind is SINGLE
    assert ends["copy lost"] > 10 or not kind.config.second_folder
