"""Every input that a plan may ask for, once: its unit, meaning, range, and how tables tell it.

Where a rule knows the same fact of a site, the name is the same. A plan takes inputs from here with `need` (it must be
given), `may` (something is left out without it) and `assume` (there is a default).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from libremq.pipeline.models.channels.channel_start import STOP_CHINIT_US
from libremq.pipeline.models.channels.compression_cost import DISPATCHER_US
from libremq.pipeline.models.channels.tls_cost import NEGOTIATED, START_COSTS
from libremq.pipeline.models.logs.log_devices import LOG_RATES, ZHPF_FACTORS
from libremq.pipeline.planner.plan import Input, Value

_SET_UPS = (
    *("single", "single, 4 stripes", "dual", "dual, 4 stripes"),
    *("single, busy", "single, 4 stripes, busy", "dual, busy", "dual, 4 stripes, busy"),
)
"""Those of which the source has rates with and without zHyperLink."""


def _number(name: str, unit: str, meaning: str, **rest: Any) -> Input:
    return Input(name=name, unit=unit, meaning=meaning, **rest)


def _count(name: str, unit: str, meaning: str, **rest: Any) -> Input:
    return Input(name=name, unit=unit, meaning=meaning, whole=True, **rest)


def _flag(name: str, meaning: str) -> Input:
    return Input(name=name, unit="", meaning=meaning, kind="flag")


def _word(name: str, meaning: str, choices: Iterable[str] = ()) -> Input:
    return Input(name=name, unit="", meaning=meaning, kind="word", choices=tuple(choices))


def _address(name: str, meaning: str) -> Input:
    return Input(name=name, unit="bytes", meaning=meaning, kind="address")


_WORKLOAD = (
    _number(
        "message_bytes",
        "bytes",
        "size of a message: data and headers, without MQMD",
        highest=104_857_600,
        measured="message_manager: sum(persistent_put_bytes + nonpersistent_put_bytes)"
        " / sum(persistent_puts + nonpersistent_puts)",
    ),
    _number(
        "messages_per_second",
        "messages/s",
        "messages put at the peak",
        measured="message_manager: highest(messages_put_per_second)",
    ),
    _number("request_bytes", "bytes", "size of a request", highest=104_857_600),
    _number("reply_bytes", "bytes", "size of a reply", highest=104_857_600),
    _number("requests_per_second", "requests/s", "requests, each with its reply, at the peak"),
    _number("transactions_per_second", "transactions/s", "transactions at the peak"),
    _count("messages_at_once", "messages", "most messages that wait at one time"),
    _number("outage_seconds", "seconds", "longest outage of the consumers to bridge"),
    _count("messages_per_commit", "messages", "messages in a unit of work", lowest=1),
    _count("messages_in_all", "messages", "messages of the whole job", lowest=1),
    _flag("persistent", "messages are persistent"),
    _flag("queue_shared", "the queue is shared"),
    _count("processors", "processors", "processors of the LPAR", lowest=1, highest=400),
    _number("transaction_us", "us", "processor time of a transaction", positive=True),
    _number("log_write_us", "us", "time of one log write", positive=True, measured="log: mean(copy1_average_io_us)"),
)

_LOG = (
    _number("log_mb_per_second_peak", "MB/s", "log rate at the peak", measured="log: highest(log_mb_per_second)"),
    _number(
        "log_mb_per_hour",
        "MB/h",
        "usual log volume of an hour",
        measured="log: 3600 * sum(log_bytes) / 1048576 / sum(interval_seconds)",
    ),
    _number("log_dataset_mb", "MB", "size of an active log", positive=True),
    _count("active_logs", "data sets", "active logs in the ring, one copy", lowest=2, highest=310),
    _count("log_copies", "copies", "active log copies", lowest=1, highest=2),
    _count("archive_copies", "copies", "archive log copies", lowest=0, highest=2),
    _number("log_fill_minutes", "minutes", "how long one log shall last at the peak", positive=True),
    _number("log_hours", "hours", "how long all active logs together shall last", positive=True),
    _number("log_mb_per_second_max", "MB/s", "most the log devices take", positive=True),
    _word("log_device", "the disks under the log", LOG_RATES),
    _word("zhpf_bound", "what holds the rate back, where zHPF might help", ZHPF_FACTORS),
    _number("archive_mb_per_second", "MB/s", "speed of archiving", positive=True),
    _count("archive_stripes", "stripes", "stripes of an archive log", lowest=1, highest=59),
    _number("archive_primary", "units", "primary quantity of an archive without stripes (PRIQTY)", positive=True),
    _number("tape_mount_seconds", "seconds", "time to mount a tape; 0 without tape"),
    _count("maxarch", "archives", "MAXARCH", lowest=10, highest=1000),
    _flag("mirrored", "log volumes are mirrored"),
    _flag("zhpf", "zHPF is on"),
    _count("log_stripes", "stripes", "stripes of an active log; 1 is unstriped", lowest=1, highest=59),
    _count("outbuff_kb", "KB", "OUTBUFF", lowest=40, highest=4000),
    _number("log_multi_page_ms", "ms", "time of a log write of several pages", positive=True),
    _number("log_current_page_ms", "ms", "time of a log write of one page", positive=True),
    _count("log_pages_per_write", "pages", "pages that one log write carries at most", lowest=1, highest=128),
    _number("log_pages_per_message", "pages", "log pages of one message put", lowest=1),
    _count("logload", "log records", "LOGLOAD", lowest=200, highest=16_000_000),
    _number(
        "log_writes_per_second",
        "log writes/s",
        "writes to log buffers, which LOGLOAD counts",
        measured="log: mean(log_requests_per_second)",
    ),
    _number("log_writes_per_transaction", "log writes", "writes to log buffers of one transaction", positive=True),
    _number(
        "log_bytes_per_message",
        "bytes",
        "log data of one message that takes a page",
        positive=True,
        measured="queue_manager_interval: sum(log_bytes) / sum(persistent_puts)",
    ),
    _number("page_set_write_mb_per_second", "MB/s", "speed of deferred writes", positive=True),
)

_RECOVERY = (
    _number("restart_seconds_wanted", "seconds", "longest restart that is acceptable", positive=True),
    _number("own_restart_seconds", "seconds", "time of restart itself, as `libremq plan restart` tells"),
    _number(
        "replay_seconds_wanted", "seconds", "longest replay of a structure's log that is acceptable", positive=True
    ),
    _number("log_read_mb_per_second", "MB/s", "speed at which recovery reads the log", positive=True),
    _number("log_read_back_mb_per_second", "MB/s", "speed at which recovery reads the log backward", positive=True),
    _number(
        "application_hours_per_day", "hours", "hours of a day in which applications work", positive=True, highest=24
    ),
    _number("reaction_seconds", "seconds", "time until recovery begins"),
    _number("restore_gb_per_minute", "GB/minute", "speed of restoring a copy", positive=True),
    _number("hours_since_backup", "hours", "age of the backup when it is needed"),
    _flag("fuzzy_backup", "the copy was taken while the queue manager ran"),
    _number("checkpoints_per_log", "checkpoints", "checkpoints in the time of one active log", lowest=1),
    _number("mb_since_checkpoint", "MB", "log since the last checkpoint; a whole log at worst"),
    _number("oldest_unit_of_work_mb", "MB", "log since the oldest unit of work in flight began"),
    _number("in_doubt_mb", "MB", "log of units of work in doubt, from the start of their log data set"),
    _number("in_commit_mb", "MB", "log of units of work in commit, from the start of their log data set"),
    _number("page_read_us", "us", "time to read one page of a page set", positive=True),
    _count("tape_mounts", "mounts", "tapes to be mounted"),
    _count("objects_defined", "objects", "objects of the queue manager"),
    _address("earlier_rba", "address in the earlier progress message (CSQR031I, CSQR033I)"),
    _address("later_rba", "address in the later progress message"),
    _address("end_rba", "address at which the phase ends (CSQR030I, CSQR032I)"),
    _number("seconds_between", "seconds", "time between the two progress messages", positive=True),
    _number(
        "busiest_log_mb_per_second",
        "MB/s",
        "log rate of the busiest queue manager of the group",
        positive=True,
        measured="log: highest(log_mb_per_second)",
    ),
    _count("structure_messages", "messages", "persistent messages in the structure when it is backed up"),
    _count("indexed_messages", "messages", "messages on indexed private queues"),
    _count("indexed_messages_deepest", "messages", "messages on the deepest of them"),
    _count("indexed_queues", "queues", "indexed private queues", lowest=1),
    _flag("qindxbld_wait", "restart waits for the indexes, QINDXBLD(WAIT)"),
    _count("maxumsgs", "messages", "MAXUMSGS", lowest=1, highest=999_999_999),
)

_QUEUE_MANAGER = (
    _flag("maxshortmsgs_0", "MAXSHORTMSGS is 0: small messages are packed"),
    _number("page_set_gb", "GB", "size of the page set", positive=True, highest=65_536),
    _number("spare_fraction", "fraction", "room to spare, as a part of what is needed", highest=10),
    _number("used_pages", "pages", "pages in use", measured="page_set: highest(used_pages)"),
    _count("pool", "pool", "buffer pool: 0 system, 1 long-lived, 2 short-lived, 3 the rest", highest=99),
    _number(
        "high_water_pages",
        "pages",
        "most pages of the pool in use",
        measured="buffer_pool: highest(used_highest_buffers)",
    ),
    _flag("production", "the queue manager is for production"),
    _count("users", "users", "users known to the queue manager at once"),
    _count("queues_per_user", "queues", "queues a user opens", lowest=1),
    _number("security_timeout_minutes", "minutes", "security timeout"),
    _number("security_interval_minutes", "minutes", "security interval", positive=True),
    _count("connections", "connections", "connections at once"),
    _number(
        "connection_kb",
        "KB",
        "common storage of one connection: 2.47 local or SHARECNV(0), 4.9 SHARECNV(1), 3 SHARECNV(5), 2.7 SHARECNV(10)",
        positive=True,
    ),
    _count("open_handles", "handles", "open handles at once"),
    _count("application_structures", "structures", "application structures"),
    _flag("structures_backed_up", "structures are backed up here"),
    _number("cluster_configuration_mb", "MB", "size of the cluster's configuration"),
    _flag("class_3_on", "accounting class 3 is on"),
    _count("puts_and_gets", "calls", "puts and gets of a transaction"),
    _count("calls_per_transaction", "calls", "MQ calls of a transaction, commit included"),
    _count("queues_per_transaction", "queues", "queues a transaction uses", lowest=1),
    _number("smf_records_per_second_max", "records/s", "records that SMF takes now", positive=True),
    _count("shared_messages", "messages", "messages on shared queues at a scan"),
    _count("shared_messages_expired", "messages", "of these, expired"),
    _number("expryint_seconds", "seconds", "EXPRYINT", lowest=5, highest=99_999_999),
    _flag("offloaded", "the messages are in shared message data sets"),
)

_SHARING = (
    _flag("message_groups", "messages are in groups or segments"),
    _count("cfcc_level", "level", "level of the coupling facility's code", lowest=9, highest=99),
    _count("cflevel", "level", "CFLEVEL of the structure", lowest=1, highest=5),
    _count("qsg_queue_managers", "queue managers", "members of the queue-sharing group", lowest=1, highest=32),
    _number("structure_mb", "MB", "size of a structure that is there", positive=True),
    _count("structure_entries_max", "entries", "entries of the structure (ENTSMAX)"),
    _number("structure_elements", "elements", "elements of the structure", positive=True),
    _number("duplex_km", "km", "distance of the duplexed coupling facilities"),
    _number("cf_us_per_message", "us", "processor time of the coupling facility for a message", positive=True),
    _number(
        "cf_us",
        "us",
        "processor time of the coupling facility for a request",
        positive=True,
        measured="cf_structure: sum(single_call_us + multiple_call_us) / sum(single_calls + multiple_calls)",
    ),
    _count("dsbufs", "buffers", "DSBUFS", lowest=1, highest=9999),
    _number("dsblock_kb", "KB", "DSBLOCK", lowest=8, highest=1024),
    _number(
        "lowest_free_buffers",
        "buffers",
        "fewest free buffers; below 0 as many requests waited",
        lowest=-1e9,
        measured="smds: lowest(buffers_free_low)",
    ),
    _count("lob_partitions", "partitions", "partitions of the table space of large messages (NUMPARTS)", lowest=1),
    _count("cloned_systems", "systems", "systems that are alike and share the queues", lowest=1),
    _number("scm_mb", "MB", "storage class memory for the structure (SCMMAXSIZE)", positive=True),
    _number("scm_assigned_mb", "MB", "storage class memory of the coupling facility"),
    _number("scm_max_mb_total", "MB", "SCMMAXSIZE of all structures of the coupling facility"),
    _number("cf_free_mb", "MB", "free storage of the coupling facility"),
    _number("put_mb_per_second", "MB/s", "data put to the structure"),
    _number("get_mb_per_second", "MB/s", "data got from the structure"),
    _count("same_key_messages", "messages", "messages with one key at once", lowest=1),
)

_CHANNELS = (
    _count("mca_channels", "channels", "message channels at once"),
    _count("client_channels", "channels", "client channels at once"),
    _count("sharecnv", "conversations", "SHARECNV of the client channels", highest=999_999_999),
    _count("conversations", "conversations", "conversations in use on a client channel", lowest=1),
    _number("client_message_bytes", "bytes", "largest usual message of the clients", highest=104_857_600),
    _count("tls_channels", "channels", "channels with TLS (SSLCIPH)"),
    _count("vrm", "release", "release of MQ, such as 940", lowest=900, highest=999),
    _count("chiadaps", "adapters", "CHIADAPS", highest=9999),
    _count("chidisps", "dispatchers", "CHIDISPS", lowest=1, highest=9999),
    _count("ssltasks", "SSL tasks", "SSLTASKS", highest=9999),
    _number("chinit_region_mb", "MB", "31-bit storage of the channel initiator, used and free", positive=True),
    _number("chinit_used_mb", "MB", "31-bit storage in use now", measured="channel_initiator: highest(storage_31_mb)"),
    _count("maxchl", "channels", "MAXCHL", lowest=1, highest=9999),
    _count("channels", "channels", "channels at once", measured="channel_initiator: highest(current_channels_high)"),
    _number("adapter_busy_pct", "percent", "use of the busiest adapter", measured="adapter: highest(busy_pct)"),
    _number(
        "dispatcher_busy_pct",
        "percent",
        "use of the busiest dispatcher",
        measured="dispatcher: highest(busy_pct)",
    ),
    _number(
        "ssl_task_busy_pct",
        "percent",
        "use of the busiest SSL task",
        measured="ssl_task: highest(busy_pct)",
    ),
    _count("channel_initiators", "address spaces", "channel initiators under one user", lowest=1),
    _count("channels_in_syncq", "channels", "channels in SYSTEM.CHANNEL.SYNCQ: ever started, still defined"),
    _word("channel_security", "how channels are protected", STOP_CHINIT_US),
    _word("cipher", "cipher, or alias such as ANY_TLS13", (*START_COSTS, *NEGOTIATED)),
    _flag("crypto_hardware", "there is a crypto card"),
    _number("sslrkeyc_bytes", "bytes", "SSLRKEYC: bytes after which keys are made anew; 0 never"),
    _word("tls_protocol", "protocol and where the cipher runs", ("tls12", "tls13 hardware", "tls13 software")),
    _number("transport_us", "us", "processor time of a transaction in channel initiator and TCP/IP", positive=True),
    _count("batchsz", "messages", "BATCHSZ", lowest=1, highest=9999),
    _count("batchsz_partner", "messages", "BATCHSZ at the other end", lowest=1, highest=9999),
    _count("maxumsgs_partner", "messages", "MAXUMSGS at the other end", lowest=1, highest=999_999_999),
    _number("batchint_ms", "ms", "BATCHINT", highest=999_999_999),
    _number("batchlim_kb", "KB", "BATCHLIM; 0 is no limit", highest=999_999),
    _flag("preloaded", "the transmission queue is filled beforehand"),
    _number(
        "messages_per_batch",
        "messages",
        "messages that a batch reaches",
        lowest=1,
        measured="channel: sum(messages) / sum(batches)",
    ),
    _number("channel_messages_per_second_max", "messages/s", "most one channel moves here", positive=True),
    _number("compressible_pct", "percent", "how much messages shrink", highest=100),
    _word("compression", "COMPMSG", DISPATCHER_US),
    _flag("header_compression", "COMPHDR(SYSTEM)"),
    _number("network_mbit_per_second", "Mbit/s", "bandwidth of the line", positive=True),
    _number("network_round_trip_ms", "ms", "time of a packet there and back"),
    _flag("channel_traced", "the channel initiator is traced, TRACE(C)"),
    _count("clients", "clients", "clients at once"),
    _number("messages_per_connect", "messages", "messages a client handles in one connection", positive=True),
    _count("middle_queue_managers", "queue managers", "queue managers of a middle tier", lowest=1),
)

_DEVICES = (
    _number(
        "pages_read_per_second",
        "pages/s",
        "pages read from page sets",
        measured="buffer_pool: highest(pages_read_per_second)",
    ),
    _number(
        "pages_written_now_per_second",
        "pages/s",
        "pages written at once",
        measured="buffer_pool: highest(synchronous_writes_per_second)",
    ),
    _number(
        "pages_written_per_second",
        "pages/s",
        "pages written deferred",
        measured="buffer_pool: highest(pages_written_per_second)",
    ),
    _number("smds_messages_per_second", "messages/s", "messages put to, and got from, encrypted data sets"),
    _flag("remote_gets", "messages are got on another system"),
    _flag("gets_from_buffer", "messages are still in the buffers when got"),
    _number("pprc_mb_per_second", "MB/s", "log rate reached under PPRC", positive=True),
    _number("pprc_commit_us", "us", "time of a commit under PPRC", positive=True),
    _number("pprc_put_us", "us", "time of a put under PPRC", positive=True),
    _number(
        "mstr_us_per_second", "us/s", "processor time of the queue manager's address space in a second", positive=True
    ),
    _word("zhyperlink_configuration", "the log's set-up in the source's test", _SET_UPS),
    _number("other_sessions", "sessions", "zHyperLink write sessions of others on the control unit"),
    _number("zhyperlink_cable_m", "m", "length of the zHyperLink cable", positive=True, highest=150),
    _count("zhyperlink_links", "paths", "zHyperLink paths (PFIDs) in use", lowest=1),
    _number("log_ios_per_second", "writes/s", "writes to the log", measured="log: highest(log_writes_per_second)"),
    _number("zhyperlink_response_ms", "ms", "mean time of a synchronous write", positive=True),
    _number("persistent_share", "fraction", "persistent work as part of the load", highest=1),
)

_APPLICATIONS = (
    _number("one_phase_commits", "commits", "one-phase commits of a transaction"),
    _number("two_phase_commits", "commits", "two-phase commits of a transaction"),
    _number("persistent_calls_outside", "calls", "persistent puts and gets outside of syncpoint"),
    _count("instances", "instances", "servers that work side by side", lowest=1),
    _number(
        "get_us",
        "us",
        "elapsed time of the server's get",
        positive=True,
        measured="queue_accounting: sum(get_elapsed_us) / sum(get_calls)",
    ),
    _number(
        "put_us",
        "us",
        "elapsed time of the server's put",
        positive=True,
        measured="queue_accounting: sum(put_elapsed_us) / sum(put_calls)",
    ),
    _number(
        "commit_us",
        "us",
        "elapsed time of the server's commit",
        positive=True,
        measured="task_accounting: sum(commit_elapsed_us) / sum(commit_calls)",
    ),
    _number("server_us", "us", "elapsed time of the server's own logic"),
    _count("channel_hops", "channels", "channels that a request and its reply pass, together"),
    _number(
        "skipped_messages",
        "messages",
        "messages that a get passes over",
        measured="queue_accounting: sum(messages_skipped) / sum(get_calls)",
    ),
    _number("gets_per_second", "gets/s", "gets at the peak", measured="message_manager: highest(gets_per_second)"),
    _count("waiters", "getters", "getters that wait on one queue"),
    _flag("double_byte", "text is converted between double-byte code pages"),
    _number("busy_pct", "percent", "use of all processors together", highest=100),
    _number("wait_for_input_us", "us", "time the region waited for input, from the IMS monitor"),
    _number("trace_seconds", "seconds", "time the IMS monitor ran", positive=True),
    _count("ims_checkpoints", "checkpoints", "IMS checkpoints in that time"),
    _number("measured_us", "us", "cost on the machine that was measured", positive=True),
    _number("measured_itr", "ratio", "LSPR average ratio of that machine", positive=True),
    _count("measured_processors", "processors", "processors of that machine", lowest=1),
    _number("target_itr", "ratio", "LSPR average ratio of the other machine", positive=True),
    _count("target_processors", "processors", "processors of the other machine", lowest=1),
)

INPUTS: dict[str, Input] = {
    each.name: each
    for each in (
        *_WORKLOAD,
        *_LOG,
        *_RECOVERY,
        *_QUEUE_MANAGER,
        *_SHARING,
        *_CHANNELS,
        *_DEVICES,
        *_APPLICATIONS,
    )
}


PERSISTENT_BYTES: dict[str, Any] = {
    "meaning": "size of a persistent message: data and headers, without MQMD",
    "measured": "message_manager: sum(persistent_put_bytes) / sum(persistent_puts)",
}
PERSISTENT_RATE: dict[str, Any] = {
    "meaning": "persistent messages put, and got, at the peak",
    "measured": "message_manager: highest(persistent_puts_per_second)",
}
"""For plans of what is logged: these count persistent messages only."""


def need(name: str, **changes: Any) -> Input:
    """An input without which nothing can be planned."""
    return replace(INPUTS[name], **changes)


def may(name: str, **changes: Any) -> Input:
    """An input without which some steps are left out."""
    return replace(INPUTS[name], optional=True, **changes)


def assume(name: str, value: Value) -> Input:
    """An input that has a value unless told."""
    return replace(INPUTS[name], default=value)
