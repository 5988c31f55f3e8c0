"""Questions about queue sharing: structures, coupling facilities, shared message data sets, Db2, storage class"
" memory."""

from __future__ import annotations

from libremq.pipeline.questions.question import Question, Rows

_STRUCTURE_ROWS = Rows(
    "cf_structure",
    (
        "qmgr",
        "interval_start",
        "cf_structure",
        "entries_used_high",
        "elements_used_high",
        "structure_full_events",
        "calls_per_second",
        "single_call_average_us",
        "redrive_pct",
    ),
    "entries_used_high",
)

QUESTIONS = (
    Question(
        id="how-many-structures",
        source="1/Q-43",
        lines="L2472-L2488",
        text="How many structures: one or several?",
        rules=(
            "structures-many",
            "structures-over-limit",
            "one-structure-for-both-persistences",
            "units-of-work-across-structures",
            "structure-queues-over-limit",
            "structure-mixes-deep-and-critical",
        ),
        figures={"transaction over two structures, us": "two_structure_cpu_us(transaction_us)"},
    ),
    Question(
        id="admin-structure-size",
        source="1/Q-44",
        lines="L2502-L2518",
        text="How large must CSQ_ADMIN be?",
        figures={
            "INITSIZE, KB": "admin_structure_initsize_kb(cfcc_level)",
            "entries needed to start": "admin_entries_needed(qsg_queue_managers)",
        },
        rules=("admin-structure-small", "admin-structure-entries-short", "admin-structure-large-units"),
    ),
    Question(
        id="application-structure-size",
        source="1/Q-45",
        lines="L2520-L2546",
        text="How large must an application structure be?",
        figures={
            "messages of the outage": "outage_messages(puts_per_second_peak, outage_seconds)",
            "INITSIZE, bytes": (
                "structure_initsize_bytes_for_one_size(message_bytes_typical, outage_messages(puts_per_second_peak,"
                " outage_seconds), cfcc_level)"
            ),
        },
        rules=(
            "structure-too-small-for-outage",
            "structure-size-over-twice-initial",
            "structure-minsize-below-initial",
            "structure-needs-growth-for-cfcc",
        ),
    ),
    Question(
        id="messages-in-structure",
        source="1/Q-46",
        lines="L2563-L2626",
        text="How many messages does this structure hold?",
        figures={
            "by the sizing rule": (
                "messages_by_sizing_rule(structure_initsize_kb * 1024, message_bytes_typical, cfcc_level)"
            ),
            "elements of a message": "elements_per_message(message_bytes_typical)",
            "with offloading at 80 %": "messages_with_offload(structure_elements_max, message_bytes_typical)",
        },
    ),
    Question(
        id="entries-or-elements-first",
        source="1/Q-47",
        lines="L2628-L2660",
        text="Which runs out first, entries or elements?",
        figures={"elements of a message (6 for each entry there are)": "elements_per_message(message_bytes_typical)"},
        rules=(
            "structure-elements-run-out-first",
            "structure-entries-run-out-first",
            "structure-entries-high",
            "structure-elements-high",
        ),
        rows=_STRUCTURE_ROWS,
    ),
    Question(
        id="auto-alter-helps",
        source="1/Q-48",
        lines="L2670-L2692",
        text="Does automatic alter help?",
        rules=(
            "structure-auto-alter-would-help",
            "structure-elements-run-out-first",
            "structure-entries-run-out-first",
            "structure-minsize-below-initial",
            "structure-shrunk-on-old-cf",
        ),
        known=("It takes minutes; a structure that fills fast gives 2192 first.",),
    ),
    Question(
        id="duplex",
        source="1/Q-49",
        lines="L2770-L2867",
        text="Should structures be duplexed, and at what cost?",
        figures={
            "added to each update, us": "duplex_distance_us(duplex_km)",
            "throughput left, transactions a second": (
                "duplexed_transactions_per_second(transactions_per_second_typical)"
            ),
        },
        rules=("structure-duplexed-without-admin", "structure-duplex-distance", "structure-nonpersistent-duplexed"),
        known=("The primary coupling facility does about twice the work for updates, the secondary nearly as much.",),
    ),
    Question(
        id="cf-short-of-processor",
        source="1/Q-50",
        lines="L2879-L2902",
        text="Is the coupling facility short of processor?",
        rules=(
            "cf-one-engine-busy",
            "cf-engines-busy",
            "cf-engines-shared",
            "structure-calls-asynchronous",
            "structure-calls-slower",
            "queue-cf-requests-asynchronous",
        ),
        rows=Rows(
            "cf_structure",
            (
                "qmgr",
                "interval_start",
                "cf_structure",
                "calls_per_second",
                "single_call_average_us",
                "multiple_call_average_us",
            ),
            "single_call_average_us",
        ),
    ),
    Question(
        id="many-redrives",
        source="1/Q-51",
        lines="L2914-L2991",
        text="Why are so many coupling facility calls made again?",
        rules=("structure-redrives", "structure-common-key", "task-cf-retries"),
        rows=Rows(
            "cf_structure",
            (
                "qmgr",
                "interval_start",
                "cf_structure",
                "single_calls",
                "single_redrives",
                "multiple_calls",
                "multiple_redrives",
            ),
            "redrives",
        ),
    ),
    Question(
        id="structure-full-at-low-depth",
        source="1/Q-52",
        lines="L2993-L3005",
        text="Why 2192 when few messages are live?",
        figures={
            "got messages that still take space, MB": "dead_message_mb_max(message_bytes_typical, qsg_queue_managers)",
        },
        rules=("structure-dead-messages", "dead-messages-do-not-fit", "structure-full"),
    ),
    Question(
        id="persistence-needed",
        source="1/Q-53",
        lines="L2108, L2869-L2877",
        text="Do I need persistence at all?",
        rules=("calls-persistence-questioned", "persistence-for-availability"),
        known=(
            "Nonpersistent messages on shared queues survive any queue manager; they are lost only with their"
            " structure.",
        ),
    ),
    Question(
        id="messages-lost-when",
        source="1/Q-61",
        lines="L2776-L2787, L2869-L2873",
        text="When does a queue-sharing group lose messages?",
        known=(
            "CSQ_ADMIN fails: queue managers stay up and rebuild it from their logs; nothing is lost.",
            "A structure with CFLEVEL 1 or 2 fails: queue managers connected to it fail, its messages are lost.",
            "A structure with CFLEVEL 3 or more fails: nobody fails; persistent messages come back from backup and"
            " logs with RECOVER(YES), nonpersistent ones are lost.",
            "A duplexed structure loses one copy: nothing is lost.",
            "Private nonpersistent messages are lost whenever their queue manager stops; shared ones are not.",
        ),
        rules=("structure-cflevel-low", "structure-persistent-without-recover"),
    ),
    Question(
        id="admin-only-queue-manager",
        source="1/Q-62",
        lines="L2764-L2768",
        text="Do I need a queue manager for administration alone?",
        rules=("structure-backup-log-use", "log-rate-over-plan"),
    ),
    Question(
        id="dead-message-storage",
        source="2/1",
        lines="L2997-L3003",
        text="How much of the coupling facility is held by messages already got?",
        figures={
            "messages at most": "already_got_messages_max(qsg_queue_managers)",
            "MB at most": "dead_message_mb_max(message_bytes_typical, qsg_queue_managers)",
        },
        rules=("structure-dead-messages", "dead-messages-do-not-fit"),
        known=("Only at CFLEVEL 4 and below; with 5 got messages are deleted at once.",),
    ),
    Question(
        id="smds-buffers",
        source="2/2",
        lines="L3033, L3041, L5431",
        text="How many buffers (DSBUFS) should a structure have?",
        figures={"DSBUFS by the deficit of CSQE285I": "dsbufs_needed(dsbufs, lowest_free)"},
        rules=("smds-buffers-short", "smds-too-many-buffers", "smds-reads-not-saved"),
        rows=Rows(
            "smds",
            ("qmgr", "interval_start", "cf_structure", "buffers", "buffers_free_low", "pool_waits", "reads_saved_pct"),
            "pool_waits",
        ),
    ),
    Question(
        id="smds-block",
        source="2/3",
        lines="L3035-L3037, L3098-L3125",
        text="Which DSBLOCK?",
        figures={
            "block, bytes": "dsblock_bytes_preferred(message_bytes_typical)",
            "buffers of a message with it": (
                "smds_buffers_per_message(message_bytes_typical, dsblock_bytes_preferred(message_bytes_typical))"
            ),
        },
        rules=("smds-serial-io",),
    ),
    Question(
        id="smds-storage",
        source="2/4",
        lines="L3025",
        text="How much storage do shared message data sets take above the bar?",
        figures={"MB": "smds_buffer_mb(dsbufs, dsblock_bytes, application_structures)"},
        rules=("smds-storage-large",),
    ),
    Question(
        id="smds-or-db2",
        source="2/5",
        lines="L3209, L3302-L3332",
        text="Shared message data sets or Db2 for large messages?",
        figures={
            "shared message data sets, us a message": "smds_cpu_us_per_message(message_bytes_typical)",
            "Db2, us a message": "db2_cpu_us_per_message(message_bytes_typical)",
            "coupling facility, us, with data sets": "smds_cf_us_per_message(message_bytes_typical)",
            "coupling facility, us, with Db2": "db2_cf_us_per_message(message_bytes_typical)",
        },
        rules=("structure-large-messages-in-db2", "db2-large-messages", "queue-large-shared-messages"),
    ),
    Question(
        id="lob-space",
        source="2/6",
        lines="L3187-L3196",
        text="How large must the Db2 space for large messages be?",
        figures={
            "all, KB": "lob_space_kb(message_bytes_typical, messages_max)",
            "one partition, KB": "lob_partition_kb(lob_space_kb(message_bytes_typical, messages_max))",
        },
        rules=("lob-partition-too-small", "db2-blob-boundary"),
    ),
    Question(
        id="db2-sharing-share",
        source="2/7",
        lines="L3249-L3264",
        text="What share of my traffic crosses Db2 members?",
        figures={"percent": "data_sharing_pct(qsg_queue_managers)"},
        rules=("db2-cross-sharing",),
    ),
    Question(
        id="db2-rollbacks",
        source="2/8",
        lines="L3228",
        text="Is the number of Db2 rollbacks a problem?",
        known=(
            "Not on plans CSQ5*, least of all CSQ5L*: any return code other than 0, `not found` included, ends in a"
            " rollback there.",
        ),
        rules=("db2-deadlocks", "db2-slow", "db2-tasks-short", "db2-task-abends"),
    ),
    Question(
        id="scm-helps",
        source="2/9",
        lines="L3369-L3487",
        text="Can storage class memory help, what does it hold, what runs out first?",
        figures={
            "messages it holds": "scm_messages_max(scm_max_mb * 1048576, elements_per_message(message_bytes_typical))",
            "augmented space in the coupling facility at most, MB": "scm_augmented_mb_max(scm_max_mb)",
            "puts without waiting, MB/s": "scm_write_mb_per_second_max(message_bytes_typical / 1024)",
        },
        rules=(
            "structure-scm-staging",
            "scm-overcommitted",
            "scm-augmented-space-short",
            "structure-access-not-by-priority-with-scm",
            "scm-delayed-faults",
            "scm-backlog-grows",
            "scm-rate-too-high",
        ),
    ),
    Question(
        id="puts-failed-2192",
        source="2/10",
        lines="L3005, L3196, L3424",
        text="Why did puts fail with 2192?",
        rules=(
            "structure-full",
            "page-set-full",
            "smds-full",
            "structure-dead-messages",
            "lob-partition-too-small",
            "scm-overcommitted",
            "scm-augmented-space-short",
            "queue-failed-puts",
        ),
        rows=_STRUCTURE_ROWS,
    ),
    Question(
        id="which-cflevel",
        source="2/11",
        lines="L3524-L3540, L3586-L3606",
        text="Which CFLEVEL?",
        rules=(
            "structure-cflevel-low",
            "structure-persistent-without-recover",
            "structure-large-messages-without-offload",
            "structure-offload-tier-disabled",
            "structure-offload-with-tiny-messages",
        ),
        known=(
            "5 does everything 4 does, offloads in tiers and to shared message data sets, and costs nothing"
            " measurable over 2.",
        ),
    ),
    Question(
        id="structure-layout",
        source="2/12",
        lines="L3554-L3606",
        text="Which layout of structures?",
        rules=(
            "one-structure-for-both-persistences",
            "structures-many",
            "units-of-work-across-structures",
            "structure-duplexed-without-admin",
            "structure-nonpersistent-duplexed",
        ),
    ),
    Question(
        id="idle-queue-managers",
        source="2/13",
        lines="L3573-L3584",
        text="Do idle queue managers of the group cost anything?",
        figures={
            "rate left with idle members, transactions a second": (
                "transactions_per_second_with_idle_members(transactions_per_second_typical)"
            ),
        },
        rules=("ims-bridge-idle-members",),
    ),
    Question(
        id="notify-delay",
        source="2/14",
        lines="L3543-L3550, L3624-L3646",
        text="Would KEYRNOTIFYDELAY help?",
        figures={"queue managers woken for nothing": "wasted_notifications_per_message(interested_queue_managers)"},
        rules=("notifications-wasted", "queue-many-empty-gets"),
    ),
    Question(
        id="another-queue-manager",
        source="2/15",
        lines="L3566-L3571",
        text="Is it time for another queue manager?",
        rules=(
            "log-add-queue-manager",
            "log-rate-at-limit",
            "chinit-storage-31-high",
            "chinit-scavenger-frequent",
            "chinit-channels-near-maximum",
            "chinit-channels-practical-ceiling",
        ),
    ),
    Question(
        id="shared-opens-hurt",
        source="3/14",
        lines="L7269-L7415",
        text="Do opens of shared queues hurt?",
        figures={
            "open for input, us, by queue managers": "shared_input_open_elapsed_us(interested_queue_managers)",
            "open for output, us, by queue managers": "shared_output_open_elapsed_us(interested_queue_managers)",
        },
        rules=(
            "queue-first-open-last-close",
            "queue-open-contention",
            "queue-cf-open-retries",
            "task-shared-open-latch",
            "helper-breaks-trigger-first",
        ),
        rows=Rows(
            "queue_accounting",
            (
                "qmgr",
                "queue",
                "task_name",
                "open_calls",
                "opens_without_cf",
                "open_average_elapsed_us",
                "open_average_cpu_us",
            ),
            "open_elapsed_us",
            where="shared",
        ),
    ),
    Question(
        id="undefined-queues-opened",
        source="3/15",
        lines="L7229-L7257",
        text="Do applications open queues that do not exist?",
        rules=("db2-undefined-queue-opens", "task-db2-for-undefined-queues"),
        figures={"such an open, us at most": "undefined_open_us_max(open_us)"},
    ),
    Question(
        id="cf-large-enough",
        source="3/16",
        lines="L7918-L7922",
        text="Is my coupling facility large enough?",
        figures={
            "engines needed": (
                "cf_engines_needed(persistent_messages_per_second_peak,"
                " cf_us_per_persistent_message(message_bytes_typical))"
            ),
            "messages a second of one engine": (
                "messages_per_second_per_cf_engine(cf_us_per_persistent_message(message_bytes_typical))"
            ),
        },
        rules=("cf-too-small-for-rate", "cf-engines-busy", "cf-link-slow"),
    ),
    Question(
        id="shared-or-private",
        source="3/17",
        lines="L7902-L7905",
        text="What do shared queues cost against private ones?",
        figures={
            "shared, us at least": "shared_persistent_us_min(private_us, message_bytes_typical)",
            "shared, us at most": "shared_persistent_us_max(private_us, message_bytes_typical)",
        },
        known=("For persistent messages; the wording of the source leaves a range.",),
    ),
)
