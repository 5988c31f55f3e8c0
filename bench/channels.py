"""Message channels: what batches, pipelining and the length of the way make of one channel, and what it carries.

A transmission queue is filled while its channel is stopped, then the channel is started. The first and the last message
are for a queue of their own, on which the benchmark waits: the time between those two arrivals is what is measured, so
nothing looks at the receiver meanwhile, and neither the start nor the negotiation counts. The batch that brings the
first mark is not counted. Channels take turns in every round, and so do the clients that they are compared with. On a
machine with other work, `chrt -r 10` in front gives it the processors first, as long as it has something to do.

python bench/channels.py [--quick | --tiny] [--folder FOLDER] [--profile FILE]
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median

from channel_managers import (
    BEYOND,
    LINKS,
    LOCAL,
    MARK,
    RECEIVER,
    SENDERS,
    TARGET,
    Manager,
    Network,
    channel_name,
    network,
)
from delay_link import probe
from machine import RawDevice, data_folder, describe
from server_profile import Profile, sampler
from table import Table, human, ratio, verdict

BATCHES = (1, 10, 50, 200)
PIPELINES = tuple(SENDERS)
DATA = bytes(range(256)) * 8
BATCH_GOAL, CARRY_GOAL = 20, 0.6
_USUAL = 50
_UNIT = 50  # messages of a unit of work of the local client
_LOAD = 100
_ARRIVAL_S = 60
_FAST_BATCH = 1  # fast messages are in no batch: they count one by one
_KINDS = {True: "persistent", False: "FAST"}
_ABOVE = 10  # the priority of whoever looks at the clock, above that of the servers, if they have one
Carry = dict["Cell", list["Carried"]]


@dataclass(frozen=True)
class Cell:
    """One channel, and what it carries."""

    persistent: bool
    link: str
    pipeline: int
    batch: int

    @property
    def channel(self) -> str:
        return channel_name(self.link, self.batch)


@dataclass(frozen=True)
class Carried:
    """What a run has found: messages a second, and processor time a message at both ends, in microseconds."""

    rate: float
    sender_us: float
    receiver_us: float


@dataclass(frozen=True)
class Size:
    """How much is measured: a run is to take about so many seconds at the rates that a machine of today has."""

    rounds: int
    seconds: float
    batches: Sequence[int] = BATCHES

    def messages(self, cell: Cell) -> int:
        """Full batches, three at least."""
        if not cell.persistent:
            return max(10, round(40_000 * self.seconds))
        trip_ms = LINKS[cell.link] + 0.6
        rate = min(15_000.0, 1000 / trip_ms * cell.batch)
        return max(3, round(rate * self.seconds / cell.batch)) * cell.batch


FULL, QUICK, TINY = Size(7, 0.5), Size(3, 0.2), Size(1, 0.0, (1, 10, _USUAL))


def fill(sender: Manager, prefix: str, count: int, *, persistent: bool) -> None:
    """Messages on the transmission queue, with a mark at both ends."""
    connection = sender.connection
    with connection.queue(prefix + MARK) as marks, connection.queue(prefix + TARGET) as queue:
        marks.put(b"first", persistent=persistent)
        left = count - 2
        while left > 0:
            with connection.transaction():
                queue.put_many([DATA] * min(left, _LOAD), persistent=persistent)
            left -= _LOAD
        marks.put(b"last", persistent=persistent)


def arrival_s(manager: Manager, begin: Callable[[], None]) -> float:
    """Seconds from the arrival of the first mark to that of the last."""
    with manager.connection.queue(MARK) as marks:
        begin()
        first, began = marks.get(_ARRIVAL_S), time.perf_counter()
        last, ended = marks.get(_ARRIVAL_S), time.perf_counter()
    if (first.data, last.data) != (b"first", b"last"):
        raise RuntimeError(f"{manager.name}: the marks came as {first.data!r}, {last.data!r}")
    return ended - began


def one_hop(net: Network, cell: Cell, count: int, begin: Callable[[], None] = lambda: None) -> Carried:
    """Over one channel."""
    sender, receiver = net.senders[cell.pipeline], net.receiver
    fill(sender, "", count, persistent=cell.persistent)

    def start() -> None:
        net.start(sender, cell.channel)
        begin()

    before = sender.processor_s(), receiver.processor_s()
    seconds = arrival_s(receiver, start)
    taken = sender.processor_s() - before[0], receiver.processor_s() - before[1]
    net.stop(sender, cell.channel)
    net.clear()
    rate = (count - (cell.batch if cell.persistent else _FAST_BATCH)) / seconds
    return Carried(rate, taken[0] / count * 1e6, taken[1] / count * 1e6)


def two_hops(net: Network, cell: Cell, count: int) -> float:
    """Messages a second, with another channel behind it that works at the same time."""
    sender, onward = net.senders[cell.pipeline], channel_name("onward", _USUAL)
    fill(sender, BEYOND + ".", count, persistent=cell.persistent)
    net.start(net.receiver, onward)
    seconds = arrival_s(net.further, lambda: net.start(sender, cell.channel))
    net.stop(sender, cell.channel)
    net.stop(net.receiver, onward)
    net.clear()
    return (count - (cell.batch if cell.persistent else _FAST_BATCH)) / seconds


def local_puts(sender: Manager, seconds: float) -> float:
    """Puts a second of one local client, each confirmed."""
    with sender.connection.queue(LOCAL) as queue:
        queue.put(DATA, persistent=True)
        count, began = 0, time.perf_counter()
        while (passed := time.perf_counter() - began) < seconds:
            queue.put(DATA, persistent=True)
            count += 1
    sender.mqsc(f"CLEAR QLOCAL({LOCAL})")
    return count / passed


def local_units(sender: Manager, seconds: float) -> float:
    """Puts a second of one local client in units of work."""
    batch = [DATA] * _UNIT
    with sender.connection.queue(LOCAL) as queue:
        count, began = 0, time.perf_counter()
        while (passed := time.perf_counter() - began) < seconds:
            with sender.connection.transaction():
                queue.put_many(batch, persistent=True)
            count += _UNIT
    sender.mqsc(f"CLEAR QLOCAL({LOCAL})")
    return count / passed


def run(folder: str, size: Size = FULL, *, profile: Path | None = None) -> None:
    trip_ms, megabytes = probe(LINKS["far"], megabytes=1 if size is TINY else 64)
    device = RawDevice(folder, 4096)
    table = Table("the machine")
    table.rates("forces of 4 KiB", [200 / device.run(200) for _ in range(size.rounds)], "a second")
    device.close()
    table.line("round trip of the far link", f"{trip_ms:.2f} ms", f"{LINKS['far']:g} ms are added to loopback")
    table.line("bytes through it", f"{megabytes:.0f} MB/s", "must be far more than any channel carries")
    table.show()
    cells = [Cell(*one) for one in product(_KINDS, LINKS, PIPELINES, size.batches)]
    with network(folder, batches=size.batches) as net:
        _look_first()
        _measure(net, cells, size)
        if profile is not None:
            _profile(net, folder, profile)


def _look_first() -> None:
    """With real-time priority: do not wait for a turn among the servers to see that a mark has come."""
    policy = os.sched_getscheduler(0)
    if policy in (os.SCHED_RR, os.SCHED_FIFO):
        own = os.sched_getparam(0).sched_priority
        os.sched_setscheduler(0, policy, os.sched_param(min(own + _ABOVE, os.sched_get_priority_max(policy))))


def _measure(net: Network, cells: list[Cell], size: Size) -> None:
    carried: Carry = {cell: [] for cell in cells}
    hops: dict[bool, list[float]] = {True: [], False: []}
    puts: list[float] = []
    units: list[float] = []
    seconds = max(size.seconds, 0.05)
    for number in range(-1, size.rounds):
        for cell in cells:
            found = one_hop(net, cell, size.messages(cell))
            if number >= 0:
                carried[cell].append(found)
        for persistent in _KINDS:
            cell = Cell(persistent, "near", 1, _USUAL)
            rate = two_hops(net, cell, size.messages(cell))
            if number >= 0:
                hops[persistent].append(rate)
        put, unit = local_puts(net.senders[1], seconds), local_units(net.senders[1], seconds)
        if number >= 0:
            puts.append(put)
            units.append(unit)
    _show(carried, hops, puts, units, size)


def _show(found: Carry, hops: dict[bool, list[float]], puts: list[float], units: list[float], size: Size) -> None:
    rates = {cell: [one.rate for one in runs] for cell, runs in found.items()}
    for persistent, link in product(_KINDS, LINKS):
        title = f"one channel, {_KINDS[persistent]} 2 KiB, " + (
            "loopback" if not LINKS[link] else f"a link of {LINKS[link]:g} ms"
        )
        table = Table(title, "messages/s")
        for pipeline in PIPELINES:
            single = rates[Cell(persistent, link, pipeline, 1)]
            for batch in size.batches:
                cell = Cell(persistent, link, pipeline, batch)
                times = ratio(rates[cell], single)
                remark = f"{times:.1f} times BATCHSZ(1)" if batch != 1 else ""
                if persistent and batch == _USUAL and link == "far":
                    remark += f": {BATCH_GOAL} asked for, {verdict(times >= BATCH_GOAL)}"
                table.rates(f"BATCHSZ({batch}), PipeLineLength={pipeline}", rates[cell], remark)
        table.show()
    table = Table(f"processor time a message, BATCHSZ({_USUAL}), loopback", "us")
    for persistent, pipeline in product(_KINDS, PIPELINES):
        runs = found[Cell(persistent, "near", pipeline, _USUAL)]
        sender, receiver = median(one.sender_us for one in runs), median(one.receiver_us for one in runs)
        table.line(
            f"{_KINDS[persistent]}, PipeLineLength={pipeline}",
            f"{sender:.1f}",
            f"at the sender, {receiver:.1f} at the receiver",
        )
    table.show()
    table = Table(f"two hops against one, BATCHSZ({_USUAL}), loopback", "messages/s")
    for persistent, word in _KINDS.items():
        one = rates[Cell(persistent, "near", 1, _USUAL)]
        table.rates(f"{word}, two hops", hops[persistent], f"{ratio(hops[persistent], one):.2f} of one hop")
    table.show()
    table = Table("one channel against one local client, persistent 2 KiB", "messages/s")
    table.rates("local client, one put at a time", puts)
    table.rates(f"local client, units of work of {_UNIT}", units)
    for pipeline in PIPELINES:
        carried = rates[Cell(True, "near", pipeline, _USUAL)]
        alone, unit = ratio(carried, puts), ratio(carried, units)
        remark = (
            f"{alone:.1f} of one at a time: {CARRY_GOAL} asked for, {verdict(alone >= CARRY_GOAL)};"
            f" {unit:.2f} of units: {verdict(unit >= CARRY_GOAL)}"
        )
        table.rates(f"BATCHSZ({_USUAL}), PipeLineLength={pipeline}", carried, remark)
    table.show()


def _profile(net: Network, folder: str, path: Path) -> None:
    """Where sender and receiver spend their time, for persistent and fast messages."""
    if sampler() is None:
        print("py-spy is not installed: no profile")
        return
    with path.open("w") as out:
        for persistent, seconds in ((True, 4), (False, 4)):
            cell = Cell(persistent, "near", 2, _USUAL)
            found: list[tuple[str, Profile]] = []

            def begin(seconds: int = seconds, found: list[tuple[str, Profile]] = found) -> None:
                for manager in (net.senders[2], net.receiver):
                    found.append((manager.name, Profile(manager.pid, seconds, folder)))

            count = 12_000 * (seconds + 2) // _USUAL * _USUAL
            rate = one_hop(net, cell, count, begin).rate
            print(f"{_KINDS[persistent]}, BATCHSZ({_USUAL}), {human(rate)} messages/s", file=out)
            for name, profile in found:
                print(f"\n{name}\n{profile.text()}", file=out)
    print(f"profiles of sender and {RECEIVER.lower()}: {path}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quick", action="store_const", const=QUICK, dest="size", help="fewer and shorter rounds")
    how_much.add_argument("--tiny", action="store_const", const=TINY, dest="size", help="only see that all of it runs")
    parser.add_argument("--folder", help="where to keep the data meanwhile; on a disk, not in memory")
    parser.add_argument("--profile", type=Path, help="write profiles of both ends to this file")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # which ends the queue managers, too
    with data_folder(chosen.folder) as folder:
        print(describe(folder))
        run(folder, chosen.size or FULL, profile=chosen.profile)


if __name__ == "__main__":
    main()
