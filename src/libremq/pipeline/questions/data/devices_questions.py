"""Questions about log devices, mirrors, zHyperLink, encryption, compressed archives, and the loss of SMF data."""

from __future__ import annotations

from libremq.pipeline.questions.data.shown_questions import LOG_PEAKS, LOG_WRITES
from libremq.pipeline.questions.question import Figure, Question, Rows

QUESTIONS = (
    Question(
        id="log-ceiling",
        source="2/32",
        lines="L4985-L5003, L5600-L5606",
        text="Is the log my bottleneck, and what is its ceiling?",
        figures=(
            Figure(
                "measured elsewhere on such devices, two copies",
                "log_device_mb_per_second_max(log_device, message_bytes_typical / 1024)",
            ),
            Figure("rate to plan with", "log_device_mb_per_second_planned(log_mb_per_second_max)"),
            Figure(
                "peak so far against the most",
                "100 * log_mb_per_second_peak / log_mb_per_second_max",
                "percent",
            ),
        ),
        rules=(
            "log-rate-over-plan",
            "log-rate-at-limit",
            "log-writer-saturated",
            "log-rate-growing",
            "log-add-queue-manager",
        ),
        rows=(LOG_PEAKS,),
        known=("A log writer near 100 % busy, nearly all of it in I/O, has reached its ceiling; plan for half.",),
    ),
    Question(
        id="single-striped-zhpf",
        source="2/33",
        lines="L5007-L5047",
        text="One copy or two, stripes or not, zHPF?",
        figures=(
            Figure(
                "one copy, at best",
                "single_log_mb_per_second_max(log_mb_per_second_max, message_bytes_typical / 1024)",
            ),
            Figure(
                "one copy where disks are the limit, at best",
                "single_log_mb_per_second_constrained(log_mb_per_second_max)",
            ),
            Figure("striped, at best", "striped_log_mb_per_second_max(log_mb_per_second_max, message_bytes_typical)"),
            Figure("with zHPF, at best", "zhpf_log_mb_per_second_max(log_mb_per_second_max, zhpf_bound)"),
        ),
        rules=("log-dual-at-limit", "log-stripes-would-help", "log-stripes-without-use", "zhpf-off"),
        rows=(LOG_WRITES,),
        known=(
            "One copy is a single point of failure. Stripes help from 64 KB on, and archiving must keep up with the"
            " higher rate.",
        ),
    ),
    Question(
        id="active-logs-full-before-archived",
        source="2/34",
        lines="L5013",
        text="Will the active logs be full before they are archived?",
        figures=(
            Figure(
                "time at the peak until all are full",
                "active_logs_full_seconds(active_logs * log_dataset_mb, log_mb_per_second_peak, archive_mb_per_second)",
                otherwise="never, archiving keeps up",
            ),
        ),
        rules=("log-active-logs-exhausted", "log-archiving-slower-than-filling", "log-archiving-cost"),
        rows=(
            Rows(
                "log",
                (
                    "qmgr",
                    "interval_start",
                    "log_mb_per_second",
                    "log_pages_filled",
                    "log_pages_offloaded",
                    "archive_writes",
                ),
                "log_pages_filled - log_pages_offloaded",
            ),
        ),
        known=("If archiving is as fast as logging, the active logs never fill up.",),
    ),
    Question(
        id="io-of-a-megabyte",
        source="2/35",
        lines="L5691-L5697, L5781-L5787",
        text="How much I/O does a megabyte of messages really cause?",
        figures=(
            Figure(
                "written for each MB logged", "written_mb_per_logged_mb(log_copies_defined, archive_copies, mirrored)"
            ),
            Figure(
                "written at the peak",
                "written_mb_per_second(log_mb_per_second_peak, log_copies_defined, archive_copies, mirrored)",
            ),
        ),
        rules=("log-write-amplification",),
        rows=(LOG_PEAKS,),
        known=("Active copies count twice when mirrored; archives are written besides, and read once.",),
    ),
    Question(
        id="control-unit-saturated",
        source="2/36",
        lines="L5202-L5236, L5761",
        text="Is a control unit saturated?",
        figures=(
            Figure(
                "writes past the cache",
                "cache_bypass_pct(cache_bypass_writes_per_second, control_unit_ios_per_second)",
            ),
        ),
        rules=("control-unit-cache-saturated", "log-copies-skewed", "control-unit-paths-few"),
        rows=(LOG_WRITES,),
        known=(
            "RMF's cache report tells it: more than 1 % of writes past the nonvolatile storage (DFWBP) is too many. In"
            " SMF it shows as one log copy that is slower than the other.",
        ),
    ),
    Question(
        id="compress-archives",
        source="2/37",
        lines="L5121-L5148, L5186-L5196",
        text="Should archives be compressed, and what becomes of recovery?",
        figures=(
            Figure(
                "more log at the peak, at best",
                "compressed_archive_gain_pct_max(message_bytes_typical / 1024)",
            ),
            Figure(
                "more processor time of the queue manager, at worst",
                "compressed_archive_tcb_pct_max(message_bytes_typical / 1024)",
            ),
            Figure("recovery from compressed archives", "log_read_seconds(recovery_mb, 'compressed archive')"),
            Figure("recovery from plain archives", "log_read_seconds(recovery_mb, 'archive')"),
            Figure("recovery from active logs", "log_read_seconds(recovery_mb, 'active')"),
            Figure(
                "processor time of reading compressed archives",
                "log_read_cpu_seconds(recovery_mb, 'compressed archive')",
            ),
        ),
        rules=("archive-compression-not-in-effect", "archive-compression-slows-recovery", "zedc-processor-busy"),
        known=("Compression relieves disks and space; let recovery find what it needs in active logs.",),
    ),
    Question(
        id="accounting-data-missing",
        source="2/38",
        lines="L5242-L5254",
        text="Why is accounting data missing?",
        figures=(
            Figure("records with log streams", "smf_records_per_second_max(smf_records_per_second, 'log streams')"),
            Figure(
                "records with compressed log streams",
                "smf_records_per_second_max(smf_records_per_second, 'compressed log streams')",
            ),
        ),
        rules=("trace-data-lost", "accounting-into-data-sets", "accounting-incomplete-by-queue", "statistics-off"),
        rows=(
            Rows(
                "task_accounting",
                ("records = count()", "intervals = distinct(interval_start)", "tasks = distinct(task)"),
                "count()",
                by=("qmgr", "application_type"),
            ),
        ),
        known=(
            "With data sets losses are told in the queue manager's job log, with log streams only in the system log;"
            " the records themselves do not tell of others that were lost.",
        ),
    ),
    Question(
        id="encryption-cost",
        source="2/39",
        lines="L5331-L5447, L5504-L5525",
        text="What does encrypting data sets cost?",
        figures=(
            Figure(
                "log as written here",
                "log_encryption_us(log_bytes_logged / 1048576, log_copies_defined, archive_copies) / 1000000",
                "CPU seconds",
            ),
            Figure(
                "put to a shared message data set",
                "smds_put_encryption_us(smds_pages_per_message(message_bytes_typical))",
            ),
            Figure(
                "persistent shared message, all data sets",
                "shared_persistent_encryption_us(message_bytes_typical, put_get_log_bytes(message_bytes_typical))",
            ),
        ),
        rules=(
            "log-encryption-cost",
            "page-set-encryption-cost",
            "smds-encryption-cost",
            "log-encrypted-too-early",
            "page-set-encrypted-too-early",
            "smds-encrypted-too-early",
        ),
        rows=(
            Rows(
                "page_set",
                (
                    "read_pages",
                    "immediate_write_pages",
                    "written_pages = sum(deferred_write_pages)",
                    "encryption_cpu_seconds = page_set_encryption_us(sum(read_pages), sum(immediate_write_pages),"
                    " sum(deferred_write_pages)) / 1000000",
                ),
                "sum(read_pages) + sum(immediate_write_pages) + sum(deferred_write_pages)",
                by=("qmgr", "page_set"),
            ),
        ),
        known=("Measured on z14 and z15; older machines pay more. A pool as large as its page set writes less.",),
    ),
    Question(
        id="immediate-writes",
        source="2/40",
        lines="L5376-L5392, L5534-L5538",
        text="Are buffer pools so small that pages are written at once?",
        figures=(Figure("buffers that hold the whole page set", "oversized_pool_pages(page_set_pages_largest)"),),
        rules=("page-set-immediate-writes", "page-set-larger-pool-would-help", "pool-synchronous-write-limit"),
        rows=(
            Rows(
                "page_set",
                ("immediate_write_pages", "deferred_write_pages", "checkpoint_pages", "read_pages"),
                "sum(immediate_write_pages)",
                by=("qmgr", "page_set", "buffer_pool"),
            ),
        ),
        known=("Any immediate write means the pool was 95 % full or more.",),
    ),
    Question(
        id="replication-and-fast-links",
        source="2/41",
        lines="L5550-L5822, L5830-L5983",
        text="What does mirroring cost, and do zHyperWrite or zHyperLink pay?",
        figures=(
            Figure(
                "mirrored log with zHyperWrite",
                "zhyperwrite_log_mb_per_second(log_mb_per_second_max, message_bytes_typical / 1024)",
            ),
            Figure(
                "mirrored log with zHyperWrite, at best", "zhyperwrite_log_mb_per_second_max(log_mb_per_second_max)"
            ),
            Figure("log with zHyperLink, at best", "zhyperlink_log_mb_per_second_max(log_mb_per_second_max)"),
            Figure("cost of the whole load with zHyperLink", "zhyperlink_cost_factor(persistent_share)"),
            Figure("queue manager, mirrored by PPRC", "mirrored_log_cpu_us_per_mb('PPRC')"),
            Figure("queue manager, with zHyperWrite", "mirrored_log_cpu_us_per_mb('zHyperWrite')"),
        ),
        rules=(
            "log-zhyperwrite-not-enabled",
            "log-zhyperlink-capable-not-enabled",
            "zhyperlink-without-zhyperwrite",
            "zhyperlink-processor-short",
            "zhyperlink-without-persistent-load",
        ),
        rows=(LOG_WRITES,),
        known=(
            "zHyperWrite shortens commits by up to 60 % for 8 to 25 % more queue manager time. zHyperLink is faster"
            " still, and its processor waits through every write.",
        ),
    ),
    Question(
        id="zhyperlink-fits",
        source="3/9",
        lines="L6268-L6379, L6602-L6677",
        text="Will zHyperLink fit: sessions, paths, processor, cable?",
        figures=(
            Figure("write sessions", "zhyperlink_write_sessions(log_copies_defined, log_stripes, mirrored)"),
            Figure(
                "use of each path",
                "zhyperlink_link_busy_pct(sync_writes_per_second, zhyperlink_response_ms, zhyperlink_links)",
            ),
            Figure(
                "processor that waits",
                "zhyperlink_links_busy_pct(sync_writes_per_second, zhyperlink_response_ms)",
            ),
            Figure("one page over this cable", "zhyperlink_single_page_us(zhyperlink_cable_m)"),
            Figure("sixteen pages over this cable", "zhyperlink_sixteen_pages_us(zhyperlink_cable_m)"),
        ),
        rules=(
            "zhyperlink-sessions-over-limit",
            "log-zhyperlink-links-busy",
            "zhyperlink-cable-long",
            "zhyperlink-cable-too-long",
            "zhyperlink-processor-short",
        ),
        known=(
            "A control unit has 64 write sessions, one for each stripe of each copy; without one the log silently"
            " writes the old way. A microsecond of I/O is a microsecond of processor.",
        ),
    ),
    Question(
        id="zhyperlink-synchronous",
        source="3/10",
        lines="L6073-L6103, L6221-L6252",
        text="Does zHyperLink really write synchronously?",
        rules=("log-zhyperlink-not-synchronous", "log-zhyperlink-switch-writes", "log-writer-spins"),
        rows=(
            Rows(
                "log",
                (
                    "requests = sum(zhyperlink_single_page_requests + zhyperlink_multi_page_requests)",
                    "synchronous = sum(zhyperlink_single_page_writes + zhyperlink_multi_page_writes)",
                    "asynchronous = sum(zhyperlink_single_page_asynchronous + zhyperlink_multi_page_asynchronous)",
                    "at_log_switch = sum(zhyperlink_single_page_switched + zhyperlink_multi_page_switched)",
                    "lowest_success_pct = lowest(zhyperlink_success_pct)",
                    "writer_busy_pct_high = highest(log_writer_busy_pct)",
                ),
                "sum(zhyperlink_single_page_requests + zhyperlink_multi_page_requests)",
                by=("qmgr",),
            ),
        ),
        known=(
            "D SMS,DSNAME(...),STATS(ZHLWRITE) and D IOS,ZHYPERLINK,LINK=ALL,DETAIL tell why a write was not: no"
            " session, timeout, or a busy path. A few at each switch to another log are normal.",
        ),
    ),
    Question(
        id="stripe-with-zhyperlink",
        source="3/11",
        lines="L6498, L6675",
        text="Should logs be striped with zHyperLink?",
        figures=(
            Figure("of a stripe in one write", "zhyperlink_stripe_kb(log_stripes)"),
            Figure("two copies, unstriped, highest measured", "zhyperlink_log_peak_mb_per_second('dual')"),
            Figure(
                "two copies, four stripes, highest measured", "zhyperlink_log_peak_mb_per_second('dual, 4 stripes')"
            ),
            Figure("one copy, unstriped, highest measured", "zhyperlink_log_peak_mb_per_second('single')"),
            Figure(
                "one copy, four stripes, highest measured",
                "zhyperlink_log_peak_mb_per_second('single, 4 stripes')",
            ),
        ),
        rules=("zhyperlink-stripes-reconsider",),
        rows=(LOG_PEAKS,),
        known=("One copy gains by stripes, two copies lose: reconsider them when zHyperLink is switched on.",),
    ),
)
