"""The figures of the guide's second part (lines 3000 to 6000), each with what its model has to be given.

Data only. A figure that the fact file found wrong is left out, or stands with the corrected value and a note. Where the
source rounds, the tolerance is its rounding; where a model is a fit or a line between points, it is what the fact file
found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from libremq.pipeline.models.channels import (
    channel_cost,
    tls_cost,
)
from libremq.pipeline.models.published.fixture import Fixture

_KB = 1024
_MB = 1024 * 1024
_TB = 1024**4
_EPVT_MB = 1.6 * 1024
_PRE_94 = 930


def _shared_messages() -> Iterator[Fixture]:
    yield Fixture("already_got_messages_max", {"queue_managers": 1}, 340, "L2999")
    yield Fixture(
        "structure_bytes_with_already_got",
        {"live_bytes": 0, "queue_managers": 30, "message_bytes": 64 * _KB},
        637.5 * _MB,
        "L3003",
        note="printed for 63 KB, computed with 64",
    )
    yield Fixture("smds_buffer_mb", {}, 25, "L3025")
    for block, need in ((8, 13), (16, 7), (64, 2), (128, 1)):
        inputs = {"message_bytes": 100 * _KB, "dsblock_bytes": block * _KB}
        yield Fixture("smds_buffers_per_message", inputs, need, "L3035-L3037")
    yield Fixture("smds_overlapped_buffers_max", {"dsblock_bytes": 8 * _KB}, 10, "L3098")
    yield Fixture("smds_overlapped_buffers_max", {"dsblock_bytes": 512 * _KB}, 8, "L3100")
    yield Fixture("smds_overlapped_buffers_max", {"dsblock_bytes": _MB}, 4, "L3098", derived=True)
    for block, name in ((8, "C"), (16, "B"), (128, "A")):
        inputs = {"message_bytes": 100 * _KB, "dsblock_bytes": block * _KB}
        yield Fixture("smds_block_class", inputs, name, "L3121-L3125", derived=True)
    for blocks, block, kb in ((151, 8, 1208), (51, 16, 816), (7, 128, 896)):
        yield Fixture("smds_used_kb", {"used_blocks": blocks, "dsblock_kb": block}, kb, "L3146", derived=True)
    yield Fixture("structure_smds_tb_max", {"queue_managers": 32}, 512, "L3508")
    yield Fixture("offloaded_cf_elements", {"messages": 1}, 2, "L3506")
    yield Fixture("lob_pages_per_message", {"message_bytes": 100 * _KB}, 4, "L3190")
    yield Fixture("lob_space_kb", {"message_bytes": 100 * _KB, "messages": 10000}, 1280000, "L3190")
    yield Fixture("lob_partition_kb", {"space_kb": 1280000}, 352000, "L3196")
    yield Fixture("lob_segments_per_message", {"message_bytes": 523264}, 1, "L3244")
    yield Fixture("lob_segments_per_message", {"message_bytes": 524000}, 2, "L3244", derived=True)
    yield Fixture("data_sharing_pct", {"cloned_systems": 2}, 50, "L3258")
    yield Fixture("data_sharing_pct", {"cloned_systems": 3}, 66.6, "L3258", within=0.1)
    yield Fixture("transactions_per_second_with_idle_members", {"transactions_per_second": 1536}, 1526, "L3582", 0.01)
    yield Fixture("wasted_notifications_per_message", {"interested_queue_managers": 10}, 9, "L3550")


def _shared_costs() -> Iterator[Fixture]:
    """T-03 and T-04."""
    rows = (
        (2048, 91, 91, 24, 29),
        (8192, 102, 103, 31, 25),
        (32768, 149, 143, 45, 50),
        (64512, 277, 174, 96, 32),
        (65536, 862, 176, 246, 31),
        (102400, 1012, 210, 264, 25),
        (523264, 1618, 657, 331, 34),
        (524000, 2914, 662, 518, 35),
        (1048576, 3123, 1217, 739, 34),
    )
    for size, db2, smds, db2_cf, smds_cf in rows:
        inputs = {"message_bytes": size}
        yield Fixture("db2_cpu_us_per_message", inputs, db2, "L3302-L3316")
        yield Fixture("smds_cpu_us_per_message", inputs, smds, "L3302-L3316")
        yield Fixture("smds_cpu_us_per_message_fitted", inputs, smds, "L3302-L3316", within=12, note="fit within 12 us")
        yield Fixture("smds_saving_cpu_us_per_message", inputs, db2 - smds, "L3302-L3316", derived=True)
        yield Fixture("db2_cf_us_per_message", inputs, db2_cf, "L3318-L3332")
        yield Fixture("smds_cf_us_per_message", inputs, smds_cf, "L3318-L3332")
    yield Fixture("change_pct", {"before": 2617, "after": 1012}, -61, "L3272", within=0.5, derived=True)
    yield Fixture(
        "change_pct", {"before": 4200, "after": 5300}, 26.2, "L3058", within=0.05, derived=True, note="printed 24"
    )


def _scm() -> Iterator[Fixture]:
    yield Fixture("scm_augmented_mb_max", {"scm_mb": 1048576}, 77455, "L3412")
    yield Fixture(
        "scm_messages_max", {"scm_bytes": _TB, "elements": 6}, 613417e3, "L3482", 0.0004, note="displayed in K"
    )
    yield Fixture("scm_messages_max", {"scm_bytes": _TB, "elements": 256}, 16.7e6, "L3502", 0.001)
    yield Fixture(
        "scm_messages_max",
        {"scm_bytes": _TB, "elements": 2},
        1431.7e6,
        "L3510",
        0.0001,
        derived=True,
        note="printed tenfold",
    )
    inputs: dict[str, float] = {
        "entries_used": 4034e3,
        "elements_used": 40343e3,
        "entries_max": 613417e3,
        "elements_max": 3681e6,
    }
    yield Fixture("scm_exhausted_first", inputs, "elements", "L3482")
    for size, write, read in ((2, 228, 177), (8, 463, 382), (16, 460, 357), (62, 868, 608)):
        yield Fixture("scm_write_mb_per_second_max", {"message_kb": size}, write, "L3429-L3437")
        yield Fixture("scm_read_mb_per_second_max", {"message_kb": size}, read, "L3429-L3437")
    inputs = {"transferred_bytes": 33910e6, "transfers": 32339}
    yield Fixture("scm_bytes_per_transfer", inputs, _MB, "L3470-L3487", 0.0001, derived=True)
    for elapsed, cpu, waiting in ((1700, 25, 1675), (3600, 80, 3520), (1210, 53, 1157), (19, 19, 0)):
        inputs = {"elapsed_us": elapsed, "cpu_us": cpu}
        yield Fixture("waiting_us", inputs, waiting, "L3451-L3462", derived=True)


def _chinit_storage() -> Iterator[Fixture]:
    yield Fixture("chinit_storage_guide_mb", {"used_mb": 56, "free_mb": 1445}, 1200, "L3827", 0.001)
    for size, kb in ((1, 90), (32, 100), (64, 109), (4096, 1127)):
        yield Fixture("mca_channel_kb", {"message_kb": size}, kb, "L3713-L3715")
    yield Fixture("mca_channels_kb", {"channels": 1000, "message_kb": 1}, 90000, "L3719-L3723")
    yield Fixture("mca_channels_kb", {"channels": 50, "message_kb": 64}, 5450, "L3719-L3723")
    for vrm, sharecnv, footprints in (
        (_PRE_94, 0, (86, 159, 193)),
        (940, 0, (86, 93, 93)),
        (_PRE_94, 1, (168, 245, 277)),
        (940, 1, (164, 201, 203)),
        (_PRE_94, 10, (223, 312, 346)),
        (940, 10, (219, 265, 267)),
    ):
        for size, kb in zip((1, 32, 64), footprints, strict=True):
            inputs: dict[str, float] = {"message_kb": size, "sharecnv": sharecnv, "vrm": vrm}
            yield Fixture("svrconn_channel_kb", inputs, kb, "L3729-L3737")
    inputs = {"message_kb": 1024, "sharecnv": 0, "vrm": 940}
    yield Fixture("svrconn_channel_kb", inputs, 93, "L3747")
    yield Fixture("shared_svrconn_channel_kb", {"current_conversations": 10}, 219, "L3747", 0.01)
    yield Fixture("channels_max", {"storage_mb": _EPVT_MB, "channel_kb": 86}, 9999, "L3749")
    yield Fixture("channels_max", {"storage_mb": _EPVT_MB, "channel_kb": 164}, 9999, "L3751")
    pre_94 = "the source takes the footprint from before 9.4"
    yield Fixture("channels_max", {"storage_mb": _EPVT_MB, "channel_kb": 223}, 7523, "L3753", note=pre_94)
    yield Fixture("channels_max", {"storage_mb": _EPVT_MB, "channel_kb": 219}, 7660, "L3753", 0.0002, derived=True)
    inputs = {"storage_mb": _EPVT_MB, "channel_kb": 223, "sharecnv": 10}
    yield Fixture("conversations_max", inputs, 75230, "L3753", note=pre_94)
    yield Fixture("channels_mb", {"channels": 9999, "channel_kb": 164}, 1601, "L3751", 0.001, derived=True)
    yield Fixture("tls_channels_extra_kb", {"channels": 1}, 30, "L3857")
    for message_kb, sharecnv, conversations, kb in ((32, 0, 1, 64), (32, 1, 1, 128), (32, 10, 10, 704), (31, 0, 1, 32)):
        inputs = {"message_bytes": message_kb * _KB, "sharecnv": sharecnv, "current_conversations": conversations}
        yield Fixture("svrconn_above_bar_kb", inputs, kb, "L3781-L3785")
    yield Fixture("large_free_buffers_mb_max", {"largest_message_mb": 100}, 500, "L3902")


def _channels_in_storage() -> Iterator[Fixture]:
    """T-12: a region of 1501 MB; the fit of R-53 with the footprints of T-11."""
    model = "channels_within_guide"
    for kb, channels, tolerance in (
        (159, 7000, 0.02),
        (245, 4500, 0.03),
        (312, 3530, 0.03),
        (201, 5600, 0.01),
        (265, 4270, 0.01),
        (203, 5570, 0.01),
        (267, 4270, 0.02),
    ):
        yield Fixture(model, {"storage_mb": 1501, "channel_kb": kb}, channels, "L3829-L3853", tolerance)
    note = "footprint at 256 KB: the last line of T-11 drawn on"
    yield Fixture(model, {"storage_mb": 1501, "channel_kb": 397}, 3000, "L3838", relation="at most", note=note)
    yield Fixture(model, {"storage_mb": 1501, "channel_kb": 469}, 2275, "L3842", 0.06, note=note)
    yield Fixture(model, {"storage_mb": 1501, "channel_kb": 550}, 2010, "L3849", 0.03, note=note)
    yield Fixture(model, {"storage_mb": 1501, "channel_kb": 93}, 9999, "L3837-L3838")


def _chinit_tasks() -> Iterator[Fixture]:
    for processors, adapters in ((4, 30), (8, 62), (15, 118), (16, 120)):
        yield Fixture("adapters_recommended", {"processors": processors}, adapters, "L3938", derived=processors != 4)
    # T-22: the report divides by 60 seconds, not by the 60.8 of its heading.
    for requests, elapsed, busy in ((78284, 202, 26.4), (37, 6, 0.0), (367304, 44, 27.0)):
        inputs: dict[str, float] = {"requests": requests, "average_elapsed_us": elapsed, "interval_seconds": 60}
        yield Fixture("task_busy_pct", inputs, busy, "L4597-L4607", within=0.1)
    for cpu, pct in ((3.943509, 6.6), (0.000213, 0.0), (4.429724, 7.4)):
        inputs = {"cpu_seconds": cpu, "interval_seconds": 60}
        yield Fixture("task_cpu_pct", inputs, pct, "L4597-L4607", within=0.05)
    for cpu, requests, us in ((3.943509, 78284, 50), (0.000213, 37, 6), (4.429724, 367304, 12)):
        inputs = {"cpu_seconds": cpu, "requests": requests}
        yield Fixture("task_cpu_us_per_request", inputs, us, "L4597-L4607", within=0.5)
    for dispatcher in range(3):
        inputs = {"dispatcher": dispatcher, "channels": 150, "maxchl": 150, "chidisps": 3}
        yield Fixture("channels_on_dispatcher", inputs, 50, "L3980")
    inputs = {"chidisps": 10, "ssltasks": 0, "channel_initiators": 10}
    yield Fixture("omvs_threads", inputs, 130, "L4024")
    for method, us in (("NONE", 5), ("ZLIBFAST", 12), ("ZLIBHIGH", 105)):
        yield Fixture("compressing_dispatcher_us_per_request", {"compmsg": method}, us, "L3990-L3995")
    yield Fixture("header_compression_saved_bytes", {"messages": 1}, 300, "L4076")


def _batching() -> Iterator[Fixture]:
    inputs: dict[str, float] = {"messages_per_second": 30, "batchint_ms": 2000, "batchsz": 50}
    yield Fixture("batch_messages_expected", inputs, 50, "L4248")
    inputs = {"messages_per_second": 20 / 60, "batchint_ms": 60000, "batchsz": 50}
    yield Fixture("batch_messages_expected", inputs, 20, "L4267-L4270")
    inputs = {"messages_per_second": 100, "batchint_ms": 0, "batchsz": 50}
    yield Fixture("batch_messages_expected", inputs, 1, "L4265")
    yield Fixture("serial_messages_per_second_max", {"batchint_ms": 1000}, 1, "L4889", 0.001)
    yield Fixture("serial_messages_per_second_max", {"batchint_ms": 0}, 1460, "L4890")
    yield Fixture("batchsz_for_message_bytes", {"message_bytes": 100001}, 10, "L4166")
    yield Fixture("batchsz_for_message_bytes", {"message_bytes": _MB}, 1, "L4166")
    yield Fixture("batch_of_4_us_per_message", {"us_per_message_batch_1": 1}, 0.5, "L4167")
    yield Fixture("batch_of_50_us_per_message", {"us_per_message_batch_1": 1}, 0.5, "L4249")


def _channel_cost() -> Iterator[Fixture]:
    inputs = {"message_bytes": 10240}
    yield Fixture("channel_us_nonpersistent_batch_1", inputs, 45.7, "L4904", within=0.05)
    yield Fixture("channel_us_nonpersistent_batch_50", inputs, 28.1, "L4915", within=0.05)
    yield Fixture("channel_us_persistent_batch_1", inputs, 253.7, "L4949", within=0.05)
    yield Fixture("channel_us_sender", {"both_ends_us": 45.7}, 22.85, "L4904")
    yield Fixture("channel_us_sender", {"both_ends_us": 28.1}, 14, "L4915", within=0.1)
    share = channel_cost.PERSISTENT_SENDER_SHARE
    note = "the printed halves, 128 and 124, add up to 252"
    yield Fixture("channel_us_sender", {"both_ends_us": 253.7, "sender_share": share}, 128, "L4949", 0.01, note=note)


def _channel_start() -> Iterator[Fixture]:
    """T-13, T-14, T-15 and the examples of R-87 and R-88."""
    for known, starts, start_ms, stop_ms in ((1000, 649, 0.22, 0.22), (2000, 552, 0.27, 0.25), (4000, 428, 0.38, 0.33)):
        inputs = {"known_channels": known}
        yield Fixture("channel_starts_per_second", inputs, starts, "L4313-L4321", 0.005)
        yield Fixture("channel_start_elapsed_ms", inputs, 1000 / starts, "L4313-L4321", 0.005, derived=True)
        yield Fixture("channel_start_cpu_ms", inputs, start_ms, "L4313-L4321", within=0.005)
        yield Fixture("channel_stop_cpu_ms", inputs, stop_ms, "L4313-L4321", within=0.005)
    seconds = {"channels": 4000, "starts_per_second": 177}
    yield Fixture("channels_start_seconds", seconds, 22.6, "L4331", within=0.05, derived=True)
    yield Fixture("sslciph_starts_per_second", {"plain_starts_per_second": 428}, 177, "L4803", 0.04)
    for row in (
        "TLS_CHACHA20_POLY1305_SHA256 0.89 168.6",
        "TLS_AES_256_GCM_SHA384 0.81 177.2",
        "TLS_AES_128_GCM_SHA256 0.81 177.1",
        "TLS_RSA_WITH_AES_256_GCM_SHA384 0.73 179.4",
        "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 1.47 108.5",
        "TLS_RSA_WITH_AES_256_CBC_SHA256 0.72 187.3",
        "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384 1.46 101.2",
        "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384 1.47 109.7",
        "TLS_RSA_WITH_AES_128_GCM_SHA256 0.73 184.3",
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 1.48 108.8",
        "TLS_RSA_WITH_AES_128_CBC_SHA256 0.72 177.1",
        "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256 1.47 102.3",
        "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256 1.46 109.6",
        "TLS_RSA_WITH_NULL_SHA256 0.72 177.4",
    ):
        cipher, row_ms, row_rate = row.split()
        yield Fixture("tls_start_cpu_ms", {"cipher": cipher}, float(row_ms), "L4325-L4351")
        yield Fixture("tls_starts_per_second", {"cipher": cipher}, float(row_rate), "L4325-L4351")
    for alias, ms, rate in (
        ("ANY_TLS13_OR_HIGHER", 0.89, 168),
        ("ANY_TLS13", 0.88, 166),
        ("ANY_TLS12_OR_HIGHER", 0.89, 164),
        ("ANY_TLS12", 0.74, 184),
        ("ANY", 0.89, 169),
    ):
        cipher = tls_cost.NEGOTIATED[alias]
        yield Fixture("cipher_of_alias", {"alias": alias}, cipher, "L4489-L4499")
        note = f"measured under the alias {alias}"
        yield Fixture("tls_start_cpu_ms", {"cipher": cipher}, ms, "L4489-L4499", 0.02, note=note)
        yield Fixture("tls_starts_per_second", {"cipher": cipher}, rate, "L4489-L4499", 0.03, note=note)


def _tls() -> Iterator[Fixture]:
    for protocol, factor in (("tls12", 2.0), ("tls13 hardware", 2.2), ("tls13 software", 2.4)):
        inputs: dict[str, Any] = {"plain_start_us": 1, "protocol": protocol}
        yield Fixture("tls_start_chinit_us", inputs, factor, "L4814-L4817")
    for protocol, us in (("none", 10), ("tls12", 100), ("tls13 hardware", 205), ("tls13 software", 245)):
        yield Fixture("channel_start_tcpip_us", {"protocol": protocol}, us, "L4821-L4823")
    for protocol, low, high in (("tls12", 18, 31), ("tls13 hardware", 25, 47), ("tls13 software", 2.7, 7)):
        yield Fixture("at_tls_saving_pct_min", {"protocol": protocol}, low, "L4731-L4735")
        yield Fixture("at_tls_saving_pct_max", {"protocol": protocol}, high, "L4731-L4735")
    for hardware, low, high in ((True, 2, 7), (False, 70, 133)):
        yield Fixture("negotiation_ms_min", {"crypto_hardware": hardware}, low, "L4428")
        yield Fixture("negotiation_ms_max", {"crypto_hardware": hardware}, high, "L4428")
    for security, us in (("none", 340), ("at-tls", 340), ("sslciph", 445)):
        yield Fixture("channel_stop_chinit_us", {"security": security}, us, "L4829-L4832", within=5)
    for security, us in (("none", 15), ("at-tls", 60)):
        yield Fixture("channel_stop_tcpip_us_max", {"security": security}, us, "L4836-L4837")
    for size, ms in ((16, 1.2), (32, 2.3), (64, 4.8), (1024, 73)):
        yield Fixture("software_cipher_ms_per_transaction", {"message_kb": size}, ms, "L4691-L4721")
    for size, ssl, at_tls, pct in (
        (2, 1.04, 1.00, -3.8),
        (16, 3.96, 3.83, -3.3),
        (32, 7.10, 7.01, -1.3),
        (64, 13.36, 13.90, 4.0),
        (1024, 202.47, 202.57, 0.05),
    ):
        yield Fixture("system_ssl_round_trip_ms", {"message_kb": size}, ssl, "L4741-L4748")
        yield Fixture("at_tls_round_trip_ms", {"message_kb": size}, at_tls, "L4741-L4748")
        note = "printed -2.2" if size == 32 else ""
        inputs = {"before": ssl, "after": at_tls}
        within = 0.005 if size == 1024 else 0.05
        yield Fixture("change_pct", inputs, pct, "L4741-L4748", within=within, derived=True, note=note)


def _log_devices() -> Iterator[Fixture]:
    """T-17, T-18, T-19, T-20."""
    rates: Mapping[str, tuple[float, ...]] = {
        "RVA-T82": (2.3, 2.8),
        "ESS E20 ESCON": (5.3, 7.1),
        "ESS F20 ESCON": (7.1, 10.2, 11.3),
        "ESS F20 FICON": (7.4, 13.0, 15.6),
        "ESS 800": (10.0, 16.5, 24),
        "DS8000 RAID 5": (14.9, 36.0, 68.1),
        "DS8000 RAID 10": (15.6, 36.1, 68.6),
        "DS8800 RAID 5": (32.1, 62.4, 128.7),
        "DS8870 RAID 5, 4 stripes": (47.8, 98.5, 215),
        "DS8870 RAID 5, 4 stripes, zHPF": (64.7, 136.4, 337.5),
        "DS8900F RAID 5, 4 stripes": (95, 193, 404),
        "DS8900F RAID 5, 4 stripes, zHPF": (112, 243, 445),
    }
    for device, row in rates.items():
        for size, mb in zip((1, 5, 1024), row):
            inputs: dict[str, Any] = {"device": device, "message_kb": size}
            yield Fixture("log_device_mb_per_second_max", inputs, mb, "L4983-L5003")
    for size, times in ((1, 1.05), (1024, 1.50)):
        inputs = {"dual_mb_per_second": 1, "message_kb": size}
        yield Fixture("single_log_mb_per_second_max", inputs, times, "L5007")
    for mirrored, mb in ((False, 4), (True, 6)):
        inputs = {"active_copies": 2, "archive_copies": 2, "mirrored": mirrored}
        yield Fixture("written_mb_per_logged_mb", inputs, mb, "L5691-L5697")
        rounded = "the source rounds to GB"
        yield Fixture("written_mb_per_second", {"logged_mb_per_second": 250, **inputs}, 250 * mb, "L5697", note=rounded)
    inputs = {"bypassed_writes_per_second": 2727, "io_per_second": 8995}
    yield Fixture("cache_bypass_pct", inputs, 30, "L5212-L5236", within=0.5, derived=True)
    for single, single_us, multi, multi_us, busy in (
        (4273, 192, 43776, 766, 34.4),
        (4273, 243, 43776, 1218, 54.4),
        (5273, 201, 58617, 811, 48.6),
        (5273, 183, 58617, 897, 53.5),
    ):
        inputs = {
            "single_page_writes": single,
            "single_page_us": single_us,
            "multi_page_writes": multi,
            "multi_page_us": multi_us,
        }
        yield Fixture("log_io_seconds", inputs, busy, "L5202-L5228", within=0.06, derived=True)
    inputs = {"io_seconds": 54.4, "interval_seconds": 60}
    yield Fixture("log_io_busy_pct", inputs, 91, "L5202-L5228", within=0.5, derived=True, note="interval assumed")
    for pages, mb in ((4520380 + 4273, 309 / 1.048576), (6057227 + 5273, 414 / 1.048576)):
        inputs = {"log_pages": pages, "interval_seconds": 60}
        note = "the fact file has MB of 10**6 bytes; interval assumed"
        yield Fixture("log_copy_mb_per_second", inputs, mb, "L5202-L5228", 0.002, derived=True, note=note)
    inputs = {"log_pages": 4520380, "write_requests": 43776}
    yield Fixture("log_pages_per_write", inputs, 103.3, "L5202-L5228", within=0.05, derived=True)
    for size, gain, tcb in ((4, 0, 4), (32, 4, 4), (1024, 72, 7), (4096, 94, 10)):
        yield Fixture("compressed_archive_gain_pct_max", {"message_kb": size}, gain, "L5130-L5136")
        yield Fixture("compressed_archive_tcb_pct_max", {"message_kb": size}, tcb, "L5130-L5136")
    for source, rate, seconds in (("active", 370, 11), ("archive", 60, 68), ("compressed archive", 18, 228)):
        yield Fixture("log_read_mb_per_second", {"source": source}, rate, "L5138-L5148")
        inputs = {"log_mb": 4096, "source": source}
        yield Fixture("log_read_seconds", inputs, seconds, "L5138-L5148", within=0.5, derived=True)
    for source, ms in (("archive", 1.7), ("compressed archive", 2.4)):
        yield Fixture("log_read_cpu_seconds", {"log_mb": 1000, "source": source}, ms, "L5138-L5148")


def _encryption() -> Iterator[Fixture]:
    yield Fixture("log_crypto_calls_per_page", {"active_copies": 2, "archive_copies": 2}, 5, "L5329")
    yield Fixture("archive_log_encryption_us", {"logged_mb": 1024}, 315e3, "L5349", 0.002)
    yield Fixture("active_log_encryption_us", {"logged_mb": 1024}, 553e3, "L5350", 0.001, note="printed 550")
    yield Fixture("log_encryption_us", {"logged_mb": 1024}, 0.868e6, "L5357", 0.001, note="printed 0.86 s")
    for kind, pages, us, tolerance in (
        ("read_pages", 1, 0.7, 0.0),
        ("immediate_pages", 10177, 7124, 0.0001),
        ("written_pages", 2918219, 7.59e6, 0.001),
    ):
        inputs = {"read_pages": 0, "immediate_pages": 0, "written_pages": 0, kind: pages}
        yield Fixture("page_set_encryption_us", inputs, us, "L5382-L5392", tolerance)
    yield Fixture("page_set_deferred_encryption_us", {"writes": 182403}, 7.59e6, "L5392", 0.001)
    yield Fixture("smds_put_encryption_us", {"pages": 1}, 0.7, "L5521")
    for remote, us, queue_manager_us in ((False, 0.7, 0.8), (True, 0.8, 0.9)):
        inputs = {"pages": 1, "remote": remote}
        yield Fixture("smds_get_encryption_us", inputs, us, "L5522-L5523")
        yield Fixture("smds_get_encryption_queue_manager_us", inputs, queue_manager_us, "L5437-L5443")


def _zhyperwrite() -> Iterator[Fixture]:
    for mirroring, cpu, srb in (("not mirrored", 690, 383), ("PPRC", 684, 376), ("zHyperWrite", 722, 411)):
        yield Fixture("mirrored_log_cpu_us_per_mb", {"mirroring": mirroring}, cpu, "L5739-L5747")
        yield Fixture("mirrored_log_srb_us_per_mb", {"mirroring": mirroring}, srb, "L5739-L5747")
    yield Fixture("change_pct", {"before": 684, "after": 722}, 5.5, "L5739-L5747", within=0.06)
    yield Fixture("change_pct", {"before": 376, "after": 411}, 9.3, "L5739-L5747", within=0.05)
    for size, pprc, mb in ((64, 1, 2), (128, 0, 60), (4096, 259, 283)):
        inputs = {"pprc_mb_per_second": pprc, "message_kb": size}
        yield Fixture("zhyperwrite_log_mb_per_second", inputs, mb, "L5711-L5747")
    for logging, times in (("dual", 1.14), ("single", 1.08), ("worst", 1.25)):
        yield Fixture("zhyperwrite_mstr_us", {"pprc_mstr_us": 1, "logging": logging}, times, "L5731-L5733")


def _zhyperlink() -> Iterator[Fixture]:
    """T-30 and R-145; the rest of zHyperLink is in the third part."""
    for setting, us in (
        ("zHPF off, quiet", 181),
        ("zHPF, quiet", 115),
        ("zHPF, busy", 200),
        ("zHyperLink, quiet", 28),
        ("zHyperLink, busy", 31),
    ):
        yield Fixture("single_page_log_io_us", {"setting": setting}, us, "L5927-L5932")
    for before, after, times in ((181, 28, 6), (115, 28, 4), (200, 31, 6.4)):
        yield Fixture("times_faster", {"before": before, "after": after}, times, "L5934-L5936", 0.08)
    yield Fixture("zhyperlink_stripe_kb", {"stripes": 4}, 14, "L5915", derived=True, note="printed 19")


FIXTURES_PART_2: tuple[Fixture, ...] = (
    *_shared_messages(),
    *_shared_costs(),
    *_scm(),
    *_chinit_storage(),
    *_channels_in_storage(),
    *_chinit_tasks(),
    *_batching(),
    *_channel_cost(),
    *_channel_start(),
    *_tls(),
    *_log_devices(),
    *_encryption(),
    *_zhyperwrite(),
    *_zhyperlink(),
)
