"""The accounting rows of a healthy site's tasks: each application's share of its queues, call by call."""

from __future__ import annotations

import struct
import zlib

from libremq.pipeline.generator.estate import CHANNELS, Application
from libremq.pipeline.generator.interval import Row, Task
from libremq.pipeline.generator.structures import clock, clock_units
from libremq.pipeline.generator.traffic import QueueTraffic, Traffic

PUT_CPU_US, PUT_US = 12.0, 16.0
GET_CPU_US, GET_US = 10.0, 14.0
SHARED_FACTOR = 2.5
COMMIT_CPU_US, COMMIT_US = 9.0, 380.0
OPEN_CPU_US, OPEN_US = 6.0, 8.0
LATENCY_US = 40_000.0

_CF_READ, _CF_WRITE, _CF_NEW, _CF_DELETE = 5, 6, 10, 13
"""Kinds of call in the tables of coupling facility calls."""


def tasks(traffic: Traffic) -> list[Task]:
    made: list[Task] = []
    for application in traffic.queue_manager.applications:
        for number in range(application.tasks):
            made.append(_task(traffic, application, number, len(made)))
    return made


def _share(count: int, parts: int, number: int) -> int:
    return count // parts + (1 if number < count % parts else 0)


def _task(traffic: Traffic, application: Application, number: int, position: int) -> Task:
    owner = traffic.queue_manager
    started = clock(traffic.start) + position * 4096
    correl = struct.pack(">QII", started, zlib.crc32(owner.name.encode()) >> 1, 0x5D000000 + position)
    queues: list[Row] = []
    puts = gets = 0
    for name in dict.fromkeys((*application.puts, *application.gets)):
        moved = traffic.queues[name]
        putters = sum(each.tasks for each in owner.applications if name in each.puts)
        getters = sum(each.tasks for each in owner.applications if name in each.gets)
        mine = _position(traffic, application, name, number)
        put = _share(moved.puts, putters, mine[0]) if name in application.puts else 0
        got = _share(moved.gets, getters, mine[1]) if name in application.gets else 0
        queues.append(_queue(traffic, moved, put, got, correl))
        puts, gets = puts + put, gets + got
    commits = -(-(puts + gets) // max(1, 2 * application.messages_per_commit))
    channel = owner.channels[position % len(owner.channels)] if application.kind == CHANNELS else None
    connection = f"{owner.name}CHIN" if channel else application.name
    identity: Row = {
        "wtidatyp": application.kind,
        "wtidccn": connection,
        "wtidopid": "" if channel else f"{application.name[:6]}{number:02d}",
        "wtidnid": bytes(16),
        "wtidcori": application.transaction.ljust(12),
        "wtiduowi": struct.pack(">16xQ", started),
        "wtidacct": bytes(22),
        "wtidchl": channel.name if channel else "",
        "wtidchlc": channel.address if channel else "",
        "wtidctxt": bytes(16),
        "wtidtran": application.name,
    }
    header: Row = {
        "qwhcaid": application.name,
        "qwhccv": application.transaction.ljust(12).encode("cp037"),
        "qwhccn": connection,
        "qwhcopid": "" if channel else f"{application.name[:6]}{number:02d}",
        "qwhcatyp": application.kind,
        "qwhctokn": bytes(22),
        "qwhcnid": bytes(16),
    }
    cpu = sum(row["putct"] + row["getct"] for row in queues)
    return Task(
        application=application.name,
        identity=identity,
        totals=_totals(traffic, queues, correl, puts, gets, commits),
        queues=queues,
        header=header,
        processor={
            "qwacbsc": clock(traffic.start),
            "qwacesc": clock(traffic.end),
            "qwacejst": cpu * 2,
            "qwaccomm": commits,
        },
        sizes={
            "qmaccput": cpu,
            **_sizes("qmacput", [(row["putmaxms"], row["putn"]) for row in queues]),
            **_sizes("qmacget", [(row["getmaxms"], row["validget"]) for row in queues]),
        },
    )


def _position(traffic: Traffic, application: Application, queue: str, number: int) -> tuple[int, int]:
    """Which of the tasks that put to a queue, and which of those that get from it, this one is."""
    before_put = before_get = 0
    for each in traffic.queue_manager.applications:
        if each is application:
            break
        before_put += each.tasks if queue in each.puts else 0
        before_get += each.tasks if queue in each.gets else 0
    return before_put + number, before_get + number


def _sizes(prefix: str, moved: list[tuple[int, int]]) -> Row:
    row = {f"{prefix}{letter}": 0 for letter in "abcd"}
    for size, count in moved:
        letter = "abcd"[(size >= 100) + (size >= 1000) + (size >= 10_000)]
        row[f"{prefix}{letter}"] += count
    return row


def _queue(traffic: Traffic, moved: QueueTraffic, puts: int, gets: int, correl: bytes) -> Row:
    queue = moved.queue
    factor = SHARED_FACTOR if queue.shared else 1.0
    empty = gets // 50
    calls = gets + empty
    specific = gets if queue.index_type else 0
    pool = next((each.pool for each in traffic.queue_manager.page_sets if each.number == queue.page_set), 0)
    row: Row = {
        "correl": correl,
        "objname": queue.name,
        "basename": queue.name,
        "opentime": clock(traffic.start),
        "clostime": clock(traffic.end),
        "qtype": 1,
        "indxtype": queue.index_type,
        "qsgdisp": 2 if queue.shared else 0,
        "openet": clock_units(OPEN_US),
        "openct": clock_units(OPEN_CPU_US),
        "openn": 1,
        "closeet": clock_units(OPEN_US),
        "closect": clock_units(OPEN_CPU_US),
        "closen": 1,
        "getet": clock_units(calls * GET_US * factor),
        "getct": clock_units(calls * GET_CPU_US * factor),
        "getn": calls,
        "geta": calls - specific,
        "gets": specific,
        "geterr": empty,
        "putet": clock_units(puts * PUT_US * factor),
        "putct": clock_units(puts * PUT_CPU_US * factor),
        "putn": puts,
        "nps": max(0, queue.page_set),
        "nbuffpool": pool,
        "cfstrucname": queue.structure,
        "putbytes": puts * queue.message_bytes,
        "getbytes": gets * queue.message_bytes,
        "validput": puts,
        "validget": gets,
        "getmaxms": queue.message_bytes if gets else 0,
        "putmaxms": queue.message_bytes if puts else 0,
        "maxlatnt": clock_units(LATENCY_US * 4) if gets else 0,
        "minlatnt": clock_units(LATENCY_US / 4) if gets else 0,
        "totlatnt": clock_units(gets * LATENCY_US),
        "use_count": 1,
        "total_use": 1,
        "getpmsg": gets if queue.persistent else 0,
        "putpmsg": puts if queue.persistent else 0,
        "maxqdpth": moved.depth_high,
        "getdval": gets,
        "opencf0": 1,
        "closecf0": 1,
    }
    if gets:
        row["getminms"] = queue.message_bytes
    if puts:
        row["putminms"] = queue.message_bytes
    if queue.shared:
        row["cfcount"] = row["cfsyncn"] = _cf_calls(puts, gets)
    return row


def _cf_calls(puts: int, gets: int) -> list[list[int]]:
    table = [[0] * 20 for _ in range(5)]
    table[2][_CF_READ], table[2][_CF_DELETE] = gets, gets
    table[3][_CF_NEW], table[3][_CF_WRITE] = puts, puts // 50
    return table


def _totals(traffic: Traffic, queues: list[Row], correl: bytes, puts: int, gets: int, commits: int) -> Row:
    logged = 0
    for row in queues:
        moved = traffic.queues[row["basename"]]
        if moved.puts + moved.gets:
            logged += moved.log_bytes * (row["putn"] + row["validget"]) // (moved.puts + moved.gets)
    shared = sum(row["putn"] + row["validget"] for row in queues if row["cfstrucname"])
    force = commits if logged else 0
    return {
        "correl": correl,
        "wtasotet": clock_units(300),
        "wtasotct": clock_units(40),
        "wtasotn": 6,
        "wtascmet": clock_units(commits * (COMMIT_US if force else 12)),
        "wtascmct": clock_units(commits * COMMIT_CPU_US),
        "wtascmn": commits,
        "wtasjwn": force,
        "wtasjwet": clock_units(force * COMMIT_US * 0.9),
        "wtasjwb": logged & 0xFFFFFFFF,
        "wtasjcn": force,
        "wtasjcet": clock_units(force * COMMIT_US * 0.9),
        "wtascsec": 3 * shared,
        "wtascmec": shared // 20,
        "wtassstc": clock_units(3 * shared * 6.0),
        "wtasmstc": clock_units(shared // 20 * 12.0),
        "wtasints": clock(traffic.start),
        "wtasinte": clock(traffic.end),
        "wtasgpo": 2 * gets,
        "wtasgpn": puts,
    }
