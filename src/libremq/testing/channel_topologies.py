"""Queue managers that are joined by channels: in a line or in a ring, each with all the others within reach."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.simulated_queue_manager import made_on_disk

IN = "IN"
"""The queue that every one of them has."""

_QUEUE_MANAGER = """
ALTER QMGR CHLAUTH(DISABLED) DEADQ(SYSTEM.DEAD.LETTER.QUEUE)
DEFINE QLOCAL(IN)
"""
_RETRIES = "SHORTRTY(100) SHORTTMR(10) LONGRTY(999999999) LONGTMR(20)"

# What each end of a channel from one queue manager to another is: who calls whom
PAIRS: Mapping[str, tuple[str, str]] = {
    "SDR-RCVR": ("SDR", "RCVR"),
    "SVR-RCVR": ("SVR", "RCVR"),
    "SVR-RQSTR": ("SVR", "RQSTR"),
    "RQSTR-SVR": ("SVR", "RQSTR"),
    "RQSTR-SDR": ("SDR", "RQSTR"),
}
"""By the end that is started first. A requester calls a server, or asks a sender to call back."""


def started_by(pair: str, one: str, other: str) -> str:
    """Who starts the channel from one to the other."""
    return other if pair.startswith("RQSTR") else one


def channel_name(one: str, other: str) -> str:
    return f"{one}.TO.{other}"


def joined(
    names: tuple[str, ...],
    neighbours: tuple[tuple[str, str], ...],
    *,
    pair: str = "SDR-RCVR",
    attributes: str = "",
    trigger: bool = False,
) -> dict[str, FaultyFiles]:
    """The disks of queue managers with channels both ways between neighbours, and ways to all the others.

    `attributes` are those of all channels, such as BATCHSZ(3), as far as an end has them. `trigger`: messages start
    the channels.
    """
    return dict(_joined(names, neighbours, pair, attributes, trigger))


@cache
def _joined(
    names: tuple[str, ...], neighbours: tuple[tuple[str, str], ...], pair: str, attributes: str, trigger: bool
) -> tuple[tuple[str, FaultyFiles], ...]:
    near: dict[str, list[str]] = {name: [] for name in names}
    for one, other in neighbours:
        near[one].append(other)
        near[other].append(one)
    return tuple((name, made_on_disk(name, _definitions(name, near, pair, attributes, trigger))) for name in names)


def _definitions(name: str, near: Mapping[str, list[str]], pair: str, attributes: str, trigger: bool) -> str:
    sends, receives = PAIRS[pair]
    lines = [_QUEUE_MANAGER]
    for other in near[name]:
        out, back = channel_name(name, other), channel_name(other, name)
        started = f"TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ) TRIGDATA({out})" if trigger else ""
        lines.append(f"DEFINE QLOCAL({other}) USAGE(XMITQ) {started}")
        calls = f"CONNAME('{other}(1414)')" if sends == "SDR" or not pair.startswith("RQSTR") else ""
        own = f"{_RETRIES} {_without(attributes, _RECEIVING_ONLY)}"
        lines.append(f"DEFINE CHANNEL({out}) CHLTYPE({sends}) XMITQ({other}) {calls} {own}")
        calls = f"CONNAME('{other}(1414)')" if receives == "RQSTR" else ""
        lines.append(f"DEFINE CHANNEL({back}) CHLTYPE({receives}) {calls} {_without(attributes, _SENDING_ONLY)}")
    for far, hop in _next_hops(name, near).items():
        if far != hop:
            lines.append(f"DEFINE QREMOTE({far}) RNAME(' ') RQMNAME({far}) XMITQ({hop})")
    return "\n".join(lines)


_SENDING_ONLY = ("BATCHINT", "BATCHLIM", "BATCHHB", "DISCINT", "CONVERT")
_RECEIVING_ONLY = ("MRRTY", "MRTMR", "PUTAUT")


def _without(attributes: str, others: tuple[str, ...]) -> str:
    """What this end of a channel has."""
    return " ".join(one for one in attributes.split() if not one.startswith(others))


def _next_hops(name: str, near: Mapping[str, list[str]]) -> dict[str, str]:
    """Where to send what is for a queue manager: to the neighbour that is nearest to it."""
    hops = {other: other for other in near[name]}
    edge = list(hops)
    while edge:
        one = edge.pop(0)
        for other in near[one]:
            if other != name and other not in hops:
                hops[other] = hops[one]
                edge.append(other)
    return hops


def line(count: int, *, pair: str = "SDR-RCVR", attributes: str = "", trigger: bool = False) -> dict[str, FaultyFiles]:
    """QM1, QM2 and so on, each joined to the next."""
    names = tuple(f"QM{number}" for number in range(1, count + 1))
    return joined(names, tuple(pairwise(names)), pair=pair, attributes=attributes, trigger=trigger)


def ring(count: int, *, pair: str = "SDR-RCVR", attributes: str = "", trigger: bool = False) -> dict[str, FaultyFiles]:
    """A line whose last one is joined to the first."""
    names = tuple(f"QM{number}" for number in range(1, count + 1))
    pairs = tuple(zip(names, (*names[1:], names[0])))
    return joined(names, pairs, pair=pair, attributes=attributes, trigger=trigger)
