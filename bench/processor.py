"""Where the processor time of a message goes: in the server's event loop, in its other threads, and in the client.

One client, in turns over TCP, over TCP with TLS, and over the local socket. The event loop runs one call at a time, so
what a message takes there is what limits a queue manager that has processors to spare; what moves off the loop first
is what takes most of it and needs nothing that the kernel has. What is shown is the least of the rounds: processor time
is counted by the scheduler, and other programs can only add to it.

python bench/processor.py [--quick] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import getpass
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

from contenders import UNIT, Absent
from daemons import LOOPBACK, free_port, listener_pid, own_folder, running
from machine import data_folder, describe

import libremq
from libremq import speed

_QMGR, _QUEUE = "BENCH", "BENCH.Q"
_SETTINGS = """
ALTER QMGR CHLAUTH(DISABLED) MAXMSGL(4194304)
ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL)
ALTER CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('{user}')
DEFINE CHANNEL(BENCH.TLS) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(OPTIONAL) MCAUSER('{user}')
"""
_PROPERTIES = {"colour": "green", "table": 7, "weight": 1.5}


@dataclass(frozen=True)
class Work:
    """Puts and gets of one kind: so many of them make a round."""

    title: str
    message_bytes: int
    persistent: bool
    unit: int
    count: int
    properties: bool = False
    by_id: bool = False
    """Got by correlation id."""


WORKS = (
    Work("2 KiB, durable, one at a time", 2048, True, 1, 500),
    Work(f"2 KiB, durable, {UNIT} a commit", 2048, True, UNIT, 5000),
    Work("2 KiB, not persistent", 2048, False, 1, 2000),
    Work("2 KiB, not persistent, three properties", 2048, False, 1, 2000, properties=True),
    Work("2 KiB, not persistent, got by correlation id", 2048, False, 1, 2000, by_id=True),
    Work("64 KiB, not persistent", 65536, False, 1, 500),
)


@dataclass(frozen=True)
class Spent:
    """Microseconds of processor time a message."""

    loop: float
    threads: float
    client: float


def _spent_us(pid: int) -> tuple[float, float]:
    """So far, by the thread that runs the event loop and by all others of the process."""
    loop = others = 0.0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            spent = int((task / "schedstat").read_text().split()[0]) / 1000
        except OSError:
            continue  # it has just ended
        if int(task.name) == pid:
            loop = spent
        else:
            others += spent
    return loop, others


@contextmanager
def _server(folder: str) -> Iterator[tuple[int, dict[str, str]]]:
    """A queue manager that serves: its process, and the URLs that lead to it."""
    home, port = own_folder(folder, "libremq-processor"), free_port()
    urls = {
        "TCP": f"mq://{LOOPBACK}:{port}/{_QMGR}?channel=SYSTEM.DEF.SVRCONN",
        "local": f"local:{_QMGR}?data={quote(str(home))}",
    }
    settings = _SETTINGS.format(user=getpass.getuser())
    make = [sys.executable, "-m", "libremq.commands.main", "tls", "init", "--folder", str(home / "tls")]
    if subprocess.run([*make, "--qmgr", _QMGR, "--client", "bench"], capture_output=True).returncode == 0:
        settings += f"ALTER QMGR SSLKEYR('{home}/tls/{_QMGR}')\n"
        trust = quote(f"{home}/tls/bench/trust.pem")
        urls["TLS"] = f"mqs://{LOOPBACK}:{port}/{_QMGR}?channel=BENCH.TLS&ca={trust}"
    else:
        print("  TLS is left out: its certificates need the extra libremq[tls]")
    with libremq.connect(f"embedded:{_QMGR}?data={quote(str(home))}&create=1") as manager:
        manager.define_local(_QUEUE, maxdepth=1_000_000)
        manager.mqsc(settings)
    command = [sys.executable, "-m", "libremq.commands.main", "strmqm", _QMGR, "--data", str(home), "--foreground"]
    with running([*command, "-p", str(port), "-tp", "6"], home, port):
        yield listener_pid(port), urls


def _correlation_id(number: int) -> bytes:
    return b"%024d" % number


def _put(manager: libremq.QueueManager, queue: libremq.Queue, work: Work) -> None:
    data = os.urandom(work.message_bytes)
    if work.unit == 1:
        properties = _PROPERTIES if work.properties else None
        for number in range(work.count):
            correlation_id = _correlation_id(number) if work.by_id else None
            queue.put(data, persistent=work.persistent, properties=properties, correlation_id=correlation_id)
        return
    for _ in range(work.count // work.unit):
        with manager.transaction():
            queue.put_many([data] * work.unit, persistent=work.persistent)


def _get(manager: libremq.QueueManager, queue: libremq.Queue, work: Work) -> None:
    if work.unit == 1:
        for number in range(work.count):
            queue.get(correlation_id=_correlation_id(number) if work.by_id else None)
        return
    for _ in range(work.count // work.unit):
        with manager.transaction():
            left = work.unit
            while left:
                left -= len(queue.get_many(left))


def _measured(pid: int, work: Callable[[], None], count: int) -> Spent:
    loop, others, client = *_spent_us(pid), time.process_time() * 1e6
    work()
    loop_end, others_end, client_end = *_spent_us(pid), time.process_time() * 1e6
    return Spent((loop_end - loop) / count, (others_end - others) / count, (client_end - client) / count)


def _least(spent: list[Spent]) -> Spent:
    return min(spent, key=lambda one: one.loop)


def run(folder: str, rounds: int) -> None:
    print("\nProcessor time: starting libremq ...", flush=True)
    found: dict[tuple[str, str, str], list[Spent]] = {}
    with _server(folder) as (pid, urls):
        managers = {name: libremq.connect(url) for name, url in urls.items()}
        queues = {name: manager.queue(_QUEUE) for name, manager in managers.items()}
        for _ in range(rounds + 1):
            for work in WORKS:
                for name, manager in managers.items():
                    for verb, step in (("put", _put), ("get", _get)):
                        spent = _measured(pid, partial(step, manager, queues[name], work), work.count)
                        found.setdefault((work.title, name, verb), []).append(spent)
        for manager in managers.values():
            manager.close()
    print(
        "Processor time  [microseconds a message: event loop + other threads of the server, client]"
        f"  ({'with' if speed.is_in_use() else 'without'} libremq-speed)"
    )
    for work in WORKS:
        print(f"  {work.title}")
        for name in urls:
            cells = []
            for verb in ("put", "get"):
                one = _least(found[work.title, name, verb][1:])  # the first round warms up
                cells.append(f"{verb} {one.loop:6.1f} + {one.threads:5.1f}, {one.client:6.1f}")
            print(f"    {name:<8}" + "      ".join(cells))
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description="Where the processor time of a message goes.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--folder", help="where to keep the data meanwhile; on a disk, not in memory")
    chosen = parser.parse_args()
    with data_folder(chosen.folder) as folder:
        print(describe(folder))
        try:
            run(folder, 3 if chosen.quick else 9)
        except Absent as absent:
            print(f"  not measured: {absent}")


if __name__ == "__main__":
    main()
