"""Questions about the log: volume, rate, data sets, copies, archives."""

from __future__ import annotations

from libremq.pipeline.questions.question import Question, Rows

_LOG_PEAK = {"log_mb_per_second_peak": "log: highest(log_mb_per_second)"}

QUESTIONS = (
    Question(
        id="log-per-message",
        source="1/Q-01",
        lines="L703-L759",
        text="How much log does my message take?",
        figures={
            "put to a private queue, one a commit, bytes": "local_put_committed_log_bytes(message_bytes_typical, 1)",
            "put to a private queue, as committed here, bytes": (
                "local_put_committed_log_bytes(message_bytes_typical, messages_per_commit)"
            ),
            "get from a private queue, bytes": (
                "local_get_committed_log_bytes(message_bytes_typical, messages_per_commit)"
            ),
            "put to a shared queue, bytes": (
                "shared_put_committed_log_bytes(message_bytes_typical, messages_per_commit)"
            ),
            "get from a shared queue, bytes": (
                "shared_get_committed_log_bytes(message_bytes_typical, messages_per_commit)"
            ),
        },
        rows=Rows(
            "queue_manager_interval", ("qmgr", "interval_start", "messages_put", "log_bytes_per_message"), "log_bytes"
        ),
    ),
    Question(
        id="log-rate-needed",
        source="1/Q-02",
        lines="L761-L774",
        text="What log rate do my transactions need?",
        figures={
            "log of one request and reply, bytes": "request_reply_log_bytes(request_bytes, reply_bytes)",
            "log rate, MB/s": (
                "log_mb_per_second(request_reply_log_bytes(request_bytes, reply_bytes),"
                " transactions_per_second_typical)"
            ),
        },
        rules=("log-rate-over-plan",),
    ),
    Question(
        id="persistent-rate-of-devices",
        source="1/Q-03",
        lines="L793-L819",
        text="How many persistent messages a second can my log devices take?",
        figures={
            "messages a second at most": (
                "persistent_messages_per_second_max(put_get_log_bytes(message_bytes_typical), log_mb_per_second_max)"
            ),
            "messages a second to plan with": (
                "0.5 * persistent_messages_per_second_max(put_get_log_bytes(message_bytes_typical),"
                " log_mb_per_second_max)"
            ),
        },
        rules=("calls-persistent-rate-at-log-limit",),
    ),
    Question(
        id="log-and-batch-size",
        source="1/Q-04",
        lines="L821-L828",
        text="How does the batch size of a channel change what is logged?",
        figures={
            "sending, a message, bytes": "channel_send_log_bytes(message_bytes_typical, batchsz)",
            "sending in batches of one, bytes": "channel_send_log_bytes(message_bytes_typical, 1)",
            "receiving, a message, bytes": "channel_receive_log_bytes(message_bytes_typical, batchsz)",
            "receiving in batches of one, bytes": "channel_receive_log_bytes(message_bytes_typical, 1)",
        },
        known=("A batch of nonpersistent messages only logs nothing with NPMSPEED(FAST).",),
    ),
    Question(
        id="log-when-put-and-got-apart",
        source="1/Q-05",
        lines="L830-L836",
        text="When is the log written if messages are put at one time of day and got at another?",
        figures={
            "share written when putting": "put_window_log_fraction(message_bytes_typical)",
            "log of the put, bytes": "put_share_log_bytes(message_bytes_typical)",
            "log of the get, bytes": "get_share_log_bytes(message_bytes_typical)",
        },
    ),
    Question(
        id="active-logs",
        source="1/Q-06",
        lines="L611-L635",
        text="How many active logs do I need, and how large?",
        measured=_LOG_PEAK,
        figures={
            "size for half an hour at the peak, MB": "log_mb_for_fill_time(log_mb_per_second_peak)",
            "minutes until a log is full at the peak": "log_fill_seconds(log_dataset_mb, log_mb_per_second_peak) / 60",
            "logs for a day": "active_logs_needed(log_dataset_mb, log_mb_per_hour_typical)",
            "hours that all hold": "active_log_hours(active_logs, log_dataset_mb, log_mb_per_hour_typical)",
        },
        rules=(
            "active-logs-few",
            "active-logs-below-three-checkpoints",
            "active-logs-over-limit",
            "log-data-set-fills-fast",
            "log-archiving-slower-than-filling",
            "log-data-set-tiny",
            "log-data-set-over-archive-tracks",
            "log-data-set-over-4-gb",
            "log-active-logs-hold-less-than-a-day",
        ),
    ),
    Question(
        id="single-or-dual-logging",
        source="1/Q-07",
        lines="L596-L609",
        text="One copy of the log or two?",
        rules=("log-single-copy-without-redundancy", "log-dual-at-limit", "bsds-or-archive-single"),
        figures={"log rate with one copy at most, MB/s": "single_logging_mb_per_second(log_mb_per_second_max)"},
    ),
    Question(
        id="log-placement",
        source="1/Q-08",
        lines="L637-L645",
        text="Where should the logs lie?",
        rules=("logs-adjacent-on-volume", "log-volumes-few", "log-copies-on-same-unit"),
        figures={
            "volumes that keep neighbours apart": "log_volumes_without_neighbours(active_logs, log_copies_defined)",
        },
    ),
    Question(
        id="tape-or-disk-archives",
        source="1/Q-09",
        lines="L571-L578",
        text="Archives on tape or on disk?",
        rules=("archive-tape-compressed", "archive-dasd-without-room", "log-data-set-below-cartridge"),
        known=(
            "Tape needs mounts and operators, and is there once mounted; the bootstrap copy goes on the same tape.",
            "Disk archives may be migrated and recalled in an order nobody can foresee.",
        ),
    ),
    Question(
        id="stripe-the-log",
        source="1/Q-10",
        lines="L647-L665",
        text="Should I stripe the log?",
        rules=(
            "log-stripes-without-use",
            "log-stripes-would-help",
            "zhyperlink-stripes-reconsider",
            "archive-stripes-not-divided",
        ),
        figures={
            "primary quantity of a striped archive": (
                "striped_archive_quantity(archive_primary_cylinders, archive_stripes)"
            ),
        },
    ),
    Question(
        id="format-logs-first",
        source="1/Q-11",
        lines="L667-L673",
        text="Should I format log data sets before use?",
        rules=("logs-not-formatted",),
        figures={"log rate on first use without it, MB/s": "unformatted_log_mb_per_second(log_mb_per_second_max)"},
    ),
    Question(
        id="eight-byte-rba",
        source="1/Q-12",
        lines="L679-L685",
        text="What do 8-byte log addresses cost?",
        measured={"log_bytes_now": "log: sum(log_bytes)"},
        figures={"log with 8 bytes, for what was logged with 6, bytes": "log_bytes_with_8_byte_rba(log_bytes_now)"},
        rules=("rba-six-bytes",),
    ),
    Question(
        id="log-of-structure-backup",
        source="1/Q-13",
        lines="L776-L791",
        text="How much log does the backup of a structure write?",
        figures={"log of one backup, MB": "structure_backup_mb(messages_max, message_bytes_typical)"},
        rules=("structure-backup-log-use",),
    ),
    Question(
        id="structure-backup-recoverable",
        source="1/Q-14",
        lines="L2745-L2762",
        text="Can my structure backup be recovered at all?",
        figures={
            "log on record, MB": "backup_storage_bytes(maxarch, active_logs, log_dataset_mb * 1048576) / 1048576",
            "logs that only archives hold": "archive_only_logs(maxarch, active_logs)",
        },
        rules=("structure-backup-not-recoverable", "maxarch-invalid"),
    ),
)
