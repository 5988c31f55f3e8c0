"""What figures are worked out from: each input with its unit, its meaning, an example, and where tables may tell it.

The asker gives inputs as `name=value`. What is not given comes from the facts of the site, else from the tables. Facts
of the site are described in the rules' settings; here are the rest, and the examples that show how to ask.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from libremq.pipeline.rules.settings import SETTINGS, Setting
from libremq.pipeline.rules.site_facts import Value


@dataclass(frozen=True, slots=True)
class Input:
    name: str
    kind: str
    """`number`, `flag` or `word`."""
    unit: str
    meaning: str
    example: Value
    measured: str = ""
    """How a table tells it, `table: expression` with aggregates."""

    @property
    def table(self) -> str:
        return self.measured.partition(":")[0]

    @property
    def expression(self) -> str:
        return self.measured.partition(":")[2].strip()


_MEASURED = {
    "commit_us": "task_accounting: sum(commit_elapsed_us) / sum(commit_calls)",
    "current_page_ms": "log: sum(copy1_single_page_io_us) / sum(copy1_single_page_writes) / 1000",
    "dsblock_bytes": "smds: highest(buffer_bytes)",
    "dsbufs": "smds: highest(buffers)",
    "get_us": "queue_accounting: sum(get_elapsed_us) / sum(get_calls)",
    "log_bytes_logged": "log: sum(log_bytes)",
    "log_bytes_per_message_typical": "queue_manager_interval: sum(log_bytes) / sum(persistent_puts)",
    "log_copies_defined": "log: highest(log_copies)",
    "log_mb_per_hour_typical": "log: mean(log_bytes_per_second) * 3600 / 1048576",
    "log_mb_per_second_peak": "log: highest(log_mb_per_second)",
    "log_write_time_us": "log: sum(copy1_io_us) / sum(copy1_writes)",
    "lowest_free": "smds: lowest(buffers_free_low)",
    "maxchl": "channel_initiator: highest(current_channels_limit)",
    "channel_message_bytes": "channel: sum(message_bytes) / sum(messages)",
    "channel_messages_per_second": "channel: mean(messages_per_running_second)",
    "message_bytes_longest": "queue: highest(message_bytes_max)",
    "message_bytes_typical": (
        "queue_manager_interval: sum(persistent_put_bytes + nonpersistent_put_bytes)"
        " / sum(persistent_puts + nonpersistent_puts)"
    ),
    "messages_per_second_peak": "queue_manager_interval: highest(messages_put_per_second)",
    "multi_page_ms": "log: sum(copy1_multi_page_io_us) / sum(copy1_multi_page_writes) / 1000",
    "open_us": "queue_accounting: sum(open_elapsed_us) / sum(open_calls)",
    "page_set_gb": "page_set: highest(size_mb) / 1024",
    "page_set_gb_largest": "page_set: highest(size_mb) / 1024",
    "page_set_pages_largest": "page_set: highest(pages)",
    "persistent_messages_per_second_peak": "queue_manager_interval: highest(persistent_puts_per_second)",
    "persistent_share": "queue_manager_interval: sum(persistent_puts) / sum(persistent_puts + nonpersistent_puts)",
    "put_us": "queue_accounting: sum(put_elapsed_us) / sum(put_calls)",
    "queue_depth_highest": "queue: highest(depth_high)",
    "requests_per_checkpoint": "log: sum(log_requests) / sum(checkpoints)",
    "sync_writes_per_second": (
        "log: highest(zhyperlink_single_page_writes_per_second + zhyperlink_multi_page_writes_per_second)"
    ),
    "used_buffers_high": "buffer_pool: highest(used_highest_buffers)",
}
"""Where tables tell an input: over the queue managers asked for, and all intervals there are."""

_OWN = (
    ("channel_message_bytes", "bytes", "mean message on channels", 4096.0),
    ("channel_messages_per_second", "messages/s", "mean rate of a running channel", 30.0),
    ("checkpoint_rba", "bytes", "log address of the last checkpoint (CSQR003I), 0x before hexadecimal", 9.0e9),
    ("cf_us", "us", "coupling facility time of a transaction, not duplexed", 40.0),
    ("commit_mode_0_us", "us", "processor time of an IMS transaction in commit mode 0", 917.0),
    ("commit_us", "us", "time of a commit", 7.0),
    ("current_page_ms", "ms", "time of a log write of one page", 0.2),
    ("data_set_start_rba", "bytes", "log address at which the log data set begins, 0x before hexadecimal", 8.0e9),
    ("dsblock_bytes", "bytes", "DSBLOCK", 262144.0),
    ("dsbufs", "buffers", "DSBUFS", 100.0),
    ("earlier_progress_rba", "bytes", "log address in an earlier progress message, 0x before hexadecimal", 1.04e9),
    ("failure_rba", "bytes", "log address at which logging stopped (CSQJ099I), 0x before hexadecimal", 9.5e9),
    ("get_us", "us", "time of a get", 425.0),
    ("hours_per_day", "hours", "hours a day in which applications log", 12.0),
    ("later_progress_rba", "bytes", "log address in a later progress message, 0x before hexadecimal", 7.75e8),
    ("log_bytes_logged", "bytes", "log data written", 4.0e11),
    ("log_mb_per_second_peak", "MB/s", "log rate in the busiest interval", 150.0),
    ("lowest_free", "buffers", "fewest buffers free; below 0 is a deficit (CSQE285I)", -20.0),
    ("maxchl", "channels", "MAXCHL", 500.0),
    ("measured_itr", "ratio", "LSPR ratio (average column) of the machine measured on", 21.91),
    ("measured_processors", "processors", "processors of the machine measured on", 8.0),
    ("measured_us", "us", "processor time as measured", 55.0),
    ("messages_per_negotiation", "messages", "messages between two changes of the key", 100.0),
    ("messages_put_sample", "messages", "messages of the batch of work looked at", 100.0),
    ("more_dispatchers", "tasks", "dispatchers added to each channel initiator", 5.0),
    ("multi_page_ms", "ms", "time of a log write of several pages", 0.6),
    ("oldest_unit_rba", "bytes", "log address of the oldest unit of work to back out, 0x before hexadecimal", 8.9e9),
    ("one_phase_commits", "commits", "one-phase commits of a transaction", 2.0),
    ("open_us", "us", "time of an open that succeeds", 20.0),
    ("out_of_syncpoint_requests", "calls", "persistent puts and gets of a transaction outside syncpoint", 0.0),
    ("page_set_pages_largest", "pages", "pages of the page set", 1048576.0),
    ("pages_put", "pages", "log pages the puts of that work fill", 2000.0),
    ("private_us", "us", "processor time of a transaction on private queues", 200.0),
    ("put_us", "us", "time of a put", 10.0),
    ("range_end_rba", "bytes", "log address at which the recovery ends, 0x before hexadecimal", 1.4e8),
    ("reply_bytes", "bytes", "reply", 5120.0),
    ("request_bytes", "bytes", "request", 1024.0),
    ("requests_per_checkpoint", "log records", "log records between two checkpoints", 450000.0),
    ("seconds_between", "seconds", "time between the two progress messages", 120.0),
    ("smf_records_per_second", "records/s", "what SMF takes with data sets here", 10000.0),
    ("software_us", "us", "processor time of compressing in software", 500.0),
    ("structure_entries_used", "entries", "entries in use", 50000.0),
    ("structure_elements_used", "elements", "elements in use", 900000.0),
    ("sync_writes_per_second", "writes/s", "synchronous log writes at the peak", 5000.0),
    ("target_itr", "ratio", "LSPR ratio (average column) of the other machine", 24.97),
    ("target_processors", "processors", "processors of the other machine", 8.0),
    ("temporary_opens", "opens", "opens of temporary queues in a second", 100.0),
    ("transaction_us_with_rekey", "us", "processor time of a transaction with key changes", 1040.0),
    ("transactions_since_checkpoint", "transactions", "transactions since the last checkpoint", 10000.0),
    ("two_phase_commits", "commits", "two-phase commits of a transaction", 1.0),
    ("unit_end_rba", "bytes", "log address at which the unit of work ends, 0x before hexadecimal", 8.4e9),
    ("used_buffers_high", "buffers", "most buffers in use", 40000.0),
    ("waits_for_input", "waits", "waits for input of the region, from the IMS monitor", 20000.0),
)
"""Numbers that are no facts of the site: name, unit, meaning, example."""

_OWN_WORDS = (
    (
        "log_device",
        "DS8000 RAID 5; DS8000 RAID 10; DS8800 RAID 5; DS8870 RAID 5, 4 stripes; DS8870 RAID 5, 4 stripes, zHPF;"
        " DS8900F RAID 5, 4 stripes; DS8900F RAID 5, 4 stripes, zHPF",
        "kind of log devices",
        "DS8900F RAID 5, 4 stripes",
    ),
    ("tls_protocol", "tls12; tls13 hardware; tls13 software", "TLS version and its cipher's maker", "tls13 hardware"),
    ("zhpf_bound", "channel path; disk; large and striped", "what limits the log without zHPF", "disk"),
)
"""Words: name, choices, meaning, example."""

_EXAMPLES: dict[str, Value] = {
    "active_logs": 6.0,
    "application_structures": 3.0,
    "archive_copies": 2.0,
    "archive_mb_per_second": 100.0,
    "archive_primary_cylinders": 5600.0,
    "archive_stripes": 4.0,
    "batchint_ms": 100.0,
    "batchsz": 50.0,
    "batchsz_partner": 50.0,
    "cache_bypass_writes_per_second": 50.0,
    "calls_per_transaction": 4.0,
    "cf_free_mb": 20000.0,
    "cfcc_level": 25.0,
    "channel_initiators": 2.0,
    "channel_messages_per_second_max": 3000.0,
    "channels_in_syncq": 4000.0,
    "chiadaps": 30.0,
    "chidisps": 10.0,
    "chinit_region_mb": 1501.0,
    "client_channels": 1000.0,
    "cluster_configuration_mb": 3.0,
    "compressible_pct": 60.0,
    "compression": "ZLIBFAST",
    "connections": 1000.0,
    "control_unit_ios_per_second": 9000.0,
    "conversations_typical": 5.0,
    "cost_ms_per_second": 640.0,
    "crypto_hardware": True,
    "duplex_km": 10.0,
    "forces_per_transaction": 2.0,
    "indexed_messages": 8000000.0,
    "indexed_messages_deepest": 1000000.0,
    "indexed_queues": 10.0,
    "interested_queue_managers": 3.0,
    "live_message_bytes": 100000000.0,
    "log_bytes_per_message_typical": 1057.0,
    "log_copies_defined": 2.0,
    "log_dataset_mb": 4096.0,
    "log_mb_per_hour_typical": 800.0,
    "log_mb_per_second_max": 200.0,
    "log_read_rate_mb_per_second": 60.0,
    "log_stripes": 4.0,
    "log_write_time_us": 300.0,
    "log_writes_per_transaction_typical": 31.0,
    "logload": 450000.0,
    "lpar_busy_pct": 82.5,
    "maxarch": 500.0,
    "maxumsgs": 10000.0,
    "maxumsgs_partner": 10000.0,
    "message_bytes_longest": 1048576.0,
    "message_bytes_typical": 4096.0,
    "messages_max": 200000.0,
    "messages_per_commit": 10.0,
    "messages_per_connect": 10.0,
    "messages_per_second_peak": 2000.0,
    "mirrored": True,
    "objects_defined": 4140.0,
    "open_handles": 20000.0,
    "outage_seconds": 600.0,
    "outbuff_kb": 4000.0,
    "page_set_gb": 4.0,
    "page_set_gb_largest": 4.0,
    "page_set_write_mb_per_second": 300.0,
    "persistent_messages_per_second_peak": 10000.0,
    "persistent_share": 0.5,
    "processors": 8.0,
    "puts_per_second_peak": 500.0,
    "qsg_queue_managers": 4.0,
    "queue_depth_highest": 10000.0,
    "queues_per_transaction": 2.0,
    "queues_per_user": 50.0,
    "reaction_seconds": 900.0,
    "recovery_mb": 4096.0,
    "restart_seconds_wanted": 3600.0,
    "retransmitted_segments": 120.0,
    "same_key_messages": 5000.0,
    "scm_assigned_mb": 1048576.0,
    "scm_delayed_faults": 100.0,
    "scm_max_mb": 1048576.0,
    "scm_max_mb_total": 1048576.0,
    "scm_requests": 100000.0,
    "security_interval_minutes": 12.0,
    "security_timeout_minutes": 54.0,
    "sent_segments": 1000000.0,
    "sharecnv_typical": 10.0,
    "shared_messages": 100000.0,
    "shared_messages_expired": 1000.0,
    "ssltasks": 8.0,
    "sslrkeyc": 1000000.0,
    "structure_backup_mb_total": 5000.0,
    "structure_elements_max": 1410796.0,
    "structure_entries_max": 230000.0,
    "structure_initsize_kb": 524288.0,
    "tape_mount_seconds": 60.0,
    "tls_channels": 500.0,
    "tls_cipher_name": "TLS_AES_256_GCM_SHA384",
    "trace_seconds": 60.0,
    "transaction_us": 1000.0,
    "transactions_per_second_typical": 1000.0,
    "users": 1000.0,
    "utility_messages": 50000.0,
    "wait_for_input_us": 41191904.0,
    "waiters": 10.0,
    "zhyperlink_cable_m": 40.0,
    "zhyperlink_links": 8.0,
    "zhyperlink_response_ms": 0.03,
}
"""For facts of the site that figures use."""


def _described() -> dict[str, Input]:
    described: list[tuple[Setting, Value]] = []
    described += [(Setting(name, "number", unit, meaning), value) for name, unit, meaning, value in _OWN]
    described += [(Setting(name, "word", choices, meaning), value) for name, choices, meaning, value in _OWN_WORDS]
    described += [(SETTINGS[name], value) for name, value in _EXAMPLES.items()]
    return {
        each.name: Input(each.name, each.kind, each.unit, each.meaning, value, _MEASURED.get(each.name, ""))
        for each, value in described
    }


INPUTS: dict[str, Input] = _described()
"""Every input a figure may use, by name."""


def given(texts: Iterable[str]) -> dict[str, Value]:
    """What the asker gave as `name=value`, by name; ValueError says what cannot be used and what would do."""
    values: dict[str, object] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise ValueError(f"{text!r}: inputs are given as name=value")
        values[name] = value
    return checked(values)


def checked(values: Mapping[str, object]) -> dict[str, Value]:
    """The values as their inputs want them, numbers and flags in words too; ValueError names one that is wrong.

    Any fact of the site may be given besides: the rules of a question then judge by it.
    """
    return {name: _checked(name, value) for name, value in values.items()}


def _checked(name: str, value: object) -> Value:
    described = INPUTS.get(name) or SETTINGS.get(name)
    if described is None:
        near = difflib.get_close_matches(name, {**SETTINGS, **INPUTS})
        raise ValueError(f"no input is called {name!r}" + (f"; near it: {', '.join(near)}" if near else ""))
    text = str(value).strip()
    if described.kind == "word":
        return text
    if described.kind == "flag":
        if text.lower() not in ("yes", "no", "true", "false"):
            raise ValueError(f"{name} is yes or no ({described.meaning}), not {text!r}")
        return text.lower() in ("yes", "true")
    number = _number(text)
    if number is None:
        raise ValueError(f"{name} is a number, in {described.unit} ({described.meaning}), not {text!r}")
    return number


def _number(text: str) -> float | None:
    """A finite number; log addresses may be hexadecimal, as messages show them: 0x0211B7842C44."""
    try:
        number = float(int(text, 16)) if text.lower().startswith("0x") else float(text.replace(",", ""))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
