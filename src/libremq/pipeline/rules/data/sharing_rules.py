"""Rules about queue sharing as measured: CF structures, shared message data sets, Db2."""

from __future__ import annotations

from libremq.pipeline.rules.rule import Rule

# fmt: off
RULES = (
    Rule(
        id="structure-full", subject="cf_structure", severity="severe",
        when="structure_full_events > 0",
        advice="Structure {cf_structure} was full {structure_full_events:,.0f} times; puts failed with 2192. Enlarge"
        " it, allow automatic alter, or offload messages with CFLEVEL(5).",
        fact="INV-14, R-CF-10", lines="L2636-L2640, L2686",
        fires={"structure_full_events": 3, "cf_structure": "APP1"}, quiet={"structure_full_events": 0},
    ),
    Rule(
        id="structure-entries-high", subject="cf_structure", severity="warning", derived=True,
        when="value > threshold", value="structure_used_pct(entries_used_high, structure_entries_max)", threshold=80,
        advice="{value:.0f} % of the entries of structure {cf_structure} were in use. Past the full threshold an"
        " alter takes minutes, and 2192 may come first.",
        fact="R-CF-10, R-20", lines="L2686, L3416",
        fires={"entries_used_high": 190000, "structure_entries_max": 230000},
        quiet={"entries_used_high": 1000, "structure_entries_max": 230000},
    ),
    Rule(
        id="structure-elements-high", subject="cf_structure", severity="warning", derived=True,
        when="value > threshold", value="structure_used_pct(elements_used_high, structure_elements_max)", threshold=80,
        advice="{value:.0f} % of the elements of structure {cf_structure} were in use. Entries or elements, whichever"
        " ends first, fill it.",
        fact="R-CF-10, R-20", lines="L2638, L2686, L3416",
        fires={"elements_used_high": 1300000, "structure_elements_max": 1380000},
        quiet={"elements_used_high": 1000, "structure_elements_max": 1380000},
    ),
    Rule(
        id="structure-scm-staging", subject="cf_structure", severity="info",
        when="scm_max_mb > 0 and value >= threshold",
        value="list_structure_full_pct(entries_used_high, structure_entries_max, elements_used_high,"
        " structure_elements_max)",
        threshold=90,
        advice="Structure {cf_structure} was {value:.0f} % full, so messages move to storage class memory, and its"
        " ratio of entries to elements is frozen until none is left there.",
        fact="R-20", lines="L3414-L3420, L3500",
        fires={
            "scm_max_mb": 1000, "entries_used_high": 220000, "structure_entries_max": 230000,
            "elements_used_high": 1300000,
            "structure_elements_max": 1380000,
        },
        quiet={
            "scm_max_mb": 1000, "entries_used_high": 20000, "structure_entries_max": 230000,
            "elements_used_high": 100000,
            "structure_elements_max": 1380000,
        },
    ),
    Rule(
        id="structure-redrives", subject="cf_structure", severity="info", derived=True,
        when="single_calls > 1000 and value > threshold", value="single_redrive_pct", threshold=5,
        advice="{value:.1f} % of the single calls to structure {cf_structure} were made again with a larger buffer:"
        " message sizes go back and forth over a buffer boundary (such as 4 KB). It costs 3 to 4 %.",
        fact="R-CF-16", lines="L2914-L2991",
        fires={"single_calls": 1000000, "single_redrive_pct": 46.0},
        quiet={"single_calls": 1000000, "single_redrive_pct": 0.0},
    ),
    Rule(
        id="structure-common-key", subject="cf_structure", severity="warning", derived=True,
        when="multiple_calls > 1000 and value > threshold", value="multiple_redrive_pct", threshold=30,
        advice="{value:.0f} % of the list calls to structure {cf_structure} were repeated. Many messages share one"
        " key: from about 50 on each get costs more, at 6,000 nine times as much.",
        fact="R-SQ-1, R-CF-16", lines="L2925, L7160-L7193",
        fires={"multiple_calls": 64235, "multiple_redrive_pct": 68.9},
        quiet={"multiple_calls": 64235, "multiple_redrive_pct": 1.0},
    ),
    Rule(
        id="structure-calls-asynchronous", subject="cf_structure", severity="warning", derived=True,
        when="single_calls > 1000 and value > threshold", value="single_call_average_us", threshold=100,
        advice="A call to structure {cf_structure} takes {value:.0f} us. 4 to 10 us are usual when synchronous;"
        " hundreds mean that z/OS made them asynchronous: the coupling facility is short of processor or far away.",
        fact="R-CF-14", lines="L2883-L2890",
        fires={"single_calls": 100000, "single_call_average_us": 600.0},
        quiet={"single_calls": 100000, "single_call_average_us": 4.4},
    ),
    Rule(
        id="structure-calls-slower", subject="cf_structure", severity="info", derived=True,
        when="single_calls > 1000 and 20 < value <= 100", value="single_call_average_us",
        advice="A call to structure {cf_structure} takes {value:.0f} us; 4.4 us at 20 % and 9.9 us at 70 % coupling"
        " facility load were measured over internal links.",
        fact="R-CF-14, R-CF-18", lines="L2462-L2468, L2889-L2890",
        fires={"single_calls": 100000, "single_call_average_us": 45.0},
        quiet={"single_calls": 100000, "single_call_average_us": 5.0},
    ),
    Rule(
        id="structure-elements-run-out-first", subject="cf_structure", severity="info",
        when="not allow_auto_alter and entries_used_high > 1000 and value > threshold", value="elements_per_entry_high",
        threshold=6,
        advice="Messages in structure {cf_structure} need {value:.1f} elements each, it was made for {threshold:.0f}:"
        " elements run out and entries stay unused. ALLOWAUTOALT(YES) adjusts that.",
        fact="R-CF-06, R-CF-09, R-24", lines="L2636-L2660, L2688, L3482",
        fires={"allow_auto_alter": False, "entries_used_high": 50000, "elements_per_entry_high": 10.0},
        quiet={"allow_auto_alter": True, "entries_used_high": 50000, "elements_per_entry_high": 10.0},
    ),
    Rule(
        id="structure-entries-run-out-first", subject="cf_structure", severity="info",
        when="not allow_auto_alter and entries_used_high > 1000 and value < threshold", value="elements_per_entry_high",
        threshold=5,
        advice="Messages in structure {cf_structure} need only {value:.1f} elements each (under about 908 bytes):"
        " entries run out first. ALLOWAUTOALT(YES) gains room in the same size.",
        fact="R-CF-09", lines="L2688",
        fires={"allow_auto_alter": False, "entries_used_high": 50000, "elements_per_entry_high": 3.0},
        quiet={"allow_auto_alter": False, "entries_used_high": 50000, "elements_per_entry_high": 6.0},
    ),
    Rule(
        id="structure-dead-messages", subject="cf_structure", severity="warning",
        when="cflevel <= 4 and structure_full_events > 0",
        value="dead_message_mb_max(message_bytes_typical, qsg_queue_managers)",
        advice="Structure {cf_structure} ran full at CFLEVEL({cflevel:.0f}), where got messages stay until 341 have"
        " gathered: up to {value:,.0f} MB for {qsg_queue_managers:.0f} queue managers. CFLEVEL(5) or a larger"
        " structure ends that.",
        fact="R-01, R-CF-17", lines="L2993-L3011",
        fires={"cflevel": 4, "structure_full_events": 2, "message_bytes_typical": 64512, "qsg_queue_managers": 30},
        quiet={"cflevel": 5, "structure_full_events": 2, "message_bytes_typical": 64512, "qsg_queue_managers": 30},
    ),
    Rule(
        id="admin-structure-large-units", subject="cf_structure", severity="warning",
        when="matches(cf_structure, '*CSQ_ADMIN') and value > threshold", value="entries_used_high", threshold=10000,
        derived=True,
        advice="The administration structure had {value:,.0f} entries in use: very large units of work. About 40,000"
        " messages are the limit of the smallest one; beyond it CSQE038E and an abend follow.",
        fact="R-CF-04", lines="L2504-L2512",
        fires={"cf_structure": "CSQ_ADMIN", "entries_used_high": 20000},
        quiet={"cf_structure": "CSQ_ADMIN", "entries_used_high": 47},
    ),
    Rule(
        id="structure-growing", subject="cf_structure", severity="info", over="object", derived=True,
        when="days() >= 14 and trend(entries_used_high) > 0 and 0 < value < threshold",
        value="(0.8 * structure_entries_max - last(entries_used_high)) / trend(entries_used_high)", threshold=60,
        advice="Entries in structure {object} grow by {trend(entries_used_high):,.0f} a day; 80 % is reached in about"
        " {value:.0f} days.",
        fact="R-CF-10", lines="L2686",
        fires=tuple({"entries_used_high": 100000 + 3000 * day, "structure_entries_max": 230000} for day in range(16)),
        quiet=tuple({"entries_used_high": 100000, "structure_entries_max": 230000} for _ in range(16)),
    ),
    Rule(
        id="smds-full", subject="smds", severity="severe",
        when="allocation_failures > 0",
        advice="{allocation_failures:,.0f} requests for space in the shared message data set of {cf_structure}"
        " failed; puts got 2192. Enlarge it.",
        fact="own", lines="own",
        fires={"allocation_failures": 2}, quiet={"allocation_failures": 0},
    ),
    Rule(
        id="smds-filling-up", subject="smds", severity="warning",
        when="value > threshold", value="used_high_pct", threshold=80,
        advice="The shared message data set of {cf_structure} was {value:.0f} % full.",
        fact="own", lines="own",
        fires={"used_high_pct": 88.0}, quiet={"used_high_pct": 20.0},
    ),
    Rule(
        id="smds-buffers-short", subject="smds", severity="warning",
        when="buffers_free_low <= 0 and pool_waits > 0",
        advice="{pool_waits:,.0f} requests waited for a buffer of {cf_structure}. Raise DSBUFS above {buffers:,.0f},"
        " by at least the {pool_waiters_high:.0f} tasks that waited at once.",
        fact="R-03", lines="L3033",
        fires={"buffers_free_low": 0, "pool_waits": 500}, quiet={"buffers_free_low": 12, "pool_waits": 0},
    ),
    Rule(
        id="smds-too-many-buffers", subject="smds", severity="warning", derived=True,
        when="value > threshold", value="buffers", threshold=1000,
        advice="{cf_structure} has {value:,.0f} buffers. Thousands cost more than they save, as finding the oldest"
        " takes longer: 10 to 200 were cheapest, 3000 much dearer.",
        fact="R-07", lines="L5431",
        fires={"buffers": 3000}, quiet={"buffers": 200},
    ),
    Rule(
        id="smds-reads-not-saved", subject="smds", severity="info", derived=True,
        when="reads_requested > 1000 and read_ios > other_read_ios and value < threshold", value="reads_saved_pct",
        threshold=20,
        advice="Only {value:.0f} % of the reads for {cf_structure} found their data in a buffer, though most messages"
        " are got where they were put. With low depth more DSBUFS save reads (a quarter more throughput was measured).",
        fact="R-07", lines="L3041-L3058, L5402, L5525",
        fires={"reads_requested": 50000, "read_ios": 40000, "other_read_ios": 10, "reads_saved_pct": 3.0},
        quiet={"reads_requested": 50000, "read_ios": 10, "other_read_ios": 40000, "reads_saved_pct": 3.0},
    ),
    Rule(
        id="smds-serial-io", subject="smds", severity="warning",
        when="messages_high > 0 and value == 'C'", value="smds_block_class(message_bytes_typical, buffer_bytes)",
        advice="Messages of {message_bytes_typical:,.0f} bytes need more blocks of {buffer_bytes:,.0f} bytes than can"
        " be read at once. Use a DSBLOCK of {dsblock_bytes_preferred(message_bytes_typical):,.0f} bytes.",
        fact="R-04, R-05, R-06", lines="L3035-L3037, L3098-L3125", derived=True,
        fires={"messages_high": 10, "message_bytes_typical": 1000000, "buffer_bytes": 8192},
        quiet={"messages_high": 10, "message_bytes_typical": 100000, "buffer_bytes": 262144},
    ),
    Rule(
        id="smds-slow-io", subject="smds", severity="warning",
        when="write_ios > 100 and value > threshold", value="write_average_us", threshold=2000,
        advice="A write to the shared message data set of {cf_structure} takes {value:,.0f} us.",
        fact="own", lines="own",
        fires={"write_ios": 5000, "write_average_us": 8000.0}, quiet={"write_ios": 5000, "write_average_us": 300.0},
    ),
    Rule(
        id="smds-encrypted-too-early", subject="smds", severity="severe",
        when="encrypted and matches(release, '???') and release < '920'",  # six digits from 10.0.0 on
        advice="The shared message data set of {cf_structure} is encrypted, which release {release} cannot use: it"
        " becomes AVAIL(ERROR), and puts fail once offloading begins.",
        fact="R-136", lines="L5262-L5276",
        fires={"encrypted": True, "release": "910"}, quiet={"encrypted": True, "release": "100000"},
    ),
    Rule(
        id="smds-encryption-cost", subject="smds", severity="info", derived=True,
        when="encrypted and value > threshold",
        value="(smds_put_encryption_us(write_pages) + smds_get_encryption_us(read_pages)) / interval_seconds / 10000",
        threshold=5,
        advice="Encrypting the shared message data set of {cf_structure} takes about {value:.1f} % of a processor;"
        " more DSBUFS save reads and their decryption.",
        fact="R-132", lines="L5425-L5447, L5519-L5525",
        fires={"encrypted": True, "write_pages": 9000000, "read_pages": 900000, "interval_seconds": 60},
        quiet={"encrypted": True, "write_pages": 900, "read_pages": 900, "interval_seconds": 60},
    ),
    Rule(
        id="smds-storage-large", subject="smds", severity="info", over="interval", derived=True,
        when="value > threshold", value="sum(buffers * buffer_bytes) / 1048576", threshold=1024,
        advice="Buffers of shared message data sets take {value:,.0f} MB of 64-bit storage in this queue manager.",
        fact="R-02", lines="L3025",
        fires=({"buffers": 2000, "buffer_bytes": 1048576},), quiet=({"buffers": 100, "buffer_bytes": 262144},),
    ),
    Rule(
        id="db2-large-messages", subject="db2", severity="info", derived=True,
        when="value > threshold", value="blob_inserts", threshold=0,
        advice="{value:,.0f} shared messages over 63 KB went to Db2. Shared message data sets do that for a fifth to"
        " a half of the processor time (100 KB: 210 against 1012 us).",
        fact="R-14, T-03", lines="L3209, L3302-L3316, L3540, L3602",
        fires={"blob_inserts": 500}, quiet={"blob_inserts": 0},
    ),
    Rule(
        id="db2-tasks-short", subject="db2", severity="warning", derived=True,
        when="value > threshold", value="request_queue_high", threshold="server_tasks",
        advice="{value:.0f} requests waited for {threshold:.0f} Db2 server tasks. Raise the number of tasks in"
        " QSGDATA or look why Db2 is slow.",
        fact="R-16, F-OPEN-1", lines="L3162-L3176, L3217-L3224",
        fires={"request_queue_high": 40, "server_tasks": 4}, quiet={"request_queue_high": 1, "server_tasks": 4},
    ),
    Rule(
        id="db2-task-abends", subject="db2", severity="severe",
        when="task_abends > 0",
        advice="{task_abends:.0f} Db2 server tasks of the queue manager ended abnormally; look at its job log.",
        fact="own", lines="own",
        fires={"task_abends": 1}, quiet={"task_abends": 0},
    ),
    Rule(
        id="db2-deadlocks", subject="db2", severity="warning", derived=True,
        when="deadlocks > 0",
        advice="{deadlocks:.0f} requests to Db2 ended in a deadlock or timeout. (Rollbacks on plans CSQ5* alone are"
        " normal.)",
        fact="R-16, R-17", lines="L3217-L3228",
        fires={"deadlocks": 3}, quiet={"deadlocks": 0},
    ),
    Rule(
        id="db2-slow", subject="db2", severity="warning", derived=True,
        when="requests > 100 and value > threshold", value="average_thread_us / 1000", threshold=50,
        advice="A request to Db2 takes {value:.0f} ms. Opens of shared queues and channel starts wait for it: check"
        " buffer pools, group buffer pools and statistics (RUNSTATS, rebind).",
        fact="R-16, R-38", lines="L3217-L3224, L3237-L3241",
        fires={"requests": 5000, "average_thread_us": 90000.0}, quiet={"requests": 5000, "average_thread_us": 900.0},
    ),
    Rule(
        id="db2-undefined-queue-opens", subject="db2", severity="warning", derived=True,
        when="value > threshold", value="reads / interval_seconds", threshold=100,
        advice="{value:,.0f} objects a second are looked up in Db2. Applications open queues that do not exist: each"
        " costs 8 to 10 times a good open.",
        fact="R-SQ-5", lines="L7229-L7257",
        fires={"reads": 60000, "interval_seconds": 60}, quiet={"reads": 6, "interval_seconds": 60},
    ),
    Rule(
        id="db2-blob-boundary", subject="db2", severity="info",
        when="blob_inserts > 0 and value > threshold", value="lob_segments_per_message(message_bytes_typical)",
        threshold=1,
        advice="Messages of {message_bytes_typical:,.0f} bytes take {value:.0f} rows of 511 KB in Db2; throughput"
        " falls and processor time rises at each boundary.",
        fact="R-12", lines="L3244-L3247",
        fires={"blob_inserts": 5, "message_bytes_typical": 600000},
        quiet={"blob_inserts": 5, "message_bytes_typical": 100000},
    ),
)
