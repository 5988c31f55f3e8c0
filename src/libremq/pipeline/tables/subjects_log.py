"""Subject of the log: requests, buffers, I/O by copy and size, compression, archive, zHyperLink."""

from __future__ import annotations

from libremq.pipeline.tables.subjects_schema import (
    Column,
    Subject,
    average,
    count,
    derived,
    gauge,
    longest,
    pct,
    per,
    text,
    time,
    usec,
    with_rates,
)

PAGE_BYTES = 4096
"""A control interval of the log."""


def _writes(copy: int, size: int) -> tuple[Column, ...]:
    """Columns of the writes of one size to one copy of the log; the data shows 0 to be single-page, 1 multi-page."""
    place, kind = f"[{copy - 1}][{size}]", ("multi_page" if size else "single_page")
    prefix, about = f"copy{copy}_{kind}", f"{kind.replace('_', '-')} writes to copy {copy}"
    return (
        count(f"{prefix}_writes", f"qjst.qjstiocount{place}", about),
        count(f"{prefix}_pages", f"qjst.qjstioci{place}", f"pages in {about}"),
        usec(f"{prefix}_io_us", f"qjst.qjstiototio{place}", f"I/O time of {about}"),
        usec(f"{prefix}_request_us", f"qjst.qjstiototsus{place}", f"time from request to end of {about}"),
        longest(f"{prefix}_longest_io_us", f"qjst.qjstiomaxio{place}", f"longest I/O of {about}"),
        time(f"{prefix}_longest_io_at", f"qjst.qjstiomaxiot{place}", "when that was"),
        text(f"{prefix}_longest_io_log", f"qjst.qjstiomaxiol{place}", "log data set of that"),
        longest(f"{prefix}_longest_request_us", f"qjst.qjstiomaxsus{place}", f"longest request of {about}"),
        average(f"{prefix}_average_io_us", f"{prefix}_io_us", f"{prefix}_writes", f"mean I/O time of {about}"),
        average(f"{prefix}_average_request_us", f"{prefix}_request_us", f"{prefix}_writes", f"mean request of {about}"),
    )


def _copy(copy: int) -> tuple[Column, ...]:
    one, many = f"copy{copy}_single_page", f"copy{copy}_multi_page"
    return (
        derived(f"copy{copy}_writes", f"{one}_writes + {many}_writes", f"writes to copy {copy}", "bigint"),
        derived(f"copy{copy}_pages", f"{one}_pages + {many}_pages", f"pages written to copy {copy}", "bigint"),
        derived(f"copy{copy}_bytes", f"copy{copy}_pages * {PAGE_BYTES}", f"bytes written to copy {copy}", "bigint"),
        derived(f"copy{copy}_io_us", f"{one}_io_us + {many}_io_us", f"I/O time of copy {copy}", "bigint"),
        average(
            f"copy{copy}_average_io_us", f"copy{copy}_io_us", f"copy{copy}_writes", f"mean I/O time of copy {copy}"
        ),
        average(
            f"copy{copy}_pages_per_write", f"copy{copy}_pages", f"copy{copy}_writes", f"pages a write, copy {copy}"
        ),
        derived(
            f"copy{copy}_bytes_per_second",
            per(f"copy{copy}_bytes", "interval_seconds"),
            f"bytes written to copy {copy} each second, pages written again included",
        ),
    )


LOG = Subject(
    "log",
    "The log in an interval",
    "interval",
    with_rates(
        (
            count("write_wait_requests", "qjst.qjstwrw", "requests that waited until the log was written"),
            count("write_nowait_requests", "qjst.qjstwrnw", "requests that did not wait"),
            count("write_force_requests", "qjst.qjstwrf", "requests that forced the log out"),
            count("no_log_buffer_waits", "qjst.qjstwtb", "waits because all log buffers were full; should be 0"),
            count("reads_from_buffers", "qjst.qjstrbuf", "log reads met from the output buffers"),
            count("reads_from_active_log", "qjst.qjstract", "log reads from active logs"),
            count("reads_from_archive_log", "qjst.qjstrarh", "log reads from archive logs"),
            count("tape_contentions", "qjst.qjsttvc", "reads that waited for a tape volume"),
            count("bsds_accesses", "qjst.qjstbsds", "accesses to the bootstrap data set"),
            count("log_pages_filled", "qjst.qjstbffl", "log pages created: what the workload made"),
            count("logger_calls", "qjst.qjstbfwr", "calls that had buffers written"),
            count("archive_reads", "qjst.qjstalr", "archive logs allocated for reading"),
            count("archive_writes", "qjst.qjstalw", "archive logs allocated for writing"),
            count("log_pages_offloaded", "qjst.qjstciof", "log pages archived"),
            count("checkpoints", "qjst.qjstllcp", "checkpoints caused by LOGLOAD"),
            count("reads_delayed", "qjst.qjstwur", "reads delayed for want of resources"),
            count("lookahead_mounts_tried", "qjst.qjstlama", "tape mounts tried ahead"),
            count("lookahead_mounts_done", "qjst.qjstlams", "tape mounts done ahead"),
            count("log_suspensions", "qjst.qjstlsus", "times a request was suspended until its log record was written"),
            count("log_writes", "qjst.qjstlogw", "write requests, both copies together"),
            count("log_pages_written", "qjst.qjstciwr", "pages written, both copies together"),
            count("serial_writes", "qjst.qjstserw", "pages written to one copy after the other"),
            count(
                "write_threshold_hits", "qjst.qjstthrw", "writes started because the threshold of full buffers was met"
            ),
            count("buffer_page_ins", "qjst.qjstbpag", "log buffers that were paged out when needed; should be 0"),
            count("compress_requests", "qjst.qjstcmpreq", "log records to compress"),
            count("compress_failures", "qjst.qjstcmpfail", "log records that did not compress"),
            count("compress_bytes_before", "qjst.qjstcmpuncmp", "bytes before compression"),
            count("compress_bytes_after", "qjst.qjstcmpcomp", "bytes after compression"),
            count("decompress_requests", "qjst.qjstdecreq", "log records to expand"),
            count("decompress_failures", "qjst.qjstdecfail", "log records that did not expand"),
            *_writes(1, 0),
            *_writes(1, 1),
            *_writes(2, 0),
            *_writes(2, 1),
            usec("writer_idle_us", "qjst.qjstslptu", "time the log writer had nothing to do"),
            count("copy1_new_logs", "qjst.qjstcp1n", "log data sets of copy 1 that came into use"),
            count("copy2_new_logs", "qjst.qjstcp2n", "log data sets of copy 2 that came into use"),
            count("new_logs_zhyperwrite_capable", "qjst.qjsthwc", "of those, on devices that can do zHyperWrite"),
            count("new_logs_zhyperwrite_enabled", "qjst.qjsthwe", "of those, with zHyperWrite in use"),
            count("new_logs_encrypted", "qjst.qjstencr", "of those, encrypted"),
            count("new_logs_zhyperlink_capable", "qjst.qjsthlc", "of those, on devices that can do zHyperLink"),
            count("new_logs_zhyperlink_enabled", "qjst.qjsthle", "of those, with zHyperLink in use"),
            count("zhyperlink_single_page_requests", "qjst.qjsthlsciw", "single-page writes tried by zHyperLink"),
            count("zhyperlink_multi_page_requests", "qjst.qjsthlmciw", "multi-page writes tried by zHyperLink"),
            count("zhyperlink_pages_requested", "qjst.qjsthlcicntw", "pages in those"),
            count("zhyperlink_single_page_writes", "qjst.qjsthlscis", "single-page writes done by zHyperLink"),
            count("zhyperlink_multi_page_writes", "qjst.qjsthlmcis", "multi-page writes done by zHyperLink"),
            count("zhyperlink_pages_written", "qjst.qjsthlcicnts", "pages in those"),
            count("zhyperlink_single_page_asynchronous", "qjst.qjsthlscif", "single-page writes that fell back"),
            count("zhyperlink_multi_page_asynchronous", "qjst.qjsthlmcif", "multi-page writes that fell back"),
            count("zhyperlink_pages_asynchronous", "qjst.qjsthlcicntf", "pages in those"),
            count("zhyperlink_single_page_switched", "qjst.qjsthlscicon", "single-page writes while connecting"),
            count("zhyperlink_multi_page_switched", "qjst.qjsthlmcicon", "multi-page writes while connecting"),
            count("zhyperlink_pages_switched", "qjst.qjsthlconcicnt", "pages in those"),
            gauge("zhyperlink_single_page_longest", "qjst.qjsthlsciwtmax", "longest, as recorded; unit not settled"),
            gauge("zhyperlink_single_page_shortest", "qjst.qjsthlsciwtmin", "shortest, as recorded; unit not settled"),
            gauge("zhyperlink_single_page_time", "qjst.qjsthlsciwttot", "total, as recorded; unit not settled"),
            gauge("zhyperlink_multi_page_longest", "qjst.qjsthlmciwtmax", "longest, as recorded; unit not settled"),
            gauge("zhyperlink_multi_page_shortest", "qjst.qjsthlmciwtmin", "shortest, as recorded; unit not settled"),
            gauge("zhyperlink_multi_page_time", "qjst.qjsthlmciwttot", "total, as recorded; unit not settled"),
            *_copy(1),
            *_copy(2),
            derived(
                "log_copies", "case when copy2_writes > 0 then 2 when copy1_writes > 0 then 1 end", "copies kept", "int"
            ),
            derived(
                "log_requests",
                "write_wait_requests + write_nowait_requests + write_force_requests",
                "writes to the log buffers: what LOGLOAD counts",
                "bigint",
            ),
            derived("log_requests_per_second", per("log_requests", "interval_seconds"), "log requests each second"),
            derived("log_bytes", f"log_pages_filled * {PAGE_BYTES}", "log data made, one copy", "bigint"),
            derived(
                "log_bytes_per_second", per("log_bytes", "interval_seconds"), "log data made each second, one copy"
            ),
            derived("log_mb_per_second", "log_bytes_per_second / 1048576", "the same in MB"),
            derived("log_bytes_written", f"log_pages_written * {PAGE_BYTES}", "bytes written, both copies", "bigint"),
            derived(
                "log_bytes_written_per_second", per("log_bytes_written", "interval_seconds"), "written each second"
            ),
            average("pages_per_log_write", "log_pages_written", "log_writes", "pages in a write"),
            derived("write_force_pct", pct("write_force_requests", "log_requests"), "share of requests that force"),
            derived("log_rewrite_ratio", per("copy1_pages", "log_pages_filled"), "times a page is written, copy 1"),
            derived(
                "no_log_buffer_wait_pct", pct("no_log_buffer_waits", "log_requests"), "requests that met full buffers"
            ),
            derived("checkpoints_per_hour", per("checkpoints * 3600", "interval_seconds"), "checkpoints an hour"),
            average("requests_per_checkpoint", "log_requests", "checkpoints", "log requests for each checkpoint"),
            derived(
                "log_writer_busy_pct",
                # Idle time and interval are measured apart: the first may be some microseconds longer.
                "CASE WHEN writer_idle_us > interval_seconds * 1000000 THEN 0"
                " ELSE 100.0 * (1 - try_divide(writer_idle_us, interval_seconds * 1000000)) END",
                "share of the interval in which the log writer was at work",
            ),
            derived(
                "log_io_busy_pct",
                pct("greatest(copy1_io_us, copy2_io_us)", "interval_seconds * 1000000"),
                "I/O time of the busier copy as a share of the interval",
            ),
            derived(
                "single_page_write_pct",
                pct("copy1_single_page_writes", "copy1_writes"),
                "share of single-page writes, copy 1",
            ),
            derived(
                "copy2_io_time_ratio",
                per("copy2_average_io_us", "copy1_average_io_us"),
                "mean I/O time of copy 2 over copy 1; far from 1 is skew",
            ),
            derived(
                "compress_saved_pct",
                pct("compress_bytes_before - compress_bytes_after", "compress_bytes_before"),
                "saved",
            ),
            derived(
                "zhyperlink_success_pct",
                pct(
                    "zhyperlink_single_page_writes + zhyperlink_multi_page_writes",
                    "zhyperlink_single_page_requests + zhyperlink_multi_page_requests",
                ),
                "share of zHyperLink writes that were done synchronously",
            ),
        )
    ),
)
