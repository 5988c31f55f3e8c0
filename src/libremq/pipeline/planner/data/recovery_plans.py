"""Plans for restart, backup and recovery, indexes and the utilities."""

from __future__ import annotations

from libremq.pipeline.planner.plan import Margin, Plan, Step, Watch
from libremq.pipeline.planner.plan_inputs import PERSISTENT_BYTES, PERSISTENT_RATE, assume, may, need

_RANGE = Margin(
    "Such times tell ten minutes from ten hours and no more: plan with the range, not with one figure.",
    "R-RST-12",
    "L1438",
)

PLANS = (
    Plan(
        name="restart",
        title="Restart after a failure: how long, phase by phase",
        inputs=(
            need("log_dataset_mb"),
            assume("checkpoints_per_log", 1),
            may("mb_since_checkpoint"),
            assume("oldest_unit_of_work_mb", 0),
            assume("in_doubt_mb", 0),
            assume("in_commit_mb", 0),
            assume("log_read_mb_per_second", 800),
            assume("log_read_back_mb_per_second", 1200),
            assume("page_read_us", 140),
            assume("tape_mounts", 0),
            assume("tape_mount_seconds", 60),
            assume("indexed_messages", 0),
            may("indexed_messages_deepest"),
            assume("qindxbld_wait", True),
            may("objects_defined"),
            may("restart_seconds_wanted"),
        ),
        steps=(
            Step(
                "checkpoint_bytes",
                "Log between two checkpoints",
                "log_bytes_between_checkpoints(1048576 * log_dataset_mb, checkpoints_per_log)",
                "bytes",
            ),
            Step(
                "phase_2",
                "Phase 2, reading from the last checkpoint to the failure",
                "restart_phase_2_seconds(either(1048576 * mb_since_checkpoint, checkpoint_bytes), 0,"
                " 1048576 * log_read_mb_per_second)",
                "seconds",
            ),
            Step(
                "pages",
                "Pages that three checkpoints may touch",
                "forward_recovery_pages_max(0, 3 * checkpoint_bytes)",
                "pages",
            ),
            Step(
                "pages_least",
                "Reading a tenth of them",
                "forward_recovery_seconds(pages, 0.1, page_read_us / 1000000)",
                "seconds",
            ),
            Step(
                "pages_most",
                "Reading all of them",
                "forward_recovery_seconds(pages, 1, page_read_us / 1000000)",
                "seconds",
            ),
            Step(
                "log_of_pages",
                "Reading the log of three checkpoints",
                "page_set_rebuild_seconds(checkpoint_bytes, 3, 1048576 * log_read_mb_per_second)",
                "seconds",
            ),
            Step(
                "units_in_doubt",
                "Reading units of work in doubt",
                "unit_of_work_read_seconds(0, 1048576 * in_doubt_mb, 1048576 * log_read_mb_per_second)",
                "seconds",
            ),
            Step(
                "units_in_commit",
                "Reading units of work in commit",
                "unit_of_work_read_seconds(0, 1048576 * in_commit_mb, 1048576 * log_read_mb_per_second)",
                "seconds",
            ),
            Step(
                "phase_3_least",
                "Phase 3, forward recovery, at least",
                "restart_phase_3_seconds(units_in_doubt, units_in_commit, max(log_of_pages, pages_least))",
                "seconds",
            ),
            Step(
                "phase_3_most",
                "Phase 3, forward recovery, at most",
                "restart_phase_3_seconds(units_in_doubt, units_in_commit, max(log_of_pages, pages_most))",
                "seconds",
            ),
            Step(
                "phase_4",
                "Phase 4, back to the oldest unit of work in flight",
                "restart_phase_4_seconds(1048576 * oldest_unit_of_work_mb, 0, 1048576 * log_read_back_mb_per_second)",
                "seconds",
            ),
            Step(
                "indexes",
                "Building indexes, where restart waits for them",
                "parallel_index_rebuild_seconds(indexed_messages, either(indexed_messages_deepest, indexed_messages))"
                " if qindxbld_wait else 0",
                "seconds",
            ),
            Step("objects", "Reading objects", "object_processing_seconds(objects_defined)", "seconds"),
            Step(
                "least",
                "All of it, at least",
                "restart_seconds(phase_2, phase_3_least, phase_4, tape_mounts, indexes, tape_mount_seconds)"
                " + either(objects, 0)",
                "seconds",
            ),
            Step(
                "most",
                "All of it, at most",
                "restart_seconds(phase_2, phase_3_most, phase_4, tape_mounts, indexes, tape_mount_seconds)"
                " + either(objects, 0)",
                "seconds",
            ),
        ),
        answer="most",
        words=("Restart takes between {least} and {most}.",),
        margin=_RANGE,
        watch=(
            Watch(
                "It may take longer than the {restart_seconds_wanted} that you want.",
                "R-RST-05 L1554",
                "most > restart_seconds_wanted",
            ),
            Watch(
                "Units of work shall not span more than two active logs.",
                "R-PS-09 L912",
                "oldest_unit_of_work_mb > 2 * log_dataset_mb",
            ),
            Watch(
                "QINDXBLD(NOWAIT) lets restart end before the indexes are built.",
                "R-IDX-05 L2162-L2164",
                "indexes > 30",
            ),
            Watch("The source gives several speeds of reading the log backward: measure yours.", "X-07 L1380, L1434"),
        ),
        example="--log-dataset-mb 4G --checkpoints-per-log 2 --oldest-unit-of-work-mb 6G --indexed-messages 1M",
    ),
    Plan(
        name="progress",
        title="A recovery that runs: when it will end, from two progress messages",
        inputs=(need("earlier_rba"), need("later_rba"), need("seconds_between"), need("end_rba")),
        steps=(
            Step(
                "rate",
                "How fast it goes",
                "recovery_bytes_per_second(earlier_rba, later_rba, seconds_between)",
                "bytes/s",
            ),
            Step("rate_mb", "The same in MB", "rate / 1048576", "MB/s"),
            Step(
                "left",
                "Time left after the later message",
                "recovery_seconds_left(earlier_rba, later_rba, seconds_between, end_rba)",
                "seconds",
                "the two messages have the same address, so it does not move",
            ),
        ),
        answer="left",
        words=("The phase ends {left} after the later message, at {rate_mb}.",),
        watch=(
            Watch("Tapes that have to be mounted, and archives to be recalled, come on top.", "R-RST-06 L1587-L1597"),
        ),
        example="--earlier-rba 3E022000 --later-rba 2E39A11D --seconds-between 120 --end-rba 8561B58",
    ),
    Plan(
        name="backup",
        title="Page set backups: how often, so that restart keeps its time",
        inputs=(
            need("restart_seconds_wanted"),
            may("log_mb_per_hour"),
            may("messages_per_second", **PERSISTENT_RATE),
            may("message_bytes", **PERSISTENT_BYTES),
            assume("log_read_mb_per_second", 60),
            may("active_logs"),
            may("log_dataset_mb"),
            assume("application_hours_per_day", 24),
        ),
        needs=(("log_mb_per_hour",), ("messages_per_second", "message_bytes")),
        steps=(
            Step(
                "volume",
                "Log volume of an hour: as given, or of messages put and got here",
                "either(log_mb_per_hour, local_log_mb_per_hour(messages_per_second, message_bytes))",
                "MB/h",
            ),
            Step(
                "by_target",
                "Hours between backups by the restart time",
                "page_set_backup_interval_hours(restart_seconds_wanted, volume, log_read_mb_per_second)",
                "hours",
                "nothing is logged",
            ),
            Step("active_mb", "What the active logs hold", "active_logs * log_dataset_mb", "MB"),
            Step(
                "by_logs",
                "Hours between backups if recovery shall need active logs only",
                "effective_backup_interval_hours(restart_seconds_wanted, volume, active_mb, log_read_mb_per_second)",
                "hours",
            ),
            Step("interval", "Hours between backups", "either(by_logs, by_target)", "hours", "nothing is logged"),
            Step(
                "days",
                "Days between backups, by the hours in which work is done",
                "days_between_backups(interval, application_hours_per_day)",
                "days",
            ),
            Step("log_gb", "Log to keep and replay", "log_gb_since_backup(interval, volume)", "GB"),
        ),
        answer="interval",
        words=("Back the page sets up every {interval} of work ({days}); {log_gb} of log is to be kept for it.",),
        margin=Margin(
            "Back up at least daily; where persistent messages stay in page sets, and page set 0 always,"
            " every few hours.",
            "R-LOG-19, R-PS-08",
            "L586, L920",
        ),
        watch=(
            Watch(
                "Recovery reaches into archives: give --active-logs and --log-dataset-mb to see how far the active logs"
                " go.",
                "R-REC-05 L1184-L1188",
                "not known(by_logs)",
            ),
            Watch("The log rate grows: review the interval from time to time.", "R-LOG-20 L1217-L1219"),
        ),
        example="--restart-seconds-wanted 3600 --messages-per-second 100 --message-bytes 1k"
        " --active-logs 5 --log-dataset-mb 4G",
    ),
    Plan(
        name="cfbackup",
        title="Structure backups: how often, how much log, how long",
        inputs=(
            need("replay_seconds_wanted"),
            need("busiest_log_mb_per_second"),
            assume("log_read_back_mb_per_second", 450),
            may("structure_messages"),
            may("message_bytes", **PERSISTENT_BYTES),
            may("active_logs"),
            assume("log_dataset_mb", 4096),
            assume("maxarch", 1000),
            assume("offloaded", False),
        ),
        steps=(
            Step(
                "interval",
                "Hours between backups",
                "structure_backup_interval_hours(replay_seconds_wanted, busiest_log_mb_per_second,"
                " log_read_back_mb_per_second)",
                "hours",
                "nothing is logged",
            ),
            Step(
                "replayed",
                "Log read in that time",
                "log_gb_replayed(replay_seconds_wanted, log_read_back_mb_per_second)",
                "GB",
            ),
            Step(
                "backup_mb",
                "Log that one backup writes",
                "structure_backup_mb(structure_messages, message_bytes)",
                "MB",
            ),
            Step(
                "backup_seconds",
                "Time of one backup",
                "structure_backup_seconds(backup_mb, 13 if offloaded else 290)",
                "seconds",
            ),
            Step(
                "backup_cpu",
                "Processor time of one backup, at most",
                "structure_backup_cpu_seconds(structure_messages)",
                "CPU seconds",
            ),
            Step(
                "restore_seconds",
                "Time to bring the copy back, before the replay",
                "structure_restore_seconds(structure_messages)",
                "seconds",
            ),
            Step(
                "recovery_seconds",
                "The copy and the replay together",
                "restore_seconds + replay_seconds_wanted",
                "seconds",
            ),
            Step(
                "recoverable",
                "Largest backup that archives and active logs can bring back",
                "backup_storage_bytes(maxarch, active_logs, 1048576 * log_dataset_mb) / 1073741824",
                "GB",
            ),
        ),
        answer="interval",
        words=(
            "Back the structures up every {interval} at most.",
            "One backup writes {backup_mb} of log in {backup_seconds}; recovery takes {recovery_seconds}.",
        ),
        margin=Margin(
            "Keep the log since the last backup in active logs: archives are read at 60 MB/s, active logs at 450.",
            "R-REC-12",
            "L2731-L2733",
        ),
        watch=(
            Watch(
                "The backup is larger than archives and active logs can bring back: it works, its recovery fails"
                " (CSQJ113E, CSQE112E).",
                "R-REC-13 L2751-L2762",
                "backup_mb > 1024 * recoverable",
            ),
            Watch("Logs of all members are read at once; the longest decides.", "R-REC-16 L2725"),
            Watch(
                "With many messages to back up, let a queue manager without applications do it.",
                "R-REC-15 L2764-L2768",
                "backup_seconds > 60",
            ),
        ),
        example="--replay-seconds-wanted 1740 --busiest-log-mb-per-second 112 --structure-messages 200k"
        " --message-bytes 1k",
    ),
    Plan(
        name="recovery",
        title="Loss of a page set: how long until work goes on",
        inputs=(
            need("page_set_gb"),
            need("hours_since_backup"),
            need("log_mb_per_hour"),
            assume("reaction_seconds", 900),
            assume("restore_gb_per_minute", 8),
            assume("log_read_mb_per_second", 800),
            assume("fuzzy_backup", True),
            assume("log_dataset_mb", 4096),
            assume("checkpoints_per_log", 1),
            assume("own_restart_seconds", 60),
        ),
        steps=(
            Step(
                "restore",
                "Restoring the copy",
                "page_set_restore_seconds(1073741824 * page_set_gb, restore_gb_per_minute)",
                "seconds",
            ),
            Step("log_gb", "Log since the backup", "log_gb_since_backup(hours_since_backup, log_mb_per_hour)", "GB"),
            Step(
                "fuzzy_bytes",
                "Log before it that a copy taken while running may need",
                "fuzzy_backup_log_bytes(log_bytes_between_checkpoints(1048576 * log_dataset_mb, checkpoints_per_log))"
                " if fuzzy_backup else 0",
                "bytes",
            ),
            Step(
                "replay",
                "Reading that log",
                "media_recovery_seconds(1073741824 * log_gb, 0, fuzzy_bytes, 1048576 * log_read_mb_per_second)",
                "seconds",
            ),
            Step(
                "total",
                "From the failure to the end of restart",
                "total_recovery_seconds(reaction_seconds, restore, replay + own_restart_seconds)",
                "seconds",
            ),
        ),
        answer="total",
        words=(
            "Work goes on after {total}: {reaction_seconds} until somebody acts, {restore} for the copy,"
            " {replay} for the"
            " log, and {own_restart_seconds} for restart itself.",
        ),
        margin=_RANGE,
        watch=(
            Watch("DFDSS restores 8 GB a minute, REPRO 3.5 (5.2 with zHPF).", "R-REC-07 L925"),
            Watch(
                "Archives on tape or compressed are read far slower than active logs.", "R-REC-08 L2731-L2733, L5140"
            ),
            Watch("A page set that was defined anew needs all log from the beginning.", "R-RST-10 L1424-L1426"),
        ),
        example="--page-set-gb 4 --hours-since-backup 24 --log-mb-per-hour 800",
    ),
    Plan(
        name="index",
        title="Indexed queues: storage, and what they add to restart",
        inputs=(
            need("indexed_messages"),
            assume("indexed_queues", 1),
            may("indexed_messages_deepest"),
            may("message_bytes"),
            assume("maxshortmsgs_0", False),
            assume("zhpf", False),
        ),
        steps=(
            Step("storage", "Storage of the indexes", "index_storage_bytes(indexed_messages, indexed_queues)", "bytes"),
            Step(
                "per_page",
                "Messages to a page",
                "messages_per_page_packed(message_bytes) if maxshortmsgs_0 else 1",
                "messages",
            ),
            Step(
                "pages", "Pages read to build them", "index_rebuild_pages(indexed_messages, max(1, per_page))", "pages"
            ),
            Step(
                "rebuild",
                "Time to build them, ten side by side",
                "parallel_index_rebuild_seconds(indexed_messages, either(indexed_messages_deepest,"
                " ceil(indexed_messages / indexed_queues)))",
                "seconds",
            ),
            Step(
                "zhpf_rebuild", "The shortest that zHPF makes it", "index_rebuild_seconds_with_zhpf(rebuild)", "seconds"
            ),
            Step("expected", "What to expect", "zhpf_rebuild if zhpf else rebuild", "seconds"),
            Step("cpu", "Processor time", "index_rebuild_cpu_seconds(indexed_messages)", "CPU seconds"),
        ),
        answer="storage",
        words=("The indexes take {storage}; building them at restart takes about {expected} and {cpu}.",),
        watch=(
            Watch(
                "QINDXBLD(NOWAIT) lets restart end before the indexes are built.",
                "R-IDX-05 L2162-L2164",
                "expected > 30",
            ),
            Watch("Without an index, a get by id reads all messages before its own.", "R-IDX-01 L2150"),
        ),
        example="--indexed-messages 8M",
    ),
    Plan(
        name="utility",
        title="FORMAT, COPYPAGE and RESETPAGE: how long, and commits of COPY and LOAD",
        inputs=(need("page_set_gb"), may("messages_in_all"), assume("maxumsgs", 10_000)),
        steps=(
            Step("format_time", "FORMAT", "format_seconds(page_set_gb)", "seconds"),
            Step("format_cpu", "FORMAT, processor time", "format_cpu_seconds(page_set_gb)", "CPU seconds"),
            Step("copypage_time", "COPYPAGE", "copypage_seconds(page_set_gb)", "seconds"),
            Step("copypage_cpu", "COPYPAGE, processor time", "copypage_cpu_seconds(page_set_gb)", "CPU seconds"),
            Step("resetpage_time", "RESETPAGE to a second page set", "resetpage_seconds(page_set_gb)", "seconds"),
            Step("resetpage_cpu", "RESETPAGE, processor time", "resetpage_cpu_seconds(page_set_gb)", "CPU seconds"),
            Step("force_time", "RESETPAGE FORCE, in place", "resetpage_force_seconds(page_set_gb)", "seconds"),
            Step(
                "force_cpu",
                "RESETPAGE FORCE, processor time",
                "resetpage_force_cpu_seconds(page_set_gb)",
                "CPU seconds",
            ),
            Step("commits", "Commits of COPY, EMPTY or LOAD", "utility_commits(messages_in_all, maxumsgs)", "commits"),
        ),
        answer="format_time",
        words=(
            "FORMAT takes {format_time}, COPYPAGE {copypage_time}, RESETPAGE {resetpage_time} or in place"
            " {force_time}.",
            "COPY, EMPTY or LOAD of {messages_in_all} takes {commits}.",
        ),
        watch=(
            Watch("Prefer RESETPAGE to a second page set, and run page sets side by side.", "R-UT-05 L1955-L1957"),
            Watch(
                "A large unit of work is dear: do not raise MAXUMSGS for a utility, move the queue instead.",
                "R-UOW-01 L1863, L1877-L1884",
                "maxumsgs > 10000",
            ),
        ),
        example="--page-set-gb 4",
    ),
)
