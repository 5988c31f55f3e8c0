"""Questions about the log: volume, rate, data sets, copies, archives."""

from __future__ import annotations

from libremq.pipeline.questions.data.shown_questions import CHANNELS, COMMITS, LOG_PEAKS, LOG_WRITES
from libremq.pipeline.questions.question import Figure, Question, Rows

QUESTIONS = (
    Question(
        id="log-per-message",
        source="1/Q-01",
        lines="L703-L759",
        text="How much log does my message take?",
        figures=(
            Figure("put to a private queue, committed alone", "local_put_committed_log_bytes(message_bytes_typical)"),
            Figure(
                "put to a private queue, as committed here",
                "local_put_committed_log_bytes(message_bytes_typical, messages_per_commit)",
            ),
            Figure(
                "get from a private queue, as committed here",
                "local_get_committed_log_bytes(message_bytes_typical, messages_per_commit)",
            ),
            Figure(
                "put to a shared queue, as committed here",
                "shared_put_committed_log_bytes(message_bytes_typical, messages_per_commit)",
            ),
            Figure(
                "get from a shared queue, as committed here",
                "shared_get_committed_log_bytes(message_bytes_typical, messages_per_commit)",
            ),
            Figure("put outside syncpoint, private queue", "local_put_log_bytes(message_bytes_typical)"),
            Figure("put and got, by the rough formula", "put_get_log_bytes(message_bytes_typical)"),
        ),
        rules=(
            "log-compression-fails",
            "calls-log-more-than-estimated",
        ),
        rows=(
            Rows(
                "queue_manager_interval",
                ("qmgr", "interval_start", "messages_put", "persistent_put_pct", "log_bytes", "log_bytes_per_message"),
                "log_bytes",
            ),
        ),
        known=(
            "Only persistent messages are logged. Measured bytes a message are of all log data, channels, checkpoints"
            " and backups included, hence above the estimate.",
        ),
    ),
    Question(
        id="log-rate-needed",
        source="1/Q-02",
        lines="L761-L774",
        text="What log rate do my transactions need?",
        figures=(
            Figure("log of one request and reply", "request_reply_log_bytes(request_bytes, reply_bytes)"),
            Figure(
                "log rate needed",
                "log_mb_per_second(request_reply_log_bytes(request_bytes, reply_bytes),"
                " transactions_per_second_typical)",
            ),
            Figure("highest log rate seen", "log_mb_per_second_peak", "MB/s"),
        ),
        rules=("log-rate-over-plan", "log-rate-at-limit"),
        rows=(LOG_PEAKS,),
        known=("The request is put and the reply got outside syncpoint; the server commits its get and put together.",),
    ),
    Question(
        id="persistent-rate-of-devices",
        source="1/Q-03",
        lines="L793-L819",
        text="How many persistent messages a second can my log devices take?",
        figures=(
            Figure("log of a message put and got", "put_get_log_bytes(message_bytes_typical)"),
            Figure(
                "messages a second at most",
                "persistent_messages_per_second_max(put_get_log_bytes(message_bytes_typical), log_mb_per_second_max)",
            ),
            Figure(
                "messages a second to plan with, half of it",
                "0.5 * persistent_messages_per_second_max(put_get_log_bytes(message_bytes_typical),"
                " log_mb_per_second_max)",
                "messages/s",
            ),
            Figure("highest persistent rate seen", "persistent_messages_per_second_peak", "messages/s"),
        ),
        rules=("calls-persistent-rate-at-log-limit", "log-rate-at-limit"),
        rows=(LOG_PEAKS,),
    ),
    Question(
        id="log-and-batch-size",
        source="1/Q-04",
        lines="L821-L828",
        text="How does the batch size of a channel change what is logged?",
        figures=(
            Figure("sending, full batches", "channel_send_log_bytes(message_bytes_typical, batchsz)"),
            Figure("sending, batches of one", "channel_send_log_bytes(message_bytes_typical, 1)"),
            Figure("receiving, full batches", "channel_receive_log_bytes(message_bytes_typical, batchsz)"),
            Figure("receiving, batches of one", "channel_receive_log_bytes(message_bytes_typical, 1)"),
        ),
        rules=("channel-batches-small",),
        rows=(CHANNELS,),
        known=(
            "What counts is the batch achieved, not BATCHSZ. A batch with nonpersistent messages only logs nothing"
            " with NPMSPEED(FAST).",
        ),
    ),
    Question(
        id="log-when-put-and-got-apart",
        source="1/Q-05",
        lines="L830-L836",
        text="When is the log written if messages are put at one time of day and got at another?",
        figures=(
            Figure("part written when putting", "put_window_log_fraction(message_bytes_typical)"),
            Figure("log of the put", "put_share_log_bytes(message_bytes_typical)"),
            Figure("log of the get", "get_share_log_bytes(message_bytes_typical)"),
        ),
        rows=(
            Rows(
                "queue_manager_interval",
                ("qmgr", "interval_start", "persistent_puts", "gets", "log_mb_per_second"),
                "log_mb_per_second",
            ),
        ),
        known=("Plan the log rate for the time of putting: nearly all log data is written then.",),
    ),
    Question(
        id="active-logs",
        source="1/Q-06",
        lines="L611-L635",
        text="How many active logs do I need, and how large?",
        figures=(
            Figure("size of a log for half an hour at the peak", "log_mb_for_fill_time(log_mb_per_second_peak)"),
            Figure(
                "time to fill a log at the peak",
                "log_fill_seconds(log_dataset_mb, log_mb_per_second_peak)",
            ),
            Figure(
                "time to archive a log",
                "log_archive_seconds(log_dataset_mb, archive_mb_per_second, tape_mount_seconds)",
            ),
            Figure("logs that hold a day", "active_logs_needed(log_dataset_mb, log_mb_per_hour_typical)"),
            Figure(
                "time all active logs hold", "active_log_hours(active_logs, log_dataset_mb, log_mb_per_hour_typical)"
            ),
        ),
        rules=(
            "active-logs-few",
            "active-logs-below-three-checkpoints",
            "active-logs-over-limit",
            "log-data-set-fills-fast",
            "log-archiving-slower-than-filling",
            "log-active-logs-hold-less-than-a-day",
            "log-data-set-tiny",
            "log-data-set-over-archive-tracks",
            "log-data-set-over-4-gb",
        ),
        rows=(LOG_PEAKS,),
        known=("At least four logs, better a day's worth; a log holds 4 GB at most.",),
    ),
    Question(
        id="single-or-dual-logging",
        source="1/Q-07",
        lines="L596-L609",
        text="One copy of the log or two?",
        figures=(
            Figure("highest rate with one copy, at best", "single_logging_mb_per_second(log_mb_per_second_max)"),
            Figure("persistent part of the messages", "persistent_share", "fraction"),
        ),
        rules=("log-single-copy-without-redundancy", "log-dual-at-limit", "bsds-or-archive-single"),
        rows=(LOG_WRITES,),
        known=(
            "Where disks survive a failure by themselves, one copy gives 5 to 50 % more; else keep two copies of log,"
            " bootstrap data set and archive. With write caches the second copy costs little until I/O is heavy.",
        ),
    ),
    Question(
        id="log-placement",
        source="1/Q-08",
        lines="L637-L645",
        text="Where should the logs lie?",
        figures=(
            Figure(
                "volumes that keep neighbours in the ring apart",
                "log_volumes_without_neighbours(active_logs, log_copies_defined)",
            ),
        ),
        rules=("logs-adjacent-on-volume", "log-volumes-few", "log-copies-on-same-unit", "log-copies-skewed"),
        rows=(LOG_WRITES,),
        known=(
            "With parallel access volumes placement hardly matters. The two copies must not share a physical unit.",
        ),
    ),
    Question(
        id="tape-or-disk-archives",
        source="1/Q-09",
        lines="L571-L578",
        text="Archives on tape or on disk?",
        figures=(
            Figure(
                "time to archive a log to tape",
                "log_archive_seconds(log_dataset_mb, archive_mb_per_second, tape_mount_seconds)",
            ),
            Figure("time to archive a log to disk", "log_archive_seconds(log_dataset_mb, archive_mb_per_second)"),
            Figure("tracks of a log", "log_tracks(log_dataset_mb * 1048576)"),
        ),
        rules=(
            "archive-tape-compressed",
            "archive-dasd-without-room",
            "log-data-set-below-cartridge",
            "log-data-set-over-archive-tracks",
            "log-tape-contention",
        ),
        known=(
            "Tape wants mounts and operators, and logs as large as a cartridge; the bootstrap copy goes on the same"
            " tape.",
            "Disk archives may be migrated and must then be recalled, for which space has to be free.",
        ),
    ),
    Question(
        id="stripe-the-log",
        source="1/Q-10",
        lines="L647-L665, L699",
        text="Should I stripe the log?",
        figures=(
            Figure(
                "striped log, highest rate",
                "striped_log_mb_per_second_max(log_mb_per_second_max, message_bytes_typical)",
            ),
            Figure(
                "primary quantity of a striped archive",
                "striped_archive_quantity(archive_primary_cylinders, archive_stripes)",
            ),
        ),
        rules=(
            "log-stripes-without-use",
            "log-stripes-would-help",
            "zhyperlink-stripes-reconsider",
            "archive-stripes-not-divided",
        ),
        rows=(LOG_WRITES,),
        known=("Messages below 4 KB gain nothing. With zHyperLink ask stripe-with-zhyperlink too.",),
    ),
    Question(
        id="format-logs-first",
        source="1/Q-11",
        lines="L667-L673",
        text="Should I format log data sets before use?",
        figures=(
            Figure("rate on first use, at worst", "unformatted_log_mb_per_second(log_mb_per_second_max)"),
            Figure(
                "transactions of one thread on first use",
                "unformatted_log_transactions_per_second(transactions_per_second_typical)",
            ),
            Figure(
                "time of a log write on first use",
                "1000000 * unformatted_log_response_seconds(log_write_time_us / 1000000)",
                "us",
            ),
        ),
        rules=("logs-not-formatted",),
        known=("Yes, whenever new logs may meet the peak: the loss lasts until each was written once.",),
    ),
    Question(
        id="eight-byte-rba",
        source="1/Q-12",
        lines="L679-L685",
        text="What do 8-byte log addresses cost?",
        figures=(
            Figure("log with 8 bytes for what was logged with 6", "log_bytes_with_8_byte_rba(log_bytes_logged)"),
            Figure(
                "the same for replies of 64 KB",
                "log_bytes_with_8_byte_rba(log_bytes_logged, 0.02)",
            ),
        ),
        rules=("rba-six-bytes",),
        known=("About 7 % more log for small messages, 2 % with 64 KB; in return addresses do not run out.",),
    ),
    Question(
        id="log-of-structure-backup",
        source="1/Q-13",
        lines="L776-L791",
        text="How much log does the backup of a structure write?",
        figures=(
            Figure("log of one message", "structure_backup_bytes_per_message(message_bytes_typical)"),
            Figure("log of one backup", "structure_backup_mb(messages_max, message_bytes_typical)"),
            Figure(
                "time of the backup",
                "structure_backup_seconds(structure_backup_mb(messages_max, message_bytes_typical))",
            ),
            Figure("processor time of the backup", "structure_backup_cpu_seconds(messages_max)"),
        ),
        rules=("structure-backup-log-use",),
        known=(
            "CSQE121I tells what a backup wrote. Messages in shared message data sets are backed up far slower, at"
            " about 13 MB/s.",
        ),
    ),
    Question(
        id="structure-backup-recoverable",
        source="1/Q-14",
        lines="L2745-L2762",
        text="Can my structure backup be recovered at all?",
        figures=(
            Figure(
                "log that is on record",
                "backup_storage_bytes(maxarch, active_logs, log_dataset_mb * 1048576) / 1048576",
                "MB",
            ),
            Figure("log written by one round of backups", "structure_backup_mb_total", "MB"),
            Figure("logs that only archives hold", "archive_only_logs(maxarch, active_logs)"),
        ),
        rules=("structure-backup-not-recoverable", "maxarch-invalid"),
        known=(
            "A backup larger than the log on record ends well and cannot be recovered: CSQJ113E and CSQE112E come"
            " only then.",
        ),
    ),
    Question(
        id="log-waits-per-message",
        source="1/Q-33",
        lines="L2125-L2136",
        text="How often does a message wait for the log?",
        figures=(
            Figure(
                "waits of a transaction",
                "log_forces(one_phase_commits, two_phase_commits, out_of_syncpoint_requests)",
            ),
            Figure(
                "highest rate of one thread",
                "log_bound_transactions_per_second(log_forces(one_phase_commits, two_phase_commits,"
                " out_of_syncpoint_requests), log_write_time_us / 1000000)",
            ),
        ),
        rules=("task-log-forces-per-commit", "task-log-force-slow", "log-single-page-writes-slow"),
        rows=(COMMITS,),
        known=(
            "One wait for a one-phase commit, two for a two-phase one, one for each persistent call outside"
            " syncpoint. A request and reply over channels in batches of one waits four times.",
        ),
    ),
    Question(
        id="one-large-or-many-small",
        source="1/Q-34",
        lines="L2140-L2144",
        text="One large message or many small ones?",
        figures=(
            Figure(
                "log of a unit of work, many small",
                "unit_of_work_log_bytes(message_bytes_typical, messages_per_commit)",
            ),
            Figure(
                "log of a unit of work, one large",
                "put_get_log_bytes(message_bytes_typical * messages_per_commit)",
            ),
        ),
        rules=("small-messages-single", "units-of-work-over-100", "groups-of-small-messages", "channel-small-messages"),
        known=(
            "Equal bytes a commit give about equal throughput: five of 1 KB log as much as one of 10 KB, fifty as much"
            " as one of 100 KB.",
        ),
    ),
    Question(
        id="log-buffers",
        source="3/6",
        lines="L7012",
        text="Are log buffers short?",
        figures=(Figure("log buffers", "log_buffers(outbuff_kb)"),),
        rules=("log-buffers-short", "log-buffers-short-at-maximum", "log-buffers-paged-out"),
        rows=(
            Rows(
                "log",
                (
                    "qmgr",
                    "interval_start",
                    "no_log_buffer_waits",
                    "log_requests",
                    "no_log_buffer_wait_pct",
                    "write_threshold_hits",
                    "log_mb_per_second",
                ),
                "no_log_buffer_waits",
            ),
        ),
        known=("Any wait for a log buffer means OUTBUFF is too small, or the devices too slow to empty them.",),
    ),
    Question(
        id="persistent-rate-maximum",
        source="3/7",
        lines="L7047-L7064, L7853-L7857",
        text="What is my highest persistent rate?",
        figures=(
            Figure(
                "one thread with these log waits",
                "log_bound_transactions_per_second(forces_per_transaction, log_write_time_us / 1000000)",
            ),
            Figure(
                "by pages and times of log writes",
                "messages_per_second_by_log_io(pages_put, messages_put_sample, multi_page_ms, current_page_ms)",
            ),
            Figure(
                "a server by the times of its calls",
                "server_transactions_per_second_max(get_us, put_us, commit_us)",
            ),
        ),
        rules=("log-rate-at-limit", "log-writer-saturated", "task-single-server-bound"),
        rows=(LOG_WRITES,),
    ),
    Question(
        id="commit-slow",
        source="3/8",
        lines="L6922-L6994, L7023-L7043",
        text="Why is commit slow?",
        figures=(
            Figure("log checks of a one-phase commit", "log_checks_per_commit(False)"),
            Figure("log checks of a two-phase commit", "log_checks_per_commit(True)"),
            Figure("time of a one-page log write", "1000 * current_page_ms", "us"),
            Figure(
                "two-phase commit, both copies written at once",
                "log_check_ms(log_checks_per_commit(True), current_page_ms)",
            ),
            Figure(
                "two-phase commit, one copy after the other (no write cache)",
                "log_check_ms(log_checks_per_commit(True) * log_check_io_times(0), current_page_ms)",
            ),
        ),
        rules=(
            "log-single-page-writes-slow",
            "log-serial-rewrites",
            "log-copies-skewed",
            "log-writer-saturated",
            "log-longest-io",
            "task-log-force-slow",
            "task-log-forces-per-commit",
        ),
        rows=(COMMITS, LOG_WRITES),
        known=(
            "A commit waits for the log writer: the write under way ends first, then full pages go out, then the"
            " page being filled. The more is logged at once, the longer each waits.",
        ),
    ),
)
