"""Plans for the log: how large, how fast, on which disks, and how often a checkpoint."""

from __future__ import annotations

from libremq.pipeline.planner.plan import Margin, Plan, Step, Watch
from libremq.pipeline.planner.plan_inputs import PERSISTENT_BYTES, PERSISTENT_RATE, assume, may, need

PLANS = (
    Plan(
        name="log",
        title="Log: rate, volume, and the number and size of active logs",
        inputs=(
            may("message_bytes", **PERSISTENT_BYTES),
            may("messages_per_second", **PERSISTENT_RATE),
            may("log_mb_per_second_peak"),
            may("log_mb_per_hour"),
            assume("queue_shared", False),
            assume("messages_per_commit", 1),
            assume("log_fill_minutes", 30),
            assume("log_hours", 24),
            assume("log_copies", 2),
            may("log_dataset_mb"),
            may("archive_mb_per_second"),
            assume("tape_mount_seconds", 0),
            may("log_device"),
            may("log_mb_per_second_max"),
        ),
        needs=(("message_bytes", "messages_per_second"), ("log_mb_per_second_peak",)),
        steps=(
            Step(
                "log_bytes",
                "Log data of one message, put and got",
                "shared_put_committed_log_bytes(message_bytes, messages_per_commit)"
                " + shared_get_committed_log_bytes(message_bytes, messages_per_commit)"
                " if queue_shared else put_get_log_bytes(message_bytes)",
                "bytes",
            ),
            Step(
                "log_rate",
                "Log rate at the peak, of each copy",
                "either(log_mb_per_second_peak, log_mb_per_second(log_bytes, messages_per_second))",
                "MB/s",
            ),
            Step(
                "log_mb_wanted",
                "Size of a log that lasts so long at the peak",
                "log_mb_for_fill_time(log_rate, log_fill_minutes)",
                "MB",
            ),
            Step(
                "log_volume",
                "Log volume of an hour: as given, or as if the peak went on",
                "either(log_mb_per_hour, log_mb_per_hour(1048576 * log_rate))",
                "MB/h",
            ),
            Step(
                "log_mb",
                "Size of a log: as given, or so that four hold the hours wanted; not above the limit of 4 GB",
                "either(log_dataset_mb, min(4096, max(1, ceil(log_mb_wanted), ceil(log_volume * log_hours / 4))))",
                "MB",
            ),
            Step("logs", "Active logs", "active_logs_needed(log_mb, log_volume, log_hours)", "active logs"),
            Step(
                "fill_minutes",
                "Time in which one log fills at the peak",
                "log_fill_seconds(log_mb, log_rate) / 60",
                "minutes",
                "nothing is logged",
            ),
            Step(
                "held_hours",
                "Time that all active logs hold",
                "active_log_hours(logs, log_mb, log_volume)",
                "hours",
                "nothing is logged",
            ),
            Step("disk_gb", "Disk space of all copies", "logs * log_mb * log_copies / 1024", "GB"),
            Step(
                "volumes",
                "Volumes on which no neighbours in the ring share one (without PAV)",
                "log_volumes_without_neighbours(logs, log_copies)",
                "volumes",
            ),
            Step(
                "archive_seconds",
                "Time to archive one log",
                "log_archive_seconds(log_mb, archive_mb_per_second, tape_mount_seconds)",
                "seconds",
            ),
            Step(
                "full_seconds",
                "When all active logs are full, if the peak goes on",
                "active_logs_full_seconds(logs * log_mb, log_rate, archive_mb_per_second)",
                "seconds",
                "never: archiving is as fast as logging",
            ),
            Step(
                "device_peak",
                "Most the disks take: as given, or as the source measured them",
                "either(log_mb_per_second_max,"
                " log_device_mb_per_second_max(log_device, either(message_bytes, 1024) / 1024))",
                "MB/s",
            ),
            Step("device_planned", "What to plan with", "log_device_mb_per_second_planned(device_peak)", "MB/s"),
            Step("device_used", "Share of it that the peak takes", "100 * log_rate / device_planned", "percent"),
        ),
        answer="logs",
        words=(
            "Define {logs} of {log_mb} in each copy: the log rate is {log_rate} at the peak, and all of them hold"
            " {held_hours} of it.",
            "One log fills in {fill_minutes}; archiving it takes {archive_seconds}.",
            "The disks are to be planned with {device_planned}, of which the peak takes {device_used}.",
        ),
        margin=Margin(
            "Plan with half of the peak rate of the disks, a log that lasts half an hour at the peak, at least four"
            " active logs, and a day of log data in them.",
            "R-110, R-LOG-02, R-LOG-04",
            "L5003, L584, L615, L631",
        ),
        watch=(
            Watch(
                "The volume is reckoned as if the peak went on all day: give --log-mb-per-hour for what is usual.",
                "R-LOG-02 L584",
                "not known(log_mb_per_hour)",
            ),
            Watch(
                "{log_mb_wanted} would be wanted for {log_fill_minutes}; a log has at most 4 GB: stripe,"
                " spread the load"
                " over queue managers, or accept faster switches.",
                "R-LOG-07 L621-L623",
                "log_mb_wanted > 4096",
            ),
            Watch("A log has at most 4 GB.", "R-LOG-07 L621-L623", "log_mb > 4096"),
            Watch(
                "Archiving a log takes longer than filling one: add logs or faster archives.",
                "R-LOG-03 L615",
                "archive_seconds >= 60 * fill_minutes",
            ),
            Watch(
                "The peak is above what the disks should be planned with: faster disks, or more queue managers.",
                "R-110 L4971-L5003",
                "device_used > 100",
            ),
            Watch("There can be 310 active logs at most: larger ones, or fewer hours.", "R-REC-13 L2753", "logs > 310"),
            Watch(
                "Estimates of log data differ by the method (2,300 to 2,580 bytes for a message of 1 KB): measure yours"
                " where the plan is tight.",
                "R-LV-01 L713-L718",
            ),
        ),
        example="--message-bytes 5000 --messages-per-second 200 --archive-mb-per-second 100",
    ),
    Plan(
        name="archive",
        title="Archive logs: how many, how much space, and whether archiving keeps up",
        inputs=(
            need("log_dataset_mb"),
            need("log_mb_per_hour"),
            may("log_mb_per_second_peak"),
            may("active_logs"),
            assume("archive_copies", 2),
            may("archive_mb_per_second"),
            assume("tape_mount_seconds", 0),
            assume("maxarch", 1000),
            assume("archive_stripes", 1),
            may("archive_primary"),
            may("message_bytes", **PERSISTENT_BYTES),
        ),
        steps=(
            Step(
                "archives_per_day", "Archives of a day, each copy", "24 * log_mb_per_hour / log_dataset_mb", "archives"
            ),
            Step("day_gb", "Space of a day, all copies", "24 * log_mb_per_hour * archive_copies / 1024", "GB"),
            Step("tracks", "Tracks of one archive", "log_tracks(1048576 * log_dataset_mb)", "tracks"),
            Step(
                "recorded_gb",
                "Log data in recorded archives (MAXARCH)",
                "recorded_archive_bytes(maxarch, 1048576 * log_dataset_mb) / 1073741824",
                "GB",
            ),
            Step(
                "recorded_days",
                "Days that recorded archives reach back",
                "maxarch / archives_per_day",
                "days",
                "nothing is logged",
            ),
            Step(
                "archive_seconds",
                "Time to archive one log",
                "log_archive_seconds(log_dataset_mb, archive_mb_per_second, tape_mount_seconds)",
                "seconds",
            ),
            Step(
                "fill_seconds",
                "Time in which one log fills at the peak",
                "log_fill_seconds(log_dataset_mb, log_mb_per_second_peak)",
                "seconds",
                "nothing is logged",
            ),
            Step("used_pct", "How busy archiving is at the peak", "100 * archive_seconds / fill_seconds", "percent"),
            Step(
                "full_seconds",
                "When all active logs are full, if the peak goes on",
                "active_logs_full_seconds(active_logs * log_dataset_mb, log_mb_per_second_peak, archive_mb_per_second)",
                "seconds",
                "never: archiving is as fast as logging",
            ),
            Step(
                "striped_primary",
                "Primary quantity to give, as it is allocated for each stripe",
                "striped_archive_quantity(archive_primary, archive_stripes)",
                "units",
            ),
            Step(
                "read_seconds",
                "Recovery reads one archive in",
                "log_read_seconds(log_dataset_mb, 'archive')",
                "seconds",
            ),
            Step(
                "read_compressed_seconds",
                "The same, compressed by zEDC",
                "log_read_seconds(log_dataset_mb, 'compressed archive')",
                "seconds",
            ),
            Step(
                "read_active_seconds",
                "The same from an active log",
                "log_read_seconds(log_dataset_mb, 'active')",
                "seconds",
            ),
            Step(
                "compressed_gain",
                "How much more may be logged at the peak with compressed archives",
                "compressed_archive_gain_pct_max(message_bytes / 1024)",
                "percent",
            ),
        ),
        answer="day_gb",
        words=(
            "A day makes {archives_per_day} in each copy, {day_gb} together; MAXARCH reaches back {recorded_days}.",
            "At the peak a log fills in {fill_seconds} and is archived in {archive_seconds}: {used_pct} of the time.",
        ),
        margin=Margin(
            "Archiving, with tape mounts, must be faster than filling at the peak; how much faster is not stated.",
            "R-LOG-03",
            "L615",
        ),
        watch=(
            Watch(
                "Archiving is slower than filling: all active logs are full in {full_seconds} of peak load.",
                "R-LOG-03, R-113 L615, L5013",
                "known(full_seconds)",
            ),
            Watch(
                "An archive on disk of more than 65,535 tracks needs a data class with LARGE or extended format.",
                "R-LOG-06 L625-L627",
                "tracks > 65535",
            ),
            Watch("Compressed archives are read three times slower in a recovery.", "R-119 L5138-L5148"),
        ),
        example="--log-dataset-mb 4G --log-mb-per-hour 8000 --log-mb-per-second-peak 20 --archive-mb-per-second 100"
        " --active-logs 8",
    ),
    Plan(
        name="logdevice",
        title="Disks under the log: the most persistent messages they take",
        inputs=(
            need("message_bytes", **PERSISTENT_BYTES),
            need("log_device"),
            may("log_mb_per_second_max"),
            may("log_mb_per_second_peak"),
            assume("log_copies", 2),
            assume("archive_copies", 2),
            assume("mirrored", False),
            may("zhpf_bound"),
        ),
        steps=(
            Step(
                "peak",
                "Most the disks take, dual logging: as given, or as the source measured them",
                "either(log_mb_per_second_max, log_device_mb_per_second_max(log_device, message_bytes / 1024))",
                "MB/s",
            ),
            Step("planned", "What to plan with", "log_device_mb_per_second_planned(peak)", "MB/s"),
            Step(
                "log_bytes",
                "Log data of one message, put and got",
                "put_get_log_bytes(message_bytes)",
                "bytes",
            ),
            Step(
                "messages_max",
                "Messages a second at most",
                "persistent_messages_per_second_max(log_bytes, peak)",
                "messages/s",
            ),
            Step(
                "messages_planned",
                "Messages a second to plan with",
                "persistent_messages_per_second_max(log_bytes, planned)",
                "messages/s",
            ),
            Step(
                "single_peak",
                "Most with single logging",
                "single_log_mb_per_second_max(peak, message_bytes / 1024)",
                "MB/s",
            ),
            Step(
                "striped_peak",
                "Most with striped logs, if these are not yet",
                "striped_log_mb_per_second_max(peak, message_bytes)",
                "MB/s",
            ),
            Step(
                "zhpf_peak",
                "Most with zHPF, if it is not yet on",
                "zhpf_log_mb_per_second_max(peak, zhpf_bound)",
                "MB/s",
            ),
            Step(
                "unformatted_peak",
                "What is left of it while new logs were not formatted",
                "unformatted_log_mb_per_second(peak)",
                "MB/s",
            ),
            Step(
                "written",
                "What the disks write at the planned rate, all copies",
                "written_mb_per_second(planned, log_copies, archive_copies, mirrored)",
                "MB/s",
            ),
            Step(
                "used_pct",
                "Share of the planned rate that the peak takes",
                "100 * log_mb_per_second_peak / planned",
                "percent",
            ),
        ),
        answer="messages_planned",
        words=(
            "Plan with {messages_planned} of this size, which log {planned}; at most the disks take {messages_max}.",
            "The peak that you have takes {used_pct} of it.",
        ),
        margin=Margin("Half of the peak rate that was measured.", "R-110", "L5003"),
        watch=(
            Watch(
                "Disks older than DS8870 were measured on other machines and releases: do not compare.", "T-17 L5001"
            ),
            Watch("Striping gains nothing sure below 64 KB.", "R-112 L5023", "message_bytes < 65536"),
            Watch("Single logging is a single point of failure.", "R-111 L5007"),
        ),
        example="--message-bytes 1000 --log-device 'DS8900F RAID 5, 4 stripes, zHPF'",
    ),
    Plan(
        name="logbuffer",
        title="Log writes: how many a message takes, and the rate that I/O times allow",
        inputs=(
            need("log_pages_per_message"),
            need("log_multi_page_ms"),
            need("log_current_page_ms"),
            assume("log_pages_per_write", 128),
            assume("messages_in_all", 100),
            assume("outbuff_kb", 4000),
            assume("two_phase_commits", 0),
        ),
        steps=(
            Step("buffers", "Log buffers", "log_buffers(outbuff_kb)", "buffers"),
            Step("pages", "Pages that all messages put", "log_pages_per_message * messages_in_all", "pages"),
            Step(
                "writes",
                "Writes of full pages",
                "multi_page_log_ios(pages, messages_in_all, log_pages_per_write)",
                "I/Os",
            ),
            Step(
                "busy_ms",
                "Time the log is busy: put, commit, get, commit, one by one",
                "log_io_ms(pages, messages_in_all, log_multi_page_ms, log_current_page_ms, messages_in_all,"
                " messages_in_all, log_pages_per_write)",
                "ms",
            ),
            Step(
                "rate",
                "Messages a second that this allows",
                "messages_per_second_by_log_io(pages, messages_in_all, log_multi_page_ms, log_current_page_ms,"
                " log_pages_per_write)",
                "messages/s",
            ),
            Step("checks", "Log checks of a commit", "log_checks_per_commit(two_phase_commits > 0)", "log checks"),
            Step(
                "check_ms",
                "Time of a log check that rewrites the current page, disks without cache",
                "log_check_ms(log_check_io_times(max(0, log_pages_per_message - 1), 0, 1, log_pages_per_write),"
                " log_current_page_ms)",
                "ms",
            ),
        ),
        answer="rate",
        words=(
            "The I/O times allow {rate} in one stream; {messages_in_all} keep the log busy for {busy_ms} with {writes}"
            " of full pages besides the current ones.",
        ),
        watch=(
            Watch("Raise OUTBUFF until tasks wait for no log buffer; 4000 KB is the most.", "R-LG-2 L7012, L1744"),
            Watch("The figures are those of disks without write cache: with it, expect better.", "R-LG-4 L6943"),
        ),
        example="--log-pages-per-message 25.5 --log-multi-page-ms 20 --log-current-page-ms 4 --log-pages-per-write 15",
    ),
    Plan(
        name="checkpoint",
        title="LOGLOAD: how often a checkpoint, and what it writes and what restart costs",
        inputs=(
            assume("logload", 4_000_000),
            need("log_dataset_mb"),
            may("log_mb_per_second_peak"),
            may("log_writes_per_second"),
            may("transactions_per_second"),
            may("log_writes_per_transaction"),
            may("log_bytes_per_message"),
            assume("page_set_write_mb_per_second", 300),
            may("restart_seconds_wanted"),
        ),
        needs=(
            ("log_mb_per_second_peak", "log_writes_per_second"),
            ("log_mb_per_second_peak", "transactions_per_second", "log_writes_per_transaction"),
        ),
        steps=(
            Step(
                "writes",
                "Writes to log buffers",
                "either(log_writes_per_second, transactions_per_second * log_writes_per_transaction)",
                "log writes/s",
            ),
            Step(
                "fill_seconds",
                "Time in which one log fills",
                "log_fill_seconds(log_dataset_mb, log_mb_per_second_peak)",
                "seconds",
                "nothing is logged",
            ),
            Step(
                "between",
                "Time between checkpoints",
                "seconds_between_checkpoints(logload, writes, fill_seconds)",
                "seconds",
                "nothing is logged",
            ),
            Step("per_hour", "Checkpoints an hour", "3600 / between", "checkpoints"),
            Step(
                "writes_between",
                "Log writes between two checkpoints, which LOGLOAD or the log switch ends",
                "min(logload, writes * fill_seconds)",
                "log writes",
            ),
            Step(
                "transactions",
                "Transactions between two checkpoints",
                "transactions_per_checkpoint(either(writes_between, logload), log_writes_per_transaction)",
                "transactions",
            ),
            Step(
                "restart",
                "Restart with so many transactions since the checkpoint",
                "restart_seconds_by_transactions(transactions)",
                "seconds",
            ),
            Step(
                "logload_for_restart",
                "LOGLOAD that keeps the wanted restart",
                "log_writes_per_transaction * (restart_seconds_wanted - restart_seconds_by_transactions(0))"
                " / (log_processing_seconds(1) - log_processing_seconds(0))",
                "log records",
            ),
            Step(
                "page_bytes",
                "Pages of one log's messages due at the second checkpoint",
                "checkpoint_page_bytes(1048576 * log_dataset_mb, log_bytes_per_message)",
                "bytes",
            ),
            Step(
                "write_seconds",
                "Time to write them, in which persistent work suffers",
                "deferred_write_seconds(page_bytes, page_set_write_mb_per_second)",
                "seconds",
            ),
        ),
        answer="between",
        words=(
            "With LOGLOAD at {logload} there is a checkpoint every {between}, {per_hour} an hour.",
            "Restart takes about {restart} with the transactions of one such time.",
            "LOGLOAD of {logload_for_restart} keeps restart within {restart_seconds_wanted}.",
        ),
        margin=Margin(
            "LOGLOAD of 4 to 16 million costs least; less only for the sake of restart.",
            "R-LL-01, R-LL-02",
            "L1774, L1816-L1830",
        ),
        watch=(
            Watch("A smaller LOGLOAD logs more and makes more checkpoints.", "R-LL-04 L1838", "logload < 1000000"),
            Watch(
                "The log switch makes the checkpoints, not LOGLOAD: restart is worked out with what one log holds.",
                "F-CKP-01 L1757",
                "between >= fill_seconds",
            ),
            Watch(
                "The LOGLOAD for the wanted restart is beyond 16 million, or above what one log holds: the log switch"
                " comes first.",
                "F-CKP-01 L1757, R-LL-01 L1774",
                "logload_for_restart > 16000000 or logload_for_restart > writes * fill_seconds",
            ),
            Watch("Restart times are orders of magnitude, measured on one machine.", "R-RST-12 L1438"),
        ),
        example="--logload 450k --log-dataset-mb 4G --log-mb-per-second-peak 10 --transactions-per-second 100"
        " --log-writes-per-transaction 31",
    ),
)
