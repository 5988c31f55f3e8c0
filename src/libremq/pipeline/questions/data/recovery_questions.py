"""Questions about backup, restart and recovery."""

from __future__ import annotations

from libremq.pipeline.questions.data.shown_questions import CHECKPOINTS, LOG_PEAKS, LOG_READS, PAGE_SETS
from libremq.pipeline.questions.question import Figure, Question, Rows

QUESTIONS = (
    Question(
        id="page-set-backup-interval",
        source="1/Q-18",
        lines="L916-L944, L1158-L1213",
        text="How often should I back up page sets?",
        figures=(
            Figure(
                "by the speed of reading the log",
                "page_set_backup_interval_hours(restart_seconds_wanted, log_mb_per_hour_typical,"
                " log_read_rate_mb_per_second)",
            ),
            Figure(
                "with what active logs hold",
                "effective_backup_interval_hours(restart_seconds_wanted, log_mb_per_hour_typical,"
                " active_logs * log_dataset_mb, log_read_rate_mb_per_second)",
            ),
            Figure(
                "in days of the application",
                "days_between_backups(effective_backup_interval_hours(restart_seconds_wanted,"
                " log_mb_per_hour_typical, active_logs * log_dataset_mb, log_read_rate_mb_per_second), hours_per_day)",
            ),
            Figure("time of restoring the page set", "page_set_restore_seconds(page_set_gb_largest * 1073741824)"),
            Figure(
                "outage in all: reaction, restore, restart",
                "total_recovery_seconds(reaction_seconds, page_set_restore_seconds(page_set_gb_largest * 1073741824),"
                " restart_seconds_wanted)",
            ),
        ),
        rules=(
            "page-set-backup-too-rare",
            "page-set-backup-in-days",
            "log-backup-interval-too-long",
            "page-set-image-copies-single",
            "recovery-target-missed",
        ),
        rows=(PAGE_SETS,),
        known=("Page set 0 always, and all with persistent messages, every few hours rather than days.",),
    ),
    Question(
        id="structure-backup-interval",
        source="1/Q-19",
        lines="L2706-L2743",
        text="How often should I back up CF structures?",
        figures=(
            Figure(
                "between backups",
                "structure_backup_interval_hours(restart_seconds_wanted, log_mb_per_second_peak)",
            ),
            Figure("log replayed in that time", "log_gb_replayed(restart_seconds_wanted)"),
            Figure("restoring the messages of the backup", "structure_restore_seconds(messages_max)"),
        ),
        rules=("log-structure-backup-interval-too-long", "active-log-recovery-not-covered"),
        rows=(LOG_PEAKS,),
        known=(
            "The busiest log of the group decides, as all are read side by side, backwards at about 450 MB/s from"
            " active logs. Where logs are written no faster than that, back up at least as often as recovery may"
            " last.",
        ),
    ),
    Question(
        id="restart-time",
        source="1/Q-24",
        lines="L1221-L1556",
        text="How long does a restart after a failure take?",
        figures=(
            Figure("reading from the last checkpoint", "restart_phase_2_seconds(failure_rba, checkpoint_rba)"),
            Figure(
                "forward recovery of pages, at worst",
                "forward_recovery_seconds(forward_recovery_pages_max(checkpoint_rba, failure_rba))",
            ),
            Figure("backing out from the oldest unit of work", "restart_phase_4_seconds(failure_rba, oldest_unit_rba)"),
            Figure(
                "all of these, at worst",
                "restart_seconds(restart_phase_2_seconds(failure_rba, checkpoint_rba),"
                " forward_recovery_seconds(forward_recovery_pages_max(checkpoint_rba, failure_rba)),"
                " restart_phase_4_seconds(failure_rba, oldest_unit_rba))",
            ),
            Figure(
                "by LOGLOAD",
                "restart_seconds_by_transactions(transactions_per_checkpoint(logload,"
                " log_writes_per_transaction_typical))",
            ),
        ),
        rules=("restart-longer-than-wanted", "index-rebuild-holds-restart", "long-unit-of-work"),
        rows=(CHECKPOINTS,),
        known=(
            "These are orders of magnitude; devices, tapes and units of work decide. Messages show log"
            " addresses in hexadecimal: give them with 0x before.",
        ),
    ),
    Question(
        id="recovery-finished-when",
        source="1/Q-25",
        lines="L1579-L1613",
        text="When will the running recovery be finished?",
        figures=(
            Figure(
                "time left",
                "recovery_seconds_left(earlier_progress_rba, later_progress_rba, seconds_between, range_end_rba)",
            ),
            Figure(
                "speed so far",
                "recovery_bytes_per_second(earlier_progress_rba, later_progress_rba, seconds_between) / 1048576",
                "MB/s",
            ),
        ),
        known=(
            "Take two messages CSQR031I with the range of CSQR030I (forward), or CSQR033I with that of CSQR032I"
            " (backward); they come every two minutes. Archives that have to be mounted or recalled add to it.",
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
            "log-tape-contention",
            "index-rebuild-holds-restart",
        ),
        rows=(
            LOG_READS,
            Rows(
                "channel",
                ("batch_interval_ms = highest(batch_interval_ms)", "persistent_messages"),
                "highest(batch_interval_ms)",
                by=("qmgr", "channel", "channel_type"),
            ),
        ),
        known=(
            "CSQR007I lists the units of work: old addresses are what makes it long, mostly batches held open or gets"
            " that wait inside syncpoint. A page set defined anew is recovered from the very first log record.",
        ),
    ),
    Question(
        id="logload",
        source="1/Q-27",
        lines="L1751-L1859",
        text="What should LOGLOAD be?",
        figures=(
            Figure(
                "transactions between checkpoints",
                "transactions_per_checkpoint(logload, log_writes_per_transaction_typical)",
            ),
            Figure(
                "restart with it",
                "restart_seconds_by_transactions(transactions_per_checkpoint(logload,"
                " log_writes_per_transaction_typical))",
            ),
            Figure("log records between checkpoints, measured", "requests_per_checkpoint", "log records"),
        ),
        rules=(
            "logload-invalid",
            "logload-low",
            "logload-high-for-replication",
            "logload-low-for-large-messages",
            "log-checkpoints-often",
            "restart-longer-than-wanted",
        ),
        rows=(CHECKPOINTS,),
        known=(
            "4 to 16 million for cost and throughput; less only for a short restart, or about 100,000 for replication"
            " over several ordered channels.",
        ),
    ),
    Question(
        id="utilities-on-big-queues",
        source="1/Q-28",
        lines="L1861-L1884",
        text="Can I run COPY or EMPTY on large queues?",
        figures=(Figure("commits on the way", "utility_commits(utility_messages, maxumsgs)"),),
        rules=("utility-job-too-large", "maxumsgs-raised"),
        known=("The job commits every MAXUMSGS messages. Do not raise it for one job: LOAD and MOVE are cheaper.",),
    ),
    Question(
        id="page-set-utility-times",
        source="1/Q-29",
        lines="L1886-L1957",
        text="How long do FORMAT, COPYPAGE and RESETPAGE take?",
        figures=(
            Figure("FORMAT", "format_seconds(page_set_gb_largest)"),
            Figure("COPYPAGE", "copypage_seconds(page_set_gb_largest)"),
            Figure("RESETPAGE", "resetpage_seconds(page_set_gb_largest)"),
            Figure("RESETPAGE FORCE", "resetpage_force_seconds(page_set_gb_largest)"),
            Figure("FORMAT, processor", "format_cpu_seconds(page_set_gb_largest)"),
            Figure("COPYPAGE, processor", "copypage_cpu_seconds(page_set_gb_largest)"),
            Figure("RESETPAGE, processor", "resetpage_cpu_seconds(page_set_gb_largest)"),
        ),
        rules=("resetpage-force",),
        rows=(PAGE_SETS,),
        known=("zHPF takes a third off FORMAT and RESETPAGE FORCE. Run several page sets as jobs side by side.",),
    ),
    Question(
        id="recovery-from-active-or-archive",
        source="1/Q-54",
        lines="L1184-L1188, L2733, L2753",
        text="Does recovery read active logs or archives?",
        figures=(
            Figure("time active logs hold", "active_log_hours(active_logs, log_dataset_mb, log_mb_per_hour_typical)"),
            Figure("recovery from active logs", "log_read_seconds(recovery_mb, 'active')"),
            Figure("recovery from archives", "log_read_seconds(recovery_mb, 'archive')"),
            Figure("logs that only archives hold", "archive_only_logs(maxarch, active_logs)"),
        ),
        rules=("active-log-recovery-not-covered", "log-archive-reads", "log-active-logs-hold-less-than-a-day"),
        rows=(LOG_READS,),
        known=("Active logs come before archive copies of the same range; what is older comes from archives.",),
    ),
    Question(
        id="large-messages-hurt",
        source="1/Q-55",
        lines="L1739-L1749",
        text="Do very large messages hurt the others?",
        figures=(
            Figure("pages of the longest message", "pages_per_message(message_bytes_longest)"),
            Figure("log of the longest message", "put_get_log_bytes(message_bytes_longest)"),
            Figure("BATCHSZ for it", "batchsz_for_message_bytes(message_bytes_longest)"),
        ),
        rules=(
            "large-messages-many-senders",
            "channel-large-messages-concurrent",
            "channel-large-messages-in-batches",
            "outbuff-below-maximum-for-large-messages",
            "pool-synchronous-write-limit",
        ),
        rows=(
            Rows(
                "queue",
                ("longest_bytes = highest(message_bytes_max)", "messages_put", "bytes_put"),
                "highest(message_bytes_max)",
                by=("qmgr", "queue"),
            ),
        ),
        known=(
            "Yes: page set I/O, synchronous writes, log waits and storage. About 15 channels may send 100 MB at once.",
        ),
    ),
    Question(
        id="restart-stage",
        source="1/Q-56",
        lines="L1705-L1733, L1842-L1847",
        text="Which stage of the restart took the time?",
        figures=(
            Figure(
                "log, for the transactions since the checkpoint",
                "log_processing_seconds(transactions_since_checkpoint)",
            ),
            Figure("objects", "object_processing_seconds(objects_defined)"),
        ),
        known=(
            "Start to CSQR001I: modules are loaded, about 7 s. To CSQR002I: the log is worked off and, as measured,"
            " objects are read. To CSQY022I: initialisation ends. To CSQ9022I: the commands of CSQINP2 run.",
            "The times stand in the job log; no SMF record has them.",
        ),
    ),
    Question(
        id="logs-recovery-asks-for",
        source="1/Q-57",
        lines="L1332-L1338, L1468",
        text="Which logs will recovery ask for?",
        figures=(
            Figure("reading one unit of work", "unit_of_work_read_seconds(data_set_start_rba, unit_end_rba)"),
            Figure(
                "log from the oldest unit of work on",
                "(failure_rba - oldest_unit_rba) / 1048576",
                "MB",
            ),
        ),
        rules=("long-unit-of-work", "log-archive-reads"),
        known=(
            "Those that hold the range from the lowest page set address of the checkpoint to the failure, and the"
            " range of each unit of work in doubt or in commit; for backing out all from the earliest in-flight unit.",
            "Active logs come before archive copies of the same range; each is read from its start. Compare the"
            " addresses of CSQR007I and CSQI049I with the ranges that CSQJU004 prints.",
        ),
    ),
    Question(
        id="page-set-restored",
        source="1/Q-58",
        lines="L1566",
        text="Was a page set restored from a backup?",
        rules=("page-set-redefined-empty",),
        known=(
            "CSQI049I shows for each page set its media and its checkpoint address: if they differ, a backup was put"
            " in its place. No SMF record tells it.",
        ),
    ),
    Question(
        id="admin-only-queue-manager",
        source="1/Q-62",
        lines="L2764-L2768",
        text="Do I need a queue manager for administration alone?",
        figures=(
            Figure("log of a round of backups", "structure_backup_mb_total", "MB"),
            Figure("time of that round", "structure_backup_seconds(structure_backup_mb_total)"),
            Figure(
                "log rate left beside the peak",
                "log_mb_per_second_max - log_mb_per_second_peak",
                "MB/s",
            ),
        ),
        rules=("structure-backup-log-use", "log-rate-over-plan"),
        rows=(LOG_PEAKS,),
        known=("One that runs no applications may back up structures without slowing anybody's log.",),
    ),
    Question(
        id="transactions-between-checkpoints",
        source="1/Q-63",
        lines="L1722",
        text="How many transactions run between two checkpoints?",
        figures=(
            Figure("by LOGLOAD", "transactions_per_checkpoint(logload, log_writes_per_transaction_typical)"),
            Figure(
                "as measured",
                "transactions_per_checkpoint(requests_per_checkpoint, log_writes_per_transaction_typical)",
            ),
        ),
        rules=("log-checkpoints-often",),
        rows=(CHECKPOINTS,),
        known=("A checkpoint comes after LOGLOAD log records, and whenever the log switches to another data set.",),
    ),
)
