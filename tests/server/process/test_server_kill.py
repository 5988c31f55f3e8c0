"""Processes killed with SIGKILL: the server under load with clients that reconnect, and clients in the middle of verbs.

By the books of the clients nothing acknowledged is lost and nothing doubled. A client that is dead holds nothing.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helper_kill_clients import VERBS
from helper_server import Served, is_alive, served, until

import libremq
from libremq.client.urls import Address

CLIENTS = Path(__file__).with_name("helper_kill_clients.py")


@pytest.fixture
def qm(tmp_path: Path) -> Iterator[Served]:
    with served(Path(Address("embedded", "QM1", data=str(tmp_path)).folder)) as found:
        yield found


@contextmanager
def clients(kind: str, url: str, folder: Path, names: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Processes that are all gone in the end."""
    folder.mkdir()
    process = subprocess.Popen([sys.executable, str(CLIENTS), kind, url, str(folder), *names])
    try:
        yield process
    finally:
        for path in folder.glob("*.pid"):
            with open(path, encoding="utf-8") as file:
                number = int(file.read())
            if is_client(number):
                os.kill(number, signal.SIGKILL)
        process.kill()
        process.wait()


def is_client(number: int) -> bool:
    try:
        with open(f"/proc/{number}/cmdline", "rb") as file:
            return CLIENTS.name.encode() in file.read()
    except OSError:
        return False


def test_a_server_that_is_killed_under_load(qm: Served, tmp_path: Path) -> None:
    rng = random.Random(11)
    qm.start(listen=(), no_listener=True)
    url = f"local:QM1?data={tmp_path}"
    with libremq.connect(url) as admin:
        for name in ("Q", "OUT"):
            admin.define("QLOCAL", name, defpsist="YES")
    names = ["PUT1", "PUT2", "MOVE1", "MOVE2"]
    folder = tmp_path / "books"

    def done() -> int:
        return sum(int(path.read_text(encoding="utf-8")) for path in folder.glob("*.count"))

    def errors() -> list[str]:
        return [path.read_text(encoding="utf-8") for path in folder.glob("*.error")]

    with clients("ledger", f"{url}&reconnect=yes", folder, names) as process:
        for _ in range(3):
            until(lambda: len(list(folder.glob("*.count"))) == len(names) or errors())
            wanted = done() + rng.randrange(20, 80)
            until(lambda: done() > wanted or errors())  # noqa: B023
            assert not errors()
            run = qm.run
            os.kill(run.process_id, signal.SIGKILL)
            until(lambda: not is_alive(run.controller_id))  # noqa: B023
            qm.start(listen=(), no_listener=True)
        wanted = done() + 20
        until(lambda: (done() > wanted and len(list(folder.glob("*.lost"))) == len(names)) or errors())
        (folder / "stop").touch()
        assert process.wait(240) == 0, errors()
    books = {name: json.loads((folder / f"{name}.books").read_text(encoding="utf-8")) for name in names}
    assert all(found["losses"] for found in books.values())
    with libremq.connect(url) as admin:
        left = [message.text for message in admin.queue("Q")]
        out = [message.text for message in admin.queue("OUT")]
    both = left + out
    assert len(set(both)) == len(both), "doubled"
    puts = [books[name] for name in names if name.startswith("PUT")]
    moves = [books[name] for name in names if name.startswith("MOVE")]
    surely = {text for found in puts for text in found["surely"]}
    maybe = {text for found in puts for text in found["maybe"]}
    assert surely <= set(both), f"lost: {surely - set(both)}"
    assert set(both) <= surely | maybe, "backed out, and there all the same"
    moved = {text for found in moves for text in found["surely"]}
    assert moved <= set(out), f"moved, and not there: {moved - set(out)}"
    assert set(out) <= moved | {text for found in moves for text in found["maybe"]}


@pytest.mark.parametrize("binding", ["local", "mq"])
def test_clients_that_are_killed_in_the_middle_of_every_verb(qm: Served, tmp_path: Path, binding: str) -> None:
    rng = random.Random(13)
    run = qm.start()
    url = f"local:QM1?data={tmp_path}" if binding == "local" else f"mq://127.0.0.1:{run.ports[0]}/QM1"
    folder = tmp_path / "clients"
    with libremq.connect(url) as admin:
        admin.define("QLOCAL", "SHARED", defpsist="YES")
        for verb in VERBS:
            admin.define("QLOCAL", f"Q.{verb}", defpsist="YES")
            admin.define("QLOCAL", f"WORK.{verb}", defpsist="YES")
            admin.put(f"Q.{verb}", "held")
        before = admin.statistics().connections
        with clients("verbs", url, folder, list(VERBS)):
            until(lambda: len(list(folder.glob("*.ready"))) == len(VERBS) or list(folder.glob("*.error")))
            assert not [path.read_text(encoding="utf-8") for path in folder.glob("*.error")]
            order = list(VERBS)
            rng.shuffle(order)
            for verb in order:
                os.kill(int((folder / f"{verb}.pid").read_text(encoding="utf-8")), signal.SIGKILL)
        until(lambda: admin.statistics().connections <= before, "connections of the dead")
        for verb in VERBS:
            for name in (f"Q.{verb}", f"WORK.{verb}"):
                (found,) = admin.display("QLOCAL", name)
                assert (found["ipprocs"], found["opprocs"]) == (0, 0), f"{name} is still open"
            assert [(message.text, message.md.BackoutCount) for message in admin.queue(f"Q.{verb}")] == [("held", 1)]
            temporary = (folder / f"{verb}.ready").read_text(encoding="utf-8")
            assert admin.display("QUEUE", temporary) == [], f"{temporary} outlived its maker"
            left = [message.text for message in admin.queue(f"WORK.{verb}")]
            assert "never" not in left
            assert len(set(left)) == len(left)
            if verb != "CONSUME":  # which takes one at a time
                assert len(left) == 2 * len({text[:-1] for text in left}), f"half a unit of work of {verb}"
        shared = [message.text for message in admin.queue("SHARED")]
        assert len(set(shared)) == len(shared)
        assert not [found for found in admin.display("QLOCAL") if str(found["queue"]).startswith("AMQ.")]
