"""The fourth part of `make demo`: three queue managers in a row, and the one in the middle is killed again and again.

Orders are put in the north and travel to the south by way of the middle, over two channels. Nobody writes down where a
batch is but the queue managers: at the end every order is there once, and both ends of each channel say the same about
the last batch.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack

import libremq
from libremq.commands.demo.demo_server import DemoFailure, Server, colour, say

ORDERS = 2000
KILLS = 3
_AT_ONCE = 100  # orders in a unit of work
_LIMIT_S = 300.0

# A way there, and one back for what dspmqrte wants to hear. {…} are the ports, which the system has chosen.
_XMITQ = "USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)"
_SENDER = "SHORTTMR(1) SHORTRTY(999999999) BATCHSZ(20)"  # the start of MIDDLE may take longer than ten attempts
_DEFINITIONS = {
    "NORTH": f"""
DEFINE QLOCAL(MIDDLE) {_XMITQ}
DEFINE CHANNEL(NORTH.MIDDLE) CHLTYPE(SDR) CONNAME('127.0.0.1({{MIDDLE}})') XMITQ(MIDDLE) {_SENDER}
DEFINE CHANNEL(MIDDLE.NORTH) CHLTYPE(RCVR)
DEFINE QREMOTE(ORDERS) RNAME(ORDERS) RQMNAME(SOUTH) XMITQ(MIDDLE)
""",
    "MIDDLE": f"""
DEFINE QLOCAL(SOUTH) {_XMITQ} MAXDEPTH({ORDERS})
DEFINE CHANNEL(MIDDLE.SOUTH) CHLTYPE(SDR) CONNAME('127.0.0.1({{SOUTH}})') XMITQ(SOUTH) {_SENDER}
DEFINE QLOCAL(NORTH) {_XMITQ}
DEFINE CHANNEL(MIDDLE.NORTH) CHLTYPE(SDR) CONNAME('127.0.0.1({{NORTH}})') XMITQ(NORTH) {_SENDER}
DEFINE CHANNEL(NORTH.MIDDLE) CHLTYPE(RCVR)
DEFINE CHANNEL(SOUTH.MIDDLE) CHLTYPE(RCVR)
""",
    "SOUTH": f"""
DEFINE QLOCAL(ORDERS) MAXDEPTH({ORDERS})
DEFINE CHANNEL(MIDDLE.SOUTH) CHLTYPE(RCVR)
DEFINE QLOCAL(MIDDLE) {_XMITQ}
DEFINE CHANNEL(SOUTH.MIDDLE) CHLTYPE(SDR) CONNAME('127.0.0.1({{MIDDLE}})') XMITQ(MIDDLE) {_SENDER}
DEFINE QREMOTE(NORTH) RNAME(' ') RQMNAME(NORTH) XMITQ(MIDDLE)
""",
}
_HOPS = (("NORTH", "MIDDLE"), ("MIDDLE", "SOUTH"))


def main() -> int:
    """0 if everything was as it should be."""
    with tempfile.TemporaryDirectory(prefix="libremq-demo-") as folder, ExitStack() as at_the_end:
        servers = {name: Server(folder, name) for name in _DEFINITIONS}
        for server in servers.values():
            at_the_end.callback(server.end)
        try:
            return _run(servers)
        except (DemoFailure, libremq.MQError, subprocess.TimeoutExpired) as error:
            say(colour("31", f"   The demonstration stopped: {error}"))
            return 1
        except KeyboardInterrupt:
            return 130


def _run(servers: dict[str, Server]) -> int:
    started = time.monotonic()
    say("")
    say(colour("1", "LibreMQ demo, fourth part: messages over two hops, and the queue manager in the middle dies"))
    say("")
    say("1. Three queue managers, with channels from NORTH to MIDDLE to SOUTH and back")
    for server in servers.values():
        server.command("crtmqm", server.name)
        server.start()
    ports = {name: server.port for name, server in servers.items()}
    for name, server in servers.items():
        with libremq.connect(server.local_url) as qm:
            for answer in qm.mqsc(_DEFINITIONS[name].format(**ports)):
                if answer.state != "done":
                    raise DemoFailure(f"{name}: {answer.lines}")
    say("")
    say("2. The way that an order takes; the first message starts each channel")
    for line in servers["NORTH"].command("dspmqrte", "-m", "NORTH", "-q", "ORDERS").splitlines():
        if line.startswith(("AMQ8666I", "AMQ8654I")):
            say(f"     {line}")
    say("")
    say(f"3. Put {ORDERS} persistent orders in the north, in batches of 20 to the south; kill MIDDLE {KILLS} times")
    with libremq.connect(servers["NORTH"].local_url) as north, libremq.connect(servers["SOUTH"].local_url) as south:
        in_doubt = _put_and_kill(servers["MIDDLE"], north, south)
        say("")
        say("4. The ledger")
        with libremq.connect(servers["MIDDLE"].local_url) as middle:
            fine = _check({"NORTH": north, "MIDDLE": middle, "SOUTH": south}, in_doubt)
    say("")
    say("   " + (colour("1;32", "Nothing lost, nothing doubled.") if fine else colour("1;31", "The ledger is wrong.")))
    say("")
    say(f"   {time.monotonic() - started:.0f} seconds in all. Channels of your own: see README.md")
    return 0 if fine else 1


def _put_and_kill(middle: Server, north: libremq.QueueManager, south: libremq.QueueManager) -> int:
    """How often a kill has left a batch in doubt."""
    producer = threading.Thread(target=_produce, args=(north,), daemon=True)
    producer.start()
    arrived = south.queue("ORDERS")
    in_doubt = 0
    for kill in range(1, KILLS + 1):
        _until(lambda: arrived.depth >= ORDERS * kill // (KILLS + 2), arrived)  # noqa: B023
        process_id = middle.kill()
        say(
            colour("31", f"   kill -9 number {kill}")
            + f" of MIDDLE, process {process_id}, with {arrived.depth} in the south"
        )
        saved = _saved(north, "NORTH.MIDDLE")
        in_doubt += saved["indoubt"] == "YES"
        say(
            f"     NORTH says of its channel: LSTSEQNO({saved['lstseqno']}) CURSEQNO({saved['curseqno']}) "
            f"INDOUBT({saved['indoubt']})"
        )
        middle.start()
    producer.join(_LIMIT_S)
    _until(lambda: arrived.depth >= ORDERS, arrived)
    say(f"   the channels have started again by themselves, and the rest has come: {arrived.depth}")
    return in_doubt


def _produce(north: libremq.QueueManager) -> None:
    orders = north.queue("ORDERS")
    for start in range(0, ORDERS, _AT_ONCE):
        with north.transaction():
            orders.put_many([f"order {number}" for number in range(start, start + _AT_ONCE)], persistent=True)


def _until(done: Callable[[], bool], arrived: libremq.Queue) -> None:
    limit = time.monotonic() + _LIMIT_S
    while not done():
        if time.monotonic() > limit:
            raise DemoFailure(f"only {arrived.depth} orders have come to the south")
        time.sleep(0.01)


def _saved(manager: libremq.QueueManager, channel: str) -> dict[str, object]:
    """What an end of the channel has written down about its last batch."""
    rows = manager.mqsc(f"DISPLAY CHSTATUS({channel}) SAVED")[0].rows
    if not rows:
        raise DemoFailure(f"nothing is known of channel {channel}")
    return dict(rows[-1])


def _check(managers: dict[str, libremq.QueueManager], in_doubt: int) -> bool:
    orders = [message.text for message in managers["SOUTH"].queue("ORDERS").browse()]
    expected = [f"order {number}" for number in range(ORDERS)]
    lost, doubled = len(set(expected) - set(orders)), len(orders) - len(set(orders))
    rows = [
        ("orders in the south", str(len(orders)), len(orders) == ORDERS),
        ("lost", str(lost), not lost),
        ("doubled", str(doubled), not doubled),
        ("kills that left a batch in doubt in the north", str(in_doubt), in_doubt <= KILLS),
        ("still in the order in which they were put", "yes" if orders == expected else "no", orders == expected),
    ]
    for what, value, fine in rows:
        say(f"   {what:47s}{value:>5s}   {_verdict(fine)}")
    agreed = [_same_at_both_ends(managers, *hop) for hop in _HOPS]
    return all(row[2] for row in rows) and all(agreed)


def _same_at_both_ends(managers: dict[str, libremq.QueueManager], sender: str, receiver: str) -> bool:
    channel = f"{sender}.{receiver}"
    limit = time.monotonic() + _LIMIT_S
    while True:  # the answer to the last batch may be on its way
        ends = [_saved(managers[name], channel) for name in (sender, receiver)]
        fine = ends[0]["indoubt"] == "NO" and all(
            ends[0][field] == ends[1][field] for field in ("lstseqno", "lstluwid")
        )
        if fine or time.monotonic() > limit:
            break
        time.sleep(0.01)
    for name, end in zip((sender, receiver), ends, strict=True):
        said = f"LSTSEQNO({end['lstseqno']}) LSTLUWID({end['lstluwid']}) INDOUBT({end['indoubt']})"
        say(f"   {channel} at {name:7s} {said}   {_verdict(fine)}")
    return fine


def _verdict(fine: bool) -> str:
    return colour("32", "ok") if fine else colour("31", "WRONG")


if __name__ == "__main__":
    sys.exit(main())
