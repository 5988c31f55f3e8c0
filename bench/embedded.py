"""How fast the embedded queue manager is: against other Python queues, and against the device under its log.

Everything that is compared runs in turns within each round, so that a machine that is slower for a while is slower
for both sides; what is shown is the median of the rounds, and a ratio is one of medians.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from machine import RawDevice
from peers import FileQueue, SQLiteQueue, StandardQueue
from table import Table, ratio, verdict
from workload import QUEUE, Application, PythonApplication, puts_of_many, start

from libremq.mqi import constants as C

MESSAGE = bytes(range(256)) * 4  # 1 KiB
LARGER = MESSAGE * 2
UNIT = 100
THREADS = 8
_UNIT_LOG_BYTES = UNIT * (len(LARGER) + 450)  # what a unit of puts takes in the log, within a few percent


def _rounds(rounds: int, contenders: dict[str, Callable[[], float]]) -> dict[str, list[float]]:
    """Rates of every contender, in turns; the first round only warms up."""
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, run in contenders.items():
            rate = run()
            if number:
                rates[name].append(rate)
    return rates


def run(folder: str, rounds: int, scale: float) -> None:
    embedded = start(folder, QUEUE)
    application = Application(embedded, QUEUE)
    others = [Application(embedded, QUEUE) for _ in range(THREADS)]
    try:
        _nonpersistent(folder, application, rounds, scale)
        _persistent(folder, application, others, rounds, scale)
        _units(folder, application, rounds, scale)
    finally:
        for one in (application, *others):
            one.close()
        embedded.end()


def _nonpersistent(folder: str, application: Application, rounds: int, scale: float) -> None:
    ours = "LibreMQ, MQI verbs"
    python = PythonApplication(folder)
    count = int(10_000 * scale)

    def bursts(many: int) -> float:
        """Puts first, gets after: the messages wait on the queue."""
        return application.puts(many, MESSAGE, C.MQPER_NOT_PERSISTENT) + application.gets(many)

    standard, files = StandardQueue(folder), FileQueue(folder)
    rates = _rounds(
        rounds,
        {
            ours: lambda: count / application.pairs(count, MESSAGE, C.MQPER_NOT_PERSISTENT),
            f"{ours}, in bursts of 50": lambda: count / sum(bursts(50) for _ in range(count // 50)),
            "LibreMQ, Python API": lambda: count / python.pairs(count, MESSAGE, persistent=False),
            standard.name: lambda: count / standard.pairs(count, MESSAGE),
            files.name: lambda: count / 10 / files.pairs(count // 10, MESSAGE),
        },
    )
    python.close()
    table = Table("Non-persistent 1 KiB messages, put and get", "pairs/s")
    for name, values in rates.items():
        remark = "" if name.startswith("LibreMQ") else f"LibreMQ runs at {ratio(rates[ours], values):.3g} of it"
        table.rates(name, values, remark)
    table.show()


def _persistent(folder: str, application: Application, others: list[Application], rounds: int, scale: float) -> None:
    raw, sqlite = RawDevice(folder, 4096), SQLiteQueue(folder)
    # Many short rounds: the force rate of a shared device changes from second to second
    rounds *= 3
    count = _forces_in(raw, 0.04 * scale)

    def emptied(seconds: float) -> float:
        application.gets(count)
        return count / seconds

    put, many = "LibreMQ, put outside syncpoint", f"LibreMQ, the same from {THREADS} threads"
    pairs, sqlite_put = "LibreMQ, put and get outside syncpoint", f"{sqlite.name}, put"
    device = "device: write 4 KiB and fdatasync"
    rates = _rounds(
        rounds,
        {
            device: lambda: count / raw.run(count),
            put: lambda: emptied(application.puts(count, MESSAGE, C.MQPER_PERSISTENT)),
            many: lambda: emptied(puts_of_many(others, count, MESSAGE)),
            pairs: lambda: count / application.pairs(count, MESSAGE, C.MQPER_PERSISTENT),
            sqlite_put: lambda: count / sqlite.puts(count, MESSAGE),
        },
    )
    raw.close()
    table = Table("Persistent 1 KiB messages, each forced before the call returns", "calls or pairs/s")
    table.rates(device, rates[device], f"the force rate of this machine: {1e6 / median(rates[device]):.0f} us a force")
    for name in (put, many, pairs, sqlite_put):
        table.rates(name, rates[name], f"{ratio(rates[name], rates[device]):.2f} of the device")
    reached = ratio(rates[put], rates[device])
    table.line("ratio of put outside syncpoint to the device", f"{reached:.2f}", f"goal 0.8: {verdict(reached >= 0.8)}")
    table.show()


def _forces_in(raw: RawDevice, seconds: float) -> int:
    """How many forces take about this long, as a multiple of the number of threads."""
    return min(1000, max(8, int(seconds * 50 / raw.run(50)))) // THREADS * THREADS


def _units(folder: str, application: Application, rounds: int, scale: float) -> None:
    units = max(2, int(10 * scale))
    count = units * UNIT
    raw = RawDevice(folder, _UNIT_LOG_BYTES)
    device = f"device: write {_UNIT_LOG_BYTES // 1024} KiB and fdatasync, as messages"
    put, get = f"LibreMQ, units of {UNIT} puts", f"LibreMQ, units of {UNIT} gets"
    rates = _rounds(
        rounds,
        {
            device: lambda: count / raw.run(units),
            put: lambda: count / application.put_units(units, UNIT, LARGER),
            get: lambda: count / application.get_units(units, UNIT),
        },
    )
    raw.close()
    table = Table(f"Persistent 2 KiB messages in units of work of {UNIT}", "messages/s")
    for name, values in rates.items():
        table.rates(name, values, "" if name == device else f"{ratio(values, rates[device]):.2f} of the device")
    table.show()
