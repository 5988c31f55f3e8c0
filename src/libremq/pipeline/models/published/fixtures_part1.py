"""The figures that the guide's first part publishes, each with what its model has to be given.

Data only: the tests walk over `FIXTURES_PART_1`, and so does the page that sets our figures beside them. Figures that
the fact file found wrong are not here, or stand with the corrected value and a note. A tolerance is a share of the
source's figure: 0 where the source is exact, its own rounding where it says "about", and for derived models what the
fact file measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from libremq.pipeline.models.applications import trace_cost
from libremq.pipeline.models.logs import checkpoints, log_forces, log_measured, log_sizing, log_volume
from libremq.pipeline.models.published.fixture import Fixture
from libremq.pipeline.models.sharing import cf_requests, cf_structures, expiry_scans
from libremq.pipeline.models.storage import (
    backup_times,
    indexes,
    page_set_space,
    pool_sizing,
    queue_manager_storage,
    read_rates,
    restart_times,
    security_cache,
    utilities,
)
from libremq.pipeline.models.units import DECIMAL_MB, GB, KB, MB

MODULES: Final = (
    pool_sizing, cf_requests, cf_structures, checkpoints, expiry_scans, indexes, log_forces, log_measured, log_sizing,
    log_volume, page_set_space, queue_manager_storage, read_rates, backup_times, restart_times, security_cache,
    trace_cost, utilities,
)  # fmt: skip
"""Where the models of the first part are."""

_SIZES: Final = (0, 1, 1024, 4096)


def _measured_log_bytes() -> Iterator[Fixture]:
    """T-02 to T-05: out of syncpoint, one a commit, ten a commit."""
    tables = {
        ("local_put", "L730-L736"): ((1057, 1060, 2088, 5331), (1057, 1060, 2088, 5331), (751, 751, 1789, 5052)),
        ("local_get", "L738-L743"): ((481, 481, 492, 527), (481, 481, 492, 527), (186, 186, 178, 192)),
        ("shared_put", "L747-L752"): ((683, 683, 1687, 4780), (1230, 1230, 2276, 5357), (768, 768, 1802, 4884)),
        ("shared_get", "L754-L759"): ((62, 62, 69, 76), (662, 662, 650, 630), (188, 188, 177, 185)),
    }
    for (operation, lines), (alone, one, ten) in tables.items():
        for index, size in enumerate(_SIZES):
            yield Fixture(f"{operation}_log_bytes", {"message_bytes": size}, alone[index], lines)
            for per_commit, column in ((1, one), (10, ten)):
                inputs = {"message_bytes": size, "messages_per_commit": per_commit}
                yield Fixture(f"{operation}_committed_log_bytes", inputs, column[index], lines)


def _unit_of_work_log_bytes() -> Iterator[Fixture]:
    """R-LV-11: the fact file's decomposition into a message's own bytes and its unit of work's."""
    table = {
        "local_put": ((717, 340), (1756, 332), (5021, 310)),
        "local_get": ((153, 328), (143, 349), (155, 372)),
        "shared_put": ((717, 513), (1749, 527), (4831, 526)),
        "shared_get": ((135, 527), (124, 526), (136, 494)),
    }
    note = "decomposition by the fact file, whole bytes"
    for operation, cells in table.items():
        for size, (own, unit_of_work) in zip((0, 1024, 4096), cells, strict=True):
            inputs: dict[str, float] = {"message_bytes": size, "messages_per_commit": 1e9}
            yield Fixture(
                f"{operation}_committed_log_bytes", inputs, own, "L730-L759", 0.6 / own, derived=True, note=note
            )
            inputs = {"message_bytes": size}
            yield Fixture(
                f"{operation}_unit_of_work_log_bytes",
                inputs,
                unit_of_work,
                "L730-L759",
                0.6 / unit_of_work,
                derived=True,
                note=note,
            )


def _channel_log_bytes() -> Iterator[Fixture]:
    """T-07, with R-LV-03 on its local column within what the fact file found."""
    rows = {
        500: (1_700, 0.06, 4_300, 1_950, 2_750, 1_450),
        1_000: (2_300, 0.0, 4_850, 2_450, 3_300, 2_000),
        5_000: (6_550, 0.008, 9_150, 6_750, 7_600, 6_250),
        10_000: (11_750, 0.0, 14_300, 11_900, 12_800, 11_500),
        30_000: (32_800, 0.01, 35_400, 33_000, 33_900, 32_550),
        100_000: (105_800, 0.008, 108_400, 106_000, 106_900, 105_555),
    }
    for size, (local, tolerance, send_one, send_fifty, receive_one, receive_fifty) in rows.items():
        yield Fixture("put_get_log_bytes", {"message_bytes": size}, local, "L797-L819", tolerance)
        for name, per_batch, figure in (
            ("channel_send_log_bytes", 1, send_one),
            ("channel_send_log_bytes", 50, send_fifty),
            ("channel_receive_log_bytes", 1, receive_one),
            ("channel_receive_log_bytes", 50, receive_fifty),
        ):
            inputs = {"message_bytes": size, "messages_per_batch": per_batch}
            yield Fixture(name, inputs, figure, "L797-L804")


def _page_sets() -> Iterator[Fixture]:
    """T-08: both ends of each size range, and the nominal capacities."""
    nominal = {"pages_per_gb": page_set_space.NOMINAL_PAGES_PER_GB}
    by_pages = (
        (8, 27_992, 32_040, 27_924, 31_971, 125_000, 2_000_000),
        (7, 23_942, 27_991, 23_876, 27_923, 142_000, 2_285_000),
        (6, 19_894, 23_941, 19_828, 23_875, 166_000, 2_666_000),
        (5, 15_845, 19_893, 15_780, 19_827, 200_000, 3_200_000),
        (4, 11_796, 15_844, 11_732, 15_779, 250_000, 4_000_000),
        (3, 7_747, 11_795, 7_684, 11_731, 333_000, 5_333_000),
        (2, 3_698, 7_746, 3_636, 7_683, 500_000, 8_000_000),
        (1, 0, 3_697, 0, 3_635, 1_000_000, 16_000_000),
    )
    for pages, v6_low, v6_high, low, high, in_4_gb, in_64_gb in by_pages:
        for size in (v6_low, v6_high):
            yield Fixture("pages_per_message_v6", {"message_bytes": size}, pages, "L862-L872")
        for size in (low, high):
            yield Fixture("pages_per_message", {"message_bytes": size}, pages, "L862-L872")
        for gigabytes, capacity in ((4, in_4_gb), (64, in_64_gb)):
            inputs = {"page_set_gb": gigabytes, "message_bytes": high, **nominal}
            yield Fixture("messages_in_page_set", inputs, capacity, "L862-L872", 0.01, note="cut to thousands")
    by_page = (
        (1, 1_568, 3_635), (2, 892, 1_567), (3, 554, 891), (4, 351, 553),
        (5, 216, 350), (6, 119, 215), (7, 47, 118), (8, 0, 46),
    )  # fmt: skip
    for messages, low, high in by_page:
        for size in (low, high):
            yield Fixture("messages_per_page_packed", {"message_bytes": size}, messages, "L872-L881")
        for gigabytes in (4, 64):
            inputs = {"page_set_gb": gigabytes, "message_bytes": high, **nominal}
            capacity = messages * gigabytes * 250_000
            yield Fixture("messages_in_page_set_packed", inputs, capacity, "L872-L881")
    by_page_v6 = (
        (1, 1_656, 3_697), (2, 981, 1_655), (3, 643, 980), (4, 440, 642), (5, 305, 439),
        (6, 208, 304), (7, 136, 207), (8, 79, 135), (9, 34, 78), (10, 0, 33),
    )  # fmt: skip
    for messages, low, high in by_page_v6:
        for size in (low, high):
            yield Fixture("messages_per_page_v6", {"message_bytes": size}, messages, "L872-L881")


def _half_gb_structure() -> Iterator[Fixture]:
    """T-24, within what the fact file measured for the fixed ratio."""
    rows = (
        (1_164, 230_000, 0.0, 227_000, 0.0),
        (2_048, 138_000, 0.001, 137_000, 0.012),
        (4_096, 76_700, 0.001, 75_000, 0.012),
        (8_192, 40_600, 0.001, 39_600, 0.012),
        (16_384, 21_200, 0.014, 21_000, 0.018),
        (32_768, 10_900, 0.0265, 10_800, 0.030),
        (64_512, 5_600, 0.030, 5_600, 0.043),
    )
    for size, capacity, tolerance, capacity_25, tolerance_25 in rows:
        for entries, figure, allowed in ((230_000, capacity, tolerance), (227_000, capacity_25, tolerance_25)):
            inputs = {"message_bytes": size, "entries": entries}
            yield Fixture("messages_at_fixed_ratio", inputs, figure, "L2588-L2596", allowed)


def _recovery_progress() -> Iterator[Fixture]:
    """T-19: backward recovery ended at 09.45.31; each pair of progress messages foretells it."""
    note = "from the times of the messages, which are cut to seconds"
    rbas = (0x3E022000, 0x2E39A11D, 0x1E686466, 0xEAB6000)
    for earlier, later, rate, left in zip(rbas[:-1], rbas[1:], (2.104, 2.109, 2.098), (288, 168, 48), strict=True):
        inputs = {"earlier_rba": earlier, "later_rba": later, "seconds_between": 120}
        yield Fixture("recovery_bytes_per_second", inputs, rate * MB, "L1600-L1612", 0.0005, derived=True, note=note)
        inputs = {**inputs, "end_rba": 0x8561B58}
        yield Fixture("recovery_seconds_left", inputs, left, "L1600-L1612", within=1, note=note)


_LOG: Final = (
    Fixture("log_mb_in_tracks", {"tracks": 65_535}, 3.5 * KB, "L619", 0.02, note="about 3.5 GB"),
    Fixture("log_volumes_without_neighbours", {"active_logs": 3, "copies": 2}, 6, "L643"),
    Fixture("log_volumes_without_neighbours", {"active_logs": 4, "copies": 2}, 4, "L643"),
    Fixture("striped_archive_quantity", {"quantity": 5600, "stripes": 4}, 1400, "L657-L665"),
    Fixture("striped_archive_quantity", {"quantity": 100, "stripes": 4}, 25, "L657-L665"),
    Fixture("active_log_hours", {"active_logs": 10, "log_mb": 2 * KB, "log_mb_per_hour": 800}, 25.6, "L1186-L1188"),
    Fixture("request_reply_log_bytes", {"request_bytes": 1024, "reply_bytes": 5120}, 9550, "L763-L774", 0.003),
    Fixture("log_mb_per_second", {"log_bytes_per_transaction": 9550, "transactions_per_second": 1000}, 9.11, "L774",
            0.001),
    Fixture("get_share_log_bytes", {"message_bytes": 10 * KB}, 500, "L834"),
    Fixture("get_share_log_bytes", {"message_bytes": 100 * KB}, 1300, "L834"),
    Fixture("persistent_messages_per_second_max", {"log_bytes_per_message": 2300, "log_mb_per_second": 112}, 51_061,
            "L811", 0.0001),
    Fixture("unit_of_work_log_bytes", {"message_bytes": 1000, "messages_per_commit": 5}, 11_500, "L2144"),
    Fixture("structure_backup_bytes_per_message", {"message_bytes": 0}, 505, "L785-L789"),
    Fixture("structure_backup_bytes_per_message", {"message_bytes": 1}, 506, "L785-L789"),
    Fixture("structure_backup_bytes_per_message", {"message_bytes": 1024}, 1538, "L785-L789"),
    Fixture("structure_backup_bytes_per_message", {"message_bytes": 4096}, 4642, "L785-L789"),
    Fixture("structure_backup_mb", {"messages": 50_000, "message_bytes": 0}, 24, "L785", 0.02, note="whole MB"),
    Fixture("structure_backup_mb", {"messages": 50_000, "message_bytes": 1}, 24, "L785", 0.02, note="whole MB"),
    Fixture("structure_backup_mb", {"messages": 50_000, "message_bytes": 1024}, 73, "L785", 0.02, note="whole MB"),
    Fixture("structure_backup_mb", {"messages": 50_000, "message_bytes": 4096}, 219, "L785-L789", 0.012, note="X-01"),
    Fixture("structure_backup_mb", {"messages": 200_000, "message_bytes": 4096}, 885, "L791", 0.001,
            derived=True, note="X-01: the source says 855, which its own bytes a message do not give"),
    Fixture("shared_put_get_crude_log_bytes", {"message_bytes": 1024}, 2.27 * MB / 1000, "L2739", 0.005),
    Fixture("shared_put_get_crude_log_bytes", {"message_bytes": 1024}, 4.61 * MB / 2000, "L2740", 0.015),
    Fixture("log_forces", {"one_phase_commits": 2, "two_phase_commits": 1}, 4, "L2131-L2136"),
    Fixture("log_forces", {"two_phase_commits": 1}, 2, "L2127"),
    Fixture("log_forces", {"out_of_syncpoint_requests": 1}, 1, "L2127"),
    Fixture("log_forces_per_call", {"calls": 4, "one_phase_commits": 2, "two_phase_commits": 1}, 1, "L2131-L2136"),
    Fixture("log_forces_per_call", {"calls": 2, "two_phase_commits": 2}, 2, "L2128-L2130"),
)  # fmt: skip

_POOLS: Final = (
    *(Fixture("starting_pool_pages_production", {"pool": pool}, pages, "L1010-L1015")
      for pool, pages in enumerate((50_000, 20_000, 50_000, 20_000))),
    *(Fixture("starting_pool_pages_test", {"pool": pool}, 1050, "L1010-L1015") for pool in range(4)),
    Fixture("object_pages_by_measured_use", {"objects": 14_484}, 1230, "L1735"),
    Fixture("object_pages_by_bytes", {"objects": 10_000}, 10_000 * 2660 / 4096, "L2404", 0.0002),
    Fixture("deferred_write_start_pages", {"pool_pages": GB / 4096}, 220_000, "L1136", 0.015, note="around 220,000"),
    Fixture("deferred_write_pages_in_flight", {"pages_per_write": 16, "parallel_writes": 64}, 1024, "L1114"),
    Fixture("deferred_write_seconds", {"page_bytes": 4 * GB, "write_mb_per_second": 600}, 7, "L1150", 0.03),
    Fixture("deferred_write_seconds", {"page_bytes": 4 * GB, "write_mb_per_second": 300}, 13, "L1150", 0.051,
            note="13.65, cut to seconds"),
    Fixture("deferred_write_seconds", {"page_bytes": 4 * GB, "write_mb_per_second": 100}, 41, "L1152", 0.002),
    Fixture("checkpoint_page_bytes", {"log_bytes": 4 * GB, "log_bytes_per_message": 1057}, 12 * GB, "L1144"),
    Fixture("checkpoint_page_bytes", {"log_bytes": 4 * GB, "log_bytes_per_message": 751}, 20 * GB, "L1146"),
    Fixture("unreclaimed_pages", {"total_pages": 268_542, "unused_pages": 102_704, "messages": 1,
                                  "message_bytes": 2048}, 165_838, "L964-L968", 0.0001,
            note="all pages in use at a depth of one"),
)  # fmt: skip

_RECOVERY: Final = (
    Fixture("page_set_backup_interval_hours",
            {"restart_seconds": 3600, "log_mb_per_hour": 800, "read_mb_per_second": 60}, 270, "L1180"),
    Fixture("page_set_backup_interval_hours",
            {"restart_seconds": 3600, "log_mb_per_hour": 800, "read_mb_per_second": 0.5}, 2.25, "L1192"),
    Fixture("page_set_backup_interval_hours",
            {"restart_seconds": 1800, "log_mb_per_hour": 1500, "read_mb_per_second": 60}, 72, "L1211"),
    Fixture("local_log_mb_per_hour", {"messages_per_second": 100, "message_bytes": KB}, 800, "L1168-L1176", 0.011),
    Fixture("channel_request_reply_log_mb_per_hour", {"pairs_per_second": 50, "message_bytes": KB}, 1500,
            "L1196-L1207", 0.004),
    Fixture("log_gb_since_backup", {"interval_hours": 270, "log_mb_per_hour": 800}, 210, "L1182", 0.005),
    Fixture("effective_backup_interval_hours",
            {"restart_seconds": 3600, "log_mb_per_hour": 800, "active_log_mb": 20 * KB}, 25.6, "L1184-L1188"),
    Fixture("total_recovery_seconds", {"reaction_seconds": 900, "restore_seconds": 0, "restart_seconds": 3600}, 4500,
            "L1178", 0.0, note="15 minutes cover reaction and restore"),
    Fixture("days_between_backups", {"interval_hours": 25.6, "application_hours_per_day": 12}, 2, "L1194"),
    Fixture("days_between_backups", {"interval_hours": 25.6, "application_hours_per_day": 24}, 1, "L1194"),
    Fixture("page_set_restore_seconds", {"page_set_bytes": 8 * GB}, 60, "L925"),
    Fixture("media_recovery_seconds", {"failure_rba": 0x0211B7842C44, "read_bytes_per_second": 56 * DECIMAL_MB},
            11.3 * 3600, "L1424", 0.002, derived=True, note="X-12: the source says almost 12 hours"),
    Fixture("media_recovery_seconds", {"failure_rba": 0x0211B7842C44, "read_bytes_per_second": 1000 * DECIMAL_MB},
            38 * 60, "L1424", 0.003),
    Fixture("media_recovery_seconds", {"failure_rba": 0x0211B7842C44, "backup_rba": 0x021000000000,
                                       "read_bytes_per_second": 56 * MB}, 126, "L1426", 0.004, note="about 2 minutes"),
    Fixture("log_gb_replayed", {"replay_seconds": 29 * 60, "read_mb_per_second": 450}, 760, "L2731", 0.007),
    Fixture("structure_replay_seconds", {"longest_log_bytes": 760 * GB}, 29 * 60, "L2731", 0.007),
    Fixture("structure_backup_interval_hours", {"replay_seconds": 29 * 60, "log_mb_per_second": 2.27}, 95,
            "L2737-L2741", 0.01),
    Fixture("structure_backup_interval_hours", {"replay_seconds": 29 * 60, "log_mb_per_second": 4.61}, 46,
            "L2737-L2741", 0.03),
    Fixture("structure_backup_interval_hours", {"replay_seconds": 29 * 60, "log_mb_per_second": 112}, 1.9,
            "L2737-L2741", 0.025),
    Fixture("recorded_archive_bytes", {"maxarch": 1000, "log_bytes": 4 * GB}, 4000 * GB, "L2753"),
    Fixture("archive_only_logs", {"maxarch": 1000, "active_logs": 310}, 691, "L2753"),
    Fixture("structure_backup_cpu_seconds", {"messages": 200_000}, 0.5, "L2716"),
    Fixture("structure_restore_seconds", {"messages": 200_000}, 2, "L2731"),
)  # fmt: skip

_OLD_RATE: Final = 2.7 * DECIMAL_MB

_RESTART: Final = (
    Fixture("restart_phase_2_seconds", {"failure_rba": 0x296A8000, "checkpoint_rba": 0x278DF333,
                                        "read_bytes_per_second": _OLD_RATE}, 12, "L1487-L1492", 0.04),
    Fixture("unit_of_work_read_seconds", {"data_set_start_rba": 0xA000, "end_rba": 0x46280C4,
                                          "read_bytes_per_second": _OLD_RATE}, 27, "L1512-L1518", 0.01),
    Fixture("unit_of_work_read_seconds", {"data_set_start_rba": 0x8CAA000, "end_rba": 0x296A8000,
                                          "read_bytes_per_second": _OLD_RATE}, 202, "L1520-L1524", 0.004),
    Fixture("page_set_rebuild_seconds", {"checkpoint_log_bytes": 74 * DECIMAL_MB, "checkpoints": 3,
                                         "read_bytes_per_second": _OLD_RATE}, 82, "L1526", 0.003),
    Fixture("restart_phase_3_seconds", {"in_doubt_seconds": 27, "in_commit_seconds": 202, "page_set_seconds": 82},
            229, "L1526-L1531"),
    Fixture("restart_phase_4_seconds", {"failure_rba": 0x296A8000, "earliest_rba": 0xA1F55,
                                        "read_bytes_per_second": 0.5 * DECIMAL_MB}, 1400, "L1548-L1552", 0.01),
    Fixture("restart_phase_4_seconds", {"failure_rba": 0x0211F0000000, "earliest_rba": 0x0211B7F88502,
                                        "read_bytes_per_second": 56 * MB}, 16, "L1434", 0.002),
    Fixture("restart_seconds", {"phase_2_seconds": 11, "phase_3_seconds": 202, "phase_4_seconds": 24 * 60,
                                "mounts": 13}, 45 * 60, "L1554", 0.1, note="X-16: nearly 45 minutes, a rough sum"),
    Fixture("page_reads_per_second", {"page_seconds": 140e-6}, 7140, "L1404", 0.001),
    Fixture("page_read_mb_per_second", {"page_seconds": 140e-6}, 27.9, "L1404", 0.001),
    Fixture("forward_recovery_pages_max", {"from_rba": 0, "to_rba": 7 * GB}, 7 * GB / 4096, "L1402"),
    Fixture("forward_recovery_seconds", {"pages_max": 7 * GB / 4096, "read_fraction": 0.8, "page_seconds": 233e-6},
            340, "L1855-L1859", 0.007),
    Fixture("transactions_per_checkpoint", {"logload": 450_000, "log_writes_per_transaction": 31}, 14_516, "L1722"),
    Fixture("log_writes_per_transaction", {"log_buffer_writes": 31_000, "transactions": 1000}, 31, "L1722"),
    Fixture("log_processing_seconds", {"transactions": 0}, 1, "L1708"),
    Fixture("log_processing_seconds", {"transactions": 10_000}, 59, "L1709"),
    Fixture("log_processing_seconds", {"transactions": 14_516}, 85, "L1722", 0.003),
    Fixture("restart_seconds_by_transactions", {"transactions": 14_516}, 92, "L1722", 0.005),
    Fixture("object_processing_seconds", {"objects": 140}, 1, "L1730-L1733"),
    Fixture("object_processing_seconds", {"objects": 4140}, 3.6, "L1730-L1733"),
    Fixture("object_processing_seconds", {"objects": 14_484}, 7.6, "L1730-L1733"),
)  # fmt: skip

_FOUR_GB: Final = {"page_set_gb": 4.0}

_UTILITIES: Final = (
    Fixture("format_cpu_seconds", _FOUR_GB, 1.4, "L1898-L1905"),
    Fixture("format_seconds", _FOUR_GB, 60, "L1898-L1905"),
    Fixture("format_seconds", {**_FOUR_GB, "seconds_per_gb": utilities.FORMAT_SECONDS_PER_GB_ZHPF}, 40, "L1905"),
    Fixture("copypage_cpu_seconds", _FOUR_GB, 3.64, "L1913-L1918"),
    Fixture("copypage_seconds", _FOUR_GB, 45, "L1913-L1918", 0.005),
    Fixture("resetpage_cpu_seconds", _FOUR_GB, 5, "L1931-L1936"),
    Fixture("resetpage_seconds", _FOUR_GB, 93, "L1931-L1936", 0.011),
    Fixture("resetpage_force_cpu_seconds", _FOUR_GB, 4.64, "L1944-L1951"),
    Fixture("resetpage_force_seconds", _FOUR_GB, 150, "L1944-L1951"),
    Fixture("resetpage_force_seconds", {**_FOUR_GB, "seconds_per_gb": utilities.RESETPAGE_FORCE_SECONDS_PER_GB_ZHPF},
            97, "L1951"),
)  # fmt: skip

_TRACE: Final = (
    Fixture("class_1_trace_us", {"puts_and_gets": 1}, 5, "L2042-L2052"),
    Fixture("class_3_trace_us", {"calls": 4}, 33, "L2054-L2064"),
    Fixture("trace_overhead_pct", {"trace_us": 5, "transaction_us": 1000}, 0.5, "L2042-L2064"),
    Fixture("trace_overhead_pct", {"trace_us": 33, "transaction_us": 1000}, 3.3, "L2042-L2064"),
    Fixture("class_3_record_bytes", {"queues": 2}, 8324, "L2011-L2015"),
    Fixture("class_3_record_bytes", {"queues": 8}, 25_076, "L2011-L2015"),
    Fixture("class_1_smf_mb", {"transactions": 1_000_000}, 415, "L2017-L2021", 0.002),
    Fixture("class_3_smf_mb", {"transactions": 1_000_000, "queues": 2}, 7938, "L2017-L2021", 0.0001),
    Fixture("class_3_smf_mb", {"transactions": 1_000_000, "queues": 8}, 23_914, "L2017-L2021", 0.0001),
    Fixture("class_3_records", {"queues": 8}, 1, "L1969"),
    Fixture("class_3_records", {"queues": 20}, 3, "L1969"),
    Fixture("globally_traced_transaction_us", {"transaction_us": 100}, 200, "L2094-L2102"),
    Fixture("globally_traced_transaction_us", {"transaction_us": 100, "factor": trace_cost.GTF_TRACE_FACTOR}, 800,
            "L2094-L2102", 0.0, note="more than 8 times"),
)  # fmt: skip

_PACKED: Final = {"us_per_message": indexes.REBUILD_US_PACKED}

_QUEUE_MANAGER: Final = (
    Fixture("index_storage_bytes", {"messages": 8_000_000, "queues": 0}, 1038 * MB, "L2154", 0.0005,
            derived=True),
    Fixture("index_storage_bytes", {"messages": 0, "queues": 1}, 47 * KB, "L2410"),
    Fixture("index_rebuild_seconds", {"messages": 8_000_000}, 250, "L2156"),
    Fixture("index_rebuild_seconds", {"messages": 8_000_000, **_PACKED}, 147, "L2206"),
    Fixture("index_rebuild_seconds", {"messages": 1_000_000, **_PACKED}, 19, "L2220", 0.035),
    Fixture("index_rebuild_seconds", {"messages": 100_000_000, **_PACKED}, 1800, "L2208", 0.025,
            note="about 30 minutes"),
    Fixture("index_rebuild_cpu_seconds", {"messages": 8_000_000}, 14.5, "L2206"),
    Fixture("index_rebuild_cpu_seconds", {"messages": 100_000_000}, 180, "L2208", 0.01),
    Fixture("parallel_index_rebuild_seconds",
            {"messages_in_all": 5_000_000, "deepest_queue_messages": 1_000_000, **_PACKED}, 20, "L2220", 0.1),
    Fixture("expiry_scan_cpu_us", {"scanned": 1, "expired": 0}, 5, "L2238"),
    Fixture("expiry_scan_cpu_us", {"scanned": 1, "expired": 1}, 10, "L2238"),
    Fixture("expiry_scan_cpu_us", {"scanned": 1, "expired": 0, "scan_factor": 2}, 10, "L2242"),
    Fixture("expiry_scan_cf_us", {"scanned": 1, "expired": 0}, 3.5, "L2240"),
    Fixture("security_cache_kb", {"users": 1, "queues_per_user": 1}, 8.8, "L2319"),
    Fixture("security_cache_kb", {"users": 1, "queues_per_user": 50}, 28.2, "L2321", 0.001),
    Fixture("user_discard_minute", {"last_use_minute": 0, "timeout_minutes": 54, "interval_minutes": 12}, 60,
            "L2292-L2298"),
    Fixture("handle_storage_kb", {"handles": 20_000}, 80_000, "L2418", 0.0, note="80 MB of 1000 KB"),
    Fixture("handle_storage_kb", {"handles": 30_000}, 120_000, "L2418", 0.0, note="120 MB of 1000 KB"),
    Fixture("cluster_cache_mb", {"configuration_mb": 0.1}, 4, "L2443"),
)  # fmt: skip

_COUPLING_FACILITY: Final = (
    Fixture("elements_per_message", {"message_bytes": 5000}, 21, "L2640-L2646"),
    Fixture("elements_per_message", {"message_bytes": 300}, 3, "L2640-L2646"),
    Fixture("elements_per_message", {"message_bytes": 10}, 2, "L2640-L2646"),
    Fixture("elements_per_message", {"message_bytes": 16 * KB}, 66, "L2618"),
    Fixture("elements_per_message", {"message_bytes": 64 * KB}, 2, "L2544"),
    Fixture("unusable_entries", {"elements": 21, "entries": 1}, 3, "L2652"),
    Fixture("unusable_elements", {"elements": 3, "entries": 1}, 3, "L2653"),
    Fixture("unusable_elements", {"elements": 6, "entries": 3}, 12, "L2654"),
    Fixture("messages_before_offload", {"elements": 1_410_796, "message_bytes": 16 * KB}, 17_101, "L2626"),
    Fixture("messages_with_offload", {"elements": 1_410_796, "message_bytes": 16 * KB}, 158_166, "L2626", 0.0,
            note="the number of elements is solved from this very figure"),
    Fixture("messages_by_sizing_rule", {"structure_bytes": GB, "message_bytes": 16 * KB, "cfcc_level": 14}, 50_000,
            "L2574", 0.055, note="nearly 50,000"),
    Fixture("structure_initsize_bytes",
            {"small_message_bytes": 0, "large_messages": 1_000_000, "cfcc_level": 24, "large_message_bytes": KB}, GB,
            "L2546", 0.05, note="about 1 GB"),
    Fixture("element_poor_message_bytes", {"elements_per_entry": 6}, 908, "L2688"),
    Fixture("admin_structure_initsize_kb", {"cfcc_level": 24}, 20_000, "L2506"),
    Fixture("admin_structure_initsize_kb", {"cfcc_level": 25}, 30_000, "L2506"),
    Fixture("structure_growth_bytes", {"from_cfcc_level": 14, "to_cfcc_level": 17}, 5 * MB, "L2578"),
    Fixture("structure_growth_bytes", {"from_cfcc_level": 24, "to_cfcc_level": 25}, 8 * MB, "L2580"),
    Fixture("structure_growth_bytes", {"from_cfcc_level": 17, "to_cfcc_level": 24}, 0, "L2578"),
    Fixture("structure_size_kb_max", {"initsize_kb": 500_000}, 1_000_000, "L2552-L2559"),
    Fixture("dead_message_mb_max", {"message_bytes": 64 * KB, "queue_managers": 1}, 21.25, "L3001", 0.0,
            note="X-14: the source says 63 KB and counts 64"),
    Fixture("dead_message_mb_max", {"message_bytes": 64 * KB, "queue_managers": 30}, 637.5, "L3003"),
    Fixture("duplex_distance_us", {"distance_km": 10}, 225, "L2813", 0.0, note="200 to 250"),
    Fixture("redriven_transaction_us", {"transaction_us": 302}, 313, "L2968-L2985", 0.005),
)  # fmt: skip

FIXTURES_PART_1: Final[tuple[Fixture, ...]] = (
    *_measured_log_bytes(),
    *_unit_of_work_log_bytes(),
    *_channel_log_bytes(),
    *_LOG,
    *_page_sets(),
    *_POOLS,
    *_RECOVERY,
    *_RESTART,
    *_recovery_progress(),
    *_UTILITIES,
    *_TRACE,
    *_QUEUE_MANAGER,
    *_half_gb_structure(),
    *_COUPLING_FACILITY,
)
