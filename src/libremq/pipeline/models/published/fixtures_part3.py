"""The figures of the guide's third part (lines 6000 to 8834), each with what its model has to be given.

Data only. A figure that the fact file found wrong is left out, or stands with the corrected value and a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from libremq.pipeline.models import lspr
from libremq.pipeline.models.published.fixture import Fixture


def _pools() -> Iterator[Fixture]:
    """T-1, half an hour: the interval before, then the bad one."""
    yield Fixture(
        "pages_per_page_set_write", {"qpsttpw": 940, "qpstwio": 59}, 15.9, "L6834-L6850", within=0.05, derived=True
    )
    yield Fixture(
        "pages_per_page_set_write", {"qpsttpw": 1938, "qpstwio": 107}, 18.1, "L6834-L6850", within=0.05, derived=True
    )
    inputs = {"qpstrio": 310000, "interval_seconds": 1800}
    yield Fixture("pool_pages_read_per_second", inputs, 172, "L6834-L6850", within=0.5, derived=True)
    yield Fixture(
        "steal_contention", {"qpststla": 421000, "qpststl": 732000}, 0.575, "L6855", within=0.0005, derived=True
    )


def _log_latency() -> Iterator[Fixture]:
    yield Fixture("log_buffers", {"outbuff_kb": 80}, 20, "L7012")
    yield Fixture("log_ios_for_burst", {"full_buffers": 128}, 1, "L6927")
    yield Fixture("log_ios_for_burst", {"full_buffers": 129}, 2, "L6927")
    for two_phase, checks in ((False, 1), (True, 2)):
        yield Fixture("log_checks_per_commit", {"two_phase": two_phase}, checks, "L6922")
    yield Fixture("log_pages_per_message", {"log_pages": 2550, "messages": 100}, 25.5, "L7018", derived=True)
    yield Fixture("log_pages_per_message", {"log_pages": 29, "messages": 100}, 0.29, "L7029", derived=True)
    # T-14 and the commits in it; then a put of 100 KB and a get, each with its commit. Fifteen buffers an I/O.
    for full, first, again, times, lines in (
        (10, 1, 0, 2, "L6991"),
        (0, 1, 1, 3, "L6992"),
        (24, 0, 1, 4, "L7023"),
        (0, 0, 1, 2, "L7039-L7043"),
    ):
        inputs: dict[str, float] = {
            "full_buffers": full,
            "current_first_writes": first,
            "current_rewrites": again,
            "buffers_per_io": 15,
        }
        yield Fixture("log_check_io_times", inputs, times, lines)
    yield Fixture("log_ios_for_burst", {"full_buffers": 20, "buffers_per_io": 15}, 2, "L6985")
    yield Fixture("log_schedule_io_times", {"parallel_writes": 6, "serial_rewrites": 1}, 8, "L7000-L7007")
    yield Fixture("log_schedule_io_times", {"parallel_writes": 4, "serial_rewrites": 0}, 4, "L7000-L7007")
    yield Fixture("log_check_ms", {"io_times": 4, "io_ms": 16.5}, 67, "L7039-L7043", 0.03)
    yield Fixture("log_check_ms", {"io_times": 2, "io_ms": 4}, 8, "L7039-L7043")
    yield Fixture("multi_page_log_ios", {"pages_put": 2550, "messages": 100, "pages_per_io": 15}, 164, "L7057")
    inputs = {"pages_put": 2550, "messages": 100, "multi_page_ms": 20, "current_page_ms": 4, "pages_per_io": 15}
    yield Fixture("log_io_ms", {**inputs, "put_commits": 100, "get_commits": 100}, 4880, "L7061")
    yield Fixture("messages_per_second_by_log_io", inputs, 20.5, "L7062", within=0.05)
    yield Fixture("messages_per_second_by_log_io", inputs, 21, "L7064", 0.03, note="measured")


def _zhyperlink() -> Iterator[Fixture]:
    """T-2 and T-3."""
    interval = {"interval_seconds": 60}
    yield Fixture("log_pages_per_second", {"log_pages": 14984701, **interval}, 249745, "L6184-L6185", 0.00001)
    yield Fixture("log_copy_mb_per_second", {"log_pages": 14984701, **interval}, 975, "L6186", within=1)
    inputs: dict[str, Any] = {"log_pages": 14984701, "write_requests": 168887}
    yield Fixture("log_pages_per_write", inputs, 88, "L6189", within=1, note="printed without its fraction")
    inputs = {"log_pages": 14963483, "write_requests": 147669}
    yield Fixture("log_pages_per_write", inputs, 101, "L6210", within=1, note="printed without its fraction")
    inputs = {"switch_single_page": 1, "switch_multi_page": 26, "new_logs": 14}
    yield Fixture("per_log_switch", inputs, 1.9, "L6229", within=0.05)
    inputs = {"switch_single_page": 0, "switch_multi_page": 2604, "new_logs": 14}
    yield Fixture("per_log_switch", inputs, 186.0, "L6230")
    inputs = {"single_page_us": 629572, "multi_page_us": 54497499, **interval}
    yield Fixture("zhyperlink_processor_pct", inputs, 91.9, "L6233-L6234", within=0.05, derived=True)
    for total, writes, us in ((629572, 21209, 29.7), (54497499, 147484, 369.5)):
        inputs = {"total_io_us": total, "writes": writes}
        yield Fixture("zhyperlink_io_us", inputs, us, "L6233-L6234", within=0.05)
    inputs = {"synchronous_writes": 21209 + 147484, "asynchronous_writes": 9 + 185}
    yield Fixture("synchronous_writes_pct", inputs, 99.885, "L6224-L6227", within=0.001, derived=True)
    yield Fixture("asynchronous_writes_pct", {"synchronous_pct": 99.88}, 0.12, "L6086, L6099", 1e-6)
    for copies, stripes, sessions in ((1, 4, 4), (2, 4, 8)):
        inputs = {"log_copies": copies, "stripes": stripes}
        yield Fixture("zhyperlink_write_sessions", inputs, sessions, "L6282, L6313")
    inputs = {"writes_per_second": 13567.3, "response_ms": 0.115}
    yield Fixture("zhyperlink_links_busy_pct", inputs, 156, "L6343-L6354", within=0.1)
    yield Fixture("zhyperlink_link_busy_pct", {**inputs, "active_links": 8}, 19.5, "L6354", within=0.05)
    for cable, one, sixteen in ((150, 35, 167), (30, 28, 105)):
        yield Fixture("zhyperlink_single_page_us", {"cable_m": cable}, one, "L6323-L6333")
        yield Fixture("zhyperlink_sixteen_pages_us", {"cable_m": cable}, sixteen, "L6333")
    for before, after, pct in ((35, 28, -20), (167, 105, -37)):
        yield Fixture("change_pct", {"before": before, "after": after}, pct, "L6327-L6333", within=0.2)
    for share, times in ((0.80, 2.71), (0.20, 1.43)):
        yield Fixture("zhyperlink_cost_factor", {"persistent_share": share}, times, "L6663-L6664", within=0.005)
    rows: Mapping[str, tuple[float, float, float, float]] = {
        "single": (33, 120, 268, 614),
        "single, 4 stripes": (33, 122, 764, 976),
        "dual": (31, 113, 249, 566),
        "dual, 4 stripes": (31, 112, 600, 519),
        "single, busy": (19, 112, 227, 605),
        "single, 4 stripes, busy": (19, 110, 560, 952),
        "dual, busy": (17, 102, 198, 557),
        "dual, 4 stripes, busy": (17, 103, 409, 505),
    }
    for configuration, row in rows.items():
        for name, mb in zip(
            (
                "asynchronous_log_1kb_mb_per_second",
                "zhyperlink_log_1kb_mb_per_second",
                "asynchronous_log_peak_mb_per_second",
                "zhyperlink_log_peak_mb_per_second",
            ),
            row,
            strict=True,
        ):
            yield Fixture(name, {"configuration": configuration}, mb, "L6418-L6588")
    for surroundings, before, after in (("dedicated", 33, 122), ("busy", 19, 112)):
        inputs = {"asynchronous_mb_per_second": before, "surroundings": surroundings}
        yield Fixture("zhyperlink_log_mb_per_second_best", inputs, after, "L5830, L6418-L6538", relation="at least")


def _commits_and_gets() -> Iterator[Fixture]:
    yield Fixture("stepping_over_uncommitted_us", {"uncommitted_messages": 100000}, 100000, "L7127")
    for size, cpu, elapsed in ((1, 2000, 7000), (1000, 4, 51)):
        inputs: dict[str, float] = {"messages": 1000, "messages_per_commit": size}
        yield Fixture("commits_cpu_us", inputs, cpu, "L7133", 0.01)
        yield Fixture("commits_elapsed_us", inputs, elapsed, "L7133", 0.01)
    note = "the text divides another column"
    yield Fixture(
        "skips_per_get", {"skips": 48363579, "gets": 541}, 89397, "L7526-L7531", 1e-5, derived=True, note=note
    )
    yield Fixture("selecting_get_us", {"skipped": 2500}, 500, "L7584-L7586")
    yield Fixture("gets_per_second_max", {"us_per_get": 20}, 50000, "L7584")
    yield Fixture("gets_per_second_max", {"us_per_get": 500}, 2000, "L7586", derived=True, note="printed 200")
    yield Fixture("converting_get_us", {"get_us": 1, "double_byte": False}, 2, "L8008")
    yield Fixture("converting_get_us", {"get_us": 1, "double_byte": True}, 5, "L8010")


def _shared_access() -> Iterator[Fixture]:
    """T-7, T-15, T-16."""
    yield Fixture("common_key_redrives_to_empty", {"same_key_messages": 10000}, 44235, "L7180-L7189")
    note = "read as re-drives by the fact file: 4,845 list reads for 2,000 gets"
    yield Fixture(
        "common_key_redrives_to_empty", {"same_key_messages": 2000}, 2845, "L7199-L7221", derived=True, note=note
    )
    yield Fixture("common_key_redrives", {"same_key_messages": 50}, 0, "L7170")
    yield Fixture("common_key_redrives", {"same_key_messages": 5200}, 6, "L7178")
    yield Fixture("cf_retries_pct", {"retries": 337039, "requests": 1591903}, 21.2, "L7353", within=0.05)
    yield Fixture("opens_with_cf_access_pct", {"opens_with_cf_access": 565020, "opens": 565020}, 100, "L7344")
    yield Fixture(
        "cf_requests_per_open", {"requests": 1591903, "opens": 565020}, 2.82, "L7344", within=0.005, derived=True
    )
    for requests, us, per_call in ((4011, 11, 22), (2834, 131, 186)):
        inputs: dict[str, float] = {"requests": requests, "us_per_request": us, "calls": 2000}
        yield Fixture("cf_us_per_call", inputs, per_call, "L7199-L7221", within=0.5)
    for kind, lines, cpu, elapsed, waiting in (
        ("input", "L7302-L7305", (21, 31, 51), (27, 122, 520), (6, 91, 469)),
        ("output", "L7331-L7334", (6, 16, 29), (6, 17, 29), (0, 1, 0)),
    ):
        for index in range(3):
            inputs = {"queue_managers": index + 1}
            yield Fixture(f"shared_{kind}_open_cpu_us", inputs, cpu[index], lines)
            yield Fixture(f"shared_{kind}_open_elapsed_us", inputs, elapsed[index], lines)
            inputs = {"elapsed_us": elapsed[index], "cpu_us": cpu[index]}
            yield Fixture("waiting_us", inputs, waiting[index], lines)
    for size, us in ((1000, 28), (5000, 30)):
        yield Fixture("cf_us_per_persistent_message", {"message_bytes": size}, us, "L7920-L7922")
    for us, rate in ((28, 21400), (30, 20000)):
        inputs = {"cf_us_per_message": us}
        yield Fixture("messages_per_second_per_cf_engine", inputs, rate, "L7113, L7918", 0.002, derived=True)


def _throughput() -> Iterator[Fixture]:
    """R-TP-1, T-8, T-9."""
    inputs: dict[str, float] = {"get_us": 425, "put_us": 10, "commit_us": 7}
    yield Fixture("server_transactions_per_second_max", inputs, 2262, "L7855", within=0.5)
    yield Fixture("server_transactions_per_second_max", inputs, 2216, "L7857", 0.03, note="measured")
    inputs = {"measured_per_second": 2216, "bound_per_second": 2262}
    yield Fixture("server_reached_pct", inputs, 98, "L7857", within=0.5, derived=True)
    for size, rate in ((1000, 114060), (5000, 107230), (10000, 102600), (30000, 82720), (100000, 49520)):
        yield Fixture("private_nonpersistent_messages_per_second", {"message_bytes": size}, rate, "L7743-L7748")
    for messages, transactions in (
        (66664, 33332),
        (65196, 32598),
        (107973, 53986),
        (134330, 67165),
        (153845, 76923),
        (97295, 48647),
        (134528, 67264),
        (156725, 78362),
        (158538, 79269),
        (57691, 28846),
        (101227, 50613),
        (144079, 72039),
        (144970, 72485),
    ):
        note = "printed with two digits swapped" if messages == 144970 else ""
        inputs = {"messages_per_second": messages}
        yield Fixture(
            "request_reply_transactions_per_second", inputs, transactions, "L7768-L7783", within=0.5, note=note
        )
    # The same measurements never use more than the processors of the machine, six and three.
    for transactions, us, processors in ((79269, 42, 6), (72039, 38, 3)):
        inputs = {"transactions_per_second": transactions, "us_per_transaction": us}
        yield Fixture("transaction_processors", inputs, processors, "L7768-L7783", relation="at most")


def _temporary_queues_and_tiers() -> Iterator[Fixture]:
    inputs: dict[str, float] = {"object_deletes": 130655, "object_creates": 130656}
    yield Fixture("deletes_per_create", inputs, 1, "L7674-L7676", 0.0001)
    yield Fixture("temporary_opens_elapsed_us", {"opens": 1}, 225, "L7659")
    yield Fixture("temporary_opens_cpu_us", {"opens": 1}, 14, "L7659")
    yield Fixture("waiting_us", {"elapsed_us": 225, "cpu_us": 14}, 211, "L7659")
    yield Fixture("client_us_per_message", {"messages_per_connect": 1}, 905, "L8155")
    yield Fixture("client_us_per_message", {"messages_per_connect": 50}, 165, "L8155", within=0.5)
    yield Fixture("client_channels_mb", {"clients": 9999}, 0.79 * 1024, "L8097-L8103", 0.005, derived=True)
    yield Fixture("concentrator_channels_mb", {"queue_managers": 1024}, 180, "L8103")


def _ims_bridge() -> Iterator[Fixture]:
    """T-12 and T-17: a trace of 60 seconds."""
    for count, wait, mean, occupied, lines in (
        (50600, 21753542, 429, 63.7, "L8453, L8535"),
        (50379, 21858044, 433, 63.5, "L8454, L8536"),
        (41, 24830, 605, 99.7, "L8550, L8579"),
        (41, 33346, 813, 99.7, "L8551, L8579"),
        (43, 25763, 599, 99.7, "L8552, L8579"),
        (27, 12985, 480, 99.7, "L8553, L8579"),
        (1593, 900430, 565, 98.3, "L8563, L8579"),
        (1530, 853962, 558, 98.3, "L8564, L8579"),
        (1525, 886910, 581, 98.3, "L8565, L8579"),
        (1595, 887466, 556, 98.3, "L8566, L8579"),
        (1613, 899249, 557, 98.3, "L8567, L8579"),
        (82718, 41191904, 497, 31.2, "L8620, L8628"),
        (79081, 42015547, 531, 29.9, "L8620, L8629"),
        (79882, 16582118, 207, 72.3, "L8621, L8639"),
        (79855, 16592048, 207, 72.3, "L8621, L8640"),
        (85064, 39500980, 464, 33.6, "L8668, L8676"),
        (84605, 39736498, 469, 34.0, "L8668, L8677"),
        (713, 166333, 233, 99.7, "L8669, L8687"),
        (693, 158148, 228, 99.7, "L8669, L8688"),
    ):
        inputs: dict[str, Any] = {"wait_for_input_us": wait, "interval_seconds": 60}
        yield Fixture("region_occupied_pct", inputs, occupied, lines, within=0.6)
        note = "printed without its fraction"
        yield Fixture("region_wait_us", {"wait_us": wait, "waits": count}, mean, lines, within=1, note=note)
    for busy, rate, us, before_us in (
        (82.5, 2700, 917, 0),
        (87, 2747, 950, 917),
        (89.5, 2852, 941, 0),
        (92.57, 3017, 920, 0),
    ):
        inputs = {"busy_pct": busy, "processors": 3, "transactions_per_second": rate}
        yield Fixture("ims_transaction_us", inputs, us, "L8598-L8600, L8662-L8664", within=0.7)
        if before_us:
            yield Fixture("commit_mode_1_us", {"commit_mode_0_us": before_us}, us, "L8609-L8614", 0.002)
    for before, after, pct in ((2700, 2852, 5.6), (2747, 3017, 9.8)):
        yield Fixture("change_pct", {"before": before, "after": after}, pct, "L8695-L8697", within=0.05)
    for part, factor in (("queue manager", 1.10), ("message region", 1.13), ("control region", 0.80), ("all", 1.035)):
        yield Fixture("commit_mode_1_us", {"commit_mode_0_us": 1, "part": part}, factor, "L8609-L8614")
    yield Fixture("ims_checkpoint_seconds", {"interval_seconds": 60, "checkpoints": 6}, 10, "L8458", derived=True)


def _hardware() -> Iterator[Fixture]:
    yield Fixture("itr_per_processor", {"itr": 14.44, "processors": 5}, 2.888, "L8712")
    yield Fixture("itr_per_processor", {"itr": 24.97, "processors": 8}, 3.121, "L8715", within=0.0005)
    z14, z15 = lspr.MACHINES["3906-705"], lspr.MACHINES["8561-708"]
    ratios: dict[str, float] = {
        "measured_itr": z14.average,
        "measured_processors": z14.processors,
        "target_itr": z15.average,
        "target_processors": z15.processors,
    }
    yield Fixture("cost_us_on_target", {"measured_us": 1, **ratios}, 0.925, "L8716", within=0.0005, note="printed 0.92")
    z14 = lspr.MACHINES["3906-708"]
    ratios |= {"measured_itr": z14.average, "measured_processors": z14.processors}
    yield Fixture("cost_us_on_target", {"measured_us": 55, **ratios}, 48, "L8802", within=0.5, note="44 were measured")
    yield Fixture("cpu_busy_pct", {"cost_ms_per_second": 640, "processors": 5}, 12.8, "L8721")


FIXTURES_PART_3: tuple[Fixture, ...] = (
    *_pools(),
    *_log_latency(),
    *_zhyperlink(),
    *_commits_and_gets(),
    *_shared_access(),
    *_throughput(),
    *_temporary_queues_and_tiers(),
    *_ims_bridge(),
    *_hardware(),
)
