"""The second part of `make demo`: a server that is killed with -9 under two client processes, and a ledger again.

One client puts numbered orders over TCP, the other moves them on; both reconnect by themselves. A commit whose answer
was cut off is the one thing that no client can know about. So the first client keeps the number of its latest order on
a queue, in the same unit of work as the order: after each surprise it looks there, and goes on from what is true. The
second one needs nothing of the kind: what it moves is either still there or already gone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import libremq
from libremq.client.urls import Address
from libremq.server.process.run_state import RunState, current_run

ORDERS = 2000
KILLS = 3
QUEUES = ("ORDERS", "SHIPPED", "LATEST")
CHANNEL = "SHOP.SVRCONN"
_LIMIT_S = 120.0
# All clients come in as the user nobody, who may do this and no more
_CLIENTS = f"""
DEFINE CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) MCAUSER('nobody') REPLACE
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('nobody') AUTHADD(CONNECT)
""" + "".join(
    f"SET AUTHREC PROFILE({name}) OBJTYPE(QUEUE) PRINCIPAL('nobody') AUTHADD(PUT,GET,BROWSE,INQ)\n" for name in QUEUES
)
PLAIN = not sys.stdout.isatty()


def colour(code: str, text: str) -> str:
    return text if PLAIN else f"\033[{code}m{text}\033[0m"


def say(text: str) -> None:
    print(text, flush=True)


# The clients: what applications would do


def produce(url: str, ledger: str) -> None:
    """Put the orders, and note each number once its commit has returned."""
    number = 0
    with _connect(url) as qm, open(ledger, "w", buffering=1, encoding="ascii") as acknowledged:
        orders, latest = qm.queue("ORDERS"), qm.queue("LATEST")
        while number < ORDERS:
            try:
                with qm.transaction():
                    before = latest.get_or_none()
                    number = int(before.text) if before is not None else 0
                    if number < ORDERS:
                        number += 1
                        orders.put(f"order {number}", persistent=True)
                    latest.put(str(number), persistent=True)
            except (libremq.UnitOfWorkBackedOut, libremq.ConnectionBroken) as surprise:
                number = 0  # nothing was done, or perhaps all of it: look again
                _note(surprise)
                continue
            acknowledged.write(f"{number}\n")


def ship(url: str) -> None:
    """Move the orders, each in a unit of work, until all of them are there."""
    with _connect(url) as qm:
        orders, shipped = qm.queue("ORDERS"), qm.queue("SHIPPED")
        while True:
            try:
                with qm.transaction():
                    order = orders.get_or_none(wait=0.5)
                    if order is not None:
                        shipped.put(order.data, persistent=True)
                if order is None and shipped.depth >= ORDERS:
                    return
            except (libremq.UnitOfWorkBackedOut, libremq.ConnectionBroken) as surprise:
                _note(surprise)


def _connect(url: str) -> libremq.QueueManager:
    """The loss of a connection would be a warning; here the parent says when it kills."""
    return libremq.connect(url, say=lambda text: None)


def _note(surprise: libremq.MQError) -> None:
    """Tell the parent; an error that no reconnecting can cure ends the client."""
    if surprise.name not in ("MQRC_BACKED_OUT", "MQRC_CALL_INTERRUPTED"):
        raise surprise
    print(surprise.name, flush=True)


# The server


class DemoFailure(Exception):
    """The demonstration cannot go on."""


class Server:
    """A queue manager behind the commands that look after it."""

    def __init__(self, data: str, name: str = "SHOP") -> None:
        self.name = name
        self._data = data
        self._folder = Address("embedded", name, data=data).folder
        self.port = 0

    def command(self, *words: str) -> str:
        """What a user would type; what it said."""
        say(f"   $ libremq {' '.join(words)}")
        ran = self._run(*words)
        if ran.returncode:
            raise DemoFailure(f"{ran.stdout}{ran.stderr}")
        return ran.stdout

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "LIBREMQ_DATA": self._data}
        python = [sys.executable, "-m", "libremq.commands.main"]
        return subprocess.run([*python, *words], env=environment, capture_output=True, text=True, check=False)

    def start(self) -> None:
        """On a free port; after that always on the same one."""
        self.command("strmqm", "-p", str(self.port), self.name)
        self.port = self._running().ports[0]

    def kill(self) -> int:
        """Without warning; the number of the process."""
        process_id = self._running().process_id
        os.kill(process_id, signal.SIGKILL)
        return process_id

    def end(self) -> None:
        """If it runs at all; whatever it is doing."""
        if current_run(self._folder) is not None:
            self._run("endmqm", "-p", self.name)

    def _running(self) -> RunState:
        running = current_run(self._folder)
        if running is None:
            raise DemoFailure(f"the server does not run any more: see {self._folder}/errors")
        return running

    @property
    def url(self) -> str:
        return (
            f"mq://127.0.0.1:{self.port}/{self.name}?channel={CHANNEL}&reconnect=yes&reconnect_timeout={_LIMIT_S:.0f}"
        )

    @property
    def local_url(self) -> str:
        """For its administrator."""
        return f"local:{self.name}?data={quote(self._data)}"


# The parent: start, kill, start again, check


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="libremq-demo-") as folder, ExitStack() as at_the_end:
        server = Server(folder)
        at_the_end.callback(server.end)
        try:
            return _run(server, f"{folder}/acknowledged", at_the_end)
        except (DemoFailure, libremq.MQError, subprocess.TimeoutExpired) as error:
            say(colour("31", f"   The demonstration stopped: {error}"))
            return 1
        except KeyboardInterrupt:
            return 130


def _run(server: Server, ledger: str, at_the_end: ExitStack) -> int:
    started = time.monotonic()
    say("")
    say(colour("1", "LibreMQ demo, second part: a server killed with -9 under its clients"))
    say("")
    say("1. Create and start a queue manager in the background")
    server.command("crtmqm", "SHOP")
    server.start()
    with libremq.connect(server.local_url) as qm:
        for name in QUEUES:
            qm.define_local(name, maxdepth=ORDERS, replace=True)
        qm.mqsc(_CLIENTS)
    say("")
    say(f"2. One client process puts {ORDERS} orders over TCP, another moves them on; kill the server {KILLS} times")
    clients = [_client("produce", server.url, ledger), _client("ship", server.url)]
    for client in clients:
        at_the_end.callback(_stop, client)
    for kill in range(1, KILLS + 1):
        done = _until(ledger, ORDERS * kill // (KILLS + 1), clients)
        process_id = server.kill()
        say(colour("31", f"   kill -9 number {kill}") + f" of the server, process {process_id}, after {done} orders")
        server.start()
    surprises = [name for client in clients for name in client.communicate(timeout=_LIMIT_S)[0].split()]
    say("   both clients are done: they reconnected by themselves")
    say("")
    say("3. The ledger")
    fine = _check(server.url, ledger, surprises) and not any(client.returncode for client in clients)
    say("")
    say("   " + (colour("1;32", "Nothing lost, nothing doubled.") if fine else colour("1;31", "The ledger is wrong.")))
    say("")
    say(f"   {time.monotonic() - started:.0f} seconds in all. A server of your own: see README.md")
    return 0 if fine else 1


def _client(*words: str) -> subprocess.Popen[str]:
    """In a session of its own: Ctrl-C is for the parent, which stops it."""
    python = [sys.executable, "-m", "libremq.commands.demo.demo_server"]
    return subprocess.Popen([*python, *words], stdout=subprocess.PIPE, text=True, start_new_session=True)


def _stop(client: subprocess.Popen[str]) -> None:
    """One that has ended is left as it is."""
    client.kill()
    client.wait()


def _acknowledged(ledger: str) -> list[str]:
    path = Path(ledger)
    return path.read_text(encoding="ascii").split("\n")[:-1] if path.exists() else []


def _until(ledger: str, count: int, clients: list[subprocess.Popen[str]]) -> int:
    """Wait for so many acknowledged orders; how many there are."""
    limit = time.monotonic() + _LIMIT_S
    while (done := len(_acknowledged(ledger))) < count:
        if time.monotonic() > limit or any(client.poll() for client in clients):
            raise DemoFailure(f"the clients came to {done} orders only")
        time.sleep(0.01)
    return done


def _check(url: str, ledger: str, surprises: list[str]) -> bool:
    with libremq.connect(url) as qm:
        left = qm.queue("ORDERS").depth
        shipped = [message.text for message in qm.queue("SHIPPED").browse()]
    expected = [f"order {number}" for number in range(1, ORDERS + 1)]
    lost = len(set(expected) - set(shipped))
    doubled = len(shipped) - len(set(shipped))
    broken = len({f"order {number}" for number in _acknowledged(ledger)} - set(shipped))
    backed_out, unknown = surprises.count("MQRC_BACKED_OUT"), surprises.count("MQRC_CALL_INTERRUPTED")
    rows = [
        ("orders on SHIPPED", str(len(shipped)), len(shipped) == ORDERS),
        ("orders left on ORDERS", str(left), left == 0),
        ("lost", str(lost), not lost),
        ("doubled", str(doubled), not doubled),
        ("acknowledged and yet not there", str(broken), not broken),
        ("units of work backed out by a kill, done again", str(backed_out), True),
        ("commits whose answer a kill cut off", str(unknown), unknown <= 2 * KILLS),
        ("still in the order in which they were put", "yes" if shipped == expected else "no", shipped == expected),
    ]
    for what, value, fine in rows:
        say(f"   {what:47s}{value:>5s}   {colour('32', 'ok') if fine else colour('31', 'WRONG')}")
    return all(row[2] for row in rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["produce"]:
        produce(sys.argv[2], sys.argv[3])
    elif sys.argv[1:2] == ["ship"]:
        ship(sys.argv[2])
    else:
        sys.exit(main())
