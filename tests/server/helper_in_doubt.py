"""Two queue managers, a channel from QM1 to QM2, and a line between them that can leave a batch in doubt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from helper_lines import LossyLine
from helper_peers import wait_until

import libremq
from libremq import QueueManager
from libremq.testing.serving import served_queue_manager

CHANNEL = "QM1.TO.QM2"
_DEFINITIONS = {
    "QM1": """
        DEFINE QLOCAL(QM2) USAGE(XMITQ)
        DEFINE QREMOTE(ORDERS) RNAME(ORDERS) RQMNAME(QM2)
        DEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(SDR) XMITQ(QM2) CONNAME('127.0.0.1({port})') SHORTTMR(1)
        """,
    "QM2": """
        DEFINE QLOCAL(ORDERS)
        DEFINE CHANNEL(QM1.TO.QM2) CHLTYPE(RCVR)
        """,
}


class Doubt:
    """What an operator of both queue managers can see and do."""

    def __init__(self, managers: dict[str, QueueManager], line: LossyLine, said: list[str], again: bool) -> None:
        self.managers = managers
        self.line = line
        self.said = said
        self._numbers = 0
        if again:
            managers["QM1"].alter("SDR", CHANNEL, conname=f"127.0.0.1({line.port})")
            return
        for name, manager in managers.items():
            for answer in manager.mqsc(_DEFINITIONS[name].format(port=line.port)):
                assert answer.state == "done", answer.lines

    def mqsc(self, name: str, command: str) -> list[str]:
        (answer,) = self.managers[name].mqsc(command)
        return answer.lines

    def status(self, name: str, saved: str = "") -> dict[str, object]:
        """The one row of DISPLAY CHSTATUS; empty if there is none."""
        (answer,) = self.managers[name].mqsc(f"DISPLAY CHSTATUS({CHANNEL}) {saved} ALL")
        assert len(answer.rows) <= 1
        return answer.rows[0] if answer.rows else {}

    def put(self, count: int) -> None:
        with self.managers["QM1"].transaction():
            for _ in range(count):
                self._numbers += 1
                self.managers["QM1"].put("ORDERS", str(self._numbers), persistent=True)

    def depth(self, name: str, queue: str) -> int:
        return self.managers[name].queue(queue).depth

    def arrived(self) -> list[int]:
        """What is on the target queue."""
        return [int(message.text) for message in self.managers["QM2"].queue("ORDERS").browse()]

    def until_status(self, name: str, wanted: str) -> None:
        wait_until(lambda: self.status(name).get("status", "INACTIVE") == wanted)

    def start(self) -> None:
        self.mqsc("QM1", f"START CHANNEL({CHANNEL})")

    def stop(self) -> None:
        """And wait until neither end runs."""
        self.mqsc("QM1", f"STOP CHANNEL({CHANNEL}) MODE(FORCE)")
        self.until_stopped()

    def until_stopped(self) -> None:
        self.until_status("QM1", "STOPPED")
        self.until_status("QM2", "INACTIVE")

    def leave_in_doubt(self, held: int, count: int = 3) -> None:
        """Send a batch of which the end is lost on the line, then stop the channel."""
        self.begin_doubt(held, count)
        self.stop()
        self.line.holds = 0

    def begin_doubt(self, held: int, count: int) -> None:
        before = self.line.held
        self.line.holds = held
        self.start()
        self.until_status("QM1", "RUNNING")
        self.put(count)
        wait_until(lambda: self.line.held > before)

    def heard(self, name: str, *words: str) -> str:
        """The line with these words that a queue manager has said; "" if there is none."""
        own = (line for line in self.said if line.startswith(f"{name} "))
        return next((line for line in own if all(word in line for word in words)), "")


@contextmanager
def doubt_in(folder: Path, *, again: bool = False) -> Iterator[Doubt]:
    """`again`: everything was defined in this folder before."""
    said: list[str] = []
    with ExitStack() as stack:
        served = {
            name: stack.enter_context(
                served_queue_manager(
                    name, folder=folder / name, say=lambda text, name=name: said.append(f"{name} {text}")
                )
            )
            for name in ("QM1", "QM2")
        }
        line = LossyLine(served["QM2"].port)
        stack.callback(line.close)
        managers = {name: stack.enter_context(libremq.connect(one.url("local"))) for name, one in served.items()}
        yield Doubt(managers, line, said, again)
