"""Trouble that applications make: how they open, get, browse, commit and expire."""

from __future__ import annotations

from libremq.pipeline.generator.estate import (
    LEDGER_INPUT,
    ORDERS_REPLY,
    ORDERS_REQUEST,
    SHARED_EVENTS,
    STOCK_REQUEST,
    TRANSMIT,
)
from libremq.pipeline.generator.interval import Interval, Row
from libremq.pipeline.generator.sickness import sickness
from libremq.pipeline.generator.structures import clock_units


def _getters(interval: Interval, queue: str) -> list[tuple[Row, Row]]:
    """Queue rows that get from the queue, each with its task's totals."""
    found = []
    for task in interval.tasks_on(queue):
        row = task.queue(queue)
        if row["getn"]:
            found.append((row, task.totals))
    return found


def _putters(interval: Interval, queue: str) -> list[tuple[Row, Row]]:
    found = []
    for task in interval.tasks_on(queue):
        row = task.queue(queue)
        if row["putn"]:
            found.append((row, task.totals))
    return found


@sickness(
    "opens-many",
    "an application opens and closes the queue for every message",
    "R-APP-2",
    rules="queue-open-close-churn",
)
def opens_many(interval: Interval, hours: float) -> None:
    total = 0
    for row, _ in _getters(interval, ORDERS_REQUEST):
        opens = row["getn"]
        total += opens
        row.update(
            {
                "openn": opens,
                "closen": opens,
                "openet": clock_units(opens * 8),
                "openct": clock_units(opens * 6),
                "closeet": clock_units(opens * 8),
                "closect": clock_units(opens * 6),
                "opencf0": opens,
                "closecf0": opens,
                "use_count": opens,
                "total_use": opens,
            }
        )
    calls = interval.one("qmst")
    calls["qmstopen"] += total
    calls["qmstclos"] += total
    queue = interval.find("qqst", qqstqnam=ORDERS_REQUEST)
    queue["qqstopen"] += total
    queue["qqstclos"] += total


@sickness(
    "gets-find-nothing",
    "many getters wait for the same few messages; most gets find nothing",
    "R-WAIT-1",
    rules="queue-many-empty-gets",
)
def gets_find_nothing(interval: Interval, hours: float) -> None:
    total = 0
    for row, _ in _getters(interval, STOCK_REQUEST):
        more = 15 * row["validget"] + 400
        total += more
        row["getn"] += more
        row["geta"] += more
        row["geterr"] += more
        row["getet"] += clock_units(more * 9)
        row["getct"] += clock_units(more * 5)
    interval.one("qmst")["qmstget"] += total
    queue = interval.find("qqst", qqstqnam=STOCK_REQUEST)
    queue["qqstflgt"] += total
    queue["qqstnmag"] += total


@sickness(
    "selectors",
    "messages are chosen by selector from a deep queue: each get passes over thousands",
    "R-SEL-1",
    rules="queue-gets-skip-messages queue-selector-used",
)
def selectors(interval: Interval, hours: float) -> None:
    for row, _ in _getters(interval, LEDGER_INPUT):
        gets = row["getn"]
        row["getsmsg"] = min(0xFFFFFFFF, 2_500 * gets)
        row["selcount"] = gets
        row["selmaxln"] = 64
        row["getet"] = min(clock_units(gets * 500), clock_units(0.4 * interval.traffic.microseconds))
        row["getct"] = min(clock_units(gets * 480), clock_units(0.38 * interval.traffic.microseconds))


@sickness(
    "index-missing",
    "replies are got by correlation identifier from a queue without index",
    "R-IDX-01",
    rules="queue-specific-gets-without-index queue-gets-skip-messages",
)
def index_missing(interval: Interval, hours: float) -> None:
    for row, _ in _getters(interval, ORDERS_REPLY):
        row["indxtype"] = 0
        row["getsmsg"] = min(0xFFFFFFFF, 400 * row["gets"])
        row["getepage"] = 10 * row["gets"]


@sickness(
    "messages-expire",
    "messages are left until they expire, and getters clear them away",
    "R-EXP-03",
    rules="queue-expired-at-get",
)
def messages_expire(interval: Interval, hours: float) -> None:
    total = 0
    for row, _ in _getters(interval, ORDERS_REPLY):
        row["getexmsg"] = row["validget"] // 2 + 20
        total += row["getexmsg"]
    interval.find("qqst", qqstqnam=ORDERS_REPLY)["qqstexpr"] = total


@sickness(
    "persistent-outside-syncpoint",
    "persistent messages are put outside syncpoint: each put waits for the log",
    "R-LF-01",
    rules="task-log-forces-per-commit",
)
def persistent_outside_syncpoint(interval: Interval, hours: float) -> None:
    for row, totals in _putters(interval, TRANSMIT):
        puts = row["putn"]
        row["putjcn"] = row["putjwn"] = puts
        row["putjcet"] = row["putjwet"] = clock_units(puts * 360)
        row["putet"] += clock_units(puts * 360)
        totals["wtasjcn"] += puts
        totals["wtasjcet"] += clock_units(puts * 360)


@sickness(
    "unit-of-work-long",
    "a batch job puts thousands of messages in one unit of work",
    "R-UOW-01",
    rules="task-units-of-work-large",
)
def unit_of_work_long(interval: Interval, hours: float) -> None:
    for row, totals in _getters(interval, LEDGER_INPUT):
        moved = row["validget"] + row["putn"]
        totals["wtascmn"] = max(1, moved // 4_000)
        totals["wtascmet"] = clock_units(totals["wtascmn"] * 900)
        totals["wtasjcn"] = totals["wtascmn"]
        totals["wtasjwn"] = 3 * moved


@sickness(
    "shared-queue-opened-first-and-last",
    "each open of a shared queue is the first and each close the last, so all go to the coupling facility",
    "R-SQ-4",
    shared_only=True,
    rules="queue-first-open-last-close",
)
def shared_queue_opened_first_and_last(interval: Interval, hours: float) -> None:
    for row, _ in _getters(interval, SHARED_EVENTS):
        opens = row["getn"] // 4 + 50
        table = [list(line) for line in row["cfcount"]]
        table[0][0], table[0][1], table[1][0], table[1][1] = opens, opens, opens, opens
        row.update(
            {
                "openn": opens,
                "closen": opens,
                "opencf0": 0,
                "closecf0": 0,
                "openet": clock_units(opens * 50),
                "openct": clock_units(opens * 30),
                "closeet": clock_units(opens * 45),
                "closect": clock_units(opens * 28),
                "cfcount": table,
                "cfsyncn": table,
            }
        )


@sickness(
    "latches-held",
    "tasks wait for a latch that another task holds for long",
    "own",
    rules="task-latch-waits",
)
def latches_held(interval: Interval, hours: float) -> None:
    for task in interval.tasks:
        if task.application == "CICSORD":
            counts = [0] * 32
            counts[20] = 4_000
            task.totals["wtaslwn"] = counts
            task.totals["wtaslwet"] = [clock_units(count * 20_000) for count in counts]
            task.totals["wtasmlw"] = clock_units(1_900_000)
            task.totals["wtasmlwn"] = 21
            task.totals["wtaslmax"] = [clock_units(1_900_000) if count else 0 for count in counts]


@sickness(
    "server-alone",
    "one instance of a server, which puts back what it could not finish, can do no more",
    "R-TP-1",
    rules="task-single-server-bound",
)
def server_alone(interval: Interval, hours: float) -> None:
    total = 0
    for row, totals in _getters(interval, LEDGER_INPUT):
        moved, length = row["validget"], interval.traffic.microseconds
        total += moved
        row.update(
            {
                "getet": clock_units(0.60 * length),
                "putn": moved,
                "validput": moved,
                "putpmsg": moved,
                "putbytes": row["getbytes"],
                "putmaxms": row["getmaxms"],
                "putminms": row["getmaxms"],
                "putet": clock_units(0.32 * length),
                "putct": row["getct"],
            }
        )
        totals["wtascmn"] = totals["wtasjcn"] = totals["wtasjwn"] = moved
        totals["wtascmet"] = clock_units(min(0.05 * length, 400.0 * moved))
        totals["wtasjcet"] = totals["wtasjwet"] = totals["wtascmet"] * 9 // 10
    interval.one("qmst")["qmstput"] += total
    queue = interval.find("qqst", qqstqnam=LEDGER_INPUT)
    queue["qqstputs"] += total
    queue["qqstppt"] += total
