"""Subjects of the channel initiator: totals, its tasks by kind, and each channel instance."""

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
    pct,
    per,
    text,
    time,
    usec,
    with_rates,
)

CHANNEL_INITIATOR = Subject(
    "channel_initiator",
    "The channel initiator in an interval",
    "interval",
    (
        text("job_name", "qcct.qcctjobn", "job of the channel initiator"),
        text("qsg_name", "qcct.qcctqsgn", "queue-sharing group"),
        high(
            "current_channels_high",
            "qcct.qcctnocc",
            "current channels, recorded as a peak; IBM says: when the record was cut",
        ),
        gauge("current_channels_limit", "qcct.qcctmxcc", "current channels allowed (MAXCHL)"),
        high("active_channels_high", "qcct.qcctnoac", "active channels, likewise"),
        gauge("active_channels_limit", "qcct.qcctmxac", "active channels allowed (ACTCHL)"),
        gauge("tcp_channels_limit", "qcct.qcctmxtp", "TCP/IP channels allowed"),
        gauge("lu62_channels_limit", "qcct.qcctmxlu", "LU 6.2 channels allowed"),
        gauge("storage_31_mb", "qcct.qcctstus", "31-bit storage in use, in MB"),
        gauge("storage_64_used", "qcct.qcctstab", "64-bit storage in use, as recorded (unit not settled), from 9.3.5"),
        gauge("storage_64_limit", "qcct.qcctslim", "64-bit storage allowed, in the same unit"),
        derived("current_channels_pct", pct("current_channels_high", "current_channels_limit"), "share of MAXCHL"),
        derived("active_channels_pct", pct("active_channels_high", "active_channels_limit"), "share of ACTCHL"),
        derived("storage_64_pct", pct("storage_64_used", "storage_64_limit"), "share of 64-bit storage allowed"),
    ),
)


def _task(structure: str) -> Iterator[Column]:
    """What all tasks of the channel initiator have in common."""
    yield key("task_number", f"{structure}.qcttskn", "address of the task's control block: an identity", "bigint")
    yield gauge("position", f"{structure}.section_index", "place of the task in the record, from 0")
    yield count("requests", f"{structure}.qctreqn", "requests")
    yield usec("cpu_us", f"{structure}.qctcptm", "processor time")
    yield usec("elapsed_us", f"{structure}.qcteltm", "time at work on requests")
    yield usec("wait_us", f"{structure}.qctwttm", "time waiting for work")
    yield derived("busy_pct", pct("elapsed_us", "interval_seconds * 1000000"), "share of the interval at work")
    yield derived("cpu_pct", pct("cpu_us", "interval_seconds * 1000000"), "share of the interval on a processor")
    yield average("cpu_per_request_us", "cpu_us", "requests", "processor time of a request")
    yield average("elapsed_per_request_us", "elapsed_us", "requests", "time of a request")
    yield derived("used", "requests > 0", "the task had work", "boolean")


DISPATCHER = Subject(
    "dispatcher",
    "One dispatcher task in an interval",
    "interval",
    with_rates(
        (
            *_task("qctdsp"),
            gauge("channels", "qctdsp.qctchln", "channels that run on this dispatcher"),
            average("requests_per_channel", "requests", "channels", "requests for each of its channels"),
        )
    ),
)

ADAPTER = Subject("adapter", "One adapter task in an interval", "interval", with_rates(_task("qctadp")))

SSL_TASK = Subject(
    "ssl_task",
    "One TLS task in an interval",
    "interval",
    with_rates(
        (
            *_task("qctssl"),
            time("longest_request_at", "qctssl.qctlstm", "when the longest request was"),
            longest("longest_request_us", "qctssl.qctlsdu", "longest request"),
        )
    ),
)

DNS = Subject(
    "dns",
    "The name resolution task in an interval",
    "interval",
    with_rates(
        (
            *_task("qctdns"),
            time("longest_request_at", "qctdns.qctlgtm", "when the longest request was"),
            longest("longest_request_us", "qctdns.qctlgdu", "longest request"),
        )
    ),
)

CHANNEL = Subject(
    "channel",
    "One channel instance in an interval (accounting class 4)",
    "interval",
    with_rates(
        (
            key("channel", "qcst.qcstchnm", "name of the channel", "string"),
            key("connection_name", "qcst.qcstcnnm", "address of the other end", "string"),
            key("channel_start", "qcst.qcststrt", "start of the instance, to about a second", "timestamp"),
            key("collected_at", "qcst.qcstcltm", "when the figures were taken", "timestamp"),
            key("position", "qcst.section_index", "place in the record, when all else is equal"),
            time("channel_stop", "qcst.qcstludt", "end of the instance; absent while it runs"),
            time("last_message_at", "qcst.qcstlmst", "last message"),
            text("disposition", "qcst.qcstchdp", "disposition", "mqchld"),
            text("channel_type", "qcst.qcstchty", "type", "mqcht"),
            text("status", "qcst.qcstchst", "status", "mqchs"),
            text("monitoring", "qcst.qcststcl", "level of data collection", "mqmon"),
            text("remote_name", "qcst.qcstrqmn", "queue manager or application at the other end"),
            text("remote_product", "qcst.qcstrpid", "product at the other end, from 10.0.0"),
            text("remote_version", "qcst.qcstrver", "its version, from 10.0.0"),
            text("tls_issuer", "qcst.qcstslcn", "who issued the peer's certificate"),
            gauge("tls_cipher", "qcst.qcstslcs", "cipher; 0 without TLS"),
            gauge("dispatcher_number", "qcst.qcstdspn", "dispatcher it runs on"),
            gauge("batch_size", "qcst.qcstcbsz", "batch size agreed"),
            gauge("batch_interval_ms", "qcst.qcstcbit", "batch interval"),
            gauge("batch_data_limit_kb", "qcst.qcstcbdl", "batch data limit"),
            gauge("shared_conversations", "qcst.qcstcscv", "conversations that share it"),
            count("messages", "qcst.qcstnmsg", "messages, or MQI calls of a client"),
            count("persistent_messages", "qcst.qcstnpmg", "persistent ones"),
            count("batches", "qcst.qcstbatc", "batches completed"),
            count("full_batches", "qcst.qcstfuba", "batches that reached the batch size"),
            count("buffers_sent", "qcst.qcstbfst", "transmissions sent"),
            count("buffers_received", "qcst.qcstbfrc", "transmissions received"),
            count("message_bytes", "qcst.qcstnbyt", "bytes of messages"),
            count("persistent_message_bytes", "qcst.qcstnpby", "bytes of persistent messages"),
            count("bytes_sent", "qcst.qcstbyst", "bytes sent"),
            count("bytes_received", "qcst.qcstbyrc", "bytes received"),
            count("put_retries", "qcst.qcstptrc", "puts tried again"),
            count("transmission_queue_empty", "qcst.qcstqetc", "times the transmission queue was found empty"),
            gauge("compression_pct", "qcst.qcstcpra", "compression achieved"),
            gauge("exit_time_average", "qcst.qcstetav", "mean time in exits, as recorded; unit not settled"),
            high("exit_time_longest", "qcst.qcstetmx", "longest time in exits, as recorded; unit not settled"),
            gauge("dns_time", "qcst.qcstdnrt", "name resolution, as recorded; unit not settled"),
            gauge("network_time_average", "qcst.qcstntav", "mean network time, as recorded; unit not settled"),
            high("network_time_longest", "qcst.qcstntmx", "longest network time, as recorded; unit not settled"),
            derived("tls", "tls_cipher <> 0", "the channel uses TLS", "boolean"),
            derived("client", "channel_type = 'SvrConn'", "a client's server-connection channel", "boolean"),
            average("messages_per_batch", "messages", "batches", "batch size achieved"),
            derived("full_batch_pct", pct("full_batches", "batches"), "share of batches that reached the batch size"),
            average(
                "batch_size_used_pct", "100.0 * messages_per_batch", "batch_size", "batch achieved over batch allowed"
            ),
            average("message_average_bytes", "message_bytes", "messages", "mean message"),
            derived("persistent_pct", pct("persistent_messages", "messages"), "share of persistent messages"),
            average(
                "bytes_per_message_on_network", "bytes_sent + bytes_received", "messages", "network bytes a message"
            ),
            average("buffers_per_message", "buffers_sent + buffers_received", "messages", "transmissions a message"),
            derived(
                "running_seconds",
                "greatest(0.0, timestampdiff(MICROSECOND, greatest(channel_start, interval_start),"
                " least(coalesce(channel_stop, interval_end), interval_end)) / 1000000.0)",
                "how long it ran within the interval",
            ),
            derived(
                "messages_per_running_second", per("messages", "running_seconds"), "messages a second while it ran"
            ),
        )
    ),
)
