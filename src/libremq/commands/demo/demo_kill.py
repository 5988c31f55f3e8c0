"""`make demo`: a transfer workload that is killed with -9 again and again, and a ledger that proves what survived.

A child process with a thread for each lane moves numbered orders from one queue to another, each in a unit of work of
its own (now and then it changes its mind and backs out), and writes down in a plain file what the queue manager
acknowledged. The parent kills it without warning, lets it restart, and at the end compares three things: what was put,
what was acknowledged, and what is on the queues. Then the same is done to a server (`demo_server`), there are some
commands of an administrator (`demo_administration`), and three queue managers talk to each other (`demo_channels`).
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import libremq
from libremq.commands.demo import demo_administration, demo_channels, demo_server
from libremq.commands.demo.demo_server import PLAIN, colour, say

ORDERS = 6000
LANES = ("EAST", "NORTH", "SOUTH", "WEST")
KILLS = 6
SEED = 20260101
_BAR = 40
_INTERRUPTED = 130  # as shells say it of Ctrl-C
TOLD = ("AMQ7229I", "AMQ7231I")
"""What is shown of a recovery: how many log records, and what was backed out."""


def _url(folder: str) -> str:
    return f"embedded:DEMO?create=1&data={folder}"


# The child: what an application would do


def _tell(text: str) -> None:
    """To the demo; if that is gone, nobody wants to hear more, and a child is killed at any moment anyway."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os._exit(130)


def transfer(folder: str, seed: int) -> None:
    """Move orders until there are none left, in one thread a lane."""
    with libremq.connect(_url(folder), say=lambda text: _tell(f"      {text}")) as qm:
        _tell("READY")
        threads = [
            threading.Thread(
                target=_transfer_lane, args=(qm, lane, folder, random.Random(f"{seed} {lane}")), daemon=True
            )
            for lane in LANES
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    _tell("DONE")


def _transfer_lane(qm: libremq.QueueManager, lane: str, folder: str, choose: random.Random) -> None:
    """Each order in its own unit of work: a get and a put, both or neither."""
    acknowledged = os.open(f"{folder}/acknowledged", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    incoming, shipped = qm.queue(f"ORDERS.{lane}"), qm.queue(f"SHIPPED.{lane}")
    while True:
        try:
            with qm.transaction():
                order = incoming.get()
                time.sleep(0.002)  # the application's own work: the kill will often come in the middle of it
                shipped.put(order.data, persistent=True)
                if choose.random() < 0.02:
                    raise _ChangedMind
        except _ChangedMind:
            continue
        except libremq.NoMessageAvailable:
            return
        # Only now, after the commit has returned, is it written down
        os.write(acknowledged, order.data + b"\n")


class _ChangedMind(Exception):
    """The application decides against this unit of work: it is backed out and done again."""


# The parent: put, kill, restart, check


def main() -> int:
    try:
        with tempfile.TemporaryDirectory(prefix="libremq-demo-") as folder:
            code = _run(folder)
        return code or demo_server.main() or demo_administration.main() or demo_channels.main()
    except KeyboardInterrupt:
        say("\n   Stopped. What was started is ended, and its files are gone.")
        return _INTERRUPTED


def _run(folder: str) -> int:
    started = time.monotonic()
    say(colour("1", "LibreMQ demo: kill -9 in the middle of transactions, nothing lost, nothing doubled"))
    say("")
    say(f"1. Create queue manager DEMO and put {ORDERS} persistent orders, 100 in a unit of work")
    with libremq.connect(_url(folder)) as qm:
        for lane in LANES:
            qm.define_local(f"ORDERS.{lane}", maxdepth=ORDERS, descr="orders to be shipped")
            qm.define_local(f"SHIPPED.{lane}", maxdepth=ORDERS, descr="orders that were shipped")
        for start in range(0, ORDERS, 100):
            with qm.transaction():
                for number in range(start, start + 100):
                    lane = LANES[number % len(LANES)]
                    qm.queue(f"ORDERS.{lane}").put(f"{lane} {number:06d}".encode(), persistent=True)
            _bar("put", start + 100)
    say("")
    say(
        f"2. A child process moves them from ORDERS.* to SHIPPED.*, a get and a put in each unit of work, "
        f"{len(LANES)} threads; kill it {KILLS} times"
    )
    kills = _kill_and_restart(folder)
    say("")
    say("3. The ledger")
    fine = _check(folder, kills)
    say("")
    say(f"   {time.monotonic() - started:.0f} seconds in all. The same in your program: see README.md")
    return 0 if fine else 1


def _bar(what: str, done: int) -> None:
    around = f"   {what} [] {done:5d} of {ORDERS}"
    # A line that is as wide as the terminal would be one more line each time
    width = max(1, min(_BAR, shutil.get_terminal_size().columns - len(around) - 1))
    filled = width * done // ORDERS
    line = around.replace("[]", f"[{'#' * filled}{'.' * (width - filled)}]")
    if PLAIN:
        if done % (ORDERS // 3) == 0:
            say(line)
    else:
        print("\r" + line, end="\n" if done >= ORDERS else "", flush=True)


def _acknowledged(folder: str) -> list[str]:
    path = Path(folder, "acknowledged")
    return path.read_text().split("\n")[:-1] if path.exists() else []


def _kill_and_restart(folder: str) -> int:
    choose = random.Random(SEED)
    kills = 0
    for life in range(10 * KILLS):
        # In a session of its own: Ctrl-C is for us, who stop it
        child = subprocess.Popen(
            [sys.executable, "-m", "libremq.commands.demo.demo_kill", "transfer", folder, str(life)],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert child.stdout is not None
        try:
            say(f"   start {life + 1} of the child:")
            _echo_until(child.stdout, "READY")
            if kills == KILLS:
                _echo_until(child.stdout, "DONE")
                child.wait()
                say(f"   the child has moved the rest: {len(_acknowledged(folder))} acknowledged")
                break
            before = len(_acknowledged(folder))
            target = before + choose.randrange(ORDERS // (2 * KILLS), ORDERS // KILLS)
            limit = time.monotonic() + 4.0
            while child.poll() is None and len(_acknowledged(folder)) < target and time.monotonic() < limit:
                time.sleep(choose.random() / 50)
        finally:
            child.send_signal(signal.SIGKILL)
            child.wait()
        kills += 1
        done = len(_acknowledged(folder))
        say(colour("31", f"   kill -9 number {kills}") + f" after {done - before} more orders, {done} in all")
    return kills


def _echo_until(lines: Iterator[str], word: str) -> None:
    for line in lines:
        if line.strip() == word:
            return
        if line.strip().startswith(TOLD):
            print(line, end="", flush=True)


def _check(folder: str, kills: int) -> bool:
    expected = {
        lane: [f"{lane} {number:06d}" for number in range(ORDERS) if LANES[number % len(LANES)] == lane]
        for lane in LANES
    }
    every = {order for orders in expected.values() for order in orders}
    acknowledged = set(_acknowledged(folder))
    with libremq.connect(_url(folder)) as qm:
        left = sum(qm.queue(f"ORDERS.{lane}").depth for lane in LANES)
        shipped = {lane: [message.data.decode() for message in qm.queue(f"SHIPPED.{lane}").browse()] for lane in LANES}
    arrived = [order for orders in shipped.values() for order in orders]
    lost = every - set(arrived)
    doubled = len(arrived) - len(set(arrived))
    broken = acknowledged - set(arrived)
    # An order whose commit reached the disk but whose answer was cut off by the kill: moved, not acknowledged
    unheard = len(set(arrived) - acknowledged)
    in_order = shipped == expected
    rows = [
        ("orders put", str(ORDERS), True),
        ("kill -9 in the middle of the work", str(kills), kills == KILLS),
        ("orders on SHIPPED.*", str(len(arrived)), len(arrived) == ORDERS),
        ("orders left on ORDERS.*", str(left), left == 0),
        ("lost", str(len(lost)), not lost),
        ("doubled", str(doubled), not doubled),
        ("acknowledged and yet not there", str(len(broken)), not broken),
        ("moved, but killed before the answer", str(unheard), unheard <= kills * len(LANES)),
        ("still in the order in which they were put", "yes" if in_order else "no", in_order),
    ]
    for what, value, fine in rows:
        say(f"   {what:44s}{value:>8s}   {colour('32', 'ok') if fine else colour('31', 'WRONG')}")
    fine = all(row[2] for row in rows)
    say("")
    say("   " + (colour("1;32", "Nothing lost, nothing doubled.") if fine else colour("1;31", "The ledger is wrong.")))
    return fine


if __name__ == "__main__":
    if sys.argv[1:2] == ["transfer"]:
        transfer(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main())
