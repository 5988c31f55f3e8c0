"""Rules about facts of the site: log and archive set-up, backup, restart, trace and accounting."""

from __future__ import annotations

from libremq.pipeline.rules.rule import Rule

# fmt: off
RULES = (
    Rule(
        id="global-trace-on", subject="site", severity="warning",
        when="environment == 'production' and global_trace",
        advice="Global trace is on in production. It doubles the processor time (resident) or takes it more than"
        " eightfold (GTF). Turn it off unless service asked for it.",
        fact="R-LOG-01, R-TR-10", lines="L565, L2094-L2102",
        fires={"environment": "production", "global_trace": True}, quiet={"environment": "test", "global_trace": True},
    ),
    Rule(
        id="chinit-trace-on", subject="site", severity="warning",
        when="environment == 'production' and chinit_trace",
        advice="Channel initiator trace is on in production. Under load it makes a transaction 25 to 55 % dearer.",
        fact="R-LOG-01, R-85", lines="L565, L4275-L4281",
        fires={"environment": "production", "chinit_trace": True},
        quiet={"environment": "production", "chinit_trace": False},
    ),
    Rule(
        id="active-logs-few", subject="site", severity="warning",
        when="value < threshold", value="active_logs", threshold=4,
        advice="There are {value:.0f} active logs. Have at least {threshold:.0f}, and at best a day's worth of log in"
        " them.",
        fact="R-LOG-02", lines="L584, L615",
        fires={"active_logs": 2}, quiet={"active_logs": 6},
    ),
    Rule(
        id="active-logs-below-three-checkpoints", subject="site", severity="severe",
        when="value < threshold", value="active_logs", threshold=3,
        advice="With {value:.0f} active logs the last three checkpoints are not all in active logs, so a restart may"
        " read archives.",
        fact="R-LOG-21", lines="L1430-L1432",
        fires={"active_logs": 2}, quiet={"active_logs": 3},
    ),
    Rule(
        id="active-logs-over-limit", subject="site", severity="severe",
        when="value > threshold", value="active_logs", threshold=310,
        advice="{value:.0f} active logs: {threshold:.0f} is the most (from 9.3).",
        fact="P-05", lines="L685",
        fires={"active_logs": 400}, quiet={"active_logs": 310},
    ),
    Rule(
        id="log-data-set-tiny", subject="site", severity="warning", derived=True,
        when="value <= threshold", value="log_cylinders(log_dataset_mb * 1048576)", threshold=10,
        advice="Log data sets of about {value:.0f} cylinders switch all the time and leave a mass of archives.",
        fact="R-LOG-05", lines="L633",
        fires={"log_dataset_mb": 7}, quiet={"log_dataset_mb": 3000},
    ),
    Rule(
        id="log-data-set-over-archive-tracks", subject="site", severity="info", derived=True,
        when="archive_to == 'dasd' and not archive_extended_format and value > threshold",
        value="log_tracks(log_dataset_mb * 1048576)",
        threshold=65535,
        advice="A log of {log_dataset_mb:,.0f} MB needs {value:,.0f} tracks as an archive on disk. Beyond"
        " {threshold:,.0f} the archive needs data class LARGE or, better, EXT, and costs more processor time.",
        fact="R-LOG-06, F-LOG-12", lines="L619-L627",
        fires={"archive_to": "dasd", "archive_extended_format": False, "log_dataset_mb": 4096},
        quiet={"archive_to": "dasd", "archive_extended_format": True, "log_dataset_mb": 4096},
    ),
    Rule(
        id="log-data-set-over-4-gb", subject="site", severity="severe",
        when="value > threshold", value="log_dataset_mb", threshold=4096,
        advice="A log data set of {value:,.0f} MB is not possible; {threshold:,.0f} MB is the most.",
        fact="R-LOG-07", lines="L621-L623",
        fires={"log_dataset_mb": 8192}, quiet={"log_dataset_mb": 4096},
    ),
    Rule(
        id="log-data-set-below-cartridge", subject="site", severity="info",
        when="archive_to == 'tape' and value < threshold", value="log_dataset_mb", threshold=3000,
        advice="Archives go to tape and a log has {value:,.0f} MB. Let a log fill whole cartridges: about"
        " {threshold:,.0f} MB.",
        fact="R-LOG-08", lines="L631",
        fires={"archive_to": "tape", "log_dataset_mb": 500}, quiet={"archive_to": "dasd", "log_dataset_mb": 500},
    ),
    Rule(
        id="archive-tape-compressed", subject="site", severity="warning",
        when="archive_to == 'tape' and tape_compression",
        advice="Archive tapes are compressed by the drive, which makes reading them backward slow.",
        fact="R-LOG-08", lines="L631",
        fires={"archive_to": "tape", "tape_compression": True}, quiet={"archive_to": "tape", "tape_compression": False},
    ),
    Rule(
        id="archive-dasd-without-room", subject="site", severity="warning",
        when="archive_to == 'dasd' and value < threshold", value="recall_space_mb", threshold="3 * log_dataset_mb",
        derived=True,
        advice="Recovery may recall several archives of {log_dataset_mb:,.0f} MB at once, and {value:,.0f} MB of disk"
        " are free for that.",
        fact="R-LOG-09", lines="L635",
        fires={"archive_to": "dasd", "recall_space_mb": 2000, "log_dataset_mb": 4096},
        quiet={"archive_to": "dasd", "recall_space_mb": 90000, "log_dataset_mb": 4096},
    ),
    Rule(
        id="logs-adjacent-on-volume", subject="site", severity="warning",
        when="not pav and adjacent_logs_share_volume",
        advice="Neighbours in the log ring share a volume without PAV: archiving one disturbs writing the next.",
        fact="R-LOG-10", lines="L641-L643",
        fires={"pav": False, "adjacent_logs_share_volume": True},
        quiet={"pav": True, "adjacent_logs_share_volume": True},
    ),
    Rule(
        id="log-volumes-few", subject="site", severity="info",
        when="not pav and value < threshold", value="log_volumes",
        threshold="log_volumes_without_neighbours(active_logs, log_copies_defined)",
        derived=True,
        advice="{active_logs:.0f} logs in {log_copies_defined:.0f} copies lie on {value:.0f} volumes; {threshold:.0f}"
        " keep neighbours apart.",
        fact="R-LOG-11", lines="L643",
        fires={"pav": False, "log_volumes": 2, "active_logs": 4, "log_copies_defined": 2},
        quiet={"pav": False, "log_volumes": 4, "active_logs": 4, "log_copies_defined": 2},
    ),
    Rule(
        id="log-copies-on-same-unit", subject="site", severity="severe",
        when="log_copies_defined == 2 and log_copies_same_unit",
        advice="Both copies of the log lie on the same physical unit; its failure loses both.",
        fact="R-LOG-12", lines="L645",
        fires={"log_copies_defined": 2, "log_copies_same_unit": True},
        quiet={"log_copies_defined": 2, "log_copies_same_unit": False},
    ),
    Rule(
        id="bsds-or-archive-single", subject="site", severity="warning",
        when="not redundant_dasd and (bsds_copies < 2 or archive_copies < 2)",
        advice="Disks are not redundant, and there is one copy of the bootstrap data set or of the archives. Make"
        " both dual.",
        fact="R-LOG-13", lines="L598-L602",
        fires={"redundant_dasd": False, "bsds_copies": 1, "archive_copies": 2},
        quiet={"redundant_dasd": False, "bsds_copies": 2, "archive_copies": 2},
    ),
    Rule(
        id="archive-stripes-not-divided", subject="site", severity="info",
        when="archive_stripes > 1 and value > threshold", value="archive_primary_cylinders",
        threshold="1.1 * striped_archive_quantity(log_cylinders(log_dataset_mb * 1048576), archive_stripes)",
        derived=True,
        advice="Archive quantities count per stripe: {value:,.0f} cylinders times {archive_stripes:.0f} stripes is"
        " more than a log. About {threshold:,.0f} are enough.",
        fact="R-LOG-15", lines="L657-L665",
        fires={"archive_stripes": 4, "archive_primary_cylinders": 5600, "log_dataset_mb": 4000},
        quiet={"archive_stripes": 4, "archive_primary_cylinders": 1400, "log_dataset_mb": 4000},
    ),
    Rule(
        id="logs-not-formatted", subject="site", severity="warning",
        when="not logs_preformatted",
        advice="New log data sets are not formatted beforehand. On first use the log does up to half its rate, and a"
        " single thread answers a third slower. Run the formatting job.",
        fact="R-LOG-16", lines="L667-L673",
        fires={"logs_preformatted": False}, quiet={"logs_preformatted": True},
    ),
    Rule(
        id="rba-six-bytes", subject="site", severity="info",
        when="rba_bytes == 6",
        advice="The log has 6-byte addresses. 8 bytes last over 64,000 times longer, for 2 to 7 % more log.",
        fact="R-LOG-17", lines="L679-L685",
        fires={"rba_bytes": 6}, quiet={"rba_bytes": 8},
    ),
    Rule(
        id="outbuff-below-maximum-for-large-messages", subject="site", severity="info",
        when="message_bytes_longest >= 1000000 and value < threshold", value="outbuff_kb", threshold=4000, derived=True,
        advice="Messages of up to {message_bytes_longest:,.0f} bytes are logged through {value:,.0f} KB of buffers. Set"
        " OUTBUFF to {threshold:.0f} for very large messages.",
        fact="R-LOG-22", lines="L1744",
        fires={"message_bytes_longest": 100000000, "outbuff_kb": 400},
        quiet={"message_bytes_longest": 1000, "outbuff_kb": 400},
    ),
    Rule(
        id="logload-invalid", subject="site", severity="severe",
        when="value < 200 or value > 16000000", value="logload",
        advice="LOGLOAD {value:,.0f} is outside 200 to 16,000,000.",
        fact="R-LL-01", lines="L1765",
        fires={"logload": 100}, quiet={"logload": 4000000},
    ),
    Rule(
        id="logload-low", subject="site", severity="info",
        when="200 <= value < threshold and not ordered_replication and not known(restart_seconds_wanted)",
        value="logload",
        threshold=4000000,
        advice="LOGLOAD is {value:,.0f}. 4 to 16 million cost less, unless restart times or replication over ordered"
        " channels ask for fewer.",
        fact="R-LL-01, R-LL-02", lines="L1774-L1783, L1816-L1830",
        fires={"logload": 500000, "ordered_replication": False, "restart_seconds_wanted": None},
        quiet={"logload": 100000, "ordered_replication": True, "restart_seconds_wanted": None},
    ),
    Rule(
        id="logload-high-for-replication", subject="site", severity="info",
        when="ordered_replication and value > threshold", value="logload", threshold=100000,
        advice="For replication over several ordered channels LOGLOAD {threshold:,.0f} was 12 % faster than millions"
        " (it is {value:,.0f}).",
        fact="R-LL-02", lines="L1778-L1783, L1830",
        fires={"ordered_replication": True, "logload": 4000000}, quiet={"ordered_replication": True, "logload": 100000},
    ),
    Rule(
        id="logload-low-for-large-messages", subject="site", severity="info",
        when="message_bytes_typical > 102400 and value < threshold", value="logload", threshold=1000000,
        advice="Messages are {message_bytes_typical:,.0f} bytes; above 100 KB LOGLOAD should be at least"
        " {threshold:,.0f} ({value:,.0f} now).",
        fact="R-LL-03", lines="L1808-L1810",
        fires={"message_bytes_typical": 500000, "logload": 500000},
        quiet={"message_bytes_typical": 1000, "logload": 500000},
    ),
    Rule(
        id="maxumsgs-raised", subject="site", severity="info",
        when="value > threshold", value="maxumsgs", threshold=10000,
        advice="MAXUMSGS is {value:,.0f}. Units of work of tens of thousands of messages are dear, hold locks and"
        " storage; load to a temporary queue and MOVE instead.",
        fact="R-UOW-01, R-UOW-3, R-VST-08", lines="L1863-L1884, L2422-L2427, L7118",
        fires={"maxumsgs": 1000000}, quiet={"maxumsgs": 10000},
    ),
    Rule(
        id="page-set-image-copies-single", subject="site", severity="info",
        when="image_copies < 2",
        advice="Page sets have one image copy. Make two, so that a bad tape does not lose the backup.",
        fact="R-LOG-19", lines="L584-L594",
        fires={"image_copies": 1}, quiet={"image_copies": 2},
    ),
    Rule(
        id="recovery-target-missed", subject="site", severity="warning",
        when="value > threshold",
        value="total_recovery_seconds(reaction_seconds, page_set_restore_seconds(page_set_gb_largest * 1073741824),"
        " replay_seconds)",
        threshold="recovery_seconds_wanted", derived=True,
        advice="Reaction, restore and replay take some {value:,.0f} s, more than the {threshold:,.0f} s wanted.",
        fact="R-REC-06, R-REC-07", lines="L922-L926, L1178, L1428",
        fires={
            "reaction_seconds": 900, "page_set_gb_largest": 64, "replay_seconds": 7200, "recovery_seconds_wanted": 4500,
        },
        quiet={
            "reaction_seconds": 900, "page_set_gb_largest": 4, "replay_seconds": 1800, "recovery_seconds_wanted": 4500,
        },
    ),
    Rule(
        id="structure-backup-not-recoverable", subject="site", severity="severe",
        when="value > threshold", value="structure_backup_mb_total",
        threshold="backup_storage_bytes(maxarch, active_logs, log_dataset_mb * 1048576) / 1048576",
        advice="A structure backup of {value:,.0f} MB succeeds, but only {threshold:,.0f} MB of log are on record:"
        " recovery would fail with CSQJ113E and CSQE112E. Raise MAXARCH or log sizes, or back up more often.",
        fact="R-REC-13, INV-20", lines="L2745-L2762",
        fires={"structure_backup_mb_total": 900000, "maxarch": 10, "active_logs": 4, "log_dataset_mb": 1000},
        quiet={"structure_backup_mb_total": 900, "maxarch": 1000, "active_logs": 4, "log_dataset_mb": 4096},
    ),
    Rule(
        id="maxarch-invalid", subject="site", severity="warning",
        when="value < 10 or value > 1000", value="maxarch",
        advice="MAXARCH {value:,.0f} is outside 10 to 1000.",
        fact="R-REC-13", lines="L2752",
        fires={"maxarch": 5}, quiet={"maxarch": 1000},
    ),
    Rule(
        id="structure-backup-log-use", subject="site", severity="info",
        when="value > threshold", value="structure_backup_mb_total", threshold="log_dataset_mb", derived=True,
        advice="A structure backup writes {value:,.0f} MB to the log, more than a log data set. Let a queue manager"
        " without work of its own take the backups.",
        fact="R-REC-15, R-LV-09", lines="L776-L791, L2764-L2768",
        fires={"structure_backup_mb_total": 9000, "log_dataset_mb": 4096},
        quiet={"structure_backup_mb_total": 885, "log_dataset_mb": 4096},
    ),
    Rule(
        id="active-log-recovery-not-covered", subject="site", severity="warning", derived=True,
        when="value > threshold", value="structure_backup_hours * log_mb_per_hour_typical",
        threshold="active_logs * log_dataset_mb",
        advice="Between structure backups {value:,.0f} MB are logged, and active logs hold {threshold:,.0f} MB."
        " Recovery would read archives at 60 instead of 450 MB/s.",
        fact="R-REC-12", lines="L2731-L2733",
        fires={
            "structure_backup_hours": 24, "log_mb_per_hour_typical": 10000, "active_logs": 4, "log_dataset_mb": 4096,
        },
        quiet={"structure_backup_hours": 1, "log_mb_per_hour_typical": 800, "active_logs": 4, "log_dataset_mb": 4096},
    ),
    Rule(
        id="index-rebuild-holds-restart", subject="site", severity="info",
        when="qindxbld == 'WAIT' and value > threshold",
        value="parallel_index_rebuild_seconds(indexed_messages, indexed_messages_deepest)",
        threshold="restart_seconds_wanted / 2", derived=True,
        advice="Rebuilding indexes may add {value:,.0f} s to a restart. With QINDXBLD(NOWAIT) only those who touch"
        " such a queue wait.",
        fact="R-IDX-04, R-IDX-05, R-RST-11", lines="L2156-L2188, L2218-L2222",
        fires={
            "qindxbld": "WAIT", "indexed_messages": 8000000, "indexed_messages_deepest": 8000000,
            "restart_seconds_wanted": 300,
        },
        quiet={
            "qindxbld": "NOWAIT", "indexed_messages": 8000000, "indexed_messages_deepest": 8000000,
            "restart_seconds_wanted": 300,
        },
    ),
    Rule(
        id="index-storage", subject="site", severity="info", derived=True,
        when="value > threshold", value="index_storage_bytes(indexed_messages, indexed_queues) / 1048576",
        threshold=1024,
        advice="Indexes of private queues take about {value:,.0f} MB of 64-bit storage.",
        fact="R-IDX-02", lines="L2154, L2410",
        fires={"indexed_messages": 20000000, "indexed_queues": 10},
        quiet={"indexed_messages": 100000, "indexed_queues": 10},
    ),
    Rule(
        id="expryint-invalid", subject="site", severity="severe",
        when="0 < value < 5", value="expryint_seconds",
        advice="EXPRYINT {value:.0f} is not valid: 0 (off) or at least 5 seconds.",
        fact="R-EXP-01", lines="L2226",
        fires={"expryint_seconds": 3}, quiet={"expryint_seconds": 60},
    ),
    Rule(
        id="expiry-off-with-expiring-messages", subject="site", severity="info",
        when="expryint_seconds == 0 and expiry_used",
        advice="Messages with expiry are put and no scan is set (EXPRYINT 0): expired messages stay until a get meets"
        " them. The system's scan is cheaper than programs that browse.",
        fact="R-EXP-03, R-EXP-04", lines="L2226-L2230, L2244",
        fires={"expryint_seconds": 0, "expiry_used": True}, quiet={"expryint_seconds": 300, "expiry_used": True},
    ),
    Rule(
        id="shared-expiry-scan-cost", subject="site", severity="info", derived=True,
        when="expryint_seconds > 0 and value > threshold",
        value="expiry_scan_cpu_us(shared_messages, shared_messages_expired) / expryint_seconds / 10000", threshold=5,
        advice="Scanning {shared_messages:,.0f} shared messages every {expryint_seconds:.0f} s for expiry takes about"
        " {value:.1f} % of a processor, and as many coupling facility calls. All are scanned, with or without expiry.",
        fact="R-EXP-02", lines="L2232-L2242",
        fires={"expryint_seconds": 5, "shared_messages": 200000, "shared_messages_expired": 1000},
        quiet={"expryint_seconds": 600, "shared_messages": 20000, "shared_messages_expired": 1000},
    ),
    Rule(
        id="trace-data-lost", subject="site", severity="severe",
        when="value > threshold", value="csqw133e_count", threshold=0,
        advice="{value:.0f} messages CSQW133E: SMF lost accounting data, so these tables are incomplete. Use log"
        " streams (twice the rate of data sets), then compressed ones (another 3.8 times), or class 3 in windows of a"
        " minute.",
        fact="R-TR-06, R-123", lines="L1971-L1973, L5242-L5254",
        fires={"csqw133e_count": 2}, quiet={"csqw133e_count": 0},
    ),
    Rule(
        id="accounting-into-data-sets", subject="site", severity="info",
        when="accounting_class_3 and smf_target == 'dataset' and value > threshold",
        value="transactions_per_second_typical",
        threshold=1000, derived=True,
        advice="Class 3 accounting of {value:,.0f} transactions a second goes to SMF data sets. Log streams take"
        " twice as much, and less processor time.",
        fact="R-TR-06, R-123", lines="L1971-L1973, L5242-L5254",
        fires={"accounting_class_3": True, "smf_target": "dataset", "transactions_per_second_typical": 5000},
        quiet={"accounting_class_3": True, "smf_target": "logstream", "transactions_per_second_typical": 5000},
    ),
    Rule(
        id="accounting-volume", subject="site", severity="info", derived=True,
        when="accounting_class_3 and value > threshold",
        value="class_3_smf_mb(transactions_per_second_typical * 86400, queues_per_transaction)", threshold=100000,
        advice="Class 3 accounting makes about {value:,.0f} MB a day at {transactions_per_second_typical:,.0f}"
        " transactions a second. Class 1 takes a twentieth; a window of a minute an hour often tells enough.",
        fact="R-TR-04, R-TR-05", lines="L1969, L2011-L2021",
        fires={"accounting_class_3": True, "transactions_per_second_typical": 1000, "queues_per_transaction": 2},
        quiet={"accounting_class_3": True, "transactions_per_second_typical": 1, "queues_per_transaction": 2},
    ),
    Rule(
        id="accounting-overhead", subject="site", severity="info", derived=True,
        when="accounting_class_3 and value > threshold",
        value="trace_overhead_pct(class_3_trace_us(calls_per_transaction), transaction_us)",
        threshold=5,
        advice="Class 3 accounting adds about {value:.1f} % to a transaction of {transaction_us:,.0f} us with"
        " {calls_per_transaction:.0f} calls.",
        fact="R-TR-02, R-TR-03, R-TR-07", lines="L2030-L2071",
        fires={"accounting_class_3": True, "calls_per_transaction": 4, "transaction_us": 100},
        quiet={"accounting_class_3": True, "calls_per_transaction": 4, "transaction_us": 1000},
    ),
    Rule(
        id="statistics-off", subject="site", severity="warning",
        when="not statistics_trace",
        advice="Statistics trace is off. It costs next to nothing and without it nothing here can be judged.",
        fact="R-TR-09", lines="L2073-L2077",
        fires={"statistics_trace": False}, quiet={"statistics_trace": True},
    ),
    Rule(
        id="accounting-incomplete-by-queue", subject="site", severity="info",
        when="accounting_class_3 and acctq_off_queues > 0",
        advice="{acctq_off_queues:.0f} queues have ACCTQ set otherwise than QMGR, so queue accounting is incomplete.",
        fact="F-QA-1", lines="L7690-L7692",
        fires={"accounting_class_3": True, "acctq_off_queues": 4},
        quiet={"accounting_class_3": True, "acctq_off_queues": 0},
    ),
    Rule(
        id="long-unit-of-work", subject="site", severity="warning",
        when="value > threshold", value="csqj160i_count", threshold=0,
        advice="{value:.0f} messages CSQJ160I: a unit of work is so old that its start has left the active logs. Find"
        " it with DISPLAY CONN, or a restart reads archives.",
        fact="R-115, R-PS-09, D-19", lines="L912-L914, L5027",
        fires={"csqj160i_count": 1}, quiet={"csqj160i_count": 0},
    ),
    Rule(
        id="zhyperlink-without-zhyperwrite", subject="site", severity="severe",
        when="zhyperlink_enabled and not zhyperwrite_enabled",
        advice="ZHYLINK(YES) with ZHYWRITE(NO) is refused; zHyperLink needs zHyperWrite.",
        fact="R-144", lines="L5974-L5983",
        fires={"zhyperlink_enabled": True, "zhyperwrite_enabled": False},
        quiet={"zhyperlink_enabled": True, "zhyperwrite_enabled": True},
    ),
    Rule(
        id="zhyperlink-stripes-reconsider", subject="site", severity="info",
        when="zhyperlink_enabled and log_copies_defined == 2 and log_stripes > 1",
        advice="Dual logs are striped {log_stripes:.0f}-fold with zHyperLink. Its writes are at most a track of 56"
        " KB; unstriped dual logs were faster (566 against 519 MB/s).",
        fact="R-ZHL-8, R-145", lines="L5913-L5919, L6498, L6675",
        fires={"zhyperlink_enabled": True, "log_copies_defined": 2, "log_stripes": 4},
        quiet={"zhyperlink_enabled": True, "log_copies_defined": 2, "log_stripes": 1},
    ),
    Rule(
        id="zhyperlink-cable-long", subject="site", severity="info",
        when="zhyperlink_enabled and value > threshold", value="zhyperlink_cable_m", threshold=40, derived=True,
        advice="The zHyperLink cable has {value:.0f} m. 30 instead of 150 m cut a one-page write by 20 % and one of"
        " 16 pages by 37 %, processor time as well.",
        fact="R-ZHL-5", lines="L6317-L6333",
        fires={"zhyperlink_enabled": True, "zhyperlink_cable_m": 150},
        quiet={"zhyperlink_enabled": True, "zhyperlink_cable_m": 30},
    ),
    Rule(
        id="zhyperlink-cable-too-long", subject="site", severity="severe",
        when="zhyperlink_enabled and value > threshold", value="zhyperlink_cable_m", threshold=150,
        advice="zHyperLink works over {threshold:.0f} m at most; the cable has {value:.0f}.",
        fact="F-ZHL-8", lines="L6317",
        fires={"zhyperlink_enabled": True, "zhyperlink_cable_m": 300},
        quiet={"zhyperlink_enabled": True, "zhyperlink_cable_m": 150},
    ),
    Rule(
        id="zhyperlink-sessions-over-limit", subject="site_control_unit", severity="warning",
        when="value > threshold", value="zhyperlink_sessions", threshold=64,
        advice="Control unit {object} is asked for {value:.0f} zHyperLink write sessions and has {threshold:.0f}. The"
        " rest falls back to asynchronous writes.",
        fact="R-ZHL-1, R-146", lines="L5903, L6268-L6313",
        fires={"zhyperlink_sessions": 72}, quiet={"zhyperlink_sessions": 8},
    ),
    Rule(
        id="zhyperlink-processor-short", subject="site", severity="warning", derived=True,
        when="zhyperlink_enabled and value > threshold", value="lpar_busy_pct", threshold=80,
        advice="zHyperLink spins on a processor for each write, and the LPAR is {value:.0f} % busy.",
        fact="R-143, R-ZHL-3, R-ZHL-10", lines="L5946, L6428, L6602, L6677",
        fires={"zhyperlink_enabled": True, "lpar_busy_pct": 92},
        quiet={"zhyperlink_enabled": True, "lpar_busy_pct": 40},
    ),
    Rule(
        id="zhyperlink-without-persistent-load", subject="site", severity="info", derived=True,
        when="zhyperlink_enabled and value < threshold", value="persistent_share", threshold=0.05,
        advice="Persistent work is {100 * value:.0f} % of the load: zHyperLink gains little there.",
        fact="R-ZHL-9, R-ZHL-10", lines="L6663-L6677",
        fires={"zhyperlink_enabled": True, "persistent_share": 0.01},
        quiet={"zhyperlink_enabled": True, "persistent_share": 0.8},
    ),
    Rule(
        id="zhpf-off", subject="site", severity="info",
        when="not zhpf and persistent_share > 0.2", derived=True,
        advice="zHPF is off on a system with much persistent work. It doubled the log rate where channel paths were"
        " the limit, gave 17 % where disks were, and speeds page reads by half.",
        fact="R-114, T-32", lines="L1406, L5045-L5047",
        fires={"zhpf": False, "persistent_share": 0.8}, quiet={"zhpf": False, "persistent_share": 0.0},
    ),
    Rule(
        id="control-unit-cache-saturated", subject="site_control_unit", severity="severe",
        when="value > threshold", value="cache_bypass_pct(cache_bypass_writes_per_second, control_unit_ios_per_second)",
        threshold=1,
        advice="{value:.0f} % of the I/O of control unit {object} bypasses its write cache, which is full. Spread"
        " logs and archives, or compress the archives.",
        fact="R-118", lines="L5761",
        fires={"cache_bypass_writes_per_second": 2727, "control_unit_ios_per_second": 8995},
        quiet={"cache_bypass_writes_per_second": 0, "control_unit_ios_per_second": 9754},
    ),
    Rule(
        id="control-unit-paths-few", subject="site_control_unit", severity="info",
        when="mirrored and message_bytes_typical > 65536 and value < threshold", value="channel_paths", threshold=4,
        derived=True,
        advice="Control unit {object} has {value:.0f} channel paths; halving them from four cost up to 30 % with"
        " large messages. Keep paths for the mirror.",
        fact="R-142", lines="L5642-L5644, L5707",
        fires={"mirrored": True, "message_bytes_typical": 1000000, "channel_paths": 2},
        quiet={"mirrored": True, "message_bytes_typical": 1000000, "channel_paths": 8},
    ),
    Rule(
        id="archive-compression-not-in-effect", subject="site", severity="warning",
        when="archive_compression and not archive_extended_format",
        advice="Archives are to be compressed, but their data class is not extended format: nothing is compressed,"
        " without any message.",
        fact="R-119", lines="L5158-L5168",
        fires={"archive_compression": True, "archive_extended_format": False},
        quiet={"archive_compression": True, "archive_extended_format": True},
    ),
    Rule(
        id="archive-compression-slows-recovery", subject="site", severity="info",
        when="archive_compression and archive_extended_format and value > threshold",
        value="log_read_seconds(recovery_mb, 'compressed archive')",
        threshold="restart_seconds_wanted",
        advice="Recovering {recovery_mb:,.0f} MB from compressed archives takes about {value:,.0f} s (18 MB/s against"
        " 60 uncompressed and 370 from active logs).",
        fact="R-119, R-120", lines="L5138-L5148",
        fires={
            "archive_compression": True, "archive_extended_format": True, "recovery_mb": 4096,
            "restart_seconds_wanted": 100,
        },
        quiet={
            "archive_compression": True, "archive_extended_format": True, "recovery_mb": 400,
            "restart_seconds_wanted": 100,
        },
    ),
    Rule(
        id="zedc-processor-busy", subject="site", severity="warning", derived=True,
        when="value > threshold", value="zedc_busy_pct", threshold=70,
        advice="Compression hardware is {value:.0f} % busy; at its peak archive compression alone took 50 to 70 % of"
        " one.",
        fact="R-122", lines="L5150-L5152",
        fires={"zedc_busy_pct": 85}, quiet={"zedc_busy_pct": 20},
    ),
)
