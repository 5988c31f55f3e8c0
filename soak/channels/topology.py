"""Who talks to whom: three queue managers in a row, their channels and queues, and the applications that put messages.

QM2 is on the way from QM1 to QM3 and back. A transmission queue is named after the next queue manager; the one at the
far end is an alias that leads there.
"""

from __future__ import annotations

from typing import NamedTuple

MANAGERS = ("QM1", "QM2", "QM3")
LINKS = (("QM1", "QM2"), ("QM2", "QM3"))
DEAD = "SYSTEM.DEAD.LETTER.QUEUE"
SERVICE, ARRIVED, INBOX, REPLIES = "SERVICE", "ARRIVED", "INBOX", "REPLIES"
COLLECTED = {"QM1": (INBOX, REPLIES), "QM2": (INBOX,), "QM3": (INBOX, ARRIVED)}
"""Where messages stay until the books are checked."""


class Channel(NamedTuple):
    """A sender at one end, a receiver at the other."""

    source: str
    target: str

    @property
    def name(self) -> str:
        return f"{self.source}.TO.{self.target}"


CHANNELS = tuple(Channel(*ends) for one, two in LINKS for ends in ((one, two), (two, one)))


class Sender(NamedTuple):
    """An application that puts messages on a queue of another queue manager."""

    name: str
    at: str
    to: str
    queue: str

    @property
    def checked(self) -> tuple[tuple[str, str, str], ...]:
        """Where its messages are in the end: queue manager, queue, and what was put before their number."""
        if self.queue == SERVICE:
            return (self.to, ARRIVED, ""), (self.at, REPLIES, ANSWER)
        return ((self.to, self.queue, ""),)


ANSWER = "re."
SENDERS = (
    Sender("A", "QM1", "QM3", SERVICE),
    Sender("B", "QM1", "QM3", SERVICE),
    Sender("C", "QM3", "QM1", INBOX),
    Sender("D", "QM2", "QM3", INBOX),
    Sender("E", "QM1", "QM2", INBOX),
)


def commands(manager: str, addresses: dict[str, str]) -> str:
    """The MQSC that defines all of one queue manager. `addresses`: CONNAME by the name of a channel."""
    lines = [f"ALTER QMGR DEADQ({DEAD}) CHLAUTH(DISABLED)"]
    queues = {SERVICE, *COLLECTED[manager]} if manager == "QM3" else set(COLLECTED[manager])
    lines += [f"DEFINE QLOCAL({name}) MAXDEPTH(9999999)" for name in sorted(queues)]
    for channel in CHANNELS:
        if channel.source == manager:
            name, target = channel.name, channel.target
            lines += [
                f"DEFINE QLOCAL({target}) USAGE(XMITQ) MAXDEPTH(9999999) "
                f"TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ)",
                f"DEFINE CHANNEL({name}) CHLTYPE(SDR) XMITQ({target}) CONNAME('{addresses[name]}') "
                f"SHORTTMR(1) SHORTRTY(999999999) HBINT(5) {_VARIETY[name]}",
            ]
        elif channel.target == manager:
            lines.append(f"DEFINE CHANNEL({channel.name}) CHLTYPE(RCVR) HBINT(5)")
    for near, far in (("QM1", "QM3"), ("QM3", "QM1")):
        if near == manager:
            lines.append(f"DEFINE QREMOTE({far}) RQMNAME({far}) XMITQ(QM2)")
    return "\n".join(lines)


_VARIETY = {
    "QM1.TO.QM2": "BATCHSZ(50) NPMSPEED(FAST)",
    "QM2.TO.QM3": "BATCHSZ(20) NPMSPEED(FAST) BATCHHB(1000)",
    "QM3.TO.QM2": "BATCHSZ(5) NPMSPEED(NORMAL) DISCINT(2)",
    "QM2.TO.QM1": "BATCHSZ(50) NPMSPEED(FAST) BATCHINT(20) COMPMSG(ZLIBFAST)",
}
