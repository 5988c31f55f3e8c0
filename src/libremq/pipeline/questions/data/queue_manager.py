"""Questions about page sets, buffer pools, recovery, storage and trace of a queue manager."""

from __future__ import annotations

from libremq.pipeline.questions.question import Question, Rows

_LOG_PEAK = {"log_mb_per_second_peak": "log: highest(log_mb_per_second)"}
POOL_ROWS = Rows(
    "buffer_pool",
    (
        "qmgr",
        "interval_start",
        "buffer_pool",
        "buffers",
        "stealable_lowest_pct",
        "deferred_write_starts",
        "synchronous_write_limit_hits",
        "pages_read",
        "buffers_stolen",
        "steal_contentions",
        "no_buffer_suspensions",
    ),
    "0 - stealable_lowest_pct",
)

QUESTIONS = (
    Question(
        id="messages-in-page-set",
        source="1/Q-15",
        lines="L852-L881",
        text="How many messages fit in my page set?",
        figures={
            "messages": "messages_in_page_set(page_set_gb, message_bytes_typical)",
            "messages with MAXSHORTMSGS 0": "messages_in_page_set_packed(page_set_gb, message_bytes_typical)",
            "page set for the peak, GB": "page_set_gb_for_messages(messages_max, message_bytes_typical)",
        },
        rules=("page-set-too-small-for-peak", "packing-for-capacity"),
    ),
    Question(
        id="page-set-full-at-low-depth",
        source="1/Q-16",
        lines="L946-L970",
        text="Why is my page set full when its queues are short?",
        rules=("page-set-scavenger-lags", "page-set-full"),
        rows=Rows(
            "page_set",
            ("qmgr", "interval_start", "page_set", "pages", "unused_pages", "persistent_pages", "nonpersistent_pages"),
            "used_pct",
        ),
    ),
    Question(
        id="puts-slowed-by-expansion",
        source="1/Q-17",
        lines="L889-L895",
        text="Are puts slow because a page set expands?",
        rules=("page-set-expanding", "page-set-expanded", "page-set-expanding-daily", "page-set-filling-up"),
        rows=Rows(
            "page_set",
            ("qmgr", "interval_start", "page_set", "used_pct", "expansions", "expansions_change"),
            "used_pct",
        ),
    ),
    Question(
        id="page-set-backup-interval",
        source="1/Q-18",
        lines="L916-L944, L1158-L1213",
        text="How often should I back up page sets?",
        measured={"log_mb_per_hour_mean": "log: mean(log_bytes_per_second) * 3600 / 1048576"},
        figures={
            "hours between backups, by log read speed": (
                "page_set_backup_interval_hours(restart_seconds_wanted, log_mb_per_hour_mean,"
                " log_read_rate_mb_per_second)"
            ),
            "hours between backups, active logs counted": (
                "effective_backup_interval_hours(restart_seconds_wanted, log_mb_per_hour_mean, active_logs *"
                " log_dataset_mb, log_read_rate_mb_per_second)"
            ),
        },
        rules=(
            "page-set-backup-too-rare",
            "page-set-backup-in-days",
            "log-backup-interval-too-long",
            "page-set-image-copies-single",
        ),
    ),
    Question(
        id="structure-backup-interval",
        source="1/Q-19",
        lines="L2706-L2743",
        text="How often should I back up CF structures?",
        measured=_LOG_PEAK,
        figures={
            "hours between backups": (
                "structure_backup_interval_hours(restart_seconds_wanted, log_mb_per_second_peak,"
                " log_read_rate_mb_per_second)"
            ),
            "log replayed in that time, GB": "log_gb_replayed(restart_seconds_wanted, log_read_rate_mb_per_second)",
        },
        rules=("log-structure-backup-interval-too-long", "active-log-recovery-not-covered"),
    ),
    Question(
        id="buffer-pools-to-have",
        source="1/Q-20",
        lines="L1006-L1069",
        text="Which buffer pools should I have, and how large?",
        rules=(
            "pools-more-than-four",
            "pool-below-starting-size",
            "pool-long-lived-large-before-v8",
            "pool-storage-short-of-role",
        ),
        known=(
            "Begin with four in production: 0 (system) and 2 (short-lived) with 50,000 buffers, 1 (long-lived) and 3"
            " (the rest) with 20,000; 1050 each in test.",
        ),
    ),
    Question(
        id="buffer-pool-size",
        source="1/Q-21",
        lines="L1071-L1075, L2385",
        text="Is a buffer pool too small or too large?",
        rules=(
            "pool-system-short-of-buffers",
            "pool-short-lived-short-of-buffers",
            "pool-long-lived-short-of-buffers",
            "pool-short-of-buffers",
            "pool-no-free-buffer",
            "pool-contention-for-buffers",
            "pool-synchronous-write-limit",
            "pool-half-unused",
        ),
        rows=POOL_ROWS,
    ),
    Question(
        id="buffer-pool-fixed-or-oversized",
        source="1/Q-22",
        lines="L1081-L1087, L1116-L1124",
        text="Should a buffer pool be page-fixed, or larger than its page set?",
        rules=(
            "pool-with-io-not-fixed",
            "pool-with-io-below-the-bar",
            "pool-fixed-without-storage",
            "page-set-larger-pool-would-help",
            "page-set-pool-needlessly-large",
        ),
    ),
    Question(
        id="checkpoint-io-time",
        source="1/Q-23",
        lines="L1132-L1154",
        text="How long does the I/O of a checkpoint disturb?",
        figures={
            "seconds": (
                "deferred_write_seconds(checkpoint_page_bytes(log_dataset_mb * 1048576,"
                " log_bytes_per_message_typical), page_set_write_mb_per_second)"
            ),
        },
        rules=("checkpoint-io-long", "log-checkpoints-often"),
    ),
    Question(
        id="restart-time",
        source="1/Q-24",
        lines="L1221-L1556",
        text="How long does a restart after a failure take?",
        figures={
            "reading from the last checkpoint, s": "restart_phase_2_seconds(failure_rba, checkpoint_rba)",
            "forward recovery of pages at most, s": (
                "forward_recovery_seconds(forward_recovery_pages_max(checkpoint_rba, failure_rba))"
            ),
            "backing out from the oldest unit of work, s": "restart_phase_4_seconds(failure_rba, oldest_unit_rba)",
            "by LOGLOAD, s (order of magnitude)": (
                "restart_seconds_by_transactions(transactions_per_checkpoint(logload,"
                " log_writes_per_transaction_typical))"
            ),
        },
        rules=("restart-longer-than-wanted", "index-rebuild-holds-restart"),
        known=("These are orders of magnitude; hardware, tapes and units of work decide.",),
    ),
    Question(
        id="recovery-finished-when",
        source="1/Q-25",
        lines="L1579-L1613",
        text="When will the running recovery be finished?",
        figures={
            "seconds left": (
                "recovery_seconds_left(earlier_progress_rba, later_progress_rba, seconds_between, range_end_rba)"
            ),
            "bytes a second": "recovery_bytes_per_second(earlier_progress_rba, later_progress_rba, seconds_between)",
        },
        known=(
            "Take two messages CSQR031I with the range of CSQR030I (forward), or CSQR033I with CSQR032I (backward).",
        ),
    ),
    Question(
        id="restart-long-why",
        source="1/Q-26",
        lines="L912, L1713, L1424",
        text="Why does the restart take long?",
        rules=(
            "long-unit-of-work",
            "channel-batch-interval-long",
            "waits-inside-syncpoint",
            "page-set-redefined-empty",
            "log-archive-reads",
        ),
    ),
    Question(
        id="logload",
        source="1/Q-27",
        lines="L1751-L1859",
        text="What should LOGLOAD be?",
        rules=(
            "logload-invalid",
            "logload-low",
            "logload-high-for-replication",
            "logload-low-for-large-messages",
            "log-checkpoints-often",
            "restart-longer-than-wanted",
        ),
    ),
    Question(
        id="utilities-on-big-queues",
        source="1/Q-28",
        lines="L1861-L1884",
        text="Can I run COPY or EMPTY on large queues?",
        figures={"commits on the way": "utility_commits(utility_messages, maxumsgs)"},
        rules=("utility-job-too-large", "maxumsgs-raised"),
    ),
    Question(
        id="page-set-utility-times",
        source="1/Q-29",
        lines="L1886-L1957",
        text="How long do FORMAT, COPYPAGE and RESETPAGE take?",
        figures={
            "FORMAT, s": "format_seconds(page_set_gb_largest)",
            "COPYPAGE, s": "copypage_seconds(page_set_gb_largest)",
            "RESETPAGE, s": "resetpage_seconds(page_set_gb_largest)",
            "RESETPAGE FORCE, s": "resetpage_force_seconds(page_set_gb_largest)",
        },
        rules=("resetpage-force",),
    ),
    Question(
        id="accounting-cost",
        source="1/Q-30",
        lines="L1965-L2071",
        text="What does the accounting trace cost, and how much does it store?",
        figures={
            "class 1, us a transaction": "class_1_trace_us(calls_per_transaction)",
            "class 3, us a transaction": "class_3_trace_us(calls_per_transaction)",
            "class 3, percent of the transaction": (
                "trace_overhead_pct(class_3_trace_us(calls_per_transaction), transaction_us)"
            ),
            "class 1, MB a day": "class_1_smf_mb(transactions_per_second_typical * 86400)",
            "class 3, MB a day": "class_3_smf_mb(transactions_per_second_typical * 86400, queues_per_transaction)",
            "class 3 records a transaction": "class_3_records(queues_per_transaction)",
        },
        rules=("accounting-overhead", "accounting-volume", "class-3-storage"),
    ),
    Question(
        id="trace-data-lost-why",
        source="1/Q-31",
        lines="L1973",
        text="Why is trace data lost?",
        rules=("trace-data-lost", "accounting-into-data-sets"),
    ),
    Question(
        id="global-trace",
        source="1/Q-32",
        lines="L2079-L2102",
        text="Can the global trace stay on?",
        figures={"transaction with a resident trace, us": "globally_traced_transaction_us(transaction_us)"},
        rules=("global-trace-on",),
    ),
    Question(
        id="log-waits-per-message",
        source="1/Q-33",
        lines="L2125-L2136",
        text="How often does a message wait for the log?",
        figures={
            "waits of a transaction": "log_forces(one_phase_commits, two_phase_commits, out_of_syncpoint_requests)",
            "transactions a second of one thread": (
                "log_bound_transactions_per_second(forces_per_transaction, log_write_time_us / 1000000)"
            ),
        },
        rules=("task-log-forces-per-commit", "task-log-force-slow"),
        rows=Rows(
            "task_accounting",
            ("qmgr", "task_name", "commit_calls", "log_forces", "log_forces_per_commit", "log_force_average_us"),
            "log_force_us",
        ),
    ),
    Question(
        id="one-large-or-many-small",
        source="1/Q-34",
        lines="L2140-L2144",
        text="One large message or many small ones?",
        figures={"log of a unit of work, bytes": "unit_of_work_log_bytes(message_bytes_typical, messages_per_commit)"},
        rules=("small-messages-single", "units-of-work-over-100"),
        known=("Equal bytes a commit give about equal throughput: five of 1 KB log as much as one of 10 KB.",),
    ),
    Question(
        id="index-needed",
        source="1/Q-35",
        lines="L2148-L2150",
        text="Do my queues need an index?",
        rules=("queue-specific-gets-without-index", "queue-gets-skip-messages", "queue-index-not-used"),
    ),
    Question(
        id="index-storage-and-restart",
        source="1/Q-36",
        lines="L2154-L2222, L2410",
        text="How much storage and restart time do indexes take?",
        figures={
            "storage, bytes": "index_storage_bytes(indexed_messages, indexed_queues)",
            "rebuild, s": "parallel_index_rebuild_seconds(indexed_messages, indexed_messages_deepest)",
            "processor time, s": "index_rebuild_cpu_seconds(indexed_messages)",
        },
        rules=("index-storage", "index-rebuild-holds-restart", "queue-index-rebuild-long"),
    ),
    Question(
        id="expiry-cost",
        source="1/Q-37",
        lines="L2232-L2242",
        text="What does expiry cost in the queue-sharing group?",
        figures={
            "processor time of a scan, us": "expiry_scan_cpu_us(shared_messages, shared_messages_expired)",
            "calls to the coupling facility": "expiry_scan_cf_calls(shared_messages, shared_messages_expired)",
            "its processor time, us": "expiry_scan_cf_us(shared_messages, shared_messages_expired)",
        },
        rules=("shared-expiry-scan-cost", "expryint-invalid", "expiry-off-with-expiring-messages"),
    ),
    Question(
        id="security-storage",
        source="1/Q-38",
        lines="L2317-L2323, L2389-L2392",
        text="How much storage do users take?",
        figures={
            "KB": "security_cache_kb(users, queues_per_user)",
            "of these in real storage, KB": "security_cache_real_kb(users)",
        },
        rules=("security-cache-large",),
    ),
    Question(
        id="users-discarded-when",
        source="1/Q-39",
        lines="L2284-L2298",
        text="When is a user forgotten?",
        figures={
            "minutes after the last use at most": (
                "user_discard_minutes_max(security_timeout_minutes, security_interval_minutes)"
            ),
        },
        rules=("security-users-discarded-early",),
    ),
    Question(
        id="common-and-handle-storage",
        source="1/Q-40",
        lines="L2362-L2373, L2414-L2418",
        text="How much common storage and storage for handles is needed?",
        figures={"common storage, KB": "csa_kb(connections)", "handles, KB": "handle_storage_kb(open_handles)"},
        rules=("csa-high", "handle-storage-high"),
    ),
    Question(
        id="objects-in-pool-0",
        source="1/Q-41",
        lines="L1037, L1726-L1735, L2400-L2406",
        text="How many buffers do my objects need in pool 0?",
        figures={
            "by measured use": "object_pages_by_measured_use(objects_defined)",
            "by bytes of a definition": "object_pages_by_bytes(objects_defined)",
            "two objects a page": "object_pages_by_count(objects_defined)",
        },
        rules=("pool-0-too-small-for-objects", "pool-reads-in-critical-pool"),
        known=("The three estimates differ much; the measured one is the least.",),
    ),
    Question(
        id="cluster-cache",
        source="1/Q-42",
        lines="L2439-L2443",
        text="How large is the cluster cache?",
        figures={"both copies, MB": "cluster_cache_mb(cluster_configuration_mb)"},
        rules=("cluster-cache-static-full",),
    ),
    Question(
        id="recovery-from-active-or-archive",
        source="1/Q-54",
        lines="L1184-L1188, L2733, L2753",
        text="Does recovery read active logs or archives?",
        rules=("active-log-recovery-not-covered", "log-archive-reads", "log-active-logs-hold-less-than-a-day"),
        figures={
            "from active logs, s": "log_read_seconds(recovery_mb, 'active')",
            "from archives, s": "log_read_seconds(recovery_mb, 'archive')",
        },
    ),
    Question(
        id="large-messages-hurt",
        source="1/Q-55",
        lines="L1739-L1749",
        text="Do very large messages hurt the others?",
        rules=(
            "large-messages-many-senders",
            "channel-large-messages-concurrent",
            "channel-large-messages-in-batches",
            "outbuff-below-maximum-for-large-messages",
        ),
    ),
    Question(
        id="restart-stage",
        source="1/Q-56",
        lines="L1705-L1733, L1842-L1847",
        text="Which stage of the restart took the time?",
        figures={
            "log processing for the transactions since the checkpoint, s": (
                "log_processing_seconds(transactions_since_checkpoint)"
            ),
            "object processing, s": "object_processing_seconds(objects_defined)",
        },
        known=(
            "From the start to CSQR001I modules are loaded, about 7 s. To CSQR002I the log is worked off and, as"
            " measured, objects are read. To CSQY022I initialisation ends; to CSQ9022I the commands of CSQINP2 run.",
        ),
    ),
    Question(
        id="logs-recovery-asks-for",
        source="1/Q-57",
        lines="L1332-L1338, L1468",
        text="Which logs will recovery ask for?",
        known=(
            "Those that hold the range from the lowest page set address of the checkpoint to the failure, and the"
            " ranges from start to end of each unit of work in doubt or in commit; from the earliest in-flight unit"
            " on for backing out.",
            "Active logs come before archive copies of the same range; each is read from its start.",
        ),
        figures={"reading one unit of work, s": "unit_of_work_read_seconds(data_set_start_rba, unit_end_rba)"},
    ),
    Question(
        id="page-set-restored",
        source="1/Q-58",
        lines="L1566",
        text="Was a page set restored from a backup?",
        known=("CSQI049I shows its media and checkpoint addresses; if they differ, a backup was put in its place.",),
    ),
    Question(
        id="checkpoint-pages-by-pool",
        source="1/Q-59",
        lines="L1615-L1634",
        text="How many pages did checkpoints write?",
        rows=Rows(
            "page_set",
            ("qmgr", "interval_start", "page_set", "buffer_pool", "checkpoint_pages", "deferred_write_pages"),
            "checkpoint_pages",
        ),
        known=("CSQP019I tells it by pool for each checkpoint.",),
    ),
    Question(
        id="system-queue-places",
        source="1/Q-60",
        lines="L1035-L1047, L1067-L1069",
        text="Where should each system queue live?",
        rules=(
            "queue-system-in-wrong-pool",
            "queue-application-in-pool-0",
            "reply-model-beside-sync-queue",
            "model-queues-in-system-storage-class",
            "page-set-system-used-by-applications",
        ),
        rows=Rows(
            "queue",
            ("qmgr", "queue", "page_set", "buffer_pool", "depth_high"),
            "depth_high",
            where="matches(queue, 'SYSTEM.*')",
        ),
    ),
    Question(
        id="transactions-between-checkpoints",
        source="1/Q-63",
        lines="L1722",
        text="How many transactions run between two checkpoints?",
        measured={"requests_per_checkpoint_mean": "log: mean(requests_per_checkpoint)"},
        figures={
            "by LOGLOAD": "transactions_per_checkpoint(logload, log_writes_per_transaction_typical)",
            "as measured": "requests_per_checkpoint_mean / log_writes_per_transaction_typical",
        },
    ),
)
