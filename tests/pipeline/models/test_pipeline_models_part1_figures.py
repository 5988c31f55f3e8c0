"""Every model of the guide's first part gives its published figure, as a number and as a Spark column.

Models for which the source prints a coefficient and no worked figure have one worked by hand below, so that each is
tried; what the column gives is compared with the same figure, not with what the number gave.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from helper_spark import session

from helper_rows import over_rows
from libremq.pipeline.models.loaded_models import known_models
from libremq.pipeline.models.published.fixture import Fixture
from libremq.pipeline.models.published.fixtures_part1 import FIXTURES_PART_1, MODULES
from libremq.pipeline.models.units import GB, KB, MB

WORKED_BY_HAND = (
    Fixture("active_logs_needed", {"log_mb": 1000, "log_mb_per_hour": 800}, 20, "L584", note="19,200 MB"),
    Fixture("active_logs_needed", {"log_mb": 4000, "log_mb_per_hour": 100}, 4, "L615", note="one would do"),
    Fixture("log_fill_seconds", {"log_mb": 4096, "log_mb_per_second": 2}, 2048, "L615"),
    Fixture("log_archive_seconds", {"log_mb": 3000, "archive_mb_per_second": 60, "mount_seconds": 60}, 110, "L615"),
    Fixture("log_mb_for_fill_time", {"log_mb_per_second": 2}, 3600, "L631"),
    Fixture("log_cylinders", {"log_bytes": 10 * 15 * 12 * 4096}, 10, "L633"),
    Fixture("log_tracks", {"log_bytes": 12 * 4096 + 1}, 2, "L625"),
    Fixture("log_volumes_without_neighbours", {"active_logs": 1, "copies": 2}, 2, "L643"),
    Fixture("log_volumes_without_neighbours", {"active_logs": 7, "copies": 1}, 3, "L643"),
    Fixture("striped_archive_quantity", {"quantity": 101, "stripes": 4}, 26, "L657"),
    Fixture("single_logging_mb_per_second", {"dual_logging_mb_per_second": 100}, 150, "L602"),
    Fixture("unformatted_log_mb_per_second", {"log_mb_per_second": 112}, 56, "L671"),
    Fixture("unformatted_log_response_seconds", {"response_seconds": 0.003}, 0.00399, "L671"),
    Fixture("unformatted_log_transactions_per_second", {"transactions_per_second": 400}, 300, "L671"),
    Fixture("log_bytes_with_8_byte_rba", {"log_bytes_with_6_byte_rba": 10_000}, 10_700, "L683"),
    Fixture("zhyperlink_log_mb_per_second_max", {"asynchronous_mb_per_second": 100}, 300, "L693"),
    Fixture("log_mb_per_hour_from_fill", {"log_mb": 4096, "hours_to_fill": 8}, 512, "L1217"),
    Fixture("log_mb_per_hour", {"log_bytes_per_second": MB}, 3600, "L1217"),
    Fixture("log_bytes_per_operation", {"earlier_rba": 0x1000, "later_rba": 0x1000 + 7510, "operations": 10},
            751, "L726"),
    Fixture("local_put_log_bytes", {"message_bytes": 2560}, 3709.5, "L730", note="half way from 1 KB to 4 KB"),
    Fixture("shared_get_committed_log_bytes", {"message_bytes": 100_000}, 630, "L754", note="level past 4 KB"),
    Fixture("get_share_log_bytes", {"message_bytes": 55 * KB}, 900, "L834"),
    Fixture("get_share_log_bytes", {"message_bytes": 100}, 500, "L834"),
    Fixture("put_share_log_bytes", {"message_bytes": 1000}, 1800, "L835"),
    Fixture("put_window_log_fraction", {"message_bytes": 1000}, 18 / 23, "L830"),
    Fixture("log_bound_transactions_per_second", {"forces_per_transaction": 2, "log_write_seconds": 0.001}, 500,
            "L2137"),
    Fixture(
        "log_bound_transactions_per_second",
        {"forces_per_transaction": 2, "log_write_seconds": 0.001, "instances": 3},
        1500,
        "L2137",
    ),
    Fixture("messages_per_page_packed", {"message_bytes": 7683}, 0.5, "L872", note="two pages a message"),
    Fixture("messages_per_page_packed", {"message_bytes": 100}, 7, "L876", note="X-24"),
    Fixture("page_set_pages", {"page_set_gb": 4}, 1_048_576, "L862"),
    Fixture("page_set_gb_for_messages", {"messages": 262_144, "message_bytes": 5000, "spare_fraction": 0.5}, 3, "L889"),
    Fixture("page_set_gb_for_messages_packed", {"messages": 8 * 262_144, "message_bytes": 40}, 1, "L889"),
    Fixture("page_set_used_pct", {"total_pages": 1000, "unused_pages": 80}, 92, "L893"),
    Fixture("packing_gain", {"message_bytes": 46}, 8, "L996"),
    Fixture("packing_gain", {"message_bytes": 9000}, 1, "L996"),
    Fixture("object_pages_by_count", {"objects": 14_483}, 7242, "L1037"),
    Fixture("constrained_pool_0_pages", {"active_object_pages": 1000}, 1200, "L2406"),
    Fixture("pool_lowest_free_pct", {"lowest_stealable_pages": 7500, "pool_pages": 50_000}, 15, "L1071"),
    Fixture("pool_highest_used_pct", {"lowest_stealable_pages": 7500, "pool_pages": 50_000}, 85, "L1075"),
    Fixture("oversized_pool_pages", {"page_set_pages": 1_000_000}, 1_050_000, "L1120"),
    Fixture("deferred_write_stop_pages", {"pool_pages": 20_000}, 15_000, "L1101"),
    Fixture("synchronous_write_pages", {"pool_pages": 20_000}, 19_000, "L1103"),
    Fixture("checkpoint_page_bytes", {"log_bytes": 4 * GB, "log_bytes_per_message": 11_750}, 4 * GB, "L1138"),
    Fixture("effective_backup_interval_hours",
            {"restart_seconds": 60, "log_mb_per_hour": 800, "active_log_mb": 20 * KB}, 4.5, "L1164"),
    Fixture("days_between_backups", {"interval_hours": 6, "application_hours_per_day": 24}, 0.25, "L1194"),
    Fixture("fuzzy_backup_log_bytes", {"checkpoint_log_bytes": GB}, 3 * GB, "L1421"),
    Fixture("backup_storage_bytes", {"maxarch": 1000, "active_logs": 310, "log_bytes": 4 * GB}, 5240 * GB, "L2756"),
    Fixture("archive_only_logs", {"maxarch": 10, "active_logs": 310}, 0, "L2753"),
    Fixture("structure_backup_seconds", {"backup_mb": 2900}, 10, "L2718"),
    Fixture("page_read_seconds_with_zhpf", {"page_seconds": 150e-6}, 100e-6, "L1406"),
    Fixture("log_bytes_between_checkpoints", {"log_bytes": 4 * GB, "checkpoints_per_log": 8}, GB / 2, "L1388"),
    Fixture("restart_phase_3_seconds", {"in_doubt_seconds": 1, "in_commit_seconds": 2, "page_set_seconds": 82}, 82,
            "L1528"),
    Fixture("restart_seconds", {"phase_2_seconds": 1, "phase_3_seconds": 2, "phase_4_seconds": 3,
                                "index_rebuild_seconds": 250}, 256, "L2156"),
    Fixture("recovery_seconds_left", {"earlier_rba": 1000, "later_rba": 3000, "seconds_between": 120, "end_rba": 4000},
            60, "L1587", note="forward"),
    Fixture("log_buffer_writes", {"write_wait": 1, "write_nowait": 20, "write_force": 300}, 321, "L1718"),
    Fixture("seconds_between_checkpoints",
            {"logload": 450_000, "log_writes_per_second": 1000, "log_fill_seconds": 1800}, 450, "L1757"),
    Fixture("seconds_between_checkpoints",
            {"logload": 4_000_000, "log_writes_per_second": 1000, "log_fill_seconds": 1800}, 1800, "L1757"),
    Fixture("replication_seconds_with_low_logload", {"elapsed_seconds": 100}, 88, "L1783"),
    Fixture("puts_per_commit", {"puts": 5000, "commits": 40}, 125, "L1863"),
    Fixture("utility_commits", {"messages": 25_001}, 3, "L1869"),
    Fixture("class_3_trace_us", {"calls": 4, "continuation_records": 2}, 63, "L2036"),
    Fixture("class_3_records", {"queues": 0}, 1, "L1969"),
    Fixture("class_3_records", {"queues": 9}, 2, "L1969"),
    Fixture("class_3_records", {"queues": 18}, 3, "L1969"),
    Fixture("class_3_storage_kb", {"connections": 1000}, 8000, "L1995"),
    Fixture("index_rebuild_seconds_with_zhpf", {"rebuild_seconds": 100}, 67, "L2222"),
    Fixture("parallel_index_rebuild_seconds", {"messages_in_all": 40_000_000, "deepest_queue_messages": 1_000_000},
            125, "L2168", note="ten threads share them"),
    Fixture("index_rebuild_pages", {"messages": 1001, "messages_per_page": 8}, 126, "L2190"),
    Fixture("expiry_scan_cf_calls", {"scanned": 1000, "expired": 10}, 1010, "L2240"),
    Fixture("expiry_scan_cf_us", {"scanned": 1000, "expired": 10}, 3535, "L2240"),
    Fixture("security_cache_kb", {"users": 10, "queues_per_user": 0}, 88, "L2319"),
    Fixture("security_cache_real_kb", {"users": 100}, 466, "L2392"),
    Fixture("user_discard_minute", {"last_use_minute": 7}, 72, "L2284", note="61 past its sweep"),
    Fixture("user_discard_minutes_max", {"timeout_minutes": 54, "interval_minutes": 12}, 66, "L2284"),
    Fixture("csa_kb", {"connections": 1000}, 6144 + 2470, "L2370"),
    Fixture("sharing_group_private_kb", {"structures": 2, "structure_backups": 1}, 92 * KB + 1600, "L2431"),
    Fixture("sharing_group_esqa_kb", {"structures": 3}, 6, "L2433"),
    Fixture("sharing_group_ecsa_kb", {"structures": 3}, 12, "L2433"),
    Fixture("cluster_cache_mb", {"configuration_mb": 3.2}, 10, "L2443"),
    Fixture("two_structure_cpu_us", {"cpu_us": 100}, 106, "L2488"),
    Fixture("two_structure_transactions_per_second", {"transactions_per_second": 1000}, 950, "L2488"),
    Fixture("admin_entries_needed", {"queue_managers": 7}, 7000, "L2508"),
    Fixture("admin_entries_per_queue_manager", {"entries_max": 20_638, "queue_managers": 2}, 10_319, "L2508"),
    Fixture("structure_used_pct", {"used": 47, "available": 4700}, 1, "L2508"),
    Fixture("outage_messages", {"puts_per_second": 200, "outage_seconds": 3600}, 720_000, "L2533"),
    Fixture("structure_bytes_per_message", {"message_bytes": 100}, 1792, "L2529", note="the least"),
    Fixture("structure_bytes_per_message", {"message_bytes": 5000}, 21 * 256 + 256, "L2529"),
    Fixture("structure_bytes_per_message", {"message_bytes": 5000, "grouping_bytes": 72}, 22 * 256 + 256, "L2528"),
    Fixture("structure_bytes_per_message", {"message_bytes": 64_513}, 2048, "L2544"),
    Fixture("structure_initsize_bytes", {"small_message_bytes": 1000, "large_messages": 10},
            1320 + 20_480 + 8 * MB, "L2538"),
    Fixture("structure_initsize_bytes", {"small_message_bytes": 1000, "cfcc_level": 11}, 1250, "L2540"),
    Fixture("structure_initsize_bytes_for_one_size", {"message_bytes": 100, "messages": 1000, "cfcc_level": 24},
            2_365_440, "L2524"),
    Fixture("structure_initsize_bytes_for_one_size", {"message_bytes": 100_000, "messages": 1000, "cfcc_level": 24},
            2_048_000, "L2544"),
    Fixture("messages_by_sizing_rule", {"structure_bytes": GB, "message_bytes": 16 * KB, "cfcc_level": 24}, 47_425,
            "L2574", note="the fact file's own sum"),
    Fixture("messages_by_sizing_rule", {"structure_bytes": 64 * MB, "message_bytes": 64_512, "cfcc_level": 24}, 778,
            "L2573", note="779 when rounded up; the source measured about 600"),
    Fixture("unusable_elements", {"elements": 21, "entries": 1}, 0, "L2652"),
    Fixture("structure_growth_bytes", {"from_cfcc_level": 14, "to_cfcc_level": 25}, 13 * MB, "L2578-L2580"),
    Fixture("duplexed_primary_cf_us", {"simplex_cf_us": 4.4}, 8.8, "L2822"),
    Fixture("duplexed_transactions_per_second", {"transactions_per_second": 1000}, 600, "L2862"),
    Fixture("duplexed_cpu_us", {"cpu_us": 100}, 130, "L2862"),
    Fixture("asynchronous_pct", {"synchronous_requests": 300, "asynchronous_requests": 100}, 25, "L2883"),
    Fixture("get_buffer_bytes", {"message_bytes": 256}, 256, "L2931"),
    Fixture("get_buffer_bytes", {"message_bytes": 2049}, 4096, "L2931"),
    Fixture("get_buffer_bytes", {"message_bytes": 4100}, 8192, "L2931"),
    Fixture("get_buffer_bytes", {"message_bytes": 62 * KB}, 63 * KB, "L2931"),
    Fixture("get_redrives", {"buffer_bytes": 4096, "message_bytes": 4096}, 0, "L2923"),
    Fixture("get_redrives", {"buffer_bytes": 4096, "message_bytes": 4100}, 1, "L2923"),
    Fixture("redrives_per_1000_gets", {"single_redrives": 30, "multiple_redrives": 20, "gets": 10_000}, 5, "L2920"),
)  # fmt: skip

CASES = (*FIXTURES_PART_1, *WORKED_BY_HAND)

UNANSWERED: tuple[tuple[str, Mapping[str, float]], ...] = (
    ("class_3_record_bytes", {"queues": 9}),
    ("class_3_smf_mb", {"transactions": 1, "queues": 9}),
    ("pages_per_message_v6", {"message_bytes": 32_041}),
    ("messages_per_page_v6", {"message_bytes": 3_698}),
    ("starting_pool_pages_production", {"pool": 4}),
    ("starting_pool_pages_test", {"pool": 4}),
    ("active_log_hours", {"active_logs": 4, "log_mb": 100, "log_mb_per_hour": 0}),
    ("transactions_per_checkpoint", {"logload": 450_000, "log_writes_per_transaction": 0}),
    ("pool_lowest_free_pct", {"lowest_stealable_pages": 0, "pool_pages": 0}),
    ("seconds_between_checkpoints", {"logload": 450_000, "log_writes_per_second": 0, "log_fill_seconds": 60}),
    ("recovery_seconds_left", {"earlier_rba": 5, "later_rba": 5, "seconds_between": 120, "end_rba": 9}),
)
"""What the source does not publish, and divisions by nothing: no answer rather than a guess or a crash."""

PATHS = ("number", "double", "long")


@pytest.fixture(scope="session")
def spark() -> Any:
    return session()


def _answers(spark: Any, calls: list[tuple[str, Mapping[str, float]]], kind: str) -> list[Any]:
    """All calls on columns. A model's calls are the rows under its one column, many columns to a query."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import DoubleType, LongType, StructField, StructType

    groups: dict[tuple[str, ...], list[int]] = {}
    for number, (model, inputs) in enumerate(calls):
        groups.setdefault((model, *inputs), []).append(number)
    answers: list[Any] = [None] * len(calls)
    for start in range(0, len(groups), 50):
        part = list(groups.items())[start : start + 50]
        fields, cells, columns = [], list[list[float | None]](), []
        rows = max(len(numbers) for _, numbers in part)
        for index, ((model, *names), numbers) in enumerate(part):
            for name in names:
                values = [calls[number][1][name] for number in numbers]
                whole = kind == "long" and all(float(value).is_integer() for value in values)
                fields.append(StructField(f"c{index}_{name}", LongType() if whole else DoubleType()))
                typed: list[float | None] = [int(value) if whole else float(value) for value in values]
                cells.append(typed + [None] * (rows - len(values)))
            given = {name: F.col(f"c{index}_{name}") for name in names}
            columns.append(known_models()[model].function(**given).cast("double").alias(f"a{index}"))
        frame = spark.createDataFrame(list(zip(*cells)), StructType(fields)).coalesce(1)
        for row, found in enumerate(frame.select(*columns).collect()):
            for index, (_, numbers) in enumerate(part):
                if row < len(numbers):
                    answers[numbers[row]] = found[index]
    return answers


@pytest.fixture(scope="session")
def column_answers(spark: Any) -> dict[str, list[Any]]:
    calls = [(case.model, case.inputs) for case in CASES] + list(UNANSWERED)
    # Compiling hundreds of expressions for a few rows takes a minute; interpreting them takes a second.
    settings = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
    before = {key: spark.conf.get(key) for key in settings}
    try:
        for key, value in settings.items():
            spark.conf.set(key, value)
        return {kind: _answers(spark, calls, kind) for kind in ("double", "long")}
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)


def _named(case: Fixture) -> str:
    return f"{case.model}-{'-'.join(f'{value:g}' for value in case.inputs.values())}"


@pytest.mark.parametrize("path", PATHS)
@over_rows("index", range(len(CASES)), ids=[_named(case) for case in CASES])
def test_model_gives_the_published_figure(index: int, path: str, request: pytest.FixtureRequest) -> None:
    case = CASES[index]
    value = case.ours if path == "number" else request.getfixturevalue("column_answers")[path][index]
    assert value is not None
    assert case.agrees(value), (value, case.source)


@pytest.mark.parametrize("path", PATHS)
@over_rows("index", range(len(UNANSWERED)), ids=[model for model, _ in UNANSWERED])
def test_no_answer_where_there_is_none(index: int, path: str, request: pytest.FixtureRequest) -> None:
    model, inputs = UNANSWERED[index]
    if path == "number":
        assert known_models()[model].function(**inputs) is None
    else:
        assert request.getfixturevalue("column_answers")[path][len(CASES) + index] is None


def test_every_model_of_part_1_is_tried() -> None:
    homes = {module.__name__ for module in MODULES}
    part_1 = {name for name, entry in known_models().items() if entry.function.__module__ in homes}
    assert part_1 - {case.model for case in CASES} == set()


def test_a_wrong_figure_is_noticed() -> None:
    """The comparison itself can fail: one per cent off is not within a tolerance of one per mille."""
    case = Fixture("format_seconds", {"page_set_gb": 4}, 60, "L1898", 0.001)
    assert case.agrees(60.05)
    assert not case.agrees(60.6)
    assert not Fixture("format_seconds", {}, 60, "L1898").agrees(60.001)
