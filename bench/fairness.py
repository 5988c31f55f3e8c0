"""Nobody holds up the others: the worst call of an ordinary client while somebody else does what takes long.

The client is a process of its own that puts a persistent message of 1 KiB over TCP and gets it again, without end; each
of the two is a call. Beside it, one after the other: a socket that sends heartbeats and has never logged in, a get with
a selector that has to look at large properties, a get that meets expired messages only, DISPLAY of many queues with a
filter, a checkpoint after which many queues have changed, and one huge persistent put. What a disturbance needs is made
ready before, while nobody counts. Quiet rounds come before each. On a machine with other work the worst call says more
about that work than about us: look at the quiet one first.

python bench/fairness.py [--quick | --tiny] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import getpass
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from statistics import median
from urllib.parse import quote

from daemons import LOOPBACK, free_port, own_folder, running
from machine import data_folder, describe
from table import Table, human, verdict

import libremq
from libremq.wire.protocol import Type
from libremq.wire.segments import frame_plain

GOAL_MS = 50
_QMGR = "BENCH"
_ORDINARY, _SELECTED, _EXPIRED = "FAIR.ORDINARY", "FAIR.SELECTED", "FAIR.EXPIRED"
_HUGE, _MANY = "FAIR.HUGE", "FAIR.MANY"
_DATA = bytes(range(256)) * 4
_UNIT = 500  # messages a unit of work, of those that are made ready
_LEAST_S = 0.5  # a round lasts at least so long
_READY_S = 120.0
_CONFIGURATION = """
ALTER QMGR CHLAUTH(DISABLED) MAXMSGL(104857600) MAXPROPL(NOLIMIT) MAXUMSGS(100000)
ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL)
ALTER CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('{user}') MAXMSGL(104857600)
DEFINE QLOCAL(FAIR.ORDINARY)
DEFINE QLOCAL(FAIR.SELECTED) MAXDEPTH(1000000)
DEFINE QLOCAL(FAIR.EXPIRED) MAXDEPTH(1000000)
DEFINE QLOCAL(FAIR.HUGE) MAXMSGL(104857600)
"""


@dataclass(frozen=True)
class Size:
    """How much of everything."""

    seconds: float  # of heartbeats, and of each quiet round
    selected: int  # messages with properties
    properties: int  # of each
    expired: int
    shown: int  # queues
    changed: int  # queues
    huge_bytes: int


FULL = Size(5.0, 5_000, 400, 200_000, 20_000, 5_000, 100_000_000)
QUICK = Size(1.0, 500, 400, 20_000, 2_000, 500, 20_000_000)
TINY = Size(0.1, 20, 40, 200, 50, 10, 1_000_000)


# The ordinary client


def _ordinary(url: str, orders: Connection) -> None:
    """In a process of its own: calls from "go" to whatever comes next; the seconds of each are sent back."""
    with libremq.connect(url) as manager, manager.queue(_ORDINARY) as queue:
        now = time.perf_counter
        for _ in range(10):
            queue.put(_DATA, persistent=True)
            queue.get()
        orders.send("ready")
        while orders.recv() == "go":
            taken: list[float] = []
            orders.send("begun")
            while not orders.poll():
                began = now()
                queue.put(_DATA, persistent=True)
                between = now()
                queue.get()
                taken += [between - began, now() - between]
            orders.recv()
            orders.send(taken)


class OrdinaryClient:
    """It, from the outside."""

    def __init__(self, url: str) -> None:
        context = get_context("spawn")
        self._orders, theirs = context.Pipe()
        self._process = context.Process(target=_ordinary, args=(url, theirs), daemon=True)
        self._process.start()
        theirs.close()
        self._answer()

    def _answer(self) -> object:
        if not self._orders.poll(_READY_S):
            raise SystemExit(f"the ordinary client had no answer for {_READY_S:.0f} s")
        return self._orders.recv()

    def during(self, work: Callable[[], object]) -> list[float]:
        """The seconds of its calls while something else is done."""
        self._orders.send("go")
        self._answer()
        until = time.perf_counter() + _LEAST_S
        work()
        time.sleep(max(0.0, until - time.perf_counter()))
        self._orders.send("enough")
        taken = self._answer()
        assert isinstance(taken, list) and taken
        return taken

    def end(self) -> None:
        with suppress(OSError):
            self._orders.send("end")
        self._process.join(10)
        if self._process.is_alive():
            self._process.kill()


# The others


class Others:
    """What they do: for each disturbance something that is made ready, and the thing itself."""

    def __init__(self, manager: libremq.QueueManager, administrator: libremq.QueueManager, port: int, size: Size):
        self._manager = manager
        self._administrator = administrator
        self._port = port
        self._size = size

    def disturbances(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Each is ready when it comes."""
        size = self._size
        yield "heartbeats without end", self._heartbeats
        self._fill_selected()
        yield f"selector, {human(size.selected)} messages of {size.properties} properties", self._select
        self._fill_expired()
        yield f"get that meets {human(size.expired)} expired messages", self._meet_expired
        yield f"DISPLAY QUEUE(*) WHERE, {human(size.shown)} queues", self._display
        self._change_queues()
        yield f"checkpoint, {human(size.changed)} queues", self._administrator.checkpoint
        yield f"persistent put of {size.huge_bytes / 1e6:.0f} MB", self._put_huge

    def _heartbeats(self) -> None:
        """Whoever is cut off comes again."""
        beats = frame_plain(Type.HEARTBEAT, b"") * 4096
        until = time.perf_counter() + self._size.seconds
        while time.perf_counter() < until:
            try:
                with socket.create_connection((LOOPBACK, self._port), timeout=1) as one:
                    one.settimeout(0.1)
                    while time.perf_counter() < until:
                        with suppress(TimeoutError):
                            one.sendall(beats)
            except OSError:
                time.sleep(0.01)

    def _fill_selected(self) -> None:
        properties = {f"property{number:04}": "x" * 20 for number in range(self._size.properties)}
        with self._manager.queue(_SELECTED) as queue:
            for first in range(0, self._size.selected, _UNIT):
                with self._manager.transaction():
                    for _ in range(min(_UNIT, self._size.selected - first)):
                        queue.put(_DATA, persistent=False, properties=properties)

    def _select(self) -> None:
        with self._manager.queue(_SELECTED, selector="property0000 = 'nobody'") as queue:
            assert queue.get_or_none() is None

    def _fill_expired(self) -> None:
        """All but the first few expire together, after the last was put: how long the first took says when that is."""
        left, until = self._size.expired, 0.0
        with self._manager.queue(_EXPIRED) as queue:
            while left:
                count, began = min(_UNIT, left), time.perf_counter()
                with self._manager.transaction():
                    queue.put_many([b"gone"] * count, persistent=False, expiry=max(0.1, until - began))
                left -= count
                now = time.perf_counter()
                until = until or now + 2 * (now - began) * left / count
        time.sleep(max(0.0, until - time.perf_counter()) + 0.3)

    def _meet_expired(self) -> None:
        with self._manager.queue(_EXPIRED) as queue:
            assert queue.get_or_none() is None

    def _display(self) -> None:
        (answer,) = self._administrator.mqsc("DISPLAY QUEUE(*) WHERE(DESCR EQ nobody) ALL")
        assert not answer.rows

    def _change_queues(self) -> None:
        for number in range(self._size.changed):
            self._manager.put(f"{_MANY}.{number:06}", _DATA, persistent=True)

    def _put_huge(self) -> None:
        self._manager.put(_HUGE, bytes(self._size.huge_bytes), persistent=True)


# The run


def _create(home: str, queues: int) -> None:
    command = [sys.executable, "-m", "libremq.commands.main", "crtmqm", "-lf", "16384", "-lp", "6", _QMGR]
    subprocess.run([*command, "--data", home], check=True, stdout=subprocess.DEVNULL)
    names = [f"DEFINE QLOCAL({_MANY}.{number:06})" for number in range(queues)]
    with libremq.connect(f"embedded:{_QMGR}?data={quote(home)}") as manager:
        for answer in manager.mqsc("\n".join([_CONFIGURATION.format(user=getpass.getuser()), *names])):
            if answer.reason:
                raise SystemExit(f"{answer.command}: {' '.join(answer.lines)}")


@contextmanager
def _served(folder: str, size: Size) -> Iterator[tuple[int, str, str]]:
    """A server with the queues of the benchmark: its port, and its URLs over TCP and on this machine."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # for the server: queues may have files open
    home, port = own_folder(folder, "fairness"), free_port()
    _create(str(home), max(size.shown, size.changed))
    command = [sys.executable, "-m", "libremq.commands.main", "strmqm", _QMGR, "--data", str(home)]
    with running([*command, "--foreground", "-p", str(port)], home, port):
        tcp = f"mq://{LOOPBACK}:{port}/{_QMGR}?channel=SYSTEM.DEF.SVRCONN"
        yield port, tcp, f"local:{_QMGR}?data={quote(str(home))}"


def _show(quiet: list[float], found: list[tuple[str, list[float]]]) -> None:
    table = Table("Fairness: the worst call of an ordinary client, put or get of 1 KiB over TCP", "ms")
    basis = max(quiet)
    table.line("quiet", f"{basis * 1e3:.1f}", f"median {median(quiet) * 1e3:.2f}, of {human(len(quiet))} calls")
    for name, taken in found:
        worst = max(taken)
        remark = f"{worst / basis:.1f} times the quiet one, of {human(len(taken))} calls"
        table.line(name, f"{worst * 1e3:.1f}", f"{remark}; goal {GOAL_MS}: {verdict(worst * 1e3 < GOAL_MS)}")
    table.show()


def run(folder: str, size: Size) -> None:
    found: list[tuple[str, list[float]]] = []
    quiet: list[float] = []
    with _served(folder, size) as (port, tcp, local):
        client = OrdinaryClient(tcp)
        try:
            with libremq.connect(tcp) as manager, libremq.connect(local) as administrator:
                for name, disturb in Others(manager, administrator, port, size).disturbances():
                    quiet += client.during(lambda: time.sleep(size.seconds))
                    found.append((name, client.during(disturb)))
        finally:
            client.end()
    _show(quiet, found)


def main() -> None:
    parser = argparse.ArgumentParser(description="The worst call of an ordinary client beside those that take long.")
    how_much = parser.add_mutually_exclusive_group()
    how_much.add_argument("--quick", action="store_const", const=QUICK, dest="size", help="a tenth of everything")
    how_much.add_argument("--tiny", action="store_const", const=TINY, dest="size", help="only see that all of it runs")
    parser.add_argument("--folder", help="where to keep the data meanwhile; on a disk, not in memory")
    chosen = parser.parse_args()
    with data_folder(chosen.folder) as folder:
        print(describe(folder))
        run(folder, chosen.size or FULL)


if __name__ == "__main__":
    main()
