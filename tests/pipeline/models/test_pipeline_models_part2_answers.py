"""Models of the guide's second part where it has no example: answers by hand, edges, and what has no answer."""

from __future__ import annotations

from typing import Any

import pytest
from helper_model_paths import on_columns, on_numbers, same

from helper_rows import over_rows

_KB = 1024
_MB = 1024 * 1024

CASES: list[tuple[str, dict[str, Any], Any]] = [
    # Shared queues and their message data sets.
    ("already_got_messages_max", {"queue_managers": 30}, 10200),
    ("dsbufs_needed", {"dsbufs": 100, "lowest_free": -20}, 120),
    ("dsbufs_needed", {"dsbufs": 100, "lowest_free": 5}, 100),
    ("smds_buffer_mb", {"dsbufs": 200, "dsblock_bytes": 64 * _KB, "structures": 3}, 37.5),
    ("smds_buffers_per_message", {"message_bytes": 100 * _KB, "dsblock_bytes": 0}, None),
    ("smds_serial_io_sets", {"message_bytes": 100 * _KB, "dsblock_bytes": 8 * _KB}, 2),
    ("smds_serial_io_sets", {"message_bytes": 100 * _KB, "dsblock_bytes": 128 * _KB}, 1),
    ("smds_block_class", {"message_bytes": 80 * _KB, "dsblock_bytes": 8 * _KB}, "B"),
    ("smds_block_class", {"message_bytes": 80 * _KB + 1, "dsblock_bytes": 8 * _KB}, "C"),
    ("dsblock_bytes_preferred", {"message_bytes": 5000}, 8 * _KB),
    ("dsblock_bytes_preferred", {"message_bytes": 100 * _KB}, 128 * _KB),
    ("dsblock_bytes_preferred", {"message_bytes": _MB}, _MB),
    ("dsblock_bytes_preferred", {"message_bytes": _MB + 1}, 128 * _KB),
    ("dsblock_bytes_preferred", {"message_bytes": 4 * _MB}, 512 * _KB),
    ("dsblock_bytes_preferred", {"message_bytes": 100 * _MB}, _MB),
    ("offloaded_cf_mb", {"messages": 4096}, 3),
    ("lob_segments_per_message", {"message_bytes": 523265}, 2),
    ("data_sharing_pct", {"cloned_systems": 1}, 0),
    ("data_sharing_pct", {"cloned_systems": 0}, None),
    (
        "db2_transactions_per_second_at",
        {"message_bytes": 200000, "measured_transactions_per_second": 500, "measured_message_bytes": 100000},
        250,
    ),
    # The Db2 cost steps up right above 63 KB and 511 KB, SMDS does not.
    ("db2_cpu_us_per_message", {"message_bytes": 64513}, 862),
    ("db2_cpu_us_per_message", {"message_bytes": 523265}, 2914),
    ("smds_cpu_us_per_message", {"message_bytes": 5120}, 97),
    ("smds_cpu_us_per_message", {"message_bytes": 100}, 91),
    ("wasted_notifications_per_message", {"interested_queue_managers": 0}, 0),
    ("empty_gets_per_successful_get", {"empty_gets": 900, "successful_gets": 100}, 9),
    ("empty_gets_per_successful_get", {"empty_gets": 900, "successful_gets": 0}, None),
    (
        "shared_persistent_messages_per_second_max",
        {"queue_managers": 3, "log_mb_per_second_each": 100, "log_bytes_per_message": 3 * _KB},
        102400,
    ),
    # Storage class memory.
    (
        "list_structure_full_pct",
        {"entries_used": 90, "entries_max": 100, "elements_used": 300, "elements_max": 600},
        90,
    ),
    (
        "list_structure_full_pct",
        {"entries_used": 10, "entries_max": 100, "elements_used": 480, "elements_max": 600},
        80,
    ),
    ("scm_overcommitted_mb", {"structures_scm_max_mb": 3000, "scm_assigned_mb": 2048}, 952),
    ("scm_overcommitted_mb", {"structures_scm_max_mb": 1000, "scm_assigned_mb": 2048}, 0),
    ("scm_augmented_missing_mb", {"augmented_mb_max": 77455, "cf_free_mb": 70000}, 7455),
    ("scm_bytes_per_message", {"elements": 6}, 1792),
    (
        "scm_exhausted_first",
        {"entries_used": 10, "elements_used": 40, "entries_max": 100, "elements_max": 600},
        "entries",
    ),
    ("scm_keeps_up", {"put_mb_per_second": 200, "get_mb_per_second": 150, "message_kb": 2}, True),
    ("scm_keeps_up", {"put_mb_per_second": 200, "get_mb_per_second": 180, "message_kb": 2}, False),
    ("scm_delayed_faults_pct", {"delayed_faults": 498, "requests": 100}, 498),
    ("scm_backlog_growth_bytes", {"written_bytes": 500, "read_bytes": 200}, 300),
    # Channel initiator.
    ("chinit_storage_used_pct", {"used_mb": 60, "free_mb": 20}, 75),
    ("chinit_storage_used_pct", {"used_mb": 0, "free_mb": 0}, None),
    ("chinit_task_kb", {"chiadaps": 30, "chidisps": 20, "ssltasks": 10}, 4500 + 2040 + 14848),
    ("mca_channel_kb", {"message_kb": 16.5}, 95),
    ("svrconn_channel_kb", {"message_kb": 256, "sharecnv": 0, "vrm": 930}, 397),
    ("svrconn_channel_kb", {"message_kb": 256, "sharecnv": 5, "vrm": 940}, 267),
    ("channels_within_guide", {"storage_mb": 100, "channel_kb": 90}, 0),
    ("svrconn_buffer_kb", {"message_bytes": 3596}, 4),
    ("svrconn_buffer_kb", {"message_bytes": 3597}, 8),
    ("svrconn_buffer_kb", {"message_bytes": _MB}, 2048),
    ("svrconn_above_bar_kb", {"message_bytes": 1000, "sharecnv": 10, "current_conversations": 3}, 13.2),
    ("memlimit_mb_min", {"above_bar_mb": 4000}, 5000),
    ("memlimit_mb_min", {"above_bar_mb": 100}, 2048),
    ("dispatcher_chunk", {"maxchl": 200, "chidisps": 5}, 10),
    ("dispatcher_chunk", {"maxchl": 20, "chidisps": 5}, 4),
    ("dispatcher_chunk", {"maxchl": 3, "chidisps": 5}, 1),
    ("dispatcher_of_channel", {"start_position": 9, "maxchl": 150, "chidisps": 3}, 0),
    ("dispatcher_of_channel", {"start_position": 10, "maxchl": 150, "chidisps": 3}, 1),
    ("dispatcher_of_channel", {"start_position": 30, "maxchl": 150, "chidisps": 3}, 0),
    ("channels_on_dispatcher", {"dispatcher": 0, "channels": 45, "maxchl": 150, "chidisps": 3}, 20),
    ("channels_on_dispatcher", {"dispatcher": 1, "channels": 45, "maxchl": 150, "chidisps": 3}, 15),
    ("channels_on_dispatcher", {"dispatcher": 2, "channels": 45, "maxchl": 150, "chidisps": 3}, 10),
    ("dispatchers_in_use", {"channels": 25, "maxchl": 1000, "chidisps": 20}, 3),
    ("dispatchers_in_use", {"channels": 900, "maxchl": 1000, "chidisps": 20}, 20),
    ("dispatchers_recommended", {"channels": 1500, "chidisps_now": 5}, 20),
    ("dispatchers_recommended", {"channels": 1000, "chidisps_now": 5}, 5),
    ("omvs_threads", {"chidisps": 20, "ssltasks": 21}, 44),
    ("maxproc_increase", {"more_dispatchers": 5, "queue_managers": 4}, 20),
    ("ssltasks_recommended", {"chidisps": 5, "processors": 8}, 9),
    ("ssltasks_recommended", {"chidisps": 20, "processors": 8}, 21),
    ("compressing_dispatcher_us_per_request", {"compmsg": "LZ4"}, None),
    ("hardware_compression_us_min", {"software_us": 100}, 20),
    ("compressed_bytes", {"message_bytes": 1000, "compressible_pct": 40}, 600),
    # Batches.
    ("batch_messages_max", {"batchsz_sender": 50, "batchsz_receiver": 100}, 50),
    ("batch_messages_max", {"batchsz_sender": 50, "batchsz_receiver": 50, "maxumsgs_sender": 13}, 10),
    ("batch_messages_max", {"batchsz_sender": 50, "batchsz_receiver": 50, "maxumsgs_receiver": 2}, 1),
    (
        "batch_messages_max",
        {"batchsz_sender": 50, "batchsz_receiver": 50, "maxumsgs_receiver": 13, "zos_receiver": False},
        13,
    ),
    ("batch_ends", {"messages": 50, "sent_kb": 50, "transmission_queue_empty": False, "elapsed_ms": 1}, True),
    ("batch_ends", {"messages": 5, "sent_kb": 5000, "transmission_queue_empty": False, "elapsed_ms": 1}, True),
    ("batch_ends", {"messages": 5, "sent_kb": 5, "transmission_queue_empty": True, "elapsed_ms": 1}, True),
    ("batch_ends", {"messages": 5, "sent_kb": 5, "transmission_queue_empty": False, "elapsed_ms": 1}, False),
    (
        "batch_ends",
        {"messages": 5, "sent_kb": 5, "transmission_queue_empty": True, "elapsed_ms": 99, "batchint_ms": 100},
        False,
    ),
    ("batch_messages_by_limit", {"message_bytes": 6 * _MB}, 1),
    ("batch_messages_by_limit", {"message_bytes": 100 * _KB}, 50),
    ("batch_messages_by_limit", {"message_bytes": 0}, 5120000),
    ("batch_messages_expected", {"messages_per_second": 1, "batchint_ms": 0, "batchsz": 50, "preloaded": True}, 50),
    ("batchsz_for_message_bytes", {"message_bytes": 100000}, 50),
    ("batchsz_1_us_min", {"receive_and_reply_us": 100}, 80),
    # Cost, start, TLS.
    ("channel_processors", {"messages_per_second": 20000, "us_per_message": 45}, 0.9),
    ("channel_processors", {"messages_per_second": 20000, "us_per_message": 45, "processor_factor": 2}, 1.8),
    ("traced_us_max", {"transaction_us": 100}, 155),
    ("traced_us_min", {"transaction_us": 100}, 125),
    ("traced_idle_us", {"chinit_us": 100}, 103),
    ("class4_chinit_us_max", {"chinit_us": 100}, 102),
    ("at_tls_starts_per_second_min", {"plain_starts_per_second": 400}, 280),
    ("at_tls_starts_per_second_max", {"plain_starts_per_second": 400}, 320),
    ("channels_start_seconds", {"channels": 4000, "starts_per_second": 0}, None),
    ("tls_start_cpu_ms", {"cipher": "TLS_UNHEARD_OF"}, None),
    ("tls_start_chinit_us", {"plain_start_us": 100, "protocol": "ssl3"}, None),
    (
        "rekey_us",
        {"transaction_us_with_rekey": 120, "transaction_us_without_rekey": 115, "messages_per_negotiation": 512},
        2560,
    ),
    # Logs and disks.
    ("log_device_mb_per_second_max", {"device": "a floppy disk", "message_kb": 1}, None),
    ("log_device_mb_per_second_max", {"device": "ESS E20 ESCON", "message_kb": 64}, 7.1),
    ("log_device_mb_per_second_max", {"device": "DS8900F RAID 5, 4 stripes", "message_kb": 3}, 144),
    ("log_device_mb_per_second_planned", {"peak_mb_per_second": 112}, 56),
    ("single_log_mb_per_second_constrained", {"dual_mb_per_second": 100}, 180),
    ("striped_log_mb_per_second_max", {"unstriped_mb_per_second": 100, "message_bytes": 64 * _KB}, 150),
    ("striped_log_mb_per_second_max", {"unstriped_mb_per_second": 100, "message_bytes": 1000}, 100),
    (
        "active_logs_full_seconds",
        {"active_logs_mb": 12288, "log_mb_per_second": 200, "archive_mb_per_second": 100},
        122.88,
    ),
    (
        "active_logs_full_seconds",
        {"active_logs_mb": 12288, "log_mb_per_second": 90, "archive_mb_per_second": 100},
        None,
    ),
    ("zhpf_log_mb_per_second_max", {"mb_per_second": 100, "bound": "channel path"}, 200),
    ("zhpf_log_mb_per_second_max", {"mb_per_second": 100, "bound": "disk"}, 117),
    ("zhpf_log_mb_per_second_max", {"mb_per_second": 100, "bound": "large and striped"}, 155),
    ("written_mb_per_logged_mb", {"active_copies": 1, "archive_copies": 1}, 2),
    ("log_copy_skew", {"copy2_io_us": 1200, "copy1_io_us": 800}, 1.5),
    ("log_read_seconds", {"log_mb": 4096, "source": "tape"}, None),
    ("smf_records_per_second_max", {"data_set_records_per_second": 1000, "target": "log streams"}, 2000),
    ("smf_records_per_second_max", {"data_set_records_per_second": 1000, "target": "compressed log streams"}, 7600),
    ("retransmitted_pct", {"retransmitted_segments": 5, "sent_segments": 1000}, 0.5),
    ("network_mb_per_second", {"transferred_bytes": 60 * _MB, "interval_seconds": 30}, 2),
    # Encryption and mirrored logs.
    ("log_encryption_us", {"logged_mb": 1, "active_copies": 1, "archive_copies": 1}, 514),
    ("smds_pages_per_message", {"message_bytes": 4097}, 2),
    ("smds_get_encryption_us", {"pages": 10, "remote": True, "from_buffer": True}, 0),
    ("shared_persistent_encryption_us", {"message_bytes": 100 * _KB, "logged_bytes": _MB}, 848 + 35),
    ("shared_persistent_encryption_us", {"message_bytes": 100 * _KB, "logged_bytes": _MB, "remote": True}, 848 + 37.5),
    ("zhyperwrite_commit_us_min", {"pprc_commit_us": 1000}, 400),
    ("zhyperwrite_put_us_min", {"pprc_put_us": 100}, 67),
    ("zhyperwrite_log_mb_per_second_max", {"pprc_mb_per_second": 100}, 240),
    ("zhyperwrite_io_us_max", {"pprc_io_us": 1000, "write_kb": 96}, 600),
    ("zhyperwrite_io_us_max", {"pprc_io_us": 1000, "write_kb": 97}, 900),
    ("zhyperwrite_mstr_us", {"pprc_mstr_us": 1, "logging": "triple"}, None),
    ("halved_paths_mb_per_second_min", {"mb_per_second": 100}, 70),
    ("unarchived_log_mb_per_second_max", {"mb_per_second": 100, "mirroring": "PPRC"}, 125),
    ("unarchived_log_mb_per_second_max", {"mb_per_second": 100, "mirroring": "zHyperWrite"}, 145),
]


@pytest.fixture(scope="module")
def answers_of_columns() -> list[Any]:
    return on_columns([(name, inputs) for name, inputs, _ in CASES])


@pytest.mark.parametrize("path", ["number", "column"])
@over_rows("index", range(len(CASES)), ids=[name for name, _, _ in CASES])
def test_the_model_gives_the_answer(index: int, path: str, request: pytest.FixtureRequest) -> None:
    name, inputs, expected = CASES[index]
    answer = on_numbers((name, inputs)) if path == "number" else request.getfixturevalue("answers_of_columns")[index]
    assert same(expected, answer), (expected, answer)
