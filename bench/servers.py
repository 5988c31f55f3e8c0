"""LibreMQ next to the servers that a Python user would pick instead: durable 2 KiB messages, one run, one table.

Every server is started here, on loopback, with its data in the benchmark's folder on disk. Rounds are short and all
contenders take turns in each, the device under them included; what is shown is the median of the rounds and its range.
Gets follow the puts of the same round, so no queue is deeper than one round makes it.

python bench/servers.py [--quick] [--folder FOLDER] [--without NAME ...] [--profile FILE]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import peer_libremq
import peer_postgresql
import peer_rabbitmq
import peer_redis
from client_processes import ClientProcesses, Failed, Task
from contenders import UNIT, Absent, Contender
from daemons import listener_pid
from machine import RawDevice, data_folder, describe
from server_profile import Profile, sampler
from table import human, verdict

MANY = 16
_PROFILE_S = 3

SERVERS: dict[str, Callable[[str], AbstractContextManager[list[Contender]]]] = {
    "libremq": peer_libremq.serve,
    "embedded": peer_libremq.embedded,
    "redis": peer_redis.serve,
    "postgresql": peer_postgresql.serve,
    "rabbitmq": peer_rabbitmq.serve,
}


@dataclass(frozen=True)
class Workload:
    """Two columns of the table: puts, and the gets of what they put."""

    title: str
    clients: int
    put: str
    get: str
    fill: str
    drain: str


DURABLE = (
    Workload("1 process, each confirmed", 1, "put", "get", "put_unit", "get_unit"),
    Workload(f"{MANY} processes", MANY, "put", "get", "put_unit", "get_unit"),
    Workload(f"1 process, {UNIT} a commit", 1, "put_unit", "get_unit", "put_unit", "get_unit"),
)
FAST = Workload("not persistent, 1 process", 1, "put_fast", "get_fast", "put_fast", "get_fast")
WORKLOADS = (*DURABLE, FAST)

# To the better of Redis and PostgreSQL, in Python alone and with libremq-speed
GOALS = {
    (DURABLE[0].title, "put"): (1.1, 1.2),
    (DURABLE[0].title, "get"): (1.1, 1.2),
    (DURABLE[1].title, "put"): (1.4, 1.5),
    (DURABLE[1].title, "get"): (1.5, 1.6),
    (DURABLE[2].title, "put"): (0.9, 1.3),
    (DURABLE[2].title, "get"): (0.8, 1.1),
}
FAST_GOALS = {"put": 1.0, "get": 1.2}  # to the best peer
DEVICE_GOALS = (0.4, 0.45)  # one confirmed put, of the device's forces
Rates = dict[tuple[str, str, str], list[float]]  # contender, title of the workload, "put" or "get"


@dataclass
class Findings:
    rates: Rates = field(default_factory=dict)
    latencies: dict[str, list[float]] = field(default_factory=dict)
    device: list[float] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, contender: Contender, workload: Workload, verb: str, rate: float) -> None:
        self.rates.setdefault((contender.name, workload.title, verb), []).append(rate)

    def rate(self, name: str, workload: Workload, verb: str) -> list[float]:
        return self.rates.get((name, workload.title, verb), [])


def _one_workload(
    processes: ClientProcesses, contender: Contender, workload: Workload, seconds: float, into: Findings | None
) -> None:
    for verb, operation in (("put", workload.put), ("get", workload.get)):
        outcome = processes.round(contender, [Task(operation, seconds)] * workload.clients)
        if into is not None:
            into.add(contender, workload, verb, outcome.rate)
    processes.drain(contender, workload.drain)


def _requests(processes: ClientProcesses, contender: Contender, seconds: float, into: Findings | None) -> None:
    tasks = [Task("request", seconds), Task("respond", seconds, extra_seconds=0.05)]
    outcome = processes.round(contender, tasks)
    if into is not None:
        into.latencies.setdefault(contender.name, []).extend(outcome.latencies)


def _round(
    processes: ClientProcesses, contenders: list[Contender], seconds: float, into: Findings | None, notes: list[str]
) -> None:
    """Every workload, with all contenders in turns. One that fails is out, with a note."""
    steps: list[tuple[str, Callable[[Contender], None]]] = [
        (workload.put, lambda one, workload=workload: _one_workload(processes, one, workload, seconds, into))  # type: ignore[misc]
        for workload in WORKLOADS
    ]
    steps.append(("request", lambda one: _requests(processes, one, seconds, into)))
    for operation, step in steps:
        for contender in list(contenders):
            if operation not in contender.operations:
                continue
            try:
                step(contender)
            except Failed as trouble:
                contenders.remove(contender)
                print(trouble, file=sys.stderr)
                reason = str(trouble).strip().splitlines()[-1]
                notes.append(f"{contender.name} failed, and was left out from then on: {reason}")


def _device(raw: RawDevice, seconds: float) -> float:
    """Forces a second, over about so long."""
    count, taken = 0, 0.0
    while taken < seconds:
        taken += raw.run(20)
        count += 20
    return count / taken


def _profile(processes: ClientProcesses, contender: Contender, findings: Findings, folder: str) -> str:
    """Server and client of each workload under py-spy, in rounds that are not counted."""
    sides = {"server": listener_pid(contender.server_port), "client": processes.first_pid(contender)}
    text: list[str] = []
    for workload in WORKLOADS:
        for verb, operation in (("put", workload.put), ("get", workload.get)):
            title = f"{contender.name}, {workload.title}, {verb}"
            if verb == "get":
                enough = 1.2 * (_PROFILE_S + 1) * max(findings.rate(contender.name, workload, verb))
                processes.round(contender, [Task(workload.fill, 60.0, count_max=int(enough))])
            profiles = {side: Profile(pid, _PROFILE_S, folder) for side, pid in sides.items() if pid}
            rate = processes.round(contender, [Task(operation, _PROFILE_S + 1)] * workload.clients).rate
            for side, profile in profiles.items():
                text.append(f"{title}: {side} ({human(rate)} messages/s under the profiler)\n{profile.text()}\n")
            processes.drain(contender, workload.drain)
    return "".join(text)


def measure(
    folder: str, rounds: int, seconds: float, servers: Sequence[str], profile: str = ""
) -> tuple[list[Contender], Findings]:
    findings = Findings()
    with ExitStack() as stack:
        contenders: list[Contender] = []
        for name in servers:
            try:
                contenders += stack.enter_context(SERVERS[name](folder))
            except Absent as absent:
                findings.notes.append(f"{name} is not in the table: {absent}")
        rows = list(contenders)
        raw = RawDevice(folder, 4096)
        stack.callback(raw.close)
        processes = ClientProcesses(contenders, MANY)
        stack.callback(processes.close)
        _round(processes, contenders, seconds / 2, None, findings.notes)  # warms up
        for _ in range(rounds):
            findings.device.append(_device(raw, seconds / 2))
            _round(processes, contenders, seconds, findings, findings.notes)
        served = [one for one in contenders if one.server_port]
        if profile and served:
            Path(profile).write_text(_profile(processes, served[0], findings, folder))
            findings.notes.append(f"the profile is in {profile}")
    return rows, findings


# What is printed


def _range(values: Sequence[float]) -> str:
    return f"{human(min(values))}..{human(max(values))}" if values else ""


def _middle(values: Sequence[float]) -> str:
    return human(median(values)) if values else "-"


def _grid(title: str, heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> None:
    first = max(len(name) for name, _ in rows)
    widths = [max(len(head), *(len(cells[at]) for _, cells in rows)) for at, head in enumerate(heads)]
    print(f"\n{title}")
    print("  " + " " * first + "".join(f"  {head:>{width}}" for head, width in zip(heads, widths)))
    for name, cells in rows:
        print(f"  {name:<{first}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, widths)))
    sys.stdout.flush()


_SHORT = {DURABLE[0].title: "1 ", DURABLE[1].title: f"{MANY} ", DURABLE[2].title: f"{UNIT}/commit "}


def show(contenders: Sequence[Contender], findings: Findings) -> None:
    columns = [(workload, verb) for workload in DURABLE for verb in ("put", "get")]
    rows: list[tuple[str, list[str]]] = []
    for contender in contenders:
        cells = [findings.rate(contender.name, workload, verb) for workload, verb in columns]
        rows += [(contender.name, [_middle(cell) for cell in cells]), ("", [_range(cell) for cell in cells])]
    legend = f"1: one process, each confirmed; {MANY}: so many processes; {UNIT}/commit: one process, units of {UNIT}"
    heads = [f"{_SHORT[workload.title]}{verb}" for workload, verb in columns]
    _grid(f"Servers: durable 2 KiB messages  [messages/s]  ({legend})", heads, rows)
    if any(contender.in_process for contender in contenders):
        print(f"  Embedded: {MANY} threads of the one process.")
    _show_others(contenders, findings)
    _show_ratios(contenders, findings)
    for note in findings.notes:
        print(f"  Note: {note}")
    sys.stdout.flush()


def _show_others(contenders: Sequence[Contender], findings: Findings) -> None:
    rows: list[tuple[str, list[str]]] = []
    for contender in contenders:
        if FAST.put not in contender.operations:
            continue
        cells = [findings.rate(contender.name, FAST, verb) for verb in ("put", "get")]
        times = sorted(findings.latencies.get(contender.name, []))
        shares = [f"{times[int(len(times) * share)] * 1e6:.0f}" if times else "-" for share in (0.5, 0.99)]
        rows.append((contender.name, [*map(_middle, cells), *map(_range, cells), *shares]))
    heads = ["put/s", "get/s", "range of puts", "range of gets", "reply p50 us", "p99 us"]
    _grid("Not persistent, 2 KiB, one process, each answered; and request/reply with another process", heads, rows)


def _show_ratios(contenders: Sequence[Contender], findings: Findings) -> None:
    device = median(findings.device)
    print(f"\nDevice: {human(device)} forces/s of 4 KiB ({1e6 / device:.0f} us each; {_range(findings.device)})")
    peers = [one for one in contenders if not one.is_ours]
    for contender in contenders:
        if not contender.is_ours or not findings.rate(contender.name, DURABLE[0], "put"):
            continue
        durable = [one.name for one in peers if one.sets_goals]
        print(f"{contender.name} against the better of {' and '.join(durable)}; not persistent, against the best peer:")
        with_goals, native = contender.server_port > 0, int(contender.with_speed)
        for workload in DURABLE:
            for verb in ("put", "get"):
                goal = GOALS[workload.title, verb][native] if with_goals else 0.0
                _show_ratio(contender, findings, workload, verb, durable, goal)
        for verb in ("put", "get"):
            goal = FAST_GOALS[verb] if with_goals else 0.0
            _show_ratio(contender, findings, FAST, verb, [one.name for one in peers], goal)
        # The device changes its pace from second to second: it is measured right before these puts, in every round
        puts = findings.rate(contender.name, DURABLE[0], "put")
        share = median(rate / forces for rate, forces in zip(puts, findings.device))
        _show_line("one confirmed put at a time", share, "the device's force rate", DEVICE_GOALS[native] * with_goals)
        _show_replies(contender, findings)


def _show_ratio(
    contender: Contender, findings: Findings, workload: Workload, verb: str, peers: Sequence[str], goal: float
) -> None:
    ours = median(findings.rate(contender.name, workload, verb) or [0.0])
    theirs = {name: median(findings.rate(name, workload, verb) or [0.0]) for name in peers}
    best = max(theirs, key=lambda name: theirs[name], default="")
    if best and theirs[best]:
        _show_line(f"{workload.title}, {verb}", ours / theirs[best], best, goal)


def _show_replies(contender: Contender, findings: Findings) -> None:
    """Less is better: so many times the middle of Redis."""
    ours = findings.latencies.get(contender.name)
    theirs = next((times for name, times in findings.latencies.items() if name.startswith(peer_redis.NAME)), None)
    if ours and theirs:
        ratio = median(ours) / median(theirs)
        goal = f"; goal at most 1: {verdict(ratio <= 1)}" if contender.server_port else ""
        print(f"  {'request and reply, p50':<34} {ratio:5.2f} times that of {peer_redis.NAME}{goal}")


def _show_line(what: str, ratio: float, of: str, goal: float) -> None:
    said = f"; goal {goal}: {verdict(ratio >= goal)}" if goal else ""
    print(f"  {what:<34} {ratio:5.2f} of {of}{said}")


def run(folder: str, rounds: int, seconds: float, servers: Sequence[str] = tuple(SERVERS), profile: str = "") -> None:
    print(f"\nServers: starting {', '.join(servers)} ...", flush=True)
    if profile and sampler() is None:
        raise SystemExit("py-spy is not installed: pip install py-spy")
    show(*measure(folder, rounds, seconds, servers, profile))


def main() -> None:
    parser = argparse.ArgumentParser(description="LibreMQ next to other message servers: one run, one table.")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--folder", help="where to keep the data meanwhile; on a disk, not in memory")
    parser.add_argument("--without", choices=tuple(SERVERS), nargs="*", default=[], help="servers to leave out")
    parser.add_argument("--profile", default="", metavar="FILE", help="write where the time of LibreMQ goes, by py-spy")
    chosen = parser.parse_args()
    started = time.perf_counter()
    with data_folder(chosen.folder) as folder:
        print(describe(folder))
        servers = [name for name in SERVERS if name not in chosen.without]
        run(folder, 3 if chosen.quick else 9, 0.15 if chosen.quick else 0.4, servers, chosen.profile)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
