"""Questions about log devices, zHyperLink, encryption, compression, SMF, and other machines."""

from __future__ import annotations

from libremq.pipeline.questions.question import Question, Rows

QUESTIONS = (
    Question(
        id="log-ceiling",
        source="2/32",
        lines="L4985-L5003, L5600-L5606",
        text="Is the log my bottleneck, and what is its ceiling?",
        measured={"log_mb_per_second_peak": "log: highest(log_mb_per_second)"},
        figures={
            "devices at most, MB/s": "log_mb_per_second_max",
            "to plan with, MB/s": "log_device_mb_per_second_planned(log_mb_per_second_max)",
            "peak so far, percent of the most": "100 * log_mb_per_second_peak / log_mb_per_second_max",
        },
        rules=(
            "log-rate-over-plan",
            "log-rate-at-limit",
            "log-writer-saturated",
            "log-rate-growing",
            "log-add-queue-manager",
        ),
        rows=Rows(
            "log",
            (
                "qmgr",
                "interval_start",
                "log_mb_per_second",
                "log_writer_busy_pct",
                "log_io_busy_pct",
                "copy1_average_io_us",
            ),
            "log_writer_busy_pct",
        ),
    ),
    Question(
        id="single-striped-zhpf",
        source="2/33",
        lines="L5007-L5047",
        text="One copy or two, stripes or not, zHPF?",
        figures={
            "one copy where disks are the limit, MB/s": "single_log_mb_per_second_constrained(log_mb_per_second_max)",
            "striped, MB/s": "striped_log_mb_per_second_max(log_mb_per_second_max, message_bytes_typical)",
        },
        rules=("log-dual-at-limit", "log-stripes-would-help", "log-stripes-without-use", "zhpf-off"),
    ),
    Question(
        id="active-logs-full-before-archived",
        source="2/34",
        lines="L5013",
        text="Will the active logs be full before they are archived?",
        measured={"log_mb_per_second_peak": "log: highest(log_mb_per_second)"},
        figures={
            "minutes at the peak": (
                "active_logs_full_seconds(active_logs * log_dataset_mb, log_mb_per_second_peak,"
                " archive_mb_per_second) / 60"
            ),
        },
        rules=("log-active-logs-exhausted", "log-archiving-slower-than-filling", "log-archiving-cost"),
    ),
    Question(
        id="io-of-a-megabyte",
        source="2/35",
        lines="L5691-L5697, L5781-L5787",
        text="How much I/O does a megabyte of messages really cause?",
        figures={"MB written": "written_mb_per_logged_mb(log_copies_defined, archive_copies, mirrored)"},
        rules=("log-write-amplification",),
    ),
    Question(
        id="control-unit-saturated",
        source="2/36",
        lines="L5202-L5236, L5761",
        text="Is a control unit saturated?",
        rules=("control-unit-cache-saturated", "log-copies-skewed", "control-unit-paths-few"),
        figures={
            "writes past the cache, percent": (
                "cache_bypass_pct(cache_bypass_writes_per_second, control_unit_ios_per_second)"
            ),
        },
    ),
    Question(
        id="compress-archives",
        source="2/37",
        lines="L5121-L5148, L5186-L5196",
        text="Should archives be compressed, and what becomes of recovery?",
        figures={
            "more log at the peak, percent": "compressed_archive_gain_pct_max(message_bytes_typical / 1024)",
            "more queue manager processor time, percent": (
                "compressed_archive_tcb_pct_max(message_bytes_typical / 1024)"
            ),
            "recovery from compressed archives, s": "log_read_seconds(recovery_mb, 'compressed archive')",
            "recovery from plain archives, s": "log_read_seconds(recovery_mb, 'archive')",
            "recovery from active logs, s": "log_read_seconds(recovery_mb, 'active')",
        },
        rules=("archive-compression-not-in-effect", "archive-compression-slows-recovery", "zedc-processor-busy"),
    ),
    Question(
        id="accounting-data-missing",
        source="2/38",
        lines="L5242-L5254",
        text="Why is accounting data missing?",
        rules=("trace-data-lost", "accounting-into-data-sets", "accounting-incomplete-by-queue", "statistics-off"),
        known=(
            "With data sets losses are told in the queue manager's job log, with log streams only in the system log.",
        ),
    ),
    Question(
        id="encryption-cost",
        source="2/39",
        lines="L5331-L5447, L5504-L5525",
        text="What does encrypting data sets cost?",
        measured={"logged_mb": "log: sum(log_bytes) / 1048576"},
        figures={
            "log, us": "log_encryption_us(logged_mb, log_copies_defined, archive_copies)",
            "a shared persistent message, us": (
                "shared_persistent_encryption_us(message_bytes_typical, put_get_log_bytes(message_bytes_typical))"
            ),
        },
        rules=(
            "log-encryption-cost",
            "page-set-encryption-cost",
            "smds-encryption-cost",
            "log-encrypted-too-early",
            "page-set-encrypted-too-early",
            "smds-encrypted-too-early",
        ),
    ),
    Question(
        id="immediate-writes",
        source="2/40",
        lines="L5376-L5392, L5534-L5538",
        text="Are buffer pools so small that pages are written at once?",
        rules=("page-set-immediate-writes", "page-set-larger-pool-would-help", "pool-synchronous-write-limit"),
        rows=Rows(
            "page_set",
            ("qmgr", "interval_start", "page_set", "immediate_write_pages", "deferred_write_pages", "checkpoint_pages"),
            "immediate_write_pages",
        ),
    ),
    Question(
        id="replication-and-fast-links",
        source="2/41",
        lines="L5550-L5822, L5830-L5983",
        text="What does mirroring cost, and do zHyperWrite or zHyperLink pay?",
        figures={
            "mirrored log with zHyperWrite at most, MB/s": "zhyperwrite_log_mb_per_second_max(log_mb_per_second_max)",
            "with zHyperLink at most, MB/s": "zhyperlink_log_mb_per_second_max(log_mb_per_second_max)",
            "cost of the whole load with zHyperLink, times": "zhyperlink_cost_factor(persistent_share)",
        },
        rules=(
            "log-zhyperwrite-not-enabled",
            "log-zhyperlink-capable-not-enabled",
            "zhyperlink-without-zhyperwrite",
            "zhyperlink-processor-short",
            "zhyperlink-without-persistent-load",
        ),
    ),
    Question(
        id="zhyperlink-fits",
        source="3/9",
        lines="L6268-L6379, L6602-L6677",
        text="Will zHyperLink fit: sessions, paths, processor, cable?",
        figures={
            "write sessions": "zhyperlink_write_sessions(log_copies_defined, log_stripes, mirrored)",
            "path use, percent each": (
                "zhyperlink_link_busy_pct(sync_writes_per_second, zhyperlink_response_ms, zhyperlink_links)"
            ),
            "one page over this cable, us": "zhyperlink_single_page_us(zhyperlink_cable_m)",
            "sixteen pages over this cable, us": "zhyperlink_sixteen_pages_us(zhyperlink_cable_m)",
        },
        rules=(
            "zhyperlink-sessions-over-limit",
            "log-zhyperlink-links-busy",
            "zhyperlink-cable-long",
            "zhyperlink-cable-too-long",
            "zhyperlink-processor-short",
        ),
    ),
    Question(
        id="zhyperlink-synchronous",
        source="3/10",
        lines="L6073-L6103, L6221-L6252",
        text="Does zHyperLink really write synchronously?",
        rules=("log-zhyperlink-not-synchronous", "log-zhyperlink-switch-writes", "log-writer-spins"),
        rows=Rows(
            "log",
            (
                "qmgr",
                "interval_start",
                "zhyperlink_single_page_requests",
                "zhyperlink_multi_page_requests",
                "zhyperlink_success_pct",
                "log_writer_busy_pct",
            ),
            "zhyperlink_single_page_requests + zhyperlink_multi_page_requests",
        ),
    ),
    Question(
        id="stripe-with-zhyperlink",
        source="3/11",
        lines="L6498, L6675",
        text="Should logs be striped with zHyperLink?",
        figures={"KB of a stripe in one write": "zhyperlink_stripe_kb(log_stripes)"},
        rules=("zhyperlink-stripes-reconsider",),
        known=(
            "Measured peaks in MB/s: single 614, single with four stripes 976, dual 566, dual with four stripes 519.",
        ),
    ),
    Question(
        id="cost-on-another-machine",
        source="3/23",
        lines="L8705-L8731",
        text="What will this cost on another machine?",
        figures={
            "us on the other machine": (
                "cost_us_on_target(measured_us, measured_itr, measured_processors, target_itr, target_processors)"
            ),
            "use of the processors, percent": "cpu_busy_pct(cost_ms_per_second, processors)",
        },
        rules=("machine-processor-short", "machine-lpar-spans-chips"),
        known=("Costs carry over by LSPR ratios (average column), throughput does not.",),
    ),
    Question(
        id="slow-network-hardware",
        source="2/42",
        lines="L5072-L5088",
        text="Is the slowness in the network hardware?",
        figures={"segments sent again, percent": "retransmitted_pct(retransmitted_segments, sent_segments)"},
        rules=("network-retransmissions", "network-paths-shared"),
        known=("Keep baselines; change one thing at a time; try the other direction and another pair of systems.",),
    ),
)
