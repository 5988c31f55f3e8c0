"""Models of the guide's third part where it has no example: answers by hand, edges, and what has no answer."""

from __future__ import annotations

from typing import Any

import pytest
from helper_model_paths import on_columns, on_numbers, same

CASES: list[tuple[str, dict[str, Any], Any]] = [
    # Buffer pools.
    ("pool_io_per_second", {"qpstrio": 1200, "qpstwio": 600, "interval_seconds": 60}, 30),
    ("pool_io_per_second", {"qpstrio": 1200, "qpstwio": 600, "interval_seconds": 0}, None),
    ("pages_read_per_page_written", {"qpstrio": 300, "qpsttpw": 100}, 3),
    ("pages_read_per_page_written", {"qpstrio": 300, "qpsttpw": 0}, None),
    ("pages_of_message", {"message_bytes": 100, "header_bytes": 400, "usable_page_bytes": 4000}, 1),
    ("pages_of_message", {"message_bytes": 4000, "header_bytes": 400, "usable_page_bytes": 4000}, 2),
    ("buffers_for_high_water", {"high_water_pages": 8500}, 10000),
    ("buffers_for_high_water", {"high_water_pages": 8501}, 10002),
    ("pages_looked_up_per_new_page", {"qpstgetp": 1800000, "qpstgetn": 16000}, 112.5),
    ("steal_contention", {"qpststla": 0, "qpststl": 84}, 0),
    ("steal_contention", {"qpststla": 0, "qpststl": 0}, None),
    # The log.
    ("log_ios_for_burst", {"full_buffers": 129, "current_written": True}, 3),
    ("log_ios_for_burst", {"full_buffers": 0, "current_written": True}, 1),
    ("log_check_io_times", {"full_buffers": 24}, 3),
    ("archiving_messages_per_second_min", {"messages_per_second": 1000}, 880),
    ("messages_per_second_by_log_io", {"pages_put": 0, "messages": 0, "multi_page_ms": 1, "current_page_ms": 1}, None),
    # zHyperLink.
    ("zhyperlink_write_sessions", {"log_copies": 2, "stripes": 4, "mirrored": True}, 16),
    ("zhyperlink_link_busy_pct", {"writes_per_second": 1, "response_ms": 1, "active_links": 0}, None),
    ("zhyperlink_cpu_us", {"io_us": 28}, 28),
    ("io_share_of_logger_busy_pct", {"io_busy_pct": 24.15, "task_busy_pct": 96.6}, 25),
    ("short_links_log_mb_per_second_min", {"mb_per_second": 100, "message_kb": 8}, 100),
    ("short_links_log_mb_per_second_min", {"mb_per_second": 100, "message_kb": 16}, 62),
    ("short_links_log_mb_per_second_min", {"mb_per_second": 100, "message_kb": 512}, 100),
    ("zhyperlink_log_peak_mb_per_second", {"configuration": "triple"}, None),
    # Units of work and gets.
    ("commit_cpu_us", {"messages_per_commit": 500}, 3),
    ("commit_elapsed_us", {"messages_per_commit": 500}, 29),
    ("commits_cpu_us", {"messages": 1000, "messages_per_commit": 0}, None),
    ("cf_calls_per_get", {"wtascmec": 500, "gets": 10}, 50),
    ("cf_calls_per_get", {"wtascmec": 500, "gets": 0}, None),
    ("get_us_with_waiters", {"get_us": 20, "waiters": 15}, 35),
    ("trigger_us", {"small_nonpersistent_put_us": 10, "process_start_us": 90}, 100),
    ("event_messages_us", {"events": 10, "small_persistent_put_us": 30}, 300),
    # Shared queues: the steps at 65, 1,090 and so on to six.
    ("common_key_redrives", {"same_key_messages": 65}, 0),
    ("common_key_redrives", {"same_key_messages": 66}, 1),
    ("common_key_redrives", {"same_key_messages": 1090}, 1),
    ("common_key_redrives", {"same_key_messages": 1091}, 2),
    ("common_key_redrives", {"same_key_messages": 5190}, 5),
    ("common_key_redrives", {"same_key_messages": 5191}, 6),
    ("common_key_redrives", {"same_key_messages": 25000}, 6),
    ("undefined_open_us_max", {"open_us": 10}, 100),
    ("undefined_open_us_min", {"open_us": 10}, 80),
    ("shared_input_open_cpu_us", {"queue_managers": 4}, None),
    ("shared_persistent_us_min", {"private_us": 100, "message_bytes": 1000}, 225),
    ("shared_persistent_us_max", {"private_us": 100, "message_bytes": 1000}, 325),
    ("shared_persistent_us_min", {"private_us": 100, "message_bytes": 5000, "extra_queue_managers": 2}, 208),
    ("shared_persistent_us_max", {"private_us": 100, "message_bytes": 5000, "extra_queue_managers": 2}, 312),
    ("cf_us_per_persistent_message", {"message_bytes": 3000}, 29),
    ("cf_engines_needed", {"messages_per_second": 84000, "cf_us_per_message": 28}, 4),
    ("cf_engines_needed", {"messages_per_second": 20000, "cf_us_per_message": 30}, 1),
    # Servers, tiers, IMS, machines.
    ("server_transactions_per_second_max", {"get_us": 0, "put_us": 0, "commit_us": 0}, None),
    ("private_nonpersistent_messages_per_second", {"message_bytes": 20000}, 92660),
    ("transaction_processors", {"transactions_per_second": 50000, "us_per_transaction": 40}, 2),
    ("mca_channels_needed", {"messages_per_second": 25000, "channel_messages_per_second": 10000}, 3),
    ("mca_channels_needed", {"messages_per_second": 25000, "channel_messages_per_second": 0}, None),
    ("three_tier_log_bytes", {"two_tier_log_bytes": 2300}, 4600),
    ("client_us_per_message", {"messages_per_connect": 0}, None),
    ("region_occupied_pct", {"wait_for_input_us": 0, "interval_seconds": 0}, None),
    ("commit_mode_1_us", {"commit_mode_0_us": 100, "part": "the tape robot"}, None),
    ("ims_checkpoint_seconds", {"interval_seconds": 60, "checkpoints": 0}, None),
    ("cpu_busy_pct", {"cost_ms_per_second": 640, "processors": 0}, None),
]


@pytest.fixture(scope="module")
def answers_of_columns() -> list[Any]:
    return on_columns([(name, inputs) for name, inputs, _ in CASES])


@pytest.mark.parametrize("path", ["number", "column"])
@pytest.mark.parametrize("index", range(len(CASES)), ids=[name for name, _, _ in CASES])
def test_the_model_gives_the_answer(index: int, path: str, request: pytest.FixtureRequest) -> None:
    name, inputs, expected = CASES[index]
    answer = on_numbers((name, inputs)) if path == "number" else request.getfixturevalue("answers_of_columns")[index]
    assert same(expected, answer), (expected, answer)
