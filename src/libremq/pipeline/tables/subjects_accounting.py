"""Subjects of accounting: what each task did, and what it did to each queue (class 3); the short class 1 record."""

from __future__ import annotations

from collections.abc import Iterator

from libremq.pipeline.tables.subjects_schema import (
    Column,
    Subject,
    average,
    count,
    derived,
    gauge,
    high,
    key,
    longest,
    low,
    pct,
    text,
    time,
    usec,
)


def _identity() -> Iterator[Column]:
    """Who the task is."""
    yield text("application_type", "wtid.wtidatyp", "kind of application", "conntype")
    yield text("connection_name", "wtid.wtidccn", "job, CICS region or IMS region")
    yield text("operator_id", "wtid.wtidopid", "user or operator")
    yield text("user_id", "wtid.wtidtran", "z/OS user")
    yield text("correlation_text", "wtid.wtidcori", "CICS transaction or IMS PSB with thread data, where readable")
    yield text("channel", "wtid.wtidchl", "channel, for tasks of the channel initiator")
    yield text("channel_connection", "wtid.wtidchlc", "its other end")
    yield derived(
        "transaction",
        "case when application_type = 'CICS' then substring(correlation_text, 5, 4)"
        " when application_type like 'IMS%' then substring(correlation_text, 5, 8) end",
        "CICS transaction or IMS PSB",
        "string",
    )
    yield derived(
        "task_name",
        "coalesce(nullif(channel, ''), nullif(transaction, ''), nullif(connection_name, ''), nullif(operator_id, ''))",
        "what analysts call the task: its channel, transaction or job",
        "string",
    )


def _call(name: str, verb: str, counter: str, elapsed: str, cpu: str, label: str) -> Iterator[Column]:
    yield count(f"{name}_calls", counter, f"{label} calls")
    yield usec(f"{name}_elapsed_us", elapsed, f"elapsed time of {label}")
    yield usec(f"{name}_cpu_us", cpu, f"processor time of {label}")
    yield average(f"{name}_average_elapsed_us", f"{name}_elapsed_us", f"{name}_calls", f"mean elapsed time of {verb}")
    yield average(f"{name}_average_cpu_us", f"{name}_cpu_us", f"{name}_calls", f"mean processor time of {verb}")


def _task_call(name: str, verb: str, letters: str) -> Iterator[Column]:
    return _call(name, verb, f"wtas.wtas{letters}n", f"wtas.wtas{letters}et", f"wtas.wtas{letters}ct", verb)


_TASK_CALLS = (
    ("commit", "commit", "cm"),
    ("backout", "backout", "ba"),
    ("prepare", "prepare", "pr"),
    ("other_mqi", "other MQI", "ot"),
    ("subscribe", "MQSUB", "su"),
    ("subscription_request", "MQSUBRQ", "sq"),
    ("control", "MQCTL", "ct"),
    ("status_call", "MQSTAT", "st"),
)

LATCHES = 32
SHARED_OPEN_LATCH = 11
"""The latch that serialises opens of shared queues (DMCSEGAL)."""


LATCH_UNITS = 1 << 20
"""From 10.0.0 on a latch wait is in units of 2^-32 us instead of 2^-12: read as STCK it is so much too large."""


def latch_wait_us(total: str, waits: str, longest: str) -> str:
    """SQL of all waits for one latch in microseconds, from the recorded total read as STCK.

    In which unit it is follows from the release, unless the number of waits and the longest of them, which is always
    STCK, show that only the other can be.
    """
    new = f"CAST(({total}) / {LATCH_UNITS} AS bigint)"

    def fits(candidate: str) -> str:
        return f"{candidate} BETWEEN {longest} - 1 AND ({longest} + 1) * {waits}"

    known = f"{waits} > 0 AND {longest} > 0"
    return (
        f"CASE WHEN {known} AND {fits(new)} AND NOT {fits(total)} THEN {new}"
        f" WHEN {known} AND {fits(total)} AND NOT {fits(new)} THEN {total}"
        f" WHEN length(release) = 6 THEN {new} ELSE {total} END"
    )


def _sum_of(column: str, parts: int) -> str:
    return f"aggregate({column}, 0L, (total, part) -> total + coalesce(part, 0L))" if parts else column


TASK_ACCOUNTING = Subject(
    "task_accounting",
    "What one task did in its part of an interval (accounting class 3)",
    "task",
    (
        key("task", "wtas.correl", "identity of the task, as hexadecimal digits", "string"),
        key("accounting_start", "wtas.wtasints", "start of the time the figures cover", "timestamp"),
        key("accounting_end", "wtas.wtasinte", "end of it", "timestamp"),
        time("task_start", "wtas.wtasstrt", "start of the task"),
        *_identity(),
        gauge("queues_used", "wtas.wtaswqct", "queue records of this task"),
        *(column for call in _TASK_CALLS for column in _task_call(*call)),
        count("log_writes", "wtas.wtasjwn", "log writes"),
        usec("log_write_us", "wtas.wtasjwet", "time of log writes"),
        count("log_write_bytes", "wtas.wtasjwb", "bytes logged"),
        count("log_forces", "wtas.wtasjcn", "log forces"),
        usec("log_force_us", "wtas.wtasjcet", "time of log forces"),
        count("suspensions", "wtas.wtassusn", "times it was suspended"),
        usec("suspension_us", "wtas.wtassuse", "time it was suspended"),
        count("page_set_0_log_writes", "wtas.wtaspsn0", "log writes for page set 0"),
        usec("page_set_0_log_us", "wtas.wtaspse0", "time of those"),
        count("db2_requests", "wtas.wtasdbct", "requests to Db2"),
        usec("db2_thread_us", "wtas.wtasdbet", "time at the Db2 thread"),
        usec("db2_server_us", "wtas.wtasdbes", "time at the Db2 server"),
        longest("longest_db2_thread_us", "wtas.wtasdbmt", "longest at the Db2 thread"),
        count("db2_bytes_written", "wtas.wtasdbpt", "bytes written to Db2"),
        count("db2_bytes_read", "wtas.wtasdbgt", "bytes read from Db2"),
        count("cf_single_calls", "wtas.wtascsec", "calls for one entry (IXLLSTE)"),
        count("cf_multiple_calls", "wtas.wtascmec", "calls for several entries (IXLLSTM)"),
        count("cf_single_redrives", "wtas.wtasrsec", "calls for one entry made again"),
        count("cf_multiple_redrives", "wtas.wtasrmec", "calls for several entries made again"),
        usec("cf_single_us", "wtas.wtassstc", "time of calls for one entry"),
        usec("cf_multiple_us", "wtas.wtasmstc", "time of calls for several entries"),
        count("smds_reads_saved", "wtas.wtassmrs", "shared message data set reads saved"),
        count("smds_bytes_read", "wtas.wtassmrb", "bytes read from shared message data sets"),
        count("smds_bytes_written", "wtas.wtassmwb", "bytes written to shared message data sets"),
        count("smds_pages_read", "wtas.wtassmrp", "pages read from them"),
        count("smds_pages_written", "wtas.wtassmwp", "pages written to them"),
        usec("smds_wait_us", "wtas.wtassmwt", "time waited for their I/O"),
        count("old_page_requests", "wtas.wtasgpo", "buffer pool pages asked for with content"),
        count("new_page_requests", "wtas.wtasgpn", "buffer pool pages asked for empty"),
        usec("buffer_latch_wait_us", "wtas.wtaspbhw", "time waited for a buffer pool's latch"),
        usec("buffer_latch_held_us", "wtas.wtaspbtt", "time a buffer pool's latch was held"),
        usec("publish_elapsed_us", "wtas.wtastpet", "elapsed time of publishing"),
        usec("publish_cpu_us", "wtas.wtastpct", "processor time of publishing"),
        usec("control_srb_cpu_us", "wtas.wtasctsr", "processor time of asynchronous consumption"),
        gauge("longest_latch", "wtas.wtasmlwn", "number of the latch that was waited for most"),
        Column("latch_wait_recorded_each", "array<bigint>", "gauge", "as recorded, read as STCK", "wtas.wtaslwet"),
        gauge("largest_latch_wait_recorded", "wtas.wtasmlw", "as recorded, read as STCK"),
        Column("latch_waits_each", "array<bigint>", "gauge", "waits for each of 32 latches", "wtas.wtaslwn"),
        Column("longest_latch_wait_us_each", "array<bigint>", "gauge", "longest single wait for each", "wtas.wtaslmax"),
        derived(
            "latch_wait_us_each",
            "transform(latch_wait_recorded_each, (total, place) -> "
            + latch_wait_us("total", "get(latch_waits_each, place)", "get(longest_latch_wait_us_each, place)")
            + ")",
            "time waited for each of 32 latches",
            "array<bigint>",
        ),
        derived(
            "largest_latch_wait_us",
            latch_wait_us(
                "largest_latch_wait_recorded",
                "get(latch_waits_each, CAST(longest_latch - 1 AS int))",
                "get(longest_latch_wait_us_each, CAST(longest_latch - 1 AS int))",
            ),
            "time waited for the latch that was waited for most",
            "bigint",
        ),
        derived(
            "longest_latch_wait_us",
            "coalesce(array_max(longest_latch_wait_us_each), largest_latch_wait_us)",
            "longest single wait for a latch; before that was recorded, all waits for the one waited for most",
            "bigint",
        ),
        Column("commit_cf_requests_each", "array<bigint>", "gauge", "CF requests of commit", "wtas.commitcf_cfcount"),
        derived("latch_waits", _sum_of("latch_waits_each", LATCHES), "waits for latches", "bigint"),
        derived("latch_wait_us", _sum_of("latch_wait_us_each", LATCHES), "time waited for latches", "bigint"),
        derived(
            "shared_open_latch_us",
            f"try_element_at(latch_wait_us_each, {SHARED_OPEN_LATCH})",
            "time waited for the latch of shared opens",
            "bigint",
        ),
        derived("commit_cf_requests", _sum_of("commit_cf_requests_each", 20), "CF requests of commit", "bigint"),
        average("log_force_average_us", "log_force_us", "log_forces", "mean log force"),
        average("cf_single_average_us", "cf_single_us", "cf_single_calls", "mean call for one entry"),
        average("cf_multiple_average_us", "cf_multiple_us", "cf_multiple_calls", "mean call for several entries"),
        average("log_forces_per_commit", "log_forces", "commit_calls", "log forces for each commit"),
        derived(
            "backout_pct",
            pct("backout_calls", "commit_calls + backout_calls"),
            "share of units backed out; CICS issues a backout at RETURN to reset state, which counts here too",
        ),
        derived(
            "own_mqi_cpu_us",
            "commit_cpu_us + backout_cpu_us + other_mqi_cpu_us + coalesce(prepare_cpu_us, 0)"
            " + coalesce(subscribe_cpu_us, 0) + coalesce(subscription_request_cpu_us, 0) + coalesce(control_cpu_us, 0)"
            " + coalesce(status_call_cpu_us, 0)",
            "processor time of calls that belong to no queue",
            "bigint",
        ),
        derived(
            "own_mqi_elapsed_us",
            "commit_elapsed_us + backout_elapsed_us + other_mqi_elapsed_us + coalesce(prepare_elapsed_us, 0)"
            " + coalesce(subscribe_elapsed_us, 0) + coalesce(subscription_request_elapsed_us, 0)"
            " + coalesce(control_elapsed_us, 0) + coalesce(status_call_elapsed_us, 0)",
            "elapsed time of calls that belong to no queue",
            "bigint",
        ),
    ),
)


def _queue_call(name: str, verb: str) -> Iterator[Column]:
    return _call(name, verb, f"wq.{name}n", f"wq.{name}et", f"wq.{name}ct", verb)


def _waits(name: str, verb: str) -> Iterator[Column]:
    """Where the elapsed time of a call went."""
    yield count(f"{name}_suspensions", f"wq.{name}susn", f"times {verb} was suspended")
    yield usec(f"{name}_suspension_us", f"wq.{name}suset", f"time {verb} was suspended")
    yield count(f"{name}_log_writes", f"wq.{name}jwn", f"log writes of {verb}")
    yield usec(f"{name}_log_write_us", f"wq.{name}jwet", f"time of log writes of {verb}")
    yield count(f"{name}_log_forces", f"wq.{name}jcn", f"log forces of {verb}")
    yield usec(f"{name}_log_force_us", f"wq.{name}jcet", f"time of log forces of {verb}")
    yield count(f"{name}_page_set_ios", f"wq.{name}psn", f"page set reads of {verb}")
    yield usec(f"{name}_page_set_us", f"wq.{name}pset", f"time of page set reads of {verb}")


_VERBS = (("open", "MQOPEN"), ("close", "MQCLOSE"), ("get", "MQGET"), ("put", "MQPUT"), ("put1", "MQPUT1"))
_QUEUE_CALLS = (*_VERBS, ("inq", "MQINQ"), ("set", "MQSET"), ("cb", "MQCB"))


def _cf_requests() -> Iterator[Column]:
    """Requests to the coupling facility by verb; the times stay out, their unit is not settled."""
    for place, (name, verb) in enumerate(_VERBS):
        for ours, theirs, about in (
            ("requests", "cfcount", "requests"),
            ("synchronous", "cfsyncn", "synchronous ones"),
            ("asynchronous", "cfasyncn", "asynchronous ones"),
        ):
            column = f"{name}_cf_{ours}_each"
            yield Column(column, "array<bigint>", "gauge", f"CF {about} of {verb} by kind", f"wq.{theirs}[{place}]")
            yield derived(f"{name}_cf_{ours}", _sum_of(column, 20), f"CF {about} of {verb}", "bigint")


QUEUE_ACCOUNTING = Subject(
    "queue_accounting",
    "What one task did to one queue in its part of an interval (accounting class 3)",
    "task",
    (
        key("task", "wq.correl", "identity of the task, as hexadecimal digits", "string"),
        key("queue", "wq.basename", "queue that holds the messages", "string"),
        key("opened_name", "wq.objname", "name that was opened", "string"),
        key("opened_at", "wq.opentime", "when it was opened", "timestamp"),
        key("position", "wq.section_index", "place in the record"),
        time("accounting_start", "wtas.wtasints", "start of the time the figures cover"),
        time("accounting_end", "wtas.wtasinte", "end of it"),
        time("closed_at", "wq.clostime", "when it was closed"),
        *_identity(),
        text("queue_type", "wq.qtype", "type of queue", "mqqt"),
        text("index_type", "wq.indxtype", "index of the queue", "mqit"),
        text("disposition", "wq.qsgdisp", "private, shared or group", "mqqsgd"),
        gauge("page_set", "wq.nps", "page set"),
        gauge("buffer_pool", "wq.nbuffpool", "buffer pool"),
        text("cf_structure", "wq.cfstrucname", "CF structure of a shared queue"),
        *(column for call in _QUEUE_CALLS for column in _queue_call(*call)),
        *_waits("get", "MQGET"),
        *_waits("put", "MQPUT"),
        *_waits("put1", "MQPUT1"),
        count("browses_any", "wq.getbrwa", "browses of any message"),
        count("browses_specific", "wq.getbrws", "browses by an identifier"),
        count("gets_any", "wq.geta", "destructive gets of any message"),
        count("gets_specific", "wq.gets", "destructive gets by an identifier"),
        count("gets_failed", "wq.geterr", "gets that returned no message"),
        count("gets_destructive", "wq.getdval", "destructive gets that returned a message"),
        count("pages_skipped", "wq.getepage", "pages read without a message wanted"),
        count("messages_skipped", "wq.getsmsg", "messages looked at and passed over"),
        count("messages_expired", "wq.getexmsg", "expired messages met"),
        count("valid_puts", "wq.validput", "messages put"),
        count("valid_gets", "wq.validget", "messages got or browsed"),
        count("put_bytes", "wq.putbytes", "bytes put"),
        count("get_bytes", "wq.getbytes", "bytes got"),
        count("messages_generated", "wq.ngen", "messages made by the queue manager, such as reports"),
        count("persistent_gets", "wq.getpmsg", "persistent messages got"),
        count("persistent_puts", "wq.putpmsg", "persistent messages put with MQPUT"),
        count("persistent_put1s", "wq.put1pmsg", "persistent messages put with MQPUT1"),
        count("puts_to_waiting_getter", "wq.putpwg", "MQPUT straight to a waiting getter"),
        count("put1s_to_waiting_getter", "wq.put1pwg", "MQPUT1 straight to a waiting getter"),
        count("intra_group_puts", "wq.putigq", "MQPUT by intra-group queuing; meaningless before version 4"),
        count("selector_opens", "wq.selcount", "opens with a selector"),
        high("selector_bytes_max", "wq.selmaxln", "longest selector"),
        count("published_messages", "wq.publishedn", "messages published"),
        count("put_delays", "wq.putddly", "puts delayed because the queue's getters lag"),
        count("streamed_messages", "wq.streamedn", "messages streamed to another queue"),
        count("opens_without_cf", "wq.opencf0", "opens that needed no CF request"),
        count("closes_without_cf", "wq.closecf0", "closes that needed no CF request"),
        high("depth_high", "wq.maxqdpth", "most messages on the queue"),
        high("get_message_bytes_max", "wq.getmaxms", "longest message got"),
        low("get_message_bytes_min", "wq.getminms", "shortest message got"),
        high("put_message_bytes_max", "wq.putmaxms", "longest message put"),
        low("put_message_bytes_min", "wq.putminms", "shortest message put"),
        longest("longest_on_queue_us", "wq.maxlatnt", "longest stay of a message on the queue"),
        low("shortest_on_queue_us", "wq.minlatnt", "shortest stay"),
        usec("on_queue_us", "wq.totlatnt", "stay of all messages got"),
        *_cf_requests(),
        derived("messages_put", "put_calls + put1_calls", "MQPUT and MQPUT1 calls", "bigint"),
        derived(
            "mqi_calls",
            "open_calls + close_calls + get_calls + put_calls + put1_calls + inq_calls + set_calls"
            " + coalesce(cb_calls, 0)",
            "calls of all kinds",
            "bigint",
        ),
        derived(
            "mqi_cpu_us",
            "open_cpu_us + close_cpu_us + get_cpu_us + put_cpu_us + put1_cpu_us + inq_cpu_us + set_cpu_us"
            " + coalesce(cb_cpu_us, 0)",
            "processor time of calls to the queue",
            "bigint",
        ),
        derived(
            "mqi_elapsed_us",
            "open_elapsed_us + close_elapsed_us + get_elapsed_us + put_elapsed_us + put1_elapsed_us + inq_elapsed_us"
            " + set_elapsed_us + coalesce(cb_elapsed_us, 0)",
            "elapsed time of calls to the queue",
            "bigint",
        ),
        derived("shared", "disposition = 'Shared'", "it is a shared queue", "boolean"),
        average("put_average_bytes", "put_bytes", "valid_puts", "mean message put"),
        average("get_average_bytes", "get_bytes", "valid_gets", "mean message got"),
        average("on_queue_average_us", "on_queue_us", "gets_destructive", "mean stay of a message on the queue"),
        average("messages_skipped_per_get", "messages_skipped", "get_calls", "messages passed over for each get"),
        derived("get_failed_pct", pct("gets_failed", "get_calls"), "share of gets that returned no message"),
        derived("get_specific_pct", pct("gets_specific", "gets_any + gets_specific"), "share of gets by an identifier"),
        derived(
            "waiting_getter_pct",
            pct("puts_to_waiting_getter + put1s_to_waiting_getter", "messages_put"),
            "share of puts straight to a waiting getter",
        ),
        derived(
            "persistent_put_pct",
            pct("persistent_puts + persistent_put1s", "messages_put"),
            "share of persistent messages",
        ),
        average("get_cf_requests_per_call", "get_cf_requests", "get_calls", "CF requests of a get"),
        average("put_cf_requests_per_call", "put_cf_requests", "put_calls", "CF requests of a put"),
    ),
)

TASK_SUMMARY = Subject(
    "task_summary",
    "Processor time and message sizes of one task (accounting class 1, at its end)",
    "task",
    (
        key("connection_id", "qmac.qwhccv", "correlation identifier, as hexadecimal digits", "string"),
        key("recorded_at", "qmac.smf_time", "when the record was cut", "timestamp"),
        text("application_type", "qmac.qwhcatyp", "kind of application", "conntype"),
        text("connection_name", "qmac.qwhccn", "job, CICS region or IMS region"),
        text("operator_id", "qmac.qwhcopid", "user or operator"),
        text("user_id", "qmac.qwhcaid", "authorisation"),
        usec("mqi_cpu_us", "qmac.qmaccput", "processor time of MQPUT, MQPUT1 and MQGET"),
        count("puts_below_100_bytes", "qmac.qmacputa", "messages put of 0 to 99 bytes"),
        count("puts_below_1000_bytes", "qmac.qmacputb", "messages put of 100 to 999 bytes"),
        count("puts_below_10000_bytes", "qmac.qmacputc", "messages put of 1000 to 9999 bytes"),
        count("puts_from_10000_bytes", "qmac.qmacputd", "messages put of 10000 bytes and more"),
        count("gets_below_100_bytes", "qmac.qmacgeta", "messages got of 0 to 99 bytes"),
        count("gets_below_1000_bytes", "qmac.qmacgetb", "messages got of 100 to 999 bytes"),
        count("gets_below_10000_bytes", "qmac.qmacgetc", "messages got of 1000 to 9999 bytes"),
        count("gets_from_10000_bytes", "qmac.qmacgetd", "messages got of 10000 bytes and more"),
        derived(
            "messages",
            "puts_below_100_bytes + puts_below_1000_bytes + puts_below_10000_bytes + puts_from_10000_bytes"
            " + gets_below_100_bytes + gets_below_1000_bytes + gets_below_10000_bytes + gets_from_10000_bytes",
            "messages put and got",
            "bigint",
        ),
        average("cpu_per_message_us", "mqi_cpu_us", "messages", "processor time of a message"),
    ),
)
