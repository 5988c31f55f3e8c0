"""Busy clients among idle ones: what 2,000 connections that do nothing take, of memory and of the others' rate.

The idle ones are sockets of this process that have connected and opened a queue, and then say nothing. Rounds with and
without them take turns, so that both see the same device; what is shown is the median of the rounds and its range.

python bench/idle.py [--quick] [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import resource
import socket
import time
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median

import peer_libremq
from client_processes import ClientProcesses, Task
from contenders import Contender
from daemons import LOOPBACK, listener_pid
from machine import data_folder, describe
from table import Table, verdict

from libremq.mqi import constants as C
from libremq.mqi.structs import MQOD
from libremq.wire import calls, session_flows
from libremq.wire.protocol import CONFIRM_REQUEST, MAX_MESSAGE, MAX_SEGMENT, WHOLE, Type
from libremq.wire.segments import Flow, SegmentReader, frame, frame_plain

IDLE, BUSY = 2000, 16
RATE_GOAL, BYTES_GOAL = 0.8, 60_000
_FILES_KEPT = 200
_CHANNEL, _QUEUE = "SYSTEM.DEF.SVRCONN", "BENCH.FAST"
_OPERATIONS = {"put": "get_unit", "put_fast": "get_fast"}  # and what takes off what they have put


class IdleConnection:
    """A socket that has connected and opened a queue."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection((LOOPBACK, port), timeout=60)
        self._reader = SegmentReader(MAX_SEGMENT, MAX_MESSAGE)
        flags = WHOLE | CONFIRM_REQUEST
        offer = session_flows.pack_initial(session_flows.InitialData(_CHANNEL))
        answer = self._call(frame_plain(Type.INITIAL_DATA, offer, flags=flags))
        agreed = session_flows.unpack_initial(answer.body)
        if session_flows.corrected(agreed):
            self._call(frame(Type.INITIAL_DATA, session_flows.pack_initial(agreed), 1, flags=flags))
        connect = session_flows.pack_connect(session_flows.Connect("", "idle", C.MQAT_UNIX))
        self._checked(Type.MQCONN, calls.pack_api(0, 0, 0, len(connect)) + connect)
        self._checked(Type.MQOPEN, calls.pack_open(0, MQOD(ObjectName=_QUEUE), C.MQOO_OUTPUT))

    def _call(self, data: bytes) -> Flow:
        self._socket.sendall(data)
        flows: list[Flow] = []
        while not flows:
            flows = self._reader.feed(self._socket.recv(65536))
        return flows[-1]

    def _checked(self, kind: int, body: bytes) -> None:
        reason = calls.unpack_api(self._call(frame(kind, body, 1)).body).reason
        if reason:
            raise SystemExit(f"an idle connection was refused with reason {reason}")

    def close(self) -> None:
        self._socket.close()


def resident_bytes(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * resource.getpagesize()


def _possible() -> int:
    """As many idle connections as the limit on open files allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = IDLE + _FILES_KEPT
    if soft < wanted <= hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return min(IDLE, soft - _FILES_KEPT)


def run(folder: str, rounds: int, seconds: float) -> None:
    count = _possible()
    rates: dict[tuple[str, bool], list[float]] = {(name, idle): [] for name in _OPERATIONS for idle in (False, True)}
    each: list[float] = []
    with ExitStack() as stack:
        contender = stack.enter_context(peer_libremq.serve(folder))[0]
        server = listener_pid(contender.server_port)
        processes = stack.enter_context(closing(ClientProcesses([contender], BUSY)))
        _measure(processes, contender, seconds, {})
        for _ in range(rounds):
            _measure(processes, contender, seconds, {name: rates[name, False] for name in _OPERATIONS})
            before = resident_bytes(server) if server else 0
            with ExitStack() as idle:
                for _ in range(count):
                    idle.enter_context(closing(IdleConnection(contender.server_port)))
                each.append((resident_bytes(server) - before) / count if server else 0.0)
                _measure(processes, contender, seconds, {name: rates[name, True] for name in _OPERATIONS})
    table = Table(f"{BUSY} busy processes over TCP, 2 KiB, with and without {count} idle connections", "messages/s")
    for name, title in (("put", "durable puts"), ("put_fast", "puts, not persistent")):
        alone, among = rates[name, False], rates[name, True]
        share = median(with_idle / without for with_idle, without in zip(among, alone))
        table.rates(f"{title}, alone", alone)
        remark = f"{share:.2f} of it; goal {RATE_GOAL}: {verdict(share >= RATE_GOAL)}"
        table.rates(f"{title}, among the idle", among, remark)
    # The memory of those that have gone is used again, so the first round tells
    if server:
        remark = f"goal {BYTES_GOAL // 1000} kB: {verdict(each[0] < BYTES_GOAL)}"
        table.line("memory of an idle one", f"{each[0] / 1000:.1f} kB", remark)
    table.show()


def _measure(processes: ClientProcesses, contender: Contender, seconds: float, into: dict[str, list[float]]) -> None:
    for operation, drain in _OPERATIONS.items():
        outcome = processes.round(contender, [Task(operation, seconds)] * BUSY)
        processes.drain(contender, drain)
        if operation in into:
            into[operation].append(outcome.rate)


def main() -> None:
    parser = argparse.ArgumentParser(description="Busy clients of LibreMQ among idle ones.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--folder", help="where to keep the data meanwhile; on a disk, not in memory")
    chosen = parser.parse_args()
    started = time.perf_counter()
    with data_folder(chosen.folder) as folder:
        print(describe(folder))
        run(folder, 3 if chosen.quick else 9, 0.5 if chosen.quick else 1.0)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
