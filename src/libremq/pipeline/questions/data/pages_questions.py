"""Questions about page sets and buffer pools."""

from __future__ import annotations

from libremq.pipeline.questions.data.shown_questions import CHECKPOINTS, DEEP_QUEUES, PAGE_SETS, POOLS
from libremq.pipeline.questions.question import Figure, Question, Rows

QUESTIONS = (
    Question(
        id="messages-in-page-set",
        source="1/Q-15",
        lines="L852-L881",
        text="How many messages fit in my page set?",
        figures=(
            Figure("pages of a message", "pages_per_message(message_bytes_typical)"),
            Figure("messages it holds", "messages_in_page_set(page_set_gb, message_bytes_typical)"),
            Figure(
                "messages it holds with MAXSHORTMSGS 0",
                "messages_in_page_set_packed(page_set_gb, message_bytes_typical)",
            ),
            Figure(
                "page set for the messages expected", "page_set_gb_for_messages(messages_max, message_bytes_typical)"
            ),
        ),
        rules=("page-set-too-small-for-peak", "packing-for-capacity", "page-set-filling-up"),
        rows=(PAGE_SETS, DEEP_QUEUES),
        known=("Lengths are user data and all headers but the MQMD. A message takes whole pages unless packed.",),
    ),
    Question(
        id="page-set-full-at-low-depth",
        source="1/Q-16",
        lines="L946-L970",
        text="Why is my page set full when its queues are short?",
        figures=(
            Figure(
                "pages the messages there need",
                "queue_depth_highest * pages_per_message(message_bytes_typical)",
                "pages",
            ),
            Figure("page set", "page_set_pages_largest", "pages"),
        ),
        rules=("page-set-scavenger-lags", "page-set-full", "queue-old-messages"),
        rows=(
            Rows(
                "page_set",
                (
                    "qmgr",
                    "interval_start",
                    "page_set",
                    "pages",
                    "used_pages",
                    "persistent_pages",
                    "nonpersistent_pages",
                ),
                "used_pct",
            ),
            DEEP_QUEUES,
        ),
        known=(
            "With MAXSHORTMSGS 0 a page is freed by a background task, and only when every message on it was got: used"
            " pages then lag behind the depth.",
        ),
    ),
    Question(
        id="puts-slowed-by-expansion",
        source="1/Q-17",
        lines="L889-L895",
        text="Are puts slow because a page set expands?",
        rules=("page-set-expanding", "page-set-expanded", "page-set-expanding-daily", "page-set-filling-up"),
        rows=(
            Rows(
                "page_set",
                (
                    "highest_used_pct = highest(used_pct)",
                    "expansions = sum(expansions_change)",
                    "size_mb_first = first(size_mb)",
                    "size_mb_last = last(size_mb)",
                    "full_events",
                ),
                "highest(used_pct)",
                by=("qmgr", "page_set"),
            ),
        ),
        known=(
            "Above 90 % used a page set expands and each put takes some milliseconds more until it is done; where it"
            " cannot, puts end with 2192.",
        ),
    ),
    Question(
        id="buffer-pools-to-have",
        source="1/Q-20",
        lines="L1006-L1069",
        text="Which buffer pools should I have, and how large?",
        figures=(
            Figure("pool 0, system", "starting_pool_pages_production(0)"),
            Figure("pool 1, long-lived messages", "starting_pool_pages_production(1)"),
            Figure("pool 2, short-lived messages", "starting_pool_pages_production(2)"),
            Figure("pool 3, all others", "starting_pool_pages_production(3)"),
            Figure("each pool in test", "starting_pool_pages_test(0)"),
        ),
        rules=(
            "pools-more-than-four",
            "pool-below-starting-size",
            "pool-long-lived-large-before-v8",
            "pool-storage-short-of-role",
            "page-set-mixed-lifetimes",
        ),
        rows=(POOLS,),
        known=("These are sizes to begin with; four pools do, unless isolation or classes of service ask for more.",),
    ),
    Question(
        id="buffer-pool-size",
        source="1/Q-21",
        lines="L1071-L1075, L2385",
        text="Is a buffer pool too small or too large?",
        rules=(
            "pool-system-short-of-buffers",
            "pool-short-lived-short-of-buffers",
            "pool-long-lived-short-of-buffers",
            "pool-short-of-buffers",
            "pool-no-free-buffer",
            "pool-contention-for-buffers",
            "pool-synchronous-write-limit",
            "pool-half-unused",
        ),
        rows=(POOLS,),
        known=("Keep 15 % of the buffers free at all times; a pool that never used half of them may shrink.",),
    ),
    Question(
        id="buffer-pool-fixed-or-oversized",
        source="1/Q-22",
        lines="L1081-L1087, L1116-L1124",
        text="Should a buffer pool be page-fixed, or larger than its page set?",
        figures=(Figure("buffers that hold the whole page set", "oversized_pool_pages(page_set_pages_largest)"),),
        rules=(
            "pool-with-io-not-fixed",
            "pool-with-io-below-the-bar",
            "pool-fixed-without-storage",
            "page-set-larger-pool-would-help",
            "page-set-pool-needlessly-large",
        ),
        rows=(
            Rows(
                "buffer_pool",
                (
                    "above_the_bar = last(above_the_bar)",
                    "page_fixed = last(page_fixed)",
                    "size_mb = highest(size_mb)",
                    "pages_read",
                    "pages_written",
                    "synchronous_writes",
                    "ios_per_second_high = highest(page_set_ios_per_second)",
                ),
                "sum(pages_read) + sum(pages_written)",
                by=("qmgr", "buffer_pool"),
            ),
        ),
        known=(
            "Fix pools with much I/O where real storage is ample; a pool above 105 % of its page set gains nothing.",
        ),
    ),
    Question(
        id="checkpoint-io-time",
        source="1/Q-23",
        lines="L1132-L1154",
        text="How long does the I/O of a checkpoint disturb?",
        figures=(
            Figure(
                "pages that may be written",
                "checkpoint_page_bytes(log_dataset_mb * 1048576, log_bytes_per_message_typical) / 1048576",
                "MB",
            ),
            Figure(
                "time of writing them",
                "deferred_write_seconds(checkpoint_page_bytes(log_dataset_mb * 1048576,"
                " log_bytes_per_message_typical), page_set_write_mb_per_second)",
            ),
        ),
        rules=("checkpoint-io-long", "log-checkpoints-often"),
        rows=(CHECKPOINTS,),
        known=("That is when messages of one page stay for two checkpoints; short-lived ones are never written.",),
    ),
    Question(
        id="checkpoint-pages-by-pool",
        source="1/Q-59",
        lines="L1615-L1634",
        text="How many pages did checkpoints write, by pool?",
        rows=(
            Rows(
                "page_set",
                (
                    "checkpoint_pages",
                    "other_write_pages = sum(deferred_write_pages) - sum(checkpoint_pages)",
                    "immediate_write_pages",
                    "most_in_an_interval = highest(checkpoint_pages)",
                ),
                "sum(checkpoint_pages)",
                by=("qmgr", "buffer_pool"),
            ),
        ),
        rules=("log-checkpoints-often",),
        known=("CSQP018I says that a checkpoint begins, CSQP019I for each pool how many pages it wrote.",),
    ),
    Question(
        id="objects-in-pool-0",
        source="1/Q-41",
        lines="L1037, L1726-L1735, L2400-L2406",
        text="How many objects fit in buffer pool 0?",
        figures=(
            Figure("pages, by measured use", "object_pages_by_measured_use(objects_defined)"),
            Figure("pages, by bytes of a definition", "object_pages_by_bytes(objects_defined)"),
            Figure("pages, two objects a page", "object_pages_by_count(objects_defined)"),
            Figure(
                "pool 0 where storage is short",
                "constrained_pool_0_pages(object_pages_by_measured_use(objects_defined))",
            ),
        ),
        rules=("pool-0-too-small-for-objects", "pool-reads-in-critical-pool", "pool-system-short-of-buffers"),
        rows=(POOLS,),
        known=(
            "The three estimates differ much; the measured one is the least. After warming up pool 0 should not read.",
        ),
    ),
    Question(
        id="system-queue-places",
        source="1/Q-60",
        lines="L1035-L1047, L1067-L1069",
        text="Where should each system queue live?",
        rules=(
            "queue-system-in-wrong-pool",
            "queue-application-in-pool-0",
            "reply-model-beside-sync-queue",
            "model-queues-in-system-storage-class",
            "page-set-system-used-by-applications",
        ),
        rows=(
            Rows(
                "queue",
                ("depth_high = highest(depth_high)", "messages_put"),
                "highest(depth_high)",
                by=("qmgr", "queue", "page_set", "buffer_pool"),
                where="matches(queue, 'SYSTEM.*')",
                limit=20,
            ),
        ),
        known=(
            "Cluster queues and SYSTEM.CHANNEL.SYNCQ belong in the system pool; commands, administration, events and"
            " the dead-letter queue in that of all others; dynamic and reply queues in neither page set 0 nor pool 0.",
        ),
    ),
    Question(
        id="pool-too-small",
        source="3/1",
        lines="L6782-L6818",
        text="Which buffer pools run short, in which intervals?",
        rules=(
            "pool-nearly-full",
            "pool-system-short-of-buffers",
            "pool-short-lived-short-of-buffers",
            "pool-deferred-writes-in-critical-pool",
            "pool-reads-in-critical-pool",
            "pool-newly-used-buffers",
            "pool-deferred-writes-not-catching-up",
        ),
        rows=(
            Rows(
                "buffer_pool",
                (
                    "qmgr",
                    "buffer_pool",
                    "interval_start",
                    "buffers",
                    "stealable_lowest_pct",
                    "deferred_write_starts",
                    "synchronous_write_limit_hits",
                    "pages_read",
                    "buffers_stolen",
                ),
                "0 - stealable_lowest_pct",
            ),
        ),
        known=(
            "Below 15 % free pages are written in the background until 25 % are free; below 5 % applications write"
            " themselves. A pool without free buffers makes them wait.",
        ),
    ),
    Question(
        id="pool-thrashing",
        source="3/2",
        lines="L6832-L6876",
        text="Does a buffer pool thrash, and who makes it?",
        rules=(
            "pool-contention-ratio",
            "pool-more-searching-than-storing",
            "reply-model-beside-sync-queue",
            "queue-gets-skip-messages",
            "queue-gets-read-page-set",
        ),
        rows=(
            Rows(
                "buffer_pool",
                (
                    "old_page_requests",
                    "new_page_requests",
                    "old_per_new = sum(old_page_requests) / sum(new_page_requests)",
                    "steal_contentions",
                    "buffers_stolen",
                ),
                "sum(steal_contentions)",
                by=("qmgr", "buffer_pool"),
            ),
            Rows(
                "queue_accounting",
                ("get_calls", "messages_skipped", "pages_skipped", "get_page_set_ios"),
                "sum(pages_skipped) + sum(get_page_set_ios)",
                by=("qmgr", "buffer_pool", "page_set", "queue", "task_name"),
            ),
        ),
        known=("Many page requests and few new pages: somebody searches. The queues that skip pages tell who.",),
    ),
    Question(
        id="buffers-needed",
        source="3/3",
        lines="L6694, L6725",
        text="How many buffers does a pool of short-lived messages need?",
        figures=(
            Figure("for the most in use so far", "buffers_for_high_water(used_buffers_high)"),
            Figure(
                "for the deepest queue",
                "buffers_for_high_water(queue_depth_highest * pages_per_message(message_bytes_typical))",
            ),
        ),
        rules=("pool-short-lived-short-of-buffers",),
        rows=(POOLS, DEEP_QUEUES),
        known=("Enough for the most messages at one time with 15 % to spare: then nothing is read, little written.",),
    ),
    Question(
        id="spilled-messages-read-again",
        source="3/4",
        lines="L6821-L6826",
        text="Are messages that left the pool read again?",
        rules=("pool-pages-read-again", "data-manager-gets-from-disk", "page-set-reads", "queue-gets-read-page-set"),
        rows=(
            Rows(
                "buffer_pool",
                (
                    "pages_read",
                    "pages_written",
                    "read_per_written = sum(pages_read) / sum(pages_written)",
                    "lowest_free_pct = lowest(stealable_lowest_pct)",
                ),
                "sum(pages_read)",
                by=("qmgr", "buffer_pool"),
            ),
            Rows(
                "data_manager",
                (
                    "gets_from_disk",
                    "gets_from_buffer_pool",
                    "from_disk_pct = 100 * sum(gets_from_disk) / sum(message_gets)",
                ),
                "sum(gets_from_disk)",
                by=("qmgr",),
            ),
        ),
    ),
    Question(
        id="page-set-io-capacity",
        source="3/5",
        lines="L6820",
        text="Is page set I/O near what the volumes can do?",
        rules=("pool-page-set-io-high", "page-set-slow-reads", "page-set-immediate-writes"),
        rows=(
            Rows(
                "page_set",
                (
                    "qmgr",
                    "interval_start",
                    "page_set",
                    "ios_per_second",
                    "io_busy_pct",
                    "read_average_us",
                    "deferred_write_average_us",
                    "immediate_write_average_us",
                ),
                "ios_per_second",
            ),
        ),
        known=("What a volume takes is a fact of the devices: give volume_ios_per_second_max.",),
    ),
)
