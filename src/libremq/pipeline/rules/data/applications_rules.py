"""Rules about what applications do: calls, units of work, gets that search, shared opens, waits; and storage they"
" use."""

from __future__ import annotations

from libremq.pipeline.rules.rule import Rule

# fmt: off
RULES = (
    Rule(
        id="calls-many-empty-gets", subject="message_manager", severity="info", derived=True,
        when="gets > 1000 and value > threshold", value="gets_per_put", threshold=10,
        advice="{value:.0f} gets for each message put: applications poll, or many waiters race for each message. Wait"
        " with an interval, and with fewer waiters (each costs about 1 us a message).",
        fact="R-WAIT-1, R-36", lines="L3643-L3646, L8000-L8002",
        fires={"gets": 500000, "gets_per_put": 40.0}, quiet={"gets": 5000, "gets_per_put": 1.0},
    ),
    Rule(
        id="calls-open-for-each-message", subject="message_manager", severity="info", derived=True,
        when="messages_put > 1000 and value > threshold", value="opens_per_message", threshold=1.5,
        advice="{value:.1f} opens for each message put. Keep queues open, or use MQPUT1 for a single message.",
        fact="R-APP-2", lines="L7145-L7148",
        fires={"messages_put": 50000, "opens_per_message": 2.0},
        quiet={"messages_put": 50000, "opens_per_message": 0.01},
    ),
    Rule(
        id="calls-put1-for-many", subject="message_manager", severity="info", derived=True,
        when="messages_put > 1000 and put1s_per_second > 1000 and value > threshold", value="put1_pct", threshold=80,
        advice="{value:.0f} % of the messages are put with MQPUT1, which opens and closes each time. It suits a"
        " single message; for many, keep the queue open.",
        fact="R-APP-2", lines="L7148",
        fires={"messages_put": 500000, "put1s_per_second": 5000.0, "put1_pct": 95.0},
        quiet={"messages_put": 5000, "put1s_per_second": 50.0, "put1_pct": 95.0},
    ),
    Rule(
        id="calls-persistence-questioned", subject="message_manager", severity="info", derived=True,
        when="value > threshold and log.log_writer_busy_pct > 80", value="persistent_put_pct", threshold=90,
        advice="{value:.0f} % of the messages are persistent and the log writer is {log.log_writer_busy_pct:.0f} %"
        " busy. Must all survive a restart? Nonpersistent messages, or nonpersistent shared queues, need no log.",
        fact="R-LF-05, R-APP-3, R-CF-19", lines="L2108-L2110, L2869-L2877, L7141",
        fires={"persistent_put_pct": 99.0, "log.log_writer_busy_pct": 95.0},
        quiet={"persistent_put_pct": 99.0, "log.log_writer_busy_pct": 5.0},
    ),
    Rule(
        id="calls-log-more-than-estimated", subject="message_manager", severity="info", derived=True,
        when="persistent_puts > 1000 and value > threshold", value="log.log_bytes / persistent_puts",
        threshold="3 * put_get_log_bytes(persistent_message_bytes)",
        advice="{value:,.0f} bytes are logged for each persistent message, three times what put and get of its size"
        " should take. Channel batches, structure backups, shunting of long units of work or object changes make up"
        " the rest.",
        fact="R-LV-03, R-LL-04, F-LOG-15", lines="L806-L819, L1838",
        fires={"persistent_puts": 5000, "log.log_bytes": 90000000, "persistent_message_bytes": 1000.0},
        quiet={"persistent_puts": 5000, "log.log_bytes": 11500000, "persistent_message_bytes": 1000.0},
    ),
    Rule(
        id="calls-persistent-rate-at-log-limit", subject="message_manager", severity="warning",
        when="value > threshold", value="persistent_puts / interval_seconds",
        threshold="0.5 * persistent_messages_per_second_max(put_get_log_bytes(persistent_message_bytes),"
        " log_mb_per_second_max)",
        advice="{value:,.0f} persistent messages a second of {persistent_message_bytes:,.0f} bytes;"
        " {2 * threshold:,.0f} a second is what these log devices take at the very most.",
        fact="R-LV-07, R-110", lines="L811, L4985-L5003",
        fires={
            "persistent_puts": 2400000, "interval_seconds": 60, "persistent_message_bytes": 1000.0,
            "log_mb_per_second_max": 112.0,
        },
        quiet={
            "persistent_puts": 24000, "interval_seconds": 60, "persistent_message_bytes": 1000.0,
            "log_mb_per_second_max": 112.0,
        },
    ),
    Rule(
        id="storage-short", subject="storage", severity="severe",
        when="short_on_storage_events > 0 or short_on_storage_contractions > 0",
        advice="The queue manager was short of storage {short_on_storage_events:.0f} times. Buffer pools below the"
        " bar, large units of work, many handles and structure backups are the usual users.",
        fact="own", lines="own",
        fires={"short_on_storage_events": 1, "short_on_storage_contractions": 0},
        quiet={"short_on_storage_events": 0, "short_on_storage_contractions": 0},
    ),
    Rule(
        id="storage-abends", subject="storage", severity="severe",
        when="short_on_storage_abends > 0",
        advice="{short_on_storage_abends:.0f} tasks ended abnormally because storage was short.",
        fact="own", lines="own",
        fires={"short_on_storage_abends": 1}, quiet={"short_on_storage_abends": 0},
    ),
    Rule(
        id="storage-requests-failed", subject="storage", severity="warning",
        when="storage_failures > 0",
        advice="{storage_failures:.0f} requests for storage failed.",
        fact="own", lines="own",
        fires={"storage_failures": 4}, quiet={"storage_failures": 0},
    ),
    Rule(
        id="storage-region-31-high", subject="storage", severity="warning",
        when="value > threshold", value="user_31_pct", threshold=80,
        advice="{value:.0f} % of the queue manager's 31-bit region is allocated. Move buffer pools above the bar.",
        fact="own", lines="own",
        fires={"user_31_pct": 91.0}, quiet={"user_31_pct": 30.0},
    ),
    Rule(
        id="storage-growing", subject="storage", severity="warning", over="queue manager",
        when="days() >= 14 and trend(available_31_bytes) < 0 and value < threshold",
        value="-last(available_31_bytes) / trend(available_31_bytes)", threshold=30,
        advice="Free 31-bit storage shrinks by {-trend(available_31_bytes) / 1048576:.1f} MB a day and ends in about"
        " {value:.0f} days.",
        fact="own", lines="own",
        fires=tuple({"available_31_bytes": 500000000 - 20000000 * day} for day in range(16)),
        quiet=tuple({"available_31_bytes": 500000000} for _ in range(16)),
    ),
    Rule(
        id="lock-contention", subject="lock", severity="info",
        when="lock_requests > 10000 and value > threshold", value="already_held_pct", threshold=20,
        advice="{value:.0f} % of the lock requests met a lock that was held. Large units of work keep many locks:"
        " commit more often.",
        fact="own", lines="own",
        fires={"lock_requests": 100000, "already_held_pct": 40.0},
        quiet={"lock_requests": 100000, "already_held_pct": 1.0},
    ),
    Rule(
        id="task-units-of-work-large", subject="task_accounting", severity="warning",
        when="commit_calls > 0 and value > threshold", value="log_writes / commit_calls", threshold=400, derived=True,
        advice="Task {task_name} writes {value:,.0f} log records a commit. Up to about 100 puts a unit of work pay,"
        " 200 is the usual limit; beyond it cost, locks and recovery grow.",
        fact="R-UOW-01, R-UOW-1", lines="L1863, L7142-L7143",
        fires={"commit_calls": 10, "log_writes": 60000}, quiet={"commit_calls": 1000, "log_writes": 6000},
    ),
    Rule(
        id="task-backs-out", subject="task_accounting", severity="info",
        when="application_type != 'CICS' and backout_calls > 10 and value > threshold", value="backout_pct",
        threshold=10,
        advice="Task {task_name} backs out {value:.0f} % of its units of work. (CICS tasks are left out: there a"
        " backout at the end only resets the state.)",
        fact="own", lines="own",
        fires={"application_type": "RRS", "backout_calls": 500, "backout_pct": 40.0},
        quiet={"application_type": "CICS", "backout_calls": 500, "backout_pct": 40.0},
    ),
    Rule(
        id="task-log-forces-per-commit", subject="task_accounting", severity="info",
        when="commit_calls > 100 and value > threshold", value="log_forces_per_commit", threshold=2.1, derived=True,
        advice="Task {task_name} waits for the log {value:.1f} times a commit. One-phase commit needs 1, two-phase 2;"
        " more come from persistent calls outside syncpoint, one each.",
        fact="R-LF-01, R-LG-5", lines="L2127, L6922",
        fires={"commit_calls": 1000, "log_forces_per_commit": 4.0},
        quiet={"commit_calls": 1000, "log_forces_per_commit": 1.0},
    ),
    Rule(
        id="task-log-force-slow", subject="task_accounting", severity="warning", derived=True,
        when="log_forces > 100 and value > threshold", value="log_force_average_us", threshold=5000,
        advice="Task {task_name} waits {value:,.0f} us for each log force: at most {1000000 / value:,.0f} units of"
        " work a second, one after another. More instances in parallel, or a faster log.",
        fact="R-LF-04, R-TP-1", lines="L2137-L2138, L7853-L7857",
        fires={"log_forces": 5000, "log_force_average_us": 16000.0},
        quiet={"log_forces": 5000, "log_force_average_us": 300.0},
    ),
    Rule(
        id="task-suspended", subject="task_accounting", severity="info",
        when="suspensions > 100 and value > threshold", value="suspension_us / suspensions", threshold=20000,
        advice="Task {task_name} was suspended {suspensions:,.0f} times for {value:,.0f} us each.",
        fact="own", lines="own",
        fires={"suspensions": 500, "suspension_us": 50000000}, quiet={"suspensions": 500, "suspension_us": 500000},
    ),
    Rule(
        id="task-shared-open-latch", subject="task_accounting", severity="warning", derived=True,
        when="value > threshold", value="shared_open_latch_us / 1000000", threshold=1,
        advice="Task {task_name} waited {value:.1f} s for latch 11, which serialises first opens of shared queues."
        " Keep one long-running opener of the same kind on each queue manager.",
        fact="R-SQ-4", lines="L7283, L7315, L7384-L7394",
        fires={"shared_open_latch_us": 9000000}, quiet={"shared_open_latch_us": 700},
    ),
    Rule(
        id="task-latch-waits", subject="task_accounting", severity="info",
        when="value > threshold", value="longest_latch_wait_us / 1000", threshold=1000,
        advice="Task {task_name} once waited {value:,.0f} ms for a latch, and most for latch {longest_latch:.0f}.",
        fact="own", lines="own",
        fires={"longest_latch_wait_us": 3000000}, quiet={"longest_latch_wait_us": 900},
    ),
    Rule(
        id="task-db2-for-undefined-queues", subject="task_accounting", severity="info", derived=True,
        when="value > threshold", value="db2_requests", threshold=100,
        advice="Task {task_name} made {value:,.0f} requests to Db2. Does it open queues that are not defined, or"
        " create shared dynamic queues?",
        fact="R-SQ-5, F-OPEN-2", lines="L7229-L7265",
        fires={"db2_requests": 5000}, quiet={"db2_requests": 1},
    ),
    Rule(
        id="task-cf-retries", subject="task_accounting", severity="info", derived=True,
        when="cf_single_calls > 1000 and value > threshold",
        value="cf_retries_pct(cf_single_redrives, cf_single_calls)", threshold=20,
        advice="{value:.0f} % of the coupling facility calls of task {task_name} were made again.",
        fact="R-SQ-3, R-CF-16", lines="L2914-L2933, L7353-L7357",
        fires={"cf_single_calls": 1591903, "cf_single_redrives": 337039},
        quiet={"cf_single_calls": 1591903, "cf_single_redrives": 9},
    ),
    Rule(
        id="task-single-server-bound", subject="queue_accounting", severity="info", derived=True,
        when="gets_destructive > 1000 and put_calls > 0 and value > threshold",
        value="100 * gets_destructive / interval_seconds / server_transactions_per_second_max(get_average_elapsed_us,"
        " put_average_elapsed_us, either(task_accounting.commit_average_elapsed_us, 0))",
        threshold=90,
        advice="Task {task_name} serves {queue} at {value:.0f} % of what one thread can do with these call times. Run"
        " more instances, unless order forbids it.",
        fact="R-TP-1, R-UOW-5, R-APP-4", lines="L7149-L7152, L7853-L7857",
        fires={
            "gets_destructive": 132960, "interval_seconds": 60, "put_calls": 100, "get_average_elapsed_us": 425.0,
            "put_average_elapsed_us": 10.0, "task_accounting.commit_average_elapsed_us": 7.0,
        },
        quiet={
            "gets_destructive": 6000, "interval_seconds": 60, "put_calls": 100, "get_average_elapsed_us": 425.0,
            "put_average_elapsed_us": 10.0, "task_accounting.commit_average_elapsed_us": 7.0,
        },
    ),
    Rule(
        id="queue-gets-skip-messages", subject="queue_accounting", severity="warning", derived=True,
        when="get_calls > 100 and value > threshold", value="messages_skipped_per_get", threshold=50,
        advice="Each get of {task_name} on {queue} passes over {value:,.0f} messages. A selector or an identifier"
        " without index makes it search: index the queue, use a queue for each purpose, or put the property into the"
        " correlation identifier.",
        fact="R-SEL-1, R-SEL-6, R-IDX-01", lines="L2150, L7529-L7533, L7582-L7586, L7632",
        fires={"get_calls": 541, "messages_skipped_per_get": 89397.0},
        quiet={"get_calls": 541, "messages_skipped_per_get": 0.2},
    ),
    Rule(
        id="queue-specific-gets-without-index", subject="queue_accounting", severity="warning",
        when="index_type == 'None' and not shared and depth_high > 10 and value > threshold",
        value="gets_specific + browses_specific",
        threshold=100, derived=True,
        advice="{value:,.0f} gets by identifier on {queue}, which has no index and held up to {depth_high:,.0f}"
        " messages. Define INDXTYPE.",
        fact="R-IDX-01", lines="L2150, L6825",
        fires={"index_type": "None", "shared": False, "depth_high": 5000, "gets_specific": 9000, "browses_specific": 0},
        quiet={
            "index_type": "CorrelId", "shared": False, "depth_high": 5000, "gets_specific": 9000, "browses_specific": 0,
        },
    ),
    Rule(
        id="queue-index-not-used", subject="queue_accounting", severity="info", derived=True,
        when="index_type not in ('None', 'GroupId') and gets_any > 1000 and depth_high > 1000 and gets_specific == 0",
        advice="{queue} is indexed by {index_type} but {task_name} never gets by it. An index costs 136 bytes a"
        " message and time at each restart.",
        fact="R-IDX-02, R-IDX-03", lines="L2154-L2156, L2410",
        fires={"index_type": "MsgId", "gets_any": 50000, "depth_high": 5000, "gets_specific": 0},
        quiet={"index_type": "MsgId", "gets_any": 50000, "depth_high": 5000, "gets_specific": 50000},
    ),
    Rule(
        id="queue-group-gets-scan", subject="queue_accounting", severity="warning", derived=True,
        when="shared and index_type == 'GroupId' and value > threshold", value="gets_any", threshold=100,
        advice="{task_name} gets groups from the shared queue {queue} by scanning ({value:,.0f} gets of any message)."
        " Ask for all messages available and logical order, or match the sequence number; for groups of one use the"
        " correlation identifier.",
        fact="R-GRP-2, R-GRP-3", lines="L7423-L7490",
        fires={"shared": True, "index_type": "GroupId", "gets_any": 9000},
        quiet={"shared": True, "index_type": "GroupId", "gets_any": 0},
    ),
    Rule(
        id="queue-shared-scans-structure", subject="queue_accounting", severity="warning", derived=True,
        when="shared and gets_destructive > 100 and value > threshold", value="get_cf_requests / gets_destructive",
        threshold=10,
        advice="Each message got from {queue} takes {value:.0f} requests to the coupling facility: a selector, a"
        " common key or a scan by group. Keep the handle open, use unique keys, or separate queues.",
        fact="R-SEL-2, R-SEL-5, R-SQ-1", lines="L7160, L7590-L7595, L7607-L7611, L7630-L7635",
        fires={"shared": True, "gets_destructive": 2000, "get_cf_requests": 60000},
        quiet={"shared": True, "gets_destructive": 2000, "get_cf_requests": 6845},
    ),
    Rule(
        id="queue-common-key-likely", subject="queue_accounting", severity="info", derived=True,
        when="shared and gets_specific > 100 and 3.5 < value <= 10", value="get_cf_requests / gets_destructive",
        advice="Gets by identifier on {queue} take {value:.1f} coupling facility requests each, where 2 or so do. Do"
        " many messages share one key? Fewer than 50 with the same key is best.",
        fact="R-SQ-1, R-SQ-2", lines="L7160-L7225",
        fires={"shared": True, "gets_specific": 10000, "get_cf_requests": 64235, "gets_destructive": 10000},
        quiet={"shared": True, "gets_specific": 2000, "get_cf_requests": 6000, "gets_destructive": 2000},
    ),
    Rule(
        id="queue-first-open-last-close", subject="queue_accounting", severity="warning", derived=True,
        when="shared and open_calls > 100 and value > threshold",
        value="100 * (open_calls - opens_without_cf) / open_calls", threshold=50,
        advice="{value:.0f} % of the opens of {queue} went to the coupling facility: each is the first on this queue"
        " manager. Keep one program with the same kind of open running there (not for TRIGTYPE(FIRST)); opens then"
        " fell to 1 us.",
        fact="R-SQ-4", lines="L7269-L7277, L7361-L7415",
        fires={"shared": True, "open_calls": 565020, "opens_without_cf": 0},
        quiet={"shared": True, "open_calls": 565020, "opens_without_cf": 560000},
    ),
    Rule(
        id="queue-open-contention", subject="queue_accounting", severity="warning", derived=True,
        when="shared and open_calls > 100 and value > threshold", value="open_average_elapsed_us - open_average_cpu_us",
        threshold=90,
        advice="Opens of {queue} wait {value:.0f} us each. With two queue managers opening for input 91 us were"
        " measured, with three 469.",
        fact="R-SQ-4, T-7", lines="L7283, L7302-L7305",
        fires={"shared": True, "open_calls": 5000, "open_average_elapsed_us": 520.0, "open_average_cpu_us": 51.0},
        quiet={"shared": True, "open_calls": 5000, "open_average_elapsed_us": 27.0, "open_average_cpu_us": 21.0},
    ),
    Rule(
        id="queue-cf-open-retries", subject="queue_accounting", severity="info", derived=True,
        when="shared and open_calls > 100 and value > threshold",
        value="cf_requests_per_open(open_cf_requests, open_calls)", threshold=2.5,
        advice="An open of {queue} takes {value:.2f} coupling facility requests: queue managers get in each other's"
        " way.",
        fact="R-SQ-3, T-16", lines="L7340-L7357",
        fires={"shared": True, "open_calls": 565020, "open_cf_requests": 1591903},
        quiet={"shared": True, "open_calls": 565020, "open_cf_requests": 565020},
    ),
    Rule(
        id="queue-cf-requests-asynchronous", subject="queue_accounting", severity="warning", derived=True,
        when="shared and get_cf_requests > 1000 and value > threshold",
        value="asynchronous_pct(get_cf_synchronous, get_cf_asynchronous)", threshold=20,
        advice="{value:.0f} % of the coupling facility requests of gets on {queue} were asynchronous, some 130 us"
        " instead of 10.",
        fact="R-CF-14, T-15", lines="L2883-L2890, L7199-L7225",
        fires={"shared": True, "get_cf_requests": 6845, "get_cf_synchronous": 4011, "get_cf_asynchronous": 2834},
        quiet={"shared": True, "get_cf_requests": 6845, "get_cf_synchronous": 6800, "get_cf_asynchronous": 45},
    ),
    Rule(
        id="queue-gets-read-page-set", subject="queue_accounting", severity="info", derived=True,
        when="gets_destructive > 100 and value > threshold", value="100 * get_page_set_ios / gets_destructive",
        threshold=10,
        advice="{value:.0f} % of the gets on {queue} read its page set (pool {buffer_pool:.0f}): messages left the"
        " pool before they were got.",
        fact="R-TP-2, F-BM-12", lines="L6731-L6739, L7722-L7724",
        fires={"gets_destructive": 5000, "get_page_set_ios": 2500},
        quiet={"gets_destructive": 5000, "get_page_set_ios": 5},
    ),
    Rule(
        id="queue-puts-wait", subject="queue_accounting", severity="info", derived=True,
        when="value > threshold", value="put_delays", threshold=0,
        advice="{value:,.0f} puts of {task_name} to {queue} were slowed because its getters do not keep up.",
        fact="R-BP-12", lines="L7754",
        fires={"put_delays": 40}, quiet={"put_delays": 0},
    ),
    Rule(
        id="queue-many-empty-gets", subject="queue_accounting", severity="info", derived=True,
        when="get_calls > 1000 and value > threshold", value="get_failed_pct", threshold=90,
        advice="{value:.0f} % of the gets of {task_name} on {queue} found nothing. On shared queues with many waiting"
        " servers think of KEYRNOTIFYDELAY; on triggered ones of programs that drain the queue.",
        fact="R-36, R-WAIT-1, R-TRG-1", lines="L3543-L3550, L3643-L3646, L8000-L8022",
        fires={"get_calls": 50000, "get_failed_pct": 97.0}, quiet={"get_calls": 50000, "get_failed_pct": 30.0},
    ),
    Rule(
        id="queue-large-shared-messages", subject="queue_accounting", severity="info",
        when="shared and put_calls + put1_calls > 0 and value > threshold", value="put_message_bytes_max",
        threshold=64512,
        advice="Messages of up to {value:,.0f} bytes go to the shared queue {queue}. Beyond {threshold:,.0f} bytes"
        " they are offloaded: prefer shared message data sets (CFLEVEL 5) to Db2.",
        fact="R-14, R-SQ-8", lines="L3209, L7728-L7734",
        fires={"shared": True, "put_calls": 10, "put1_calls": 0, "put_message_bytes_max": 100000},
        quiet={"shared": True, "put_calls": 10, "put1_calls": 0, "put_message_bytes_max": 6000},
    ),
    Rule(
        id="queue-no-put-to-waiting-getter", subject="queue_accounting", severity="info", derived=True,
        when="messages_put > 10000 and persistent_put_pct == 0 and depth_high < 5 and value < threshold",
        value="waiting_getter_pct",
        threshold=1,
        advice="None of {messages_put:,.0f} nonpersistent puts to {queue} went straight to a waiting getter although"
        " the queue is short. Outside syncpoint on both sides the queue is bypassed.",
        fact="F-PS-05", lines="L978, L988, L3266-L3268",
        fires={"messages_put": 50000, "persistent_put_pct": 0.0, "depth_high": 2, "waiting_getter_pct": 0.0},
        quiet={"messages_put": 50000, "persistent_put_pct": 0.0, "depth_high": 2, "waiting_getter_pct": 70.0},
    ),
    Rule(
        id="queue-selector-used", subject="queue_accounting", severity="info",
        when="selector_opens > 0 and value > threshold", value="depth_high", threshold=1000, derived=True,
        advice="{task_name} opens {queue} with a selector while it holds up to {value:,.0f} messages. Each get tests"
        " messages one by one, unless the selector is by an indexed identifier.",
        fact="R-SEL-1, F-SEL-2", lines="L7494-L7516",
        fires={"selector_opens": 3, "depth_high": 50000}, quiet={"selector_opens": 3, "depth_high": 5},
    ),
    Rule(
        id="queue-expired-at-get", subject="queue_accounting", severity="info", derived=True,
        when="value > threshold", value="messages_expired", threshold=1000,
        advice="{value:,.0f} expired messages were met by gets of {task_name} on {queue}. Let the system scan for"
        " them (EXPRYINT) rather than browsing programs.",
        fact="R-EXP-03", lines="L2230, L2244",
        fires={"messages_expired": 5000}, quiet={"messages_expired": 3},
    ),
    Rule(
        id="queue-put1-on-hot-queue", subject="queue_accounting", severity="info", derived=True,
        when="value > threshold and put_calls == 0", value="put1_calls", threshold=1000,
        advice="{task_name} puts {value:,.0f} messages to {queue} with MQPUT1, opening it each time.",
        fact="R-APP-2", lines="L7145-L7148",
        fires={"put1_calls": 5000, "put_calls": 0}, quiet={"put1_calls": 3, "put_calls": 0},
    ),
    Rule(
        id="queue-open-close-churn", subject="queue_accounting", severity="info", derived=True,
        when="open_calls > 1000 and value < threshold", value="(put_calls + get_calls) / open_calls", threshold=2,
        advice="{task_name} opens {queue} {open_calls:,.0f} times for {value:.1f} calls each. Keep the handle.",
        fact="R-APP-2, R-SEL-5", lines="L7145-L7148, L7635",
        fires={"open_calls": 5000, "put_calls": 5000, "get_calls": 0},
        quiet={"open_calls": 5, "put_calls": 5000, "get_calls": 0},
    ),
    Rule(
        id="queue-depth-growing", subject="queue", severity="warning", over="object and day", derived=True,
        when="count() >= 4 and lowest(depth_low) > 0 and value > threshold", value="last(depth) - first(depth)",
        threshold=1000,
        advice="Queue {object} grew by {value:,.0f} messages in a day and was never empty: consumers do not keep up.",
        fact="R-UOW-5, R-BP-12", lines="L7152, L7754",
        fires=tuple({"depth": 1000 * n, "depth_low": 500} for n in range(1, 8)),
        quiet=tuple({"depth": 10, "depth_low": 0} for n in range(1, 8)),
    ),
    Rule(
        id="queue-old-messages", subject="queue", severity="info", derived=True,
        when="not partial and depth > 0 and value > threshold and not matches(queue, 'SYSTEM.*')",
        value="oldest_message_seconds / 3600",
        threshold=24,
        advice="The oldest message on {queue} is {value:.0f} hours old. Long-lived messages belong in a page set and"
        " pool of their own.",
        fact="R-PS-06, R-BP-03", lines="L850, L1049-L1057",
        fires={"partial": False, "depth": 100, "oldest_message_seconds": 200000, "queue": "APP.IN"},
        quiet={"partial": False, "depth": 100, "oldest_message_seconds": 60, "queue": "APP.IN"},
    ),
    Rule(
        id="queue-dead-letters", subject="queue", severity="warning",
        when="(queue == either(dead_letter_queue, '') or matches(queue, '*DEAD*QUEUE*')) and value > threshold",
        value="depth", threshold=0,
        advice="{value:,.0f} messages are on the dead-letter queue {queue}.",
        fact="own", lines="own",
        fires={"queue": "SYSTEM.DEAD.LETTER.QUEUE", "dead_letter_queue": None, "depth": 12},
        quiet={"queue": "SYSTEM.DEAD.LETTER.QUEUE", "dead_letter_queue": None, "depth": 0},
    ),
    Rule(
        id="queue-system-in-wrong-pool", subject="queue", severity="warning",
        when="(matches(queue, 'SYSTEM.COMMAND.*') or matches(queue, 'SYSTEM.ADMIN.*') or matches(queue,"
        " '*DEAD*QUEUE*')) and buffer_pool == 0",
        advice="{queue} lives in pool 0. Command, administration and dead-letter queues can grow; keep them in the"
        " pool for everything else.",
        fact="R-BP-02, R-BP-05, R-BP-11", lines="L1035-L1047, L1067-L1069, L6864-L6876",
        fires={"queue": "SYSTEM.ADMIN.QMGR.EVENT", "buffer_pool": 0},
        quiet={"queue": "SYSTEM.ADMIN.QMGR.EVENT", "buffer_pool": 3},
    ),
    Rule(
        id="queue-application-in-pool-0", subject="queue", severity="warning",
        when="not shared and buffer_pool == 0 and not matches(queue, 'SYSTEM.*')",
        advice="Application queue {queue} lives in pool 0, the pool of the object definitions. Give its storage class"
        " another page set.",
        fact="R-BP-02, P-21", lines="L1035-L1047",
        fires={"shared": False, "queue": "APP.IN", "buffer_pool": 0},
        quiet={"shared": False, "queue": "APP.IN", "buffer_pool": 2},
    ),
    Rule(
        id="queue-failed-puts", subject="queue", severity="warning",
        when="value > threshold", value="failed_puts + failed_put1s", threshold=0,
        advice="{value:,.0f} puts to {queue} failed. Is it full (2053), inhibited, or its page set or structure full"
        " (2192)?",
        fact="own", lines="own",
        fires={"failed_puts": 3, "failed_put1s": 0}, quiet={"failed_puts": 0, "failed_put1s": 0},
    ),
    Rule(
        id="queue-backed-out", subject="queue", severity="info",
        when="gets > 100 and value > threshold", value="100 * backed_out_gets / gets", threshold=10,
        advice="{value:.0f} % of the messages got from {queue} were put back by a backout.",
        fact="own", lines="own",
        fires={"gets": 5000, "backed_out_gets": 1500}, quiet={"gets": 5000, "backed_out_gets": 5},
    ),
    Rule(
        id="queue-index-rebuild-long", subject="queue", severity="info",
        when="either(indexed, False) and not shared and value > threshold", value="index_rebuild_seconds(depth_high)",
        threshold=60, derived=True,
        advice="{queue} with up to {depth_high:,.0f} messages adds some {value:.0f} s to a restart, as its index is"
        " rebuilt. QINDXBLD(NOWAIT) lets others start meanwhile.",
        fact="R-IDX-03, R-IDX-05, R-RST-11", lines="L2156-L2168, L2204-L2208",
        fires={"indexed": True, "shared": False, "depth_high": 8000000},
        quiet={"indexed": True, "shared": False, "depth_high": 8000},
    ),
    Rule(
        id="publish-without-subscribers", subject="topic", severity="info",
        when="publishes > 100 and value > threshold", value="100 * publishes_without_subscriber / publishes",
        threshold=50,
        advice="{value:.0f} % of the publications had no subscriber: work for nothing.",
        fact="own", lines="own",
        fires={"publishes": 5000, "publishes_without_subscriber": 4000},
        quiet={"publishes": 5000, "publishes_without_subscriber": 10},
    ),
)
