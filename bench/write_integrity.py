"""What LogWriteIntegrity costs: pairs of putter and getter with SingleWrite and TripleWrite, beside published figures.

The experiment is the one whose counters were published for the product (2016): one pair, then ten, each with a queue
of its own; the putter puts a persistent message in a unit of work and commits, the getter gets it and commits. It
counts bytes and writes, which a busy machine changes little, so nothing takes turns here.
"""

from __future__ import annotations

import shutil
import threading
import time
from typing import NamedTuple

from table import Table, human, verdict
from workload import Application, start

from libremq.host.embedded import EmbeddedQueueManager
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQPMO

PAIRS = (1, 10)
EXTRA_WRITES_MAX = 0.02  # with ten pairs
_MODES = ("SingleWrite", "TripleWrite")
_MESSAGE = bytes(range(256)) * 4  # with its descriptor about what a unit of work had in the source
_NO_ID = bytes(24)


class Figures(NamedTuple):
    """The logger's counters over one run."""

    logical_bytes: int
    physical_bytes: int
    logical_writes: int
    physical_writes: int

    @property
    def useful_share(self) -> float:
        return self.logical_bytes / self.physical_bytes

    @property
    def writes_ratio(self) -> float:
        return self.physical_writes / self.logical_writes


PUBLISHED = {
    (1, "SingleWrite"): Figures(145_007_088, 901_357_568, 184_701, 184_710),
    (1, "TripleWrite"): Figures(144_911_023, 1_092_419_584, 184_554, 231_340),
    (10, "SingleWrite"): Figures(1_554_398_609, 2_357_719_040, 492_518, 492_540),
    (10, "TripleWrite"): Figures(1_913_305_409, 2_818_990_080, 515_840, 518_598),
}


def _putter(application: Application, seconds: float) -> None:
    """Put for so long, and last an empty message: the end."""
    connection, hobj = application.connection, application.hobj
    md, pmo = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT), MQPMO(Options=C.MQPMO_SYNCPOINT)
    end = time.perf_counter() + seconds
    more = True
    while more:
        more = time.perf_counter() < end
        md.MsgId = _NO_ID
        connection.put(hobj, md, pmo, _MESSAGE if more else b"")
        connection.commit()


def _getter(application: Application) -> None:
    connection, hobj = application.connection, application.hobj
    md = MQMD(Version=2)
    gmo = MQGMO(Options=C.MQGMO_SYNCPOINT | C.MQGMO_WAIT, WaitInterval=C.MQWI_UNLIMITED)
    data = _MESSAGE
    while data:
        md.MsgId = md.CorrelId = _NO_ID
        data = connection.get(hobj, md, gmo).data
        connection.commit()


def _counters(embedded: EmbeddedQueueManager) -> Figures:
    now = embedded.manager.core.log.statistics()
    return Figures(now.logical_bytes, now.physical_bytes, now.logical_writes, now.physical_writes)


def measure(folder: str, pairs: int, mode: str, seconds: float) -> Figures:
    """Run that many pairs at the same time for so long."""
    queues = [f"BENCH.PAIR{number}" for number in range(pairs)]
    embedded = start(folder, *queues, log_config=LogConfig(write_integrity=mode))
    applications: list[Application] = []
    threads: list[threading.Thread] = []
    for queue in queues:
        getter, putter = Application(embedded, queue), Application(embedded, queue)
        applications += getter, putter
        threads.append(threading.Thread(target=_getter, args=(getter,)))
        threads.append(threading.Thread(target=_putter, args=(putter, seconds)))
    before = _counters(embedded)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = _counters(embedded)
    for application in applications:
        application.close()
    embedded.end()
    return Figures(*(new - old for new, old in zip(after, before)))


def _extra_writes(figures: dict[tuple[int, str], Figures], pairs: int) -> float:
    """Writes of TripleWrite beyond those of SingleWrite, for the same number of logical writes."""
    return figures[pairs, "TripleWrite"].writes_ratio / figures[pairs, "SingleWrite"].writes_ratio - 1


def run(folder: str, seconds: float) -> None:
    found: dict[tuple[int, str], Figures] = {}
    for pairs in PAIRS:
        for mode in _MODES:
            place = f"{folder}/pairs"
            found[pairs, mode] = measure(place, pairs, mode, seconds)
            shutil.rmtree(place)
    for pairs in PAIRS:
        table = Table(
            f"LogWriteIntegrity: {pairs} pair{'s' if pairs > 1 else ''} of putter and getter, persistent 1 KiB, "
            "each in a unit of work; published figures on the right"
        )
        for mode in _MODES:
            ours, theirs = found[pairs, mode], PUBLISHED[pairs, mode]
            table.line(f"{mode}, logical bytes", human(ours.logical_bytes), human(theirs.logical_bytes))
            table.line(f"{mode}, physical bytes", human(ours.physical_bytes), human(theirs.physical_bytes))
            table.line(f"{mode}, useful share of the bytes", f"{ours.useful_share:.1%}", f"{theirs.useful_share:.1%}")
            table.line(f"{mode}, logical writes", human(ours.logical_writes), human(theirs.logical_writes))
            table.line(f"{mode}, physical writes", human(ours.physical_writes), human(theirs.physical_writes))
        extra = _extra_writes(found, pairs)
        remark = f"{_extra_writes(PUBLISHED, pairs):+.2%}"
        if pairs > 1:
            remark += f"; under {EXTRA_WRITES_MAX:+.0%}: {verdict(extra < EXTRA_WRITES_MAX)}"
        table.line("TripleWrite against SingleWrite, writes", f"{extra:+.2%}", remark)
        table.show()
