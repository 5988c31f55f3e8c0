"""The queue managers of the channel benchmark: servers of their own on loopback, with channels between them.

Two senders, which differ in PipeLineLength, a receiver behind both, and one more behind that for a second hop. Every
batch size has a channel of its own to each address, all of them for one transmission queue, and one runs at a time.
"""

from __future__ import annotations

import getpass
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from daemons import LOOPBACK, free_port, listener_pid, own_folder, running
from delay_link import delayed

import libremq
from libremq.admin.mqsc_session import Answer

SENDERS = {1: "SENDER1", 2: "SENDER2"}
"""By PipeLineLength."""
RECEIVER, FURTHER = "RECEIVER", "FURTHER"
TARGET, MARK, LOCAL = "TARGET", "MARK", "LOCAL"
BEYOND = "BEYOND"
"""In front of the names of queues that are a hop further."""
LINKS = {"near": 0.0, "far": 2.0}
"""Round trips that are added, in milliseconds."""
_BATCHES = (1, 10, 50, 200)
_DEEP = "MAXDEPTH(900000)"
_DONE_S = 120.0


@dataclass
class Manager:
    """A queue manager that serves, and a connection to it."""

    name: str
    port: int
    pid: int
    connection: libremq.QueueManager

    def processor_s(self) -> float:
        """Processor time that it has taken so far, all threads together, as the scheduler counts it."""
        tasks = Path(f"/proc/{self.pid}/task")
        return sum(int((one / "schedstat").read_text().split()[0]) for one in tasks.iterdir()) / 1e9

    def mqsc(self, commands: str) -> list[Answer]:
        answers = self.connection.mqsc(commands)
        for answer in answers:
            if answer.state != "done":
                raise RuntimeError(f"{self.name}: " + " ".join(answer.lines))
        return answers


@dataclass
class Network:
    """All of them."""

    senders: dict[int, Manager]
    receiver: Manager
    further: Manager

    def start(self, sender: Manager, channel: str) -> None:
        sender.mqsc(f"START CHANNEL({channel})")

    def stop(self, sender: Manager, channel: str) -> None:
        """At the end of the batch, and not back before it is over at both ends."""
        sender.mqsc(f"STOP CHANNEL({channel}) MODE(QUIESCE) STATUS(INACTIVE)")
        until = time.monotonic() + _DONE_S
        for manager in (sender, self.receiver, self.further):
            while True:
                (answer,) = manager.connection.mqsc(f"DISPLAY CHSTATUS({channel})")
                if answer.state != "done":
                    break
                if time.monotonic() > until:
                    raise RuntimeError(f"{manager.name}: channel {channel} does not end: " + " ".join(answer.lines))
                time.sleep(0.01)

    def clear(self) -> None:
        self.receiver.mqsc(f"CLEAR QLOCAL({TARGET})")
        self.further.mqsc(f"CLEAR QLOCAL({TARGET})")


def channel_name(link: str, batch: int) -> str:
    return f"{link}.{batch}".upper()


@contextmanager
def network(folder: str, *, batches: Sequence[int] = _BATCHES) -> Iterator[Network]:
    """Started, defined, and nothing on any queue."""
    with ExitStack() as stack:
        further = stack.enter_context(_serve(folder, FURTHER))
        receiver = stack.enter_context(_serve(folder, RECEIVER))
        senders = {length: stack.enter_context(_serve(folder, name, length)) for length, name in SENDERS.items()}
        far = stack.enter_context(delayed(receiver.port, LINKS["far"]))
        ports = {"near": receiver.port, "far": far}
        onward = channel_name("onward", 50)
        further.mqsc(f"{_queues()}\nDEFINE CHANNEL({onward}) CHLTYPE(RCVR) NPMSPEED(FAST) {_runs_as_us()}")
        receiver.mqsc(_queues())
        receiver.mqsc(f"DEFINE QLOCAL({FURTHER}) USAGE(XMITQ) {_DEEP}")
        receiver.mqsc(_sending(onward, FURTHER, further.port, 50))
        for link in LINKS:
            for batch in batches:
                receiver.mqsc(
                    f"DEFINE CHANNEL({channel_name(link, batch)}) CHLTYPE(RCVR) BATCHSZ({batch}) {_runs_as_us()}"
                )
        for sender in senders.values():
            sender.mqsc(f"DEFINE QLOCAL({RECEIVER}) USAGE(XMITQ) {_DEEP}\nDEFINE QLOCAL({LOCAL}) {_DEEP}")
            for name in (TARGET, MARK):
                sender.mqsc(f"DEFINE QREMOTE({name}) RNAME({name}) RQMNAME({RECEIVER})")
                sender.mqsc(f"DEFINE QREMOTE({BEYOND}.{name}) RNAME({name}) RQMNAME({FURTHER}) XMITQ({RECEIVER})")
            for link, port in ports.items():
                for batch in batches:
                    sender.mqsc(_sending(channel_name(link, batch), RECEIVER, port, batch))
        yield Network(senders, receiver, further)


def _sending(channel: str, xmitq: str, port: int, batch: int) -> str:
    return (
        f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) CONNAME('{LOOPBACK}({port})') XMITQ({xmitq}) BATCHSZ({batch})"
        " NPMSPEED(FAST) BATCHINT(0) DISCINT(0) SHORTTMR(1)"
    )


def _runs_as_us() -> str:
    return f"MCAUSER('{getpass.getuser()}')"


def _queues() -> str:
    return f"DEFINE QLOCAL({TARGET}) {_DEEP}\nDEFINE QLOCAL({MARK})"


@contextmanager
def _serve(folder: str, name: str, pipeline_length: int = 1) -> Iterator[Manager]:
    home, port = own_folder(folder, name), free_port()
    with libremq.connect(f"embedded:{name}?data={quote(str(home))}&create=1") as created:
        created.mqsc("ALTER QMGR CHLAUTH(DISABLED)")
    settings = Path(home, "qmgrs", name, "qm.ini")
    settings.write_text(settings.read_text() + f"\nChannels:\n   PipeLineLength={pipeline_length}\n")
    command = [sys.executable, "-m", "libremq.commands.main", "strmqm", name, "--data", str(home), "--foreground"]
    with (
        running([*command, "-p", str(port)], home, port),
        libremq.connect(f"local:{name}?data={quote(str(home))}") as connection,
    ):
        yield Manager(name, port, listener_pid(port), connection)
