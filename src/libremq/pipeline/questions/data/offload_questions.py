"""Questions about where large shared messages go: shared message data sets, Db2, storage class memory."""

from __future__ import annotations

from libremq.pipeline.questions.data.shown_questions import DB2, SMDS, STRUCTURES
from libremq.pipeline.questions.question import Figure, Question, Rows

QUESTIONS = (
    Question(
        id="dead-message-storage",
        source="2/1",
        lines="L2997-L3003",
        text="How much of the coupling facility is held by messages already got?",
        figures=(
            Figure("messages, at most", "already_got_messages_max(qsg_queue_managers)"),
            Figure("storage, at most", "dead_message_mb_max(message_bytes_typical, qsg_queue_managers)"),
        ),
        rules=("structure-dead-messages", "dead-messages-do-not-fit"),
        rows=(STRUCTURES,),
        known=("Only at CFLEVEL 4 and below; with 5 got messages are deleted at once.",),
    ),
    Question(
        id="smds-buffers",
        source="2/2",
        lines="L3033, L3041, L5431",
        text="How many buffers (DSBUFS) should a structure have?",
        figures=(
            Figure("DSBUFS by the deficit", "dsbufs_needed(dsbufs, lowest_free)"),
            Figure("storage they take", "smds_buffer_mb(dsbufs, dsblock_bytes)"),
        ),
        rules=("smds-buffers-short", "smds-too-many-buffers", "smds-reads-not-saved"),
        rows=(SMDS,),
        known=(
            "DISPLAY USAGE TYPE(SMDS) shows a deficit as a negative number (CSQE285I). More buffers also save reads of"
            " messages got soon after; thousands cost more than they save.",
        ),
    ),
    Question(
        id="smds-block",
        source="2/3",
        lines="L3035-L3037, L3098-L3125",
        text="Which DSBLOCK?",
        figures=(
            Figure("block for this length", "dsblock_bytes_preferred(message_bytes_typical)"),
            Figure(
                "buffers of a message with it",
                "smds_buffers_per_message(message_bytes_typical, dsblock_bytes_preferred(message_bytes_typical))",
            ),
            Figure("class of the block in use", "smds_block_class(message_bytes_typical, dsblock_bytes)"),
            Figure(
                "serial sets of I/O with the block in use", "smds_serial_io_sets(message_bytes_typical, dsblock_bytes)"
            ),
        ),
        rules=(
            "smds-slow-io",
            "smds-serial-io",
        ),
        rows=(
            SMDS,
            Rows(
                "queue",
                (
                    "mean_bytes = sum(bytes_put) / sum(messages_put)",
                    "shortest_bytes = lowest(message_bytes_min)",
                    "longest_bytes = highest(message_bytes_max)",
                    "messages_put",
                ),
                "highest(message_bytes_max)",
                by=("qmgr", "cf_structure", "queue"),
                where="shared",
            ),
        ),
        known=(
            "A: a message fits one block. B: its blocks are read side by side. C: they are read in turns, which is"
            " slow.",
        ),
    ),
    Question(
        id="smds-storage",
        source="2/4",
        lines="L3025",
        text="How much storage do shared message data sets take above the bar?",
        figures=(
            Figure(
                "all structures of a queue manager", "smds_buffer_mb(dsbufs, dsblock_bytes, application_structures)"
            ),
        ),
        rules=("smds-storage-large",),
        rows=(
            Rows(
                "smds",
                (
                    "buffers = highest(buffers)",
                    "buffer_bytes = highest(buffer_bytes)",
                    "mb = highest(buffers) * highest(buffer_bytes) / 1048576",
                ),
                "highest(buffers) * highest(buffer_bytes)",
                by=("qmgr", "cf_structure"),
            ),
        ),
    ),
    Question(
        id="smds-or-db2",
        source="2/5",
        lines="L3209, L3302-L3332",
        text="Shared message data sets or Db2 for large messages, and what is the difference in processor time?",
        figures=(
            Figure("shared message data sets", "smds_cpu_us_per_message(message_bytes_typical)"),
            Figure("Db2", "db2_cpu_us_per_message(message_bytes_typical)"),
            Figure("saved by data sets", "smds_saving_cpu_us_per_message(message_bytes_typical)"),
            Figure("coupling facility, with data sets", "smds_cf_us_per_message(message_bytes_typical)"),
            Figure("coupling facility, with Db2", "db2_cf_us_per_message(message_bytes_typical)"),
        ),
        rules=("structure-large-messages-in-db2", "db2-large-messages", "queue-large-shared-messages"),
        rows=(SMDS, DB2),
        known=(
            "Data sets, above 63 KB. Where the log is the limit they save processor time rather than add throughput.",
        ),
    ),
    Question(
        id="lob-space",
        source="2/6",
        lines="L3187-L3196",
        text="How large must the Db2 space for large messages be, and each partition?",
        figures=(
            Figure("pages of a message", "lob_pages_per_message(message_bytes_typical)"),
            Figure("all", "lob_space_kb(message_bytes_typical, messages_max)"),
            Figure("one of four partitions", "lob_partition_kb(lob_space_kb(message_bytes_typical, messages_max))"),
            Figure("pieces of a message", "lob_segments_per_message(message_bytes_typical)"),
        ),
        rules=("lob-partition-too-small", "db2-blob-boundary", "db2-buffer-pool-shared"),
        rows=(DB2,),
        known=("A full partition gives 2192 while others have room. More than four partitions brought nothing.",),
    ),
    Question(
        id="db2-sharing-share",
        source="2/7",
        lines="L3249-L3264",
        text="What share of my traffic crosses Db2 members?",
        figures=(Figure("crosses", "data_sharing_pct(qsg_queue_managers)"),),
        rules=("db2-cross-sharing",),
        rows=(DB2,),
        known=(
            "With systems that are all alike; all of it where two systems only send to each other, none with one Db2.",
        ),
    ),
    Question(
        id="db2-rollbacks",
        source="2/8",
        lines="L3228",
        text="Is the number of Db2 rollbacks a problem?",
        rules=("db2-deadlocks", "db2-slow", "db2-tasks-short", "db2-task-abends"),
        rows=(DB2,),
        known=(
            "Not on plans CSQ5*, least of all CSQ5L*: any return code other than 0, `not found` included, ends in a"
            " rollback there. Deadlocks and slow requests are problems, and SMF tells those.",
        ),
    ),
    Question(
        id="scm-helps",
        source="2/9",
        lines="L3369-L3487",
        text="Can storage class memory help, what does it hold, what runs out first?",
        figures=(
            Figure(
                "messages it holds",
                "scm_messages_max(scm_max_mb * 1048576, elements_per_message(message_bytes_typical))",
            ),
            Figure("augmented space, at most", "scm_augmented_mb_max(scm_max_mb)"),
            Figure(
                "missing in the coupling facility",
                "scm_augmented_missing_mb(scm_augmented_mb_max(scm_max_mb), cf_free_mb)",
            ),
            Figure("promised and not there", "scm_overcommitted_mb(scm_max_mb_total, scm_assigned_mb)"),
            Figure("puts without a wait", "scm_write_mb_per_second_max(message_bytes_typical / 1024)"),
            Figure("gets without a wait", "scm_read_mb_per_second_max(message_bytes_typical / 1024)"),
            Figure("delayed faults", "scm_delayed_faults_pct(scm_delayed_faults, scm_requests)"),
            Figure(
                "first to run out",
                "scm_exhausted_first(structure_entries_used, structure_elements_used, structure_entries_max,"
                " structure_elements_max)",
            ),
        ),
        rules=(
            "structure-scm-staging",
            "scm-overcommitted",
            "scm-augmented-space-short",
            "structure-access-not-by-priority-with-scm",
            "scm-delayed-faults",
            "scm-backlog-grows",
            "scm-rate-too-high",
        ),
        rows=(STRUCTURES,),
        known=(
            "For backlogs that are got in order. Gets at random or by identifier make it slow. RMF's summary tells its"
            " use.",
        ),
    ),
    Question(
        id="puts-failed-2192",
        source="2/10",
        lines="L3005, L3196, L3424",
        text="Why did puts fail with 2192?",
        figures=(
            Figure("messages already got, at most", "dead_message_mb_max(message_bytes_typical, qsg_queue_managers)"),
            Figure("Db2 partition needed", "lob_partition_kb(lob_space_kb(message_bytes_typical, messages_max))"),
            Figure(
                "storage class memory promised and not there", "scm_overcommitted_mb(scm_max_mb_total, scm_assigned_mb)"
            ),
        ),
        rules=(
            "structure-full",
            "page-set-full",
            "smds-full",
            "smds-filling-up",
            "structure-dead-messages",
            "lob-partition-too-small",
            "scm-overcommitted",
            "scm-augmented-space-short",
            "queue-failed-puts",
        ),
        rows=(
            STRUCTURES,
            Rows(
                "queue",
                (
                    "failed_puts = sum(failed_puts) + sum(failed_put1s)",
                    "depth_high = highest(depth_high)",
                    "messages_put",
                ),
                "sum(failed_puts) + sum(failed_put1s)",
                by=("qmgr", "queue", "page_set", "cf_structure"),
            ),
        ),
        known=(
            "Something was full: structure, its dead messages, data set, Db2 partition, storage class memory, or a"
            " page set.",
        ),
    ),
)
