"""Rules about the log as measured: rate, buffers, I/O, checkpoints, copies, zHyperLink."""

from __future__ import annotations

from libremq.pipeline.rules.rule import Rule

# fmt: off
RULES = (
    Rule(
        id="log-buffers-short", subject="log", severity="warning",
        when="no_log_buffer_waits > 0",
        advice="{no_log_buffer_waits:,.0f} requests waited because all log buffers were full. Raise OUTBUFF (at most"
        " 4000) until this stays 0.",
        fact="R-LG-2", lines="L1744, L6183, L7012",
        fires={"no_log_buffer_waits": 6779}, quiet={"no_log_buffer_waits": 0},
    ),
    Rule(
        id="log-buffers-short-at-maximum", subject="log", severity="severe",
        when="no_log_buffer_waits > 0 and value >= threshold", value="outbuff_kb", threshold=4000,
        advice="Log buffers run out although OUTBUFF is at its maximum. The log cannot be written as fast as it is"
        " made: faster devices, fewer persistent messages, or another queue manager.",
        fact="R-LG-2, R-110", lines="L1744, L4971, L7012",
        fires={"no_log_buffer_waits": 6779, "outbuff_kb": 4000}, quiet={"no_log_buffer_waits": 6779, "outbuff_kb": 400},
    ),
    Rule(
        id="log-buffers-paged-out", subject="log", severity="warning",
        when="buffer_page_ins > 0",
        advice="{buffer_page_ins:,.0f} log buffers had been paged out when they were needed. Real storage is short"
        " for the queue manager.",
        fact="own", lines="own",
        fires={"buffer_page_ins": 5}, quiet={"buffer_page_ins": 0},
    ),
    Rule(
        id="log-writer-saturated", subject="log", severity="severe",
        when="log_writer_busy_pct > threshold and log_io_busy_pct > 80", value="log_writer_busy_pct", threshold=95,
        advice="The log writer was busy {value:.1f} % of the time, log I/O took {log_io_busy_pct:.1f} % of it. The"
        " log is the bottleneck: shorten the I/O or split the work over queue managers.",
        fact="R-116", lines="L5600-L5606, L5652-L5655",
        fires={"log_writer_busy_pct": 99.82, "log_io_busy_pct": 95.9},
        quiet={"log_writer_busy_pct": 40, "log_io_busy_pct": 35},
    ),
    Rule(
        id="log-writer-spins", subject="log", severity="info",
        # The recorded I/O times include zHyperLink writes, so how the writes were done tells, not how long they took.
        when="value > threshold and zhyperlink_success_pct > 50", value="log_writer_busy_pct", threshold=80,
        advice="The log writer is {value:.1f} % busy and {zhyperlink_success_pct:.1f} % of its zHyperLink writes were"
        " synchronous: that time is spent on a processor, not waiting. Check the processor headroom.",
        fact="R-ZHL-6, R-ZHL-10", lines="L6221-L6222, L6250-L6252, L6677",
        fires={"log_writer_busy_pct": 96.6, "zhyperlink_success_pct": 99.9},
        quiet={"log_writer_busy_pct": 96.6, "zhyperlink_success_pct": 0.0},
    ),
    Rule(
        id="log-rate-over-plan", subject="log", severity="warning",
        when="value > threshold", value="log_mb_per_second", threshold="0.5 * log_mb_per_second_max",
        advice="The log takes {value:.1f} MB/s, more than half of the {log_mb_per_second_max:.0f} MB/s its devices"
        " can do. Plan with half of the peak, so that bursts and archiving have room.",
        fact="R-110", lines="L4971-L5003",
        fires={"log_mb_per_second": 60.0, "log_mb_per_second_max": 112.0},
        quiet={"log_mb_per_second": 40.0, "log_mb_per_second_max": 112.0},
    ),
    Rule(
        id="log-rate-at-limit", subject="log", severity="severe", derived=True,
        when="value > threshold", value="log_mb_per_second", threshold="0.9 * log_mb_per_second_max",
        advice="The log takes {value:.1f} MB/s of the {log_mb_per_second_max:.0f} MB/s its devices can do. Persistent"
        " throughput cannot grow on this queue manager.",
        fact="R-110, R-LG-11", lines="L4985-L5003, L7868",
        fires={"log_mb_per_second": 110.0, "log_mb_per_second_max": 112.0},
        quiet={"log_mb_per_second": 60.0, "log_mb_per_second_max": 112.0},
    ),
    Rule(
        id="log-rate-growing", subject="log", severity="info", over="queue manager", derived=True,
        when="days() >= 14 and trend(log_mb_per_second) > 0 and 0 < value < threshold",
        value="(0.5 * log_mb_per_second_max - mean(log_mb_per_second)) / trend(log_mb_per_second)", threshold=90,
        advice="The log rate grows by {trend(log_mb_per_second):.2f} MB/s a day; half of the devices' maximum is"
        " reached in about {value:.0f} days. Look at backups and log sizes again, too.",
        fact="R-LOG-20, R-110", lines="L1217-L1219, L5003",
        fires=tuple({"log_mb_per_second": 20.0 + day, "log_mb_per_second_max": 112.0} for day in range(20)),
        quiet=tuple({"log_mb_per_second": 20.0, "log_mb_per_second_max": 112.0} for _ in range(20)),
    ),
    Rule(
        id="log-data-set-fills-fast", subject="log", severity="warning",
        when="log_mb_per_second > 0 and value < threshold",
        value="log_fill_seconds(log_dataset_mb, log_mb_per_second) / 60", threshold=30,
        advice="At this rate a log data set of {log_dataset_mb:,.0f} MB fills in {value:.1f} minutes."
        " {min(4096, log_mb_for_fill_time(log_mb_per_second)):,.0f} MB last"
        " {log_fill_seconds(min(4096, log_mb_for_fill_time(log_mb_per_second)), log_mb_per_second) / 60:.1f} minutes of"
        " the {threshold:.0f} wanted at the peak{'; no log can be larger, so have more of them, see that archiving"
        " keeps up, or have more queue managers' if log_mb_for_fill_time(log_mb_per_second) > 4096 else ''}.",
        fact="R-LOG-04", lines="L631",
        fires={"log_dataset_mb": 500, "log_mb_per_second": 5.0},
        quiet={"log_dataset_mb": 4096, "log_mb_per_second": 1.0},
    ),
    Rule(
        id="log-archiving-slower-than-filling", subject="log", severity="severe",
        when="log_mb_per_second > 0 and value <= threshold",
        value="log_fill_seconds(log_dataset_mb, log_mb_per_second)",
        threshold="log_archive_seconds(log_dataset_mb, archive_mb_per_second, tape_mount_seconds)",
        advice="A log data set fills in {value:,.0f} s and takes {threshold:,.0f} s to archive. When all are full,"
        " everything that logs stops. Add log data sets or speed up archiving.",
        fact="R-LOG-03, R-113", lines="L615, L5013",
        fires={
            "log_dataset_mb": 3000, "log_mb_per_second": 100.0, "archive_mb_per_second": 60.0, "tape_mount_seconds": 60,
        },
        quiet={
            "log_dataset_mb": 3000, "log_mb_per_second": 10.0, "archive_mb_per_second": 60.0, "tape_mount_seconds": 60,
        },
    ),
    Rule(
        id="log-active-logs-exhausted", subject="log", severity="severe", derived=True,
        when="log_mb_per_second > archive_mb_per_second and value < threshold",
        value="active_logs_full_seconds(active_logs * log_dataset_mb, log_mb_per_second, archive_mb_per_second) / 60",
        threshold=60,
        advice="The log grows by {log_mb_per_second:.1f} MB/s and is archived at {archive_mb_per_second:.1f} MB/s: if"
        " this lasts, all active logs are full after {value:.0f} minutes and logging stops.",
        fact="R-113", lines="L5013",
        fires={"log_mb_per_second": 100.0, "archive_mb_per_second": 60.0, "active_logs": 6, "log_dataset_mb": 4096},
        quiet={"log_mb_per_second": 10.0, "archive_mb_per_second": 60.0, "active_logs": 6, "log_dataset_mb": 4096},
    ),
    Rule(
        id="log-active-logs-hold-less-than-a-day", subject="log", severity="info", over="day",
        when="value < threshold", value="active_logs * log_dataset_mb / (mean(log_mb_per_second) * 3600)", threshold=24,
        advice="All active logs together hold {value:.1f} hours of log. With {threshold:.0f} hours, recovery seldom"
        " needs an archive.",
        fact="R-LOG-02, R-LOG-19", lines="L584, L615",
        fires=({"active_logs": 4, "log_dataset_mb": 1000, "log_mb_per_second": 5.0},),
        quiet=({"active_logs": 30, "log_dataset_mb": 4096, "log_mb_per_second": 1.0},),
    ),
    Rule(
        id="log-checkpoints-often", subject="log", severity="warning", derived=True,
        when="value > threshold", value="checkpoints_per_hour", threshold=12,
        advice="{value:.0f} checkpoints an hour because LOGLOAD was reached. Each writes pages, shunts long units of"
        " work and adds log data. Raise LOGLOAD (4 to 16 million is usual).",
        fact="R-LL-01, R-LL-04", lines="L1774, L1816, L1828-L1838",
        fires={"checkpoints_per_hour": 40.0}, quiet={"checkpoints_per_hour": 2.0},
    ),
    Rule(
        id="restart-longer-than-wanted", subject="site", severity="warning", derived=True,
        when="value > threshold",
        value="restart_seconds_by_transactions(transactions_per_checkpoint(logload,"
        " log_writes_per_transaction_typical))",
        threshold="restart_seconds_wanted",
        advice="With LOGLOAD {logload:,.0f} a restart after a failure may take some {value:,.0f} s, more than the"
        " {threshold:,.0f} s wanted (an order of magnitude, measured on older machines). Lower LOGLOAD or shorten"
        " units of work.",
        fact="R-RST-07, R-RST-12, R-LL-02", lines="L1438, L1711-L1722, L1778-L1783",
        fires={"logload": 450000, "log_writes_per_transaction_typical": 31, "restart_seconds_wanted": 60},
        quiet={"logload": 450000, "log_writes_per_transaction_typical": 31, "restart_seconds_wanted": 600},
    ),
    Rule(
        id="log-archive-reads", subject="log", severity="warning",
        when="value > threshold", value="reads_from_archive_log", threshold=0,
        advice="{value:,.0f} reads came from archive logs, at some 60 MB/s instead of hundreds. Keep what recovery"
        " needs in active logs; look for long units of work and rare backups.",
        fact="R-REC-12, R-LOG-21, R-115", lines="L588, L1430-L1432, L2731-L2733, L5027",
        fires={"reads_from_archive_log": 250}, quiet={"reads_from_archive_log": 0},
    ),
    Rule(
        id="log-tape-contention", subject="log", severity="warning",
        when="tape_contentions > 0 or reads_delayed > 0",
        advice="{tape_contentions:,.0f} log reads waited for a tape volume and {reads_delayed:,.0f} for other"
        " resources. Recovery from archives is held up.",
        fact="own", lines="own",
        fires={"tape_contentions": 2, "reads_delayed": 0}, quiet={"tape_contentions": 0, "reads_delayed": 0},
    ),
    Rule(
        id="log-copies-skewed", subject="log", severity="warning", derived=True,
        when="log_copies == 2 and (value > threshold or value < 1 / threshold)",
        value="log_copy_skew(copy2_average_io_us, copy1_average_io_us)", threshold=1.5,
        advice="Writes to copy 2 take {copy2_average_io_us:,.0f} us against {copy1_average_io_us:,.0f} us for copy 1."
        " Something shares the slower control unit, often the archives: separate them or compress the archives.",
        fact="R-121", lines="L5202-L5228",
        fires={"log_copies": 2, "copy2_average_io_us": 1218.0, "copy1_average_io_us": 766.0},
        quiet={"log_copies": 2, "copy2_average_io_us": 897.0, "copy1_average_io_us": 811.0},
    ),
    Rule(
        id="log-single-copy-without-redundancy", subject="log", severity="severe",
        when="log_copies == 1 and not redundant_dasd",
        advice="There is one copy of the log, on disks without redundancy: one failed disk loses persistent messages."
        " Use dual logs, dual bootstrap and dual archives.",
        fact="R-LOG-13", lines="L598-L602",
        fires={"log_copies": 1, "redundant_dasd": False}, quiet={"log_copies": 1, "redundant_dasd": True},
    ),
    Rule(
        id="log-dual-at-limit", subject="log", severity="info",
        when="log_copies == 2 and redundant_dasd and log_writer_busy_pct > threshold", value="log_writer_busy_pct",
        threshold=90,
        advice="The log is {value:.0f} % busy with two copies on redundant disks. One copy could carry 5 to 50 % more"
        " (small to 1 MB messages), at the price of a single point of failure.",
        fact="R-LOG-13, R-111", lines="L602, L5007",
        fires={"log_copies": 2, "redundant_dasd": True, "log_writer_busy_pct": 97.0},
        quiet={"log_copies": 2, "redundant_dasd": True, "log_writer_busy_pct": 30.0},
    ),
    Rule(
        id="log-serial-rewrites", subject="log", severity="warning", derived=True,
        when="serial_writes > 0 and value > threshold", value="100 * serial_writes / log_pages_written", threshold=10,
        advice="{value:.1f} % of the log pages were written to one copy after the other, so a commit waits two I/O"
        " times. Disks with write cache avoid that.",
        fact="R-LG-4", lines="L6941-L6945",
        fires={"serial_writes": 5000, "log_pages_written": 20000},
        quiet={"serial_writes": 0, "log_pages_written": 20000},
    ),
    Rule(
        id="log-single-page-writes-slow", subject="log", severity="warning", derived=True,
        when="copy1_single_page_writes > 100 and value > threshold", value="copy1_single_page_average_io_us",
        threshold=1000,
        advice="A one-page log write takes {value:,.0f} us on average; 115 to 200 us are usual with zHPF and 28 with"
        " zHyperLink. Each commit waits that long.",
        fact="T-30, R-LF-04, R-LF-05", lines="L2108-L2121, L2137-L2138, L5927-L5936",
        fires={"copy1_single_page_writes": 4273, "copy1_single_page_average_io_us": 2500.0},
        quiet={"copy1_single_page_writes": 4273, "copy1_single_page_average_io_us": 192.0},
    ),
    Rule(
        id="log-longest-io", subject="log", severity="warning",
        when="value > threshold", value="max(copy1_single_page_longest_io_us, copy1_multi_page_longest_io_us) / 1000",
        threshold=1000,
        advice="One log write took {value:,.0f} ms. Every persistent unit of work stood still meanwhile; look what"
        " the volume did.",
        fact="own", lines="own",
        fires={"copy1_single_page_longest_io_us": 852, "copy1_multi_page_longest_io_us": 2100000},
        quiet={"copy1_single_page_longest_io_us": 852, "copy1_multi_page_longest_io_us": 21610},
    ),
    Rule(
        id="log-stripes-without-use", subject="log", severity="info",
        when="log_stripes > 1 and value <= threshold", value="pages_per_log_write", threshold=1.05, derived=True,
        advice="The log is striped {log_stripes:.0f}-fold, but a write has {value:.1f} pages on average, so it"
        " touches one stripe. Stripes only help when messages are longer than 4 KB.",
        fact="R-LOG-14, R-112", lines="L649, L5011",
        fires={"log_stripes": 4, "pages_per_log_write": 1.0}, quiet={"log_stripes": 4, "pages_per_log_write": 88.0},
    ),
    Rule(
        id="log-stripes-would-help", subject="log", severity="info",
        when="log_stripes == 1 and not zhyperlink_enabled and log_writer_busy_pct > 80 and value > threshold",
        value="pages_per_log_write", threshold=16,
        advice="The log is busy and writes {value:.0f} pages at a time to unstriped data sets. Four stripes gave up"
        " to 50 % more for messages of 64 KB and above; provide more or larger logs so that archiving keeps up.",
        fact="R-112, R-LOG-14", lines="L649, L5011-L5023",
        fires={
            "log_stripes": 1, "zhyperlink_enabled": False, "log_writer_busy_pct": 95.0, "pages_per_log_write": 60.0,
        },
        quiet={"log_stripes": 1, "zhyperlink_enabled": False, "log_writer_busy_pct": 95.0, "pages_per_log_write": 1.2},
    ),
    Rule(
        id="log-zhyperlink-not-synchronous", subject="log", severity="warning",
        when="zhyperlink_single_page_requests + zhyperlink_multi_page_requests > 0 and value < threshold",
        value="zhyperlink_success_pct", threshold=97, derived=True,
        advice="Only {value:.1f} % of the zHyperLink writes were done synchronously. Links are short of capacity,"
        " write sessions run out, or cables are long.",
        fact="R-ZHL-2, R-ZHL-7, R-ZHL-11", lines="L6086-L6099, L6356, L6372-L6375",
        fires={
            "zhyperlink_single_page_requests": 1000, "zhyperlink_multi_page_requests": 1000,
            "zhyperlink_success_pct": 62.0,
        },
        quiet={
            "zhyperlink_single_page_requests": 21218, "zhyperlink_multi_page_requests": 147669,
            "zhyperlink_success_pct": 99.9,
        },
    ),
    Rule(
        id="log-zhyperlink-switch-writes", subject="log", severity="info",
        when="copy1_new_logs > 0 and log_dataset_mb < 4096 and value > threshold",
        value="per_log_switch(zhyperlink_single_page_switched, zhyperlink_multi_page_switched, copy1_new_logs)",
        threshold=1,
        advice="{value:.1f} writes at each log switch had to be asynchronous while new sessions were made. Log data"
        " sets of 4 GB make switches rare.",
        fact="R-ZHL-4", lines="L6228-L6245",
        fires={
            "copy1_new_logs": 14, "log_dataset_mb": 1000, "zhyperlink_single_page_switched": 1,
            "zhyperlink_multi_page_switched": 26,
        },
        quiet={
            "copy1_new_logs": 14, "log_dataset_mb": 4096, "zhyperlink_single_page_switched": 1,
            "zhyperlink_multi_page_switched": 26,
        },
    ),
    Rule(
        id="log-zhyperlink-capable-not-enabled", subject="log", severity="info",
        when="new_logs_zhyperlink_capable > new_logs_zhyperlink_enabled and log_writer_busy_pct > threshold",
        value="log_writer_busy_pct", threshold=80, derived=True,
        advice="{new_logs_zhyperlink_capable:.0f} new logs lie on devices that can do zHyperLink,"
        " {new_logs_zhyperlink_enabled:.0f} use it, and the log writer is {value:.0f} % busy. Up to 3 times the log"
        " rate was measured, at the cost of processor time.",
        fact="R-LOG-18, F-ZHL-7", lines="L693-L701, L6242",
        fires={"new_logs_zhyperlink_capable": 4, "new_logs_zhyperlink_enabled": 0, "log_writer_busy_pct": 95.0},
        quiet={"new_logs_zhyperlink_capable": 4, "new_logs_zhyperlink_enabled": 4, "log_writer_busy_pct": 95.0},
    ),
    Rule(
        id="log-zhyperlink-links-busy", subject="log", severity="warning",
        when="value > threshold",
        value="zhyperlink_link_busy_pct(zhyperlink_single_page_writes_per_second +"
        " zhyperlink_multi_page_writes_per_second, zhyperlink_response_ms, zhyperlink_links)",
        threshold=25,
        advice="Each zHyperLink path is {value:.1f} % busy with log writes; over {threshold:.0f} % writes fall back"
        " to asynchronous. Add paths or share them with fewer users.",
        fact="R-ZHL-2", lines="L6343-L6379",
        fires={
            "zhyperlink_single_page_writes_per_second": 13567.3, "zhyperlink_multi_page_writes_per_second": 0,
            "zhyperlink_response_ms": 0.115, "zhyperlink_links": 4,
        },
        quiet={
            "zhyperlink_single_page_writes_per_second": 13567.3, "zhyperlink_multi_page_writes_per_second": 0,
            "zhyperlink_response_ms": 0.115, "zhyperlink_links": 8,
        },
    ),
    Rule(
        id="log-zhyperwrite-not-enabled", subject="log", severity="info",
        when="mirrored and new_logs_zhyperwrite_capable > new_logs_zhyperwrite_enabled and log_writer_busy_pct >"
        " threshold",
        value="log_writer_busy_pct", threshold=80, derived=True,
        advice="The log is mirrored and {value:.0f} % busy, and its devices can do zHyperWrite, which is off. It cut"
        " I/O and commit times by up to 60 % for 8 to 14 % more queue manager processor time.",
        fact="R-140, R-141", lines="L5550-L5555, L5663-L5665, L5731-L5733, L5813-L5818",
        fires={
            "mirrored": True, "new_logs_zhyperwrite_capable": 2, "new_logs_zhyperwrite_enabled": 0,
            "log_writer_busy_pct": 92.0,
        },
        quiet={
            "mirrored": True, "new_logs_zhyperwrite_capable": 2, "new_logs_zhyperwrite_enabled": 2,
            "log_writer_busy_pct": 92.0,
        },
    ),
    Rule(
        id="log-encrypted-too-early", subject="log", severity="severe",
        when="new_logs_encrypted > 0 and matches(release, '???') and release < '920'",  # six digits from 10.0.0 on
        advice="Active logs are encrypted, which release {release} does not support: it ends the queue manager"
        " (5C6-00E80084).",
        fact="R-136", lines="L5262-L5271",
        fires={"new_logs_encrypted": 1, "release": "910"}, quiet={"new_logs_encrypted": 1, "release": "100000"},
    ),
    Rule(
        id="log-encryption-cost", subject="log", severity="info", derived=True,
        when="new_logs_encrypted > 0 and value > threshold",
        value="log_encryption_us(log_bytes / 1048576, log_copies, archive_copies) / interval_seconds / 10000",
        threshold=5,
        advice="Encrypting the log takes about {value:.1f} % of a processor at this rate.",
        fact="R-130", lines="L5331-L5357",
        fires={
            "new_logs_encrypted": 1, "log_bytes": 18000000000, "log_copies": 2, "archive_copies": 2,
            "interval_seconds": 60,
        },
        quiet={
            "new_logs_encrypted": 1, "log_bytes": 18000000, "log_copies": 2, "archive_copies": 2,
            "interval_seconds": 60,
        },
    ),
    Rule(
        id="log-write-amplification", subject="log", severity="info",
        when="value > threshold",
        value="written_mb_per_second(log_mb_per_second, log_copies, archive_copies, mirrored)",
        threshold="dasd_write_mb_per_second_max",
        advice="{log_mb_per_second:.0f} MB/s of log become {value:,.0f} MB/s of writes with copies, archives and"
        " mirrors, more than the {threshold:,.0f} MB/s the storage takes.",
        fact="R-117", lines="L5691-L5697, L5781-L5787",
        fires={
            "log_mb_per_second": 250.0, "log_copies": 2, "archive_copies": 2, "mirrored": True,
            "dasd_write_mb_per_second_max": 1200,
        },
        quiet={
            "log_mb_per_second": 50.0, "log_copies": 2, "archive_copies": 2, "mirrored": False,
            "dasd_write_mb_per_second_max": 1200,
        },
    ),
    Rule(
        id="log-compression-fails", subject="log", severity="info",
        when="compress_requests > 100 and value > threshold", value="100 * compress_failures / compress_requests",
        threshold=20,
        advice="{value:.0f} % of the log records did not become shorter by compression, which costs processor time"
        " for nothing.",
        fact="own", lines="own",
        fires={"compress_requests": 1000, "compress_failures": 400},
        quiet={"compress_requests": 1000, "compress_failures": 3},
    ),
    Rule(
        id="log-backup-interval-too-long", subject="log", severity="warning", over="day",
        when="value > threshold", value="page_set_backup_hours",
        threshold="effective_backup_interval_hours(restart_seconds_wanted,"
        " log_mb_per_hour(mean(log_bytes_per_second)), active_logs * log_dataset_mb, log_read_rate_mb_per_second)",
        advice="Page sets are backed up every {value:.0f} hours; to be back within {restart_seconds_wanted:,.0f} s"
        " from active logs it must be every {threshold:.1f} hours at this log rate.",
        fact="R-REC-01, R-REC-05", lines="L1164-L1188", derived=True,
        fires=(
            {
                "page_set_backup_hours": 168, "restart_seconds_wanted": 3600, "log_bytes_per_second": 233017,
                "active_logs": 5, "log_dataset_mb": 4096, "log_read_rate_mb_per_second": 60,
            },
        ),
        quiet=(
            {
                "page_set_backup_hours": 12, "restart_seconds_wanted": 3600, "log_bytes_per_second": 233017,
                "active_logs": 5, "log_dataset_mb": 4096, "log_read_rate_mb_per_second": 60,
            },
        ),
    ),
    Rule(
        id="log-structure-backup-interval-too-long", subject="log", severity="warning", over="day",
        when="value > threshold", value="structure_backup_hours",
        threshold="structure_backup_interval_hours(restart_seconds_wanted, mean(log_mb_per_second),"
        " log_read_rate_mb_per_second)",
        advice="Structures are backed up every {value:.1f} hours. Replaying the log of this queue manager within"
        " {restart_seconds_wanted:,.0f} s needs a backup every {threshold:.1f} hours.",
        fact="R-REC-11, R-REC-16", lines="L2714-L2741",
        fires=(
            {
                "structure_backup_hours": 24, "log_mb_per_second": 112.0, "restart_seconds_wanted": 1740,
                "log_read_rate_mb_per_second": 450,
            },
        ),
        quiet=(
            {
                "structure_backup_hours": 1, "log_mb_per_second": 2.27, "restart_seconds_wanted": 1740,
                "log_read_rate_mb_per_second": 450,
            },
        ),
    ),
    Rule(
        id="checkpoint-io-long", subject="site", severity="info",
        when="value > threshold",
        value="deferred_write_seconds(checkpoint_page_bytes(log_dataset_mb * 1048576, log_bytes_per_message_typical),"
        " page_set_write_mb_per_second)",
        threshold=15, derived=True,
        advice="A checkpoint may have to write for {value:.0f} s, as small messages fill more pages than log."
        " Persistent work is slower in that time; zHPF shortens it.",
        fact="R-BP-11, R-BP-12", lines="L1132-L1154",
        fires={"log_dataset_mb": 4096, "log_bytes_per_message_typical": 1057, "page_set_write_mb_per_second": 100},
        quiet={"log_dataset_mb": 1000, "log_bytes_per_message_typical": 1057, "page_set_write_mb_per_second": 600},
    ),
    Rule(
        id="log-add-queue-manager", subject="log", severity="info", over="day",
        when="value > threshold", value="share(log_writer_busy_pct > 90)", threshold=0.5, derived=True,
        advice="In {100 * value:.0f} % of the day's intervals the log writer was over 90 % busy. Another queue"
        " manager in the queue-sharing group brings another log.",
        fact="R-34, R-37, R-LG-11", lines="L3566-L3571, L3610-L3620, L7868",
        fires=({"log_writer_busy_pct": 95}, {"log_writer_busy_pct": 99}, {"log_writer_busy_pct": 20}),
        quiet=({"log_writer_busy_pct": 95}, {"log_writer_busy_pct": 9}, {"log_writer_busy_pct": 20}),
    ),
    Rule(
        id="log-archiving-cost", subject="log", severity="info",
        when="log_pages_offloaded > 0 and log_writer_busy_pct > threshold", value="log_writer_busy_pct", threshold=90,
        advice="The log writer is {value:.0f} % busy while archiving runs. Archiving took up to 12 % of throughput"
        " where it was measured, more for 4 MB messages; separate its paths and disks.",
        fact="R-LG-12, R-142b", lines="L5820, L7888", derived=True,
        fires={"log_pages_offloaded": 100000, "log_writer_busy_pct": 96.0},
        quiet={"log_pages_offloaded": 0, "log_writer_busy_pct": 96.0},
    ),
)
