"""Trouble of the queue manager itself: pools, log, page sets, coupling facility, shared message data sets, Db2."""

from __future__ import annotations

from libremq.pipeline.generator.estate import LEDGER_INPUT
from libremq.pipeline.generator.interval import Interval, Row
from libremq.pipeline.generator.sickness import sickness
from libremq.pipeline.generator.structures import clock_units
from libremq.pipeline.generator.traffic import PAGE_BYTES


def _pool(interval: Interval, number: int, lowest: float, now: float) -> Row:
    row = interval.find("qpst", qpstpool=number)
    row["qpstcbsl"] = int(row["qpstnbuf"] * lowest)
    row["qpstcbs"] = int(row["qpstnbuf"] * now)
    return row


@sickness(
    "pool-short",
    "the system pool falls below 15 % free buffers",
    "R-BP-06",
    rules="pool-system-short-of-buffers pool-deferred-writes-in-critical-pool",
)
def pool_short(interval: Interval, hours: float) -> None:
    row = _pool(interval, 0, 0.11, 0.30)
    row["qpstdwt"] = 3


@sickness(
    "pool-exhausted",
    "the pool of short-lived messages has no buffers left; applications wait for page set writes",
    "R-BP-06 R-BP-3 R-BP-07 R-BP-9 R-135",
    rules="pool-short-lived-short-of-buffers pool-nearly-full pool-no-free-buffer pool-contention-for-buffers"
    " pool-synchronous-write-limit pool-deferred-writes-not-catching-up pool-contention-ratio"
    " pool-deferred-writes-in-critical-pool pool-reads-in-critical-pool pool-newly-used-buffers"
    " page-set-immediate-writes page-set-larger-pool-would-help data-manager-gets-from-disk",
)
def pool_exhausted(interval: Interval, hours: float) -> None:
    row = _pool(interval, 2, 0.01, 0.08)
    moved = row["qpstgetn"]
    pages = moved // 2 + 4000
    row.update(
        {
            "qpstrio": pages,
            "qpsttpw": pages,
            "qpstwio": pages // 8,
            "qpstimw": pages // 10,
            "qpstdwt": 40,
            "qpstdmc": pages // 10,
            "qpststl": pages,
            "qpststla": pages * 6 // 10,
            "qpstsos": 25,
        }
    )
    page_set = interval.find("qis1", qis1bpno=2)
    page_set.update(
        {
            "qis1dwpn": pages // 16,
            "qis1dwpp": pages,
            "qis1dwpt": clock_units(pages // 16 * 900),
            "qis1imwn": pages // 10,
            "qis1imwp": pages // 10,
            "qis1imwt": clock_units(pages // 10 * 274),
            "qis1getn": pages // 2,
            "qis1getp": pages,
            "qis1gett": clock_units(pages // 2 * 190),
        }
    )
    data = interval.one("qist")
    data["qistgetd"] = min(pages // 2, data["qistgetb"])
    data["qistgetb"] -= data["qistgetd"]


@sickness(
    "pool-oversized", "a pool is never more than half in use", "R-BP-08", rules="pool-half-unused", from_start=True
)
def pool_oversized(interval: Interval, hours: float) -> None:
    _pool(interval, 3, 0.80, 0.85)


@sickness(
    "pool-searched",
    "someone browses through a deep queue over and over; its pages are read again and again",
    "R-BP-7",
    rules="pool-pages-read-again pool-more-searching-than-storing",
)
def pool_searched(interval: Interval, hours: float) -> None:
    row = interval.find("qpst", qpstpool=1)
    pages = int(100 * interval.traffic.seconds)
    row["qpstgetp"] += 12 * pages
    row["qpstrio"] = pages
    page_set = interval.find("qis1", qis1bpno=1)
    page_set.update({"qis1getn": pages, "qis1getp": pages, "qis1gett": clock_units(pages * 180)})
    queue = interval.find("qqst", qqstqnam=LEDGER_INPUT)
    queue["qqstbrws"] = queue["qqstpbr"] = 6 * pages
    queue["qqstbrwb"] = queue["qqstpbb"] = 6 * pages * 3000


@sickness(
    "log-buffers-short",
    "log records wait for a free log buffer",
    "R-LG-2",
    rules="log-buffers-short log-buffers-short-at-maximum",
)
def log_buffers_short(interval: Interval, hours: float) -> None:
    interval.one("qjst")["qjstwtb"] = 6_779


@sickness(
    "log-at-capacity",
    "the logger is busy all the time and its disks are the reason",
    "R-116",
    rules="log-writer-saturated log-archiving-cost log-dual-at-limit log-data-set-fills-fast"
    " log-active-logs-hold-less-than-a-day log-add-queue-manager",
    from_start=True,
)
def log_at_capacity(interval: Interval, hours: float) -> None:
    row, length = interval.one("qjst"), interval.traffic.microseconds
    each_us = 700
    writes = int(0.96 * length / each_us)
    copies = interval.queue_manager.log_copies
    row.update(
        {
            "qjstwrw": writes,
            "qjstwrnw": 4 * writes,
            "qjstbffl": writes,
            "qjstbfwr": writes,
            "qjstlogw": writes * copies,
            "qjstciwr": writes * copies,
            "qjstserw": writes // 40,
            "qjstslptu": length // 250,
            "qjstiocount": [writes, 0, writes if copies == 2 else 0, 0],
            "qjstioci": [writes, 0, writes if copies == 2 else 0, 0],
            "qjstiototio": [clock_units(writes * each_us), 0, clock_units(writes * each_us) if copies == 2 else 0, 0],
            "qjstiototsus": [clock_units(writes * 720), 0, clock_units(writes * 720) if copies == 2 else 0, 0],
        }
    )
    new_logs = max(row["qjstcp1n"], writes * PAGE_BYTES // interval.queue_manager.log_bytes)
    row.update({"qjstcp1n": new_logs, "qjstcp2n": new_logs, "qjstllcp": new_logs, "qjstciof": writes})
    # The flood that the log cannot take: one persistent message of 2500 bytes to each page written.
    calls = interval.one("qmst")
    calls["qmstput"] += writes - calls["qmstspp"]
    calls.update({"qmstspp": writes, "qmstpbp": 2500 * writes, "qmstsnp": writes // 2, "qmstnbp": 500 * writes})


@sickness(
    "checkpoints-often",
    "LOGLOAD is far too small: a checkpoint every two minutes",
    "R-LL-04",
    rules="log-checkpoints-often",
)
def checkpoints_often(interval: Interval, hours: float) -> None:
    interval.one("qjst")["qjstllcp"] = max(1, int(interval.traffic.seconds // 120))


@sickness(
    "archive-reads",
    "backouts and recoveries read archive logs, on tapes that others want too",
    "R-REC-12",
    rules="log-archive-reads",
)
def archive_reads(interval: Interval, hours: float) -> None:
    interval.one("qjst").update({"qjstrarh": 14_000, "qjstalr": 6})


@sickness(
    "log-copies-skewed", "the second copy of the log is much slower than the first", "R-121", rules="log-copies-skewed"
)
def log_copies_skewed(interval: Interval, hours: float) -> None:
    row = interval.one("qjst")
    for key in ("qjstiototio", "qjstiototsus", "qjstiomaxio", "qjstiomaxsus"):
        values = row[key]
        row[key] = [*values[:2], *(3 * value for value in values[2:])]


@sickness(
    "log-writes-slow",
    "a log write of one page takes milliseconds",
    "T-30",
    rules="log-single-page-writes-slow",
)
def log_writes_slow(interval: Interval, hours: float) -> None:
    row = interval.one("qjst")
    share = 0.5 * interval.traffic.microseconds / max(1, row["qjstiocount"][0])
    each_us = min(2500.0, share)
    for copy in (0, 2):
        row["qjstiototio"][copy] = clock_units(row["qjstiocount"][copy] * each_us)
        row["qjstiototsus"][copy] = clock_units(row["qjstiocount"][copy] * each_us * 1.05)
    row["qjstslptu"] = max(0, int(interval.traffic.microseconds - row["qjstiocount"][0] * each_us * 1.05))


@sickness(
    "zhyperlink-falls-back",
    "a third of the zHyperLink log writes become asynchronous",
    "R-ZHL-7",
    rules="log-zhyperlink-not-synchronous",
)
def zhyperlink_falls_back(interval: Interval, hours: float) -> None:
    row = interval.one("qjst")
    single, multi = row["qjstiocount"][0], row["qjstiocount"][1]
    pages = row["qjstioci"][0] + row["qjstioci"][1]
    late, late_multi = single // 3, multi // 3
    row.update(
        {
            "qjsthlsciw": single,
            "qjsthlmciw": multi,
            "qjsthlcicntw": pages,
            "qjsthlscis": single - late,
            "qjsthlmcis": multi - late_multi,
            "qjsthlcicnts": pages - pages // 3,
            "qjsthlscif": late,
            "qjsthlmcif": late_multi,
            "qjsthlcicntf": pages // 3,
            "qjsthlsciwtmax": 852,
            "qjsthlsciwtmin": 24,
            "qjsthlsciwttot": 30 * single,
            "qjsthlmciwtmax": 1_978,
            "qjsthlmciwtmin": 29,
            "qjsthlmciwttot": 370 * multi,
            "qjsthlc": row["qjstcp1n"],
            "qjsthle": row["qjstcp1n"],
        }
    )


def _fill(interval: Interval, number: int, used: float) -> None:
    """Fill a page set with messages of its queue; depth and pages agree."""
    row = interval.find("qis1", qis1psno=number)
    total = row["qis1topg"]
    wanted = int(total * used)
    more = wanted - (total - row["qis1unpg"])
    if more <= 0:
        return
    row["qis1ppg"] += more
    row["qis1unpg"] -= more
    row["qis1pchi"] = wanted
    queue = next(each for each in interval.rows["qqst"] if each["qqstpsid"] == number)
    queue["qqstdpth"] += more
    queue["qqstdphi"] += more
    queue["qqstmage"] = 80_000


@sickness(
    "page-set-filling",
    "a queue is not emptied any more: its page set passes 90 % within a day",
    "R-PS-05",
    rules="page-set-expanding queue-depth-growing",
)
def page_set_filling(interval: Interval, hours: float) -> None:
    _fill(interval, 1, min(0.97, 0.75 + 0.09 * hours))


@sickness(
    "page-set-growing",
    "a queue is emptied a little slower than it fills: its page set will pass 90 % in some days",
    "R-PS-04",
    rules="page-set-filling-up queue-depth-growing",
    from_start=True,
)
def page_set_growing(interval: Interval, hours: float) -> None:
    _fill(interval, 1, min(0.89, 0.74 + 0.004 * hours))


@sickness(
    "page-set-expanding",
    "a page set is expanded again and again",
    "R-PS-04",
    rules="page-set-expanded page-set-expanding-daily",
)
def page_set_expanding(interval: Interval, hours: float) -> None:
    row = interval.find("qis1", qis1psno=3)
    extents = 1 + int(hours)
    row["qis1topg"] += 5_000 * extents
    row["qis1unpg"] += 5_000 * extents
    row["qis1expn"] = extents
    row["qis1flag"] = 0x80000000


@sickness(
    "page-set-full",
    "a page set is full and puts to it fail",
    "R-PS-05",
    rules="page-set-expanding page-set-full queue-failed-puts queue-depth-growing",
)
def page_set_full(interval: Interval, hours: float) -> None:
    _fill(interval, 2, 0.995)
    interval.find("qis1", qis1psno=2)["qis1full"] = 7
    queue = next(each for each in interval.rows["qqst"] if each["qqstpsid"] == 2)
    queue["qqstflpt"] = 900


@sickness(
    "structure-full",
    "a coupling facility structure is full and puts to its queues fail",
    "R-CF-10",
    shared_only=True,
    rules="structure-full structure-entries-high structure-elements-high",
)
def structure_full(interval: Interval, hours: float) -> None:
    row = interval.find("qest", qeststr="APPL1")
    row.update({"qestsful": 40, "qestmnus": 230_000, "qestmlus": 1_380_000})


@sickness(
    "structure-redrives",
    "message sizes around a buffer boundary make coupling facility requests fail and be driven again",
    "R-CF-16",
    shared_only=True,
    rules="structure-redrives",
)
def structure_redrives(interval: Interval, hours: float) -> None:
    row = interval.find("qest", qeststr="APPL1")
    row["qestrsec"] = row["qestcsec"] // 5
    row["qestrmec"] = row["qestcmec"] // 5


@sickness(
    "structure-slow",
    "requests to the coupling facility take ten times as long: it is short of processors",
    "R-CF-14",
    shared_only=True,
    rules="structure-calls-slower",
)
def structure_slow(interval: Interval, hours: float) -> None:
    for row in interval.rows["qest"]:
        row["qestsstc"] = clock_units(row["qestcsec"] * 90)
        row["qestmstc"] = clock_units(row["qestcmec"] * 180)


@sickness(
    "smds-buffers-short",
    "shared message data sets have no buffer left and requests wait",
    "R-03",
    shared_only=True,
    rules="smds-buffers-short",
)
def smds_buffers_short(interval: Interval, hours: float) -> None:
    (row,) = interval.rows["qesd"]
    row.update(
        {
            "qesdbfmu": row["qesdbfto"],
            "qesdbfmf": 0,
            "qesdbffe": 0,
            "qesdbffs": 0,
            "qesdbfwp": 400,
            "qesdbfpt": clock_units(400 * 1500),
            "qesdbfmp": 9,
        }
    )


@sickness(
    "db2-undefined-queues",
    "applications open queues that do not exist; each attempt asks Db2",
    "R-SQ-5",
    shared_only=True,
    rules="db2-undefined-queue-opens",
)
def db2_undefined_queues(interval: Interval, hours: float) -> None:
    attempts = int(30 * interval.traffic.seconds)
    row = interval.one("q5st")
    reads = 5 * attempts
    row["readcnt"] += reads
    row["readtcuw"] += clock_units(reads * 700)
    row["readscuw"] += clock_units(reads * 600)
    row["dhigmax"] = 5
    interval.one("qmst")["qmstopen"] += attempts


@sickness(
    "queues-deleted-late",
    "temporary dynamic queues are closed inside a unit of work and deleted twice",
    "R-TDQ-1",
    rules="temporary-queues-deleted-later",
)
def queues_deleted_late(interval: Interval, hours: float) -> None:
    row = interval.one("qist")
    row["qistdcre"] += int(4 * interval.traffic.seconds)
    row["qistddel"] = 2 * row["qistdcre"]


@sickness(
    "storage-short",
    "the queue manager is short on storage and has to contract its pools",
    "own",
    rules="storage-short",
)
def storage_short(interval: Interval, hours: float) -> None:
    interval.one("qsst").update({"qsstcont": 12, "qsstcrit": 3})
