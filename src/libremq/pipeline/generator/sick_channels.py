"""Trouble of the channel initiator: storage, tasks, names, channels."""

from __future__ import annotations

from libremq.pipeline.generator.estate import SENDER
from libremq.pipeline.generator.interval import Interval
from libremq.pipeline.generator.rows_initiator import task_row
from libremq.pipeline.generator.sickness import sickness
from libremq.pipeline.generator.structures import clock_units


@sickness(
    "adapters-busy",
    "every adapter has work, the last one too: requests wait for one",
    "R-56",
    rules="adapters-all-used adapters-mostly-busy",
)
def adapters_busy(interval: Interval, hours: float) -> None:
    rows = interval.rows["qctadp"]
    each_us = 900.0
    for number, row in enumerate(rows):
        busy = 0.97 - 0.2 * number / len(rows)
        row.update(
            task_row(number, interval.traffic, int(busy * interval.traffic.microseconds / each_us), each_us, 0.1)
        )


@sickness(
    "dispatchers-unbalanced",
    "all busy channels are on one dispatcher, the others have nothing to do",
    "R-59",
    rules="dispatchers-unbalanced dispatcher-saturated dispatcher-channels-unbalanced",
)
def dispatchers_unbalanced(interval: Interval, hours: float) -> None:
    rows = interval.rows["qctdsp"]
    busy_us = 0.9 * interval.traffic.microseconds
    for number, row in enumerate(rows):
        requests = int(busy_us / 60.0) if number == 0 else 0
        row.update(task_row(100 + number, interval.traffic, requests, 60.0, 0.8))
        row["qctchln"] = len(interval.queue_manager.channels) if number == 0 else 0
    for channel in interval.rows["qcst"]:
        channel["qcstdspn"] = 0


@sickness(
    "tls-tasks-busy",
    "the TLS tasks are more than 90 % busy",
    "R-63",
    rules="ssl-task-saturated",
)
def tls_tasks_busy(interval: Interval, hours: float) -> None:
    for number, row in enumerate(interval.rows["qctssl"]):
        requests = int(0.96 * interval.traffic.microseconds / 400.0)
        row.update(task_row(200 + number, interval.traffic, requests, 400.0, 0.9))
        row["qctlsdu"] = clock_units(5_000)


@sickness(
    "initiator-storage-short",
    "storage of the channel initiator is nearly used up",
    "R-40",
    rules="chinit-storage-64-high chinit-storage-31-high",
)
def initiator_storage_short(interval: Interval, hours: float) -> None:
    row = interval.one("qcct")
    row["qcctstus"] = 1_390
    row["qcctstab"] = int(row["qcctslim"] * 0.93)


@sickness(
    "channels-at-limit",
    "as many channels as are allowed; more cannot start",
    "R-46",
    rules="chinit-channels-near-maximum chinit-active-channels-near-maximum",
)
def channels_at_limit(interval: Interval, hours: float) -> None:
    row = interval.one("qcct")
    row["qcctnocc"] = row["qcctmxcc"]
    row["qcctnoac"] = row["qcctmxac"]


@sickness(
    "names-slow",
    "name resolution takes seconds and holds up channel starts",
    "own",
    rules="dns-slow",
)
def names_slow(interval: Interval, hours: float) -> None:
    (row,) = interval.rows["qctdns"]
    row.update(task_row(300, interval.traffic, int(interval.traffic.seconds // 15), 4_000_000.0, 0.0001))
    row["qctlgdu"] = clock_units(9_500_000)
    for channel in interval.rows["qcst"]:
        channel["qcstdnrt"] = 4_000_000


@sickness(
    "batches-small",
    "sender channels with BATCHSZ 50 achieve one or two messages in a batch",
    "R-77",
    rules="channel-batches-small",
)
def batches_small(interval: Interval, hours: float) -> None:
    for row in interval.rows["qcst"]:
        if row["qcstchty"] == SENDER:
            row["qcstbatc"] = max(1, row["qcstnmsg"] * 10 // 11)
            row["qcstfuba"] = 0


@sickness(
    "cipher-dear",
    "channels use a cipher that the processor does in software",
    "R-93",
    rules="tls-software-cipher at-tls-software-cipher",
    facts={"tls_cipher_name": "TLS_CHACHA20_POLY1305_SHA256"},
)
def cipher_dear(interval: Interval, hours: float) -> None:
    for row in interval.rows["qcst"]:
        if row["qcstslcs"]:
            row["qcstslcs"] = 0x1303


@sickness(
    "messages-retried",
    "a receiver has to put messages again because the target queue refuses them",
    "own",
    rules="channel-put-retries",
)
def messages_retried(interval: Interval, hours: float) -> None:
    for row in interval.rows["qcst"]:
        if row["qcstchty"] == 3:
            row["qcstptrc"] = 50 + row["qcstnmsg"] // 20
